# SPDX-License-Identifier: Apache-2.0
"""The exception tree."""

from .base import register_error
from .core.base.doors import facade
from .core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FileError,
    FormatError,
    MXNetError,
    OutOfRangeError,
    UnknownNameError,
)

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "FileError",
    "FormatError",
    "InternalError",
    "MXNetError",
    "OutOfRangeError",
    "UnknownNameError",
    "register",
    "register_error",
]

register = register_error


@register_error
class InternalError(MXNetError):
    """A defect of the system's, not of the program that uses it.

    Args:
        msg: what went wrong.
    """

    def __init__(self, msg: str) -> None:
        super().__init__(msg)


facade(__name__)
