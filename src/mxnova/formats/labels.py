# SPDX-License-Identifier: Apache-2.0
"""Files of labels: the name of a score a line."""

from __future__ import annotations

__all__ = ["label_lines"]


def label_lines(text: str, most: int = -1) -> list[str]:
    """The labels, of which the last one may end without a line break.

    Args:
        text: of the file.
        most: after so many lines the rest is one label; -1: no bound.
    """
    return [line.strip() for line in text.removesuffix("\n").split("\n", most)]
