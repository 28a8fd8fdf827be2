# SPDX-License-Identifier: Apache-2.0
"""The exception tree."""

from .core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormatError,
    MXNetError,
    OutOfRangeError,
    UnknownNameError,
)

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "FormatError",
    "MXNetError",
    "OutOfRangeError",
    "UnknownNameError",
]
