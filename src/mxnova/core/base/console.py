# SPDX-License-Identifier: Apache-2.0
"""Output to terminals, in which text from files is shown and never obeyed.

Names in a stranger's file may contain escape sequences, which set the title of a terminal, hide
lines or answer in place of the user. Every stream of a command and every console of rich is opened
here, so that no caller can forget to escape a name.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from .printable import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["escape_output", "open_console"]

_KEPT = "\n\t"


class _EscapingStream:
    """A text stream that writes escapes in place of control characters.

    Args:
        stream: the stream that receives the text. Consoles of rich write to it directly, under the
            name that rich itself uses for such a stream; `open_console` escapes what they show.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(printable(text, keep=_KEPT))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextlib.contextmanager
def escape_output() -> Iterator[None]:
    """Escape control characters in all text that this process writes to its standard streams."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _EscapingStream(before[0]), _EscapingStream(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def open_console(**options: Any) -> Console:
    """Return a console of rich that writes escapes in place of control characters.

    Args:
        **options: arguments of ``rich.console.Console``.
    """
    from rich.console import Console

    class EscapingConsole(Console):
        def render(self, *args: Any, **kwargs: Any) -> Any:
            for part in super().render(*args, **kwargs):
                is_safe = part.control or part.text.isprintable()
                yield part if is_safe else part._replace(text=printable(part.text, keep=_KEPT))

    return EscapingConsole(**options)
