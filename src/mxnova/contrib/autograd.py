# SPDX-License-Identifier: Apache-2.0
"""Automatic differentiation as it was first called; `mx.autograd` is what it became.

Recording and training were one switch then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from .. import autograd
from ..core.base.errors import ArgumentTypeError, AssertedTypeError
from ..core.nd.array import NDArray
from ..core.nd.autograd import mark_variables
from ..ndarray import zeros_like

__all__ = [
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
    "zeros_like",
]


def set_is_training(is_train: bool) -> bool:
    """Turn recording and training on or off; returns the previous training mode."""
    autograd.set_recording(is_train)
    return autograd.set_training(is_train)


class TrainingStateScope:
    """Recording and training inside a ``with`` block, or neither.

    Args:
        enter_state: whether they are on.
    """

    def __init__(self, enter_state: bool) -> None:
        self._inside = enter_state
        self._outside: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._outside.append((autograd.is_recording(), autograd.is_training()))
        set_is_training(self._inside)

    def __exit__(
        self,
        ptype: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        recording, training = self._outside.pop()
        autograd.set_recording(recording)
        autograd.set_training(training)


def train_section() -> TrainingStateScope:
    """A block that is recorded, in training mode."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """A block that is not recorded, in prediction mode."""
    return TrainingStateScope(False)


def backward(
    outputs: Sequence[NDArray], out_grads: Sequence[Any] | None = None, retain_graph: bool = False
) -> None:
    """Runs the gradients of `outputs`.

    Args:
        outputs: a list or tuple of arrays.
        out_grads: their gradients, for each an array or None (ones); None: ones for all.
        retain_graph: whether the recorded graph can be used again.
    """
    if not isinstance(outputs, (list, tuple)):
        raise ArgumentTypeError(
            f"backward: outputs is a {type(outputs).__name__}, neither a list nor a tuple of arrays"
        )
    autograd.backward(list(outputs), out_grads, retain_graph)


def compute_gradient(outputs: Sequence[NDArray]) -> None:
    """`backward` with gradients of one."""
    backward(outputs)


def grad_and_loss(
    func: Callable[..., Any], argnum: int | Sequence[int] | None = None
) -> Callable[..., tuple[list[NDArray], Any]]:
    """Return a function that computes the gradients and the outputs of `func`.

    Args:
        func: a function of arrays.
        argnum: number or numbers of the arguments to differentiate by; default: all.
    """

    @functools.wraps(func)
    def both(*args: Any) -> tuple[list[NDArray], Any]:
        numbers: Any = range(len(args)) if argnum is None else argnum
        if not isinstance(numbers, (list, tuple, range)):
            numbers = [numbers]
        chosen = [args[i] for i in numbers]
        for value in chosen:
            if not isinstance(value, NDArray):
                raise AssertedTypeError(f"grad: a {type(value).__name__} is no NDArray")
        gradients = [zeros_like(value) for value in chosen]
        mark_variables(chosen, gradients)
        with train_section():
            outputs = func(*args)
        backward(outputs if isinstance(outputs, (list, tuple)) else [outputs])
        return gradients, outputs

    return both


def grad(
    func: Callable[..., Any], argnum: int | Sequence[int] | None = None
) -> Callable[..., list[NDArray]]:
    """Like `grad_and_loss`, without the outputs of `func`."""
    both = grad_and_loss(func, argnum)

    @functools.wraps(func)
    def gradients(*args: Any) -> list[NDArray]:
        return both(*args)[0]

    return gradients
