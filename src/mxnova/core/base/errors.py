# SPDX-License-Identifier: Apache-2.0
"""The exception tree, and the one place that words "Op: name=value: reason".

MXNetError                      RuntimeError, as in MXNet
├── FormatError                 a file or a byte string that breaks its format (also ValueError)
├── ArgumentError               a bad argument of an operator or function (also ValueError)
├── ArgumentTypeError           an argument of the wrong Python type (also TypeError)
├── UnknownNameError            an operator, argument or output that does not exist (also KeyError)
├── OutOfRangeError             an index beyond its axis (also IndexError)
├── NotImplementedForSymbol     what arrays can and symbols cannot
└── NotSupportedForSparseNDArray

The second base of each lets `except ValueError` and the like work where MXNet's users wrote it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "FormatError",
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "OutOfRangeError",
    "UnknownNameError",
    "argument_error",
    "bounded_repr",
    "candidates",
]


class MXNetError(RuntimeError):
    """Any failure that mxnova reports."""


class FormatError(MXNetError, ValueError):
    """Bytes that break their format; the message names the place (file, offset) and the rule."""


class ArgumentError(MXNetError, ValueError):
    """An argument with a value that cannot be used."""


class ArgumentTypeError(MXNetError, TypeError):
    """An argument of a Python type that cannot be used."""


class UnknownNameError(MXNetError, KeyError):
    """A name that nothing is registered or listed under."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0]) if self.args else ""


class OutOfRangeError(MXNetError, IndexError):
    """An index beyond the end of what it indexes."""


class _NotFor(MXNetError):  # noqa: N818 - no error of its own  # noqa: N818 - the base of two of MXNet's names
    """What some kind of thing cannot do.

    Args:
        function: the method, or its name.
        alias: the operator that it stands for.
        args: what it was called with.
    """

    _reason: str

    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None:
        super().__init__(function, alias, *args)
        self.function: str = getattr(function, "__name__", str(function))
        self.alias = alias

    def __str__(self) -> str:
        shown = f"{self.function} ({self.alias})" if self.alias else self.function
        return f"{shown} is for {self._reason}"


class NotImplementedForSymbol(_NotFor):
    """What an array can do and a symbol cannot."""

    _reason = "arrays: a Symbol has no data until it is bound"


class NotSupportedForSparseNDArray(_NotFor):
    """What a dense array can do and a sparse one cannot."""

    _reason = "dense arrays: tostype('default') makes one of a sparse array"


def argument_error(op: str, name: str, value: object, reason: str) -> ArgumentError:
    """The error for argument `name` of `op`: ``Convolution: num_filter='0': must be >= 1``."""
    return ArgumentError(f"{op}: {name}={bounded_repr(value)}: {reason}")


def bounded_repr(value: object) -> str:
    """``repr``, cut where it is long: texts of errors do not grow with what is given."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


_LONGEST = 300


def candidates(name: str, known: Iterable[str], limit: int = 3) -> str:
    """A hint such as ``; did you mean 'relu'?``, empty when nothing is close; case is ignored."""
    spelled = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), spelled, n=limit, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(spelled[c]) for c in close)}?" if close else ""
