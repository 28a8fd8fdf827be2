# SPDX-License-Identifier: Apache-2.0
"""Functions on arrays that bring their own gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..base.errors import ArgumentTypeError, AssertedError, MXNetError
from ..base.shapes import shape_text
from ..op.integer_gradient import integer_stand_in
from ..runtime.context import Context
from .base_array import BaseArray
from .recording import set_recording
from .tape import Source, linked, outputs_of, step
from .wrapping import wrap

__all__ = ["Function", "tied"]


class Function:
    """A function with a gradient of its own: subclass it, and call each instance once.

    `forward` and `backward` run without recording.

    Attributes:
        saved_tensors: what `save_for_backward` was given.
    """

    def __init__(self) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self._was_called = False

    def save_for_backward(self, *args: Any) -> None:
        """Keeps arrays that `backward` needs, as `saved_tensors`."""
        self.saved_tensors = args

    def forward(self, *inputs: Any) -> Any:
        """Gives an output, or several in a list or tuple, for the inputs."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def backward(self, *output_grads: Any) -> Any:
        """Gives the gradients of the inputs for those of the outputs; None stands for zeros."""
        raise NotImplementedError(f"{type(self).__name__}.backward")

    def __call__(self, *inputs: Any) -> Any:
        """What `forward` gives, recorded as one step."""
        # Subclasses may have an __init__ that does not call this one's.
        if self.__dict__.get("_was_called"):
            raise AssertedError(
                f"{_named(self)} has been called before; make an instance for each call"
            )
        self._was_called = True
        self.__dict__.setdefault("saved_tensors", ())
        was_recording = set_recording(False)
        try:
            outputs = self.forward(*inputs)
        finally:
            set_recording(was_recording)
        tracked = linked(_checked(self, "forward is given", inputs)) if was_recording else None
        if tracked is None:
            return outputs
        alone = isinstance(outputs, BaseArray)
        arrays = _checked(self, "forward gives", [outputs] if alone else outputs)
        made = _recorded(self, inputs, tracked, arrays)
        return made[0] if alone else type(outputs)(made)


def _named(function: Function) -> str:
    return f"autograd.Function {type(function).__name__}"


def _checked(function: Function, what: str, arrays: Sequence[Any]) -> Sequence[BaseArray]:
    for array in arrays:
        if not isinstance(array, BaseArray):
            raise ArgumentTypeError(
                f"{_named(function)}: {what} a {type(array).__name__}, which is no NDArray"
            )
    return arrays


def _recorded(
    function: Function, inputs: Sequence[BaseArray], tracked: Sequence[Tensor], outputs: Any
) -> list[BaseArray]:
    """New arrays for the outputs: `function` may have saved the old, and the new refer to it."""
    values = [o._tensor.clone() if _is_one_of(o, inputs) else o._tensor.data for o in outputs]
    places = [(o.context, v.dtype) for o, v in zip(outputs, values, strict=True)]
    flowing = [v if v.is_floating_point() else integer_stand_in(v) for v in values]
    with torch.enable_grad():
        results = _Step.apply(function, places, flowing, *tracked)  # type: ignore[no-untyped-call]
    node: Any = step("_CustomFunction", inputs, Source)
    node.keep(results, always=True)
    nodes = outputs_of(node, len(results))
    made: list[BaseArray] = []
    for result, value, (context, _), node in zip(results, values, places, nodes, strict=True):
        made.append(wrap(result, context, node=node))
        made[-1]._raw = value
    return made


def _is_one_of(array: BaseArray, arrays: Sequence[BaseArray]) -> bool:
    return any(array._chunk is a._chunk for a in arrays)


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        function: Function,
        places: Sequence[tuple[Context, torch.dtype]],
        values: Sequence[Tensor],
        *tracked: Tensor,
    ) -> tuple[Tensor, ...]:
        ctx.function = function
        ctx.places = places
        ctx.save_for_backward(*tracked)
        return tuple(v.data for v in values)  # those given stay free of the graph

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        function, inputs = ctx.function, ctx.saved_tensors
        with torch.no_grad():
            pairs = zip(d_outputs, ctx.places, strict=True)
            arrays = [wrap(d.detach().to(dtype).contiguous(), at) for d, (at, dtype) in pairs]
            given = _gradients(function, arrays, len(inputs))
            found = [_as_gradient(function, g, t) for g, t in zip(given, inputs, strict=True)]
        if torch.is_grad_enabled():  # a graph of the gradients is wanted
            found = tied(_named(function), found, inputs)
        return (None, None, None, *found)


def _gradients(function: Function, d_outputs: Sequence[BaseArray], n_inputs: int) -> list[Any]:
    was_recording = set_recording(False)
    try:
        given = function.backward(*d_outputs)
    except Exception as error:
        raise MXNetError(f"{_named(function)}: backward raised {error!r}") from error
    finally:
        set_recording(was_recording)
    gradients = [given] if isinstance(given, BaseArray) or given is None else list(given)
    if len(gradients) != n_inputs:
        raise MXNetError(
            f"{_named(function)}: backward gives {len(gradients)} gradients for {n_inputs} inputs"
        )
    return gradients


def _as_gradient(function: Function, gradient: Any, like: Tensor) -> Tensor:
    """A gradient in memory of its own: the user may keep the array that it comes in."""
    if gradient is None:
        return torch.zeros_like(like)
    _checked(function, "backward gives", [gradient])
    tensor = gradient._tensor
    try:
        return torch.empty_like(like).copy_(tensor)
    except RuntimeError:
        raise MXNetError(
            f"{_named(function)}: backward gives shape {shape_text(gradient.shape)} "
            f"for an input of shape {shape_text(tuple(like.shape))}"
        ) from None


def tied(name: str, gradients: Sequence[Tensor], sources: Sequence[Tensor]) -> list[Tensor]:
    """The gradients that `name` computed from `sources`; taking theirs raises, instead of zeros."""
    return list(_NoGradient.apply(name, len(gradients), *gradients, *sources))  # type: ignore[no-untyped-call]


class _NoGradient(torch.autograd.Function):
    """Hands gradients on and ties them to the inputs, whose gradient through them is unknown."""

    @staticmethod
    def forward(ctx: Any, name: str, n: int, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.name = name
        return tuple(t.view_as(t) for t in tensors[:n])

    @staticmethod
    def backward(ctx: Any, *_gradients: Tensor) -> Any:
        raise MXNetError(f"{ctx.name}: its gradient has no gradient")
