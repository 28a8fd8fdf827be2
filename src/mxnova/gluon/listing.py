# SPDX-License-Identifier: Apache-2.0
"""Text: blocks inside blocks, and long lists of names in errors."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.base.printable import printable

__all__ = ["brief", "indented"]


def indented(text: str, spaces: int) -> str:
    """`text` with all lines but the first moved to the right."""
    return text.replace("\n", "\n" + " " * spaces)


def brief(names: Iterable[object], limit: int = 7) -> str:
    """Names in quotes, without those in the middle where there are more than `limit`."""
    quoted = [f"'{printable(str(name))}'" for name in names]
    if len(quoted) > limit:
        half = limit // 2
        quoted = [*quoted[:half], "...", *quoted[-half:]]
    return ", ".join(quoted)
