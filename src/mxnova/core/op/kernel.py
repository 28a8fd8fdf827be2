# SPDX-License-Identifier: Apache-2.0
"""Signatures of forwards, and kernels for inputs in sparse storage."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .schema import Op

__all__ = ["FACTS", "KERNELS", "F", "Kernel", "Signature", "kernel", "kernel_of"]

# What a forward may ask for by a keyword-only argument: whether a training pass runs, the random
# stream of the context, the caller's output tensors (None when there are none), and whether the
# result stays inside a graph, where it may lie in memory in any order of its axes.
FACTS = ("train", "rng", "out", "inside")


class Signature(typing.NamedTuple):
    """The signature of a forward: array names, a variadic name or None, facts."""

    inputs: tuple[str, ...]
    variadic: str | None
    facts: tuple[str, ...]
    parameters: tuple[str, ...]  # keyword-only arguments that are no facts

    @classmethod
    def of(cls, forward: Callable[..., Any]) -> Signature:
        """Reads `forward`'s code object; `self` is left out."""
        code = forward.__code__
        names = code.co_varnames
        positional = names[: code.co_argcount]
        keyword_only = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        has_var = bool(code.co_flags & inspect.CO_VARARGS)
        return cls(
            tuple(n for n in positional if n != "self"),
            names[code.co_argcount + code.co_kwonlyargcount] if has_var else None,
            tuple(n for n in keyword_only if n in FACTS),
            tuple(n for n in keyword_only if n not in FACTS),
        )


class Kernel(typing.NamedTuple):
    """A forward for particular storage types of the inputs.

    Attributes:
        forward: takes the operator, then its inputs (a tensor, or a record of `sparse.storage`
            where the input is sparse) and the facts it asks for; gives the outputs, followed by
            the new values of inputs that the operator mutates.
        stypes: storage types of the inputs, with blanks between where several will do; after the
            last one, ``...`` repeats it.
        out: storage types of the outputs.
        when: whether it serves operators of this structure; None: always.
        when_numbers: whether it serves an operator with these numbers too; None: always.
        backward: takes the operator, the gradients of the outputs and the inputs; gives, for each
            input in order, its gradient, a function that makes it when it is wanted, or None.
            Without, they are those of the dense form.
    """

    forward: Callable[..., Any]
    stypes: tuple[Any, ...]
    out: tuple[str, ...]
    when: Callable[[Any], bool] | None = None
    backward: Callable[..., Any] | None = None
    when_numbers: Callable[[Any], bool] | None = None

    def serves(self, op: Op, stypes: Sequence[str]) -> bool:
        """Whether it runs operators of the structure of `op` on inputs stored so."""
        expected = self.stypes
        if expected[-1] is ...:
            expected = expected[:-1] + expected[-2:-1] * (len(stypes) - len(expected) + 1)
        fits = len(expected) == len(stypes) and all(
            s in e.split() for e, s in zip(expected, stypes, strict=True)
        )
        return fits and (self.when is None or self.when(op))

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that forward asks for."""
        return _signature(self.forward).facts


_signature = functools.cache(Signature.of)

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: dict[str, list[Kernel]] = {}  # by operator; modules of kernels may come before it


def kernel(*stypes: Any, out: str | Sequence[str] = "default", **rules: Any) -> Callable[[F], F]:
    """Marks a method as the forward for inputs stored as `stypes`, with outputs stored as `out`.

    Keywords are the other fields of `Kernel`: when, when_numbers, backward.
    """

    def mark(method: F) -> F:
        made = Kernel(method, stypes, (out,) if isinstance(out, str) else tuple(out), **rules)
        method.__dict__.setdefault("_kernels", []).append(made)
        return method

    return mark


def kernel_of(
    names: str, *stypes: Any, out: str | Sequence[str] = "default", **rules: Any
) -> Callable[[F], F]:
    """`kernel` for operators that are declared elsewhere: canonical names, blanks between."""

    def declare(function: F) -> F:
        made = Kernel(function, stypes, (out,) if isinstance(out, str) else tuple(out), **rules)
        for name in names.split():
            KERNELS.setdefault(name, []).append(made)
        return function

    return declare
