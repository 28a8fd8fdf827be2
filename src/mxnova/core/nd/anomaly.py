# SPDX-License-Identifier: Apache-2.0
"""Finding the operator that makes the first NaN or infinity, forward and backward."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from ..base.errors import MXNetError
from ..base.shapes import shape_text
from ..op.schema import Op
from .base_array import BaseArray
from .calls.dispatch import invoke
from .modes import Mode
from .recording import STATE
from .tape import linked

__all__ = ["AnomalyError", "detect_anomaly"]

_BLOCK_CALL = ("mxnova.gluon.block.base", "__call__")


class AnomalyError(MXNetError):
    """A number that is not finite, where none is expected."""


class detect_anomaly(Mode):  # noqa: N801 - a function to its users, as PyTorch's
    """A ``with`` block in which the first NaN or infinity is an error that names who made it.

    Every operator is looked at: its results, and in a backward pass inside the block the gradients
    that it gives. Blocks are run operator by operator, hybridized or not, and executors, those of
    modules too, report each node. That takes several times as long; it is for finding a fault.

    Args:
        inf: whether infinite numbers are looked for, too; False where a program computes with them,
            as masks of attention do.

    Raises:
        AnomalyError: a result or gradient is not finite. The text names operator, layer, place
            and the range of the operator's inputs.

    Example:
        >>> x = mx.nd.array([1, -1])
        >>> with mx.autograd.detect_anomaly():
        ...     y = x.log()
        Traceback (most recent call last):
        mxnova.core.nd.anomaly.AnomalyError: detect_anomaly: log made NaN in output[1] ...
    """

    wants_operators = True

    def __init__(self, inf: bool = True) -> None:
        self._inf = inf
        self._hooks: list[Any] = []
        self._monitored: list[tuple[Any, Any]] = []
        self._block = object()  # whose uses of an array are told

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for hook in self._hooks:
            hook.remove()
        for executor, monitor in self._monitored:
            executor._observers, executor._gradient_teller = monitor
        self._hooks.clear()
        self._monitored.clear()
        self._block = object()

    def invoke(self, op: Op, arrays: Sequence[BaseArray], out: Any, **how: Any) -> Any:
        """The result of `op`, which is looked at."""
        if STATE.recording:
            self._watch_gradients(op, arrays)
        made = invoke(op, arrays, out, **how)
        for name, array in zip(
            op.outputs(), made if isinstance(made, list) else [made], strict=False
        ):
            fault = self._fault_of(array._raw) if isinstance(array, BaseArray) else None
            if fault is not None:
                given = ", ".join(map(_range, op.inputs(), [a._raw for a in arrays]))
                raise AnomalyError(
                    f"detect_anomaly: {op.name} made {fault[0]} in {name}{fault[1]}{_layer()}"
                    + (f"; it was given {given}" if given else "")
                )
        return made

    def monitor(self, executor: Any) -> None:
        """Looks at every node of an executor until the block ends."""
        if all(executor is not one for one, _ in self._monitored):
            self._monitored.append((executor, (executor._observers, executor._gradient_teller)))
            executor.set_monitor_callback(self._tell)

    def _tell(self, name: str, array: Any) -> None:
        fault = self._fault_of(array._raw)
        if fault is not None:
            raise AnomalyError(
                f"detect_anomaly: node {name.removesuffix('_output')!r} made {fault[0]} in "
                f"{name}{fault[1]}, of shape {shape_text(array.shape)}"
            )

    def _watch_gradients(self, op: Op, arrays: Sequence[BaseArray]) -> None:
        links = linked(arrays)
        for name, link in zip(op.inputs(), links or (), strict=False):
            if not link.requires_grad:
                continue
            block, users = link.__dict__.get("_mxnova_users", (None, []))
            if block is not self._block:
                users = []
                link.__dict__["_mxnova_users"] = self._block, users
                hook = link.register_hook(  # type: ignore[no-untyped-call]
                    functools.partial(self._look_at, users=users)
                )
                self._hooks.append(hook)
            use = f"{op.name} gave its {name}{_layer()}"
            if use not in users:
                users.append(use)

    def _look_at(self, gradient: Tensor, users: list[str]) -> None:
        fault = self._fault_of(gradient)
        if fault is not None:
            raise AnomalyError(
                f"detect_anomaly: backward: {fault[0]} at {fault[1] or '()'} of the gradient, of "
                f"shape {shape_text(tuple(gradient.shape))}, that {' and '.join(users)}"
            )

    def _fault_of(self, values: Any) -> tuple[str, str] | None:
        """What there is that should not be, and where first; None: nothing."""
        if not isinstance(values, Tensor) or not values.is_floating_point():
            return None
        wrong = ~torch.isfinite(values) if self._inf else torch.isnan(values)
        if not bool(wrong.any()):
            return None
        place = wrong.nonzero()[0].tolist()
        found = "NaN" if bool(torch.isnan(values[tuple(place)])) else "infinity"
        return found, str(place) if place else ""


def _range(name: str, values: Any) -> str:
    if not isinstance(values, Tensor) or not values.numel() or values.dtype is torch.bool:
        return name
    low, high = torch.aminmax(values.detach())
    return f"{name} from {low.item():.4g} to {high.item():.4g}"


def _layer() -> str:
    """The blocks that are being called, innermost first."""
    names: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == _BLOCK_CALL:
            block = frame.f_locals["self"]
            names.append(f"{type(block).__name__} {block.name!r}")
        frame = frame.f_back
    return f" in {' of '.join(names)}" if names else ""
