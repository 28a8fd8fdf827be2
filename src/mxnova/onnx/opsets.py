# SPDX-License-Identifier: Apache-2.0
"""The opsets of which ONNX files are written."""

from __future__ import annotations

from ..core.base.errors import ArgumentError, shown

__all__ = ["DEFAULT", "OPSETS", "checked"]

OPSETS = range(13, 22)
DEFAULT = 13  # which whatever reads ONNX knows


def checked(version: int | None, argument: str) -> int:
    """An opset that somebody asks for, or the default.

    Args:
        version: the opset, or None.
        argument: function and argument, for errors.

    Raises:
        ArgumentError: files of it are not written.
    """
    if version is None:
        return DEFAULT
    if isinstance(version, bool) or not isinstance(version, int) or version not in OPSETS:
        raise ArgumentError(f"{argument}={shown(version)}: must be {OPSETS[0]} to {OPSETS[-1]}")
    return version
