# SPDX-License-Identifier: Apache-2.0
"""What is wrong, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Finding"]


class Finding(NamedTuple):
    """Something that needs a remedy.

    Attributes:
        what: is wrong.
        remedy: what to do.
    """

    what: str
    remedy: str
