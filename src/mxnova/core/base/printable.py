# SPDX-License-Identifier: Apache-2.0
"""Text from files made safe to show: what a terminal would obey becomes an escape to read."""

from __future__ import annotations

import logging

__all__ = ["escape_record", "printable"]


def printable(text: str, keep: str = "") -> str:
    r"""`text` with every character that is not printable written as Python would escape it.

    Control characters (``\x1b``, ``\n``), marks that turn the direction of writing (``\u202e``)
    and lone surrogates (``\ud800``) are such characters; letters of any script and the space are
    not.

    Args:
        text: any string.
        keep: characters to leave as they are, whatever they do.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _escape(ord(c)) for c in text)


def _escape(code: int) -> str:
    short = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}.get(code)
    if short is not None:
        return short
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def escape_record(record: logging.LogRecord) -> bool:
    """Escape control characters in a log record; a filter that keeps every record."""
    record.msg, record.args = printable(record.getMessage(), keep="\n\t"), None
    if record.exc_info and not record.exc_text:
        text = logging.Formatter().formatException(record.exc_info)
        record.exc_text = printable(text, keep="\n\t")
    return True


logging.getLogger("mxnova").addFilter(escape_record)  # All modules log through this logger.
