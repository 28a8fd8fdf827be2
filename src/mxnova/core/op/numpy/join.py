# SPDX-License-Identifier: Apache-2.0
"""Operators of the NumPy front end that join arrays, cut them, or make them larger."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.errors import told_as
from ...base.params import AnyCount, Count, Double, Shape
from ...base.params import Shapes as ShapeList
from ...base.shapes import UNKNOWN, Dim, PartialShape, Pause, ShapeMismatch, shape_text, unify
from ...kernels.wide_sums import index_select
from ..declaration import ShapeRule, function_operator, operator, register_function
from ..families.rules import as_element
from ..infer import DTypes, Shapes
from ..outputs import lone, numbered
from ..promotion import promote
from ..schema import Op
from ..tensor.split import SplitV2, concat_shape, stack, stack_shape

# Joining ------------------------------------------------------------------------------------------

register_function(["_npi_stack"], stack, shape=stack_shape, dtype=promote, promotes=True)


@operator("_npi_concatenate")
class Concatenate(Op):
    """The arrays of `data` put one after the other along one axis.

    Args:
        data: arrays of equal shape but for that axis.
        num_args: their number.
        axis: the axis, negative ones counted from the end; None: the arrays are flattened first.
    """

    num_args: Count
    axis: int | None = 0

    def infer_shape(self, s: Shapes) -> None:
        if self.axis is None:
            s.output = (sum(prod(s.full(n)) for n in s.inputs),)
            return
        for name in s.inputs:
            if s.known(name) is not None:
                s.axis(name, self.axis)
        concat_shape(self.axis, s)

    def infer_dtype(self, t: DTypes) -> None:
        promote(self, t)

    def forward(self, *data: Tensor) -> Tensor:
        if self.axis is None:
            return torch.cat([x.flatten() for x in data])
        return torch.cat(data, self.axis)


Dims = tuple[Dim, ...]


def _at_least(rank: int) -> Callable[[Dims], Dims]:
    """Shapes with the axes that NumPy adds to reach `rank`: in front, for 3 also one behind."""

    def raised(shape: Dims) -> Dims:
        behind = (1,) if rank == 3 and 0 < len(shape) < 3 else ()
        return (*(1,) * (rank - len(shape) - len(behind)), *shape, *behind)

    return raised


def _as_columns(shape: Dims) -> Dims:
    return shape if len(shape) > 1 else (*(shape or (1,)), 1)


def _stacking_shape(raised: Callable[[Dims], Dims], axis: int) -> ShapeRule:
    """The rule for arrays that get the shape `raised` and are then joined along `axis`."""

    def rule(op: Op, s: Shapes) -> None:
        known = {n: raised(s[n]) for n in s.inputs if s.known(n) is not None}
        around: PartialShape = None
        for name, shape in known.items():
            at = min(axis, len(shape) - 1)
            try:
                around = unify(
                    around, tuple(UNKNOWN if i == at else d for i, d in enumerate(shape))
                )
            except ShapeMismatch:
                raise s.fail(
                    f"{name} {shape_text(s[name])} does not fit arg0 {shape_text(s.known('arg0'))}"
                ) from None
        if around is None:
            raise Pause
        at = min(axis, len(around) - 1)
        size = sum(d[at] for d in known.values()) if len(known) == len(s.inputs) else UNKNOWN
        s.output = (*around[:at], size, *around[at + 1 :])

    return rule


def _stacking(
    name: str, function: Callable[..., Tensor], doc: str, rule: ShapeRule, has_dim: bool = False
) -> None:
    """Registers a function of a sequence of arrays."""

    def stacked(*data: Tensor, num_args: Count) -> Tensor:
        return function(data)

    def stacked_dim(*data: Tensor, num_args: Count, dim: int = 1) -> Tensor:
        return function(data)

    chosen: Callable[..., Tensor] = stacked_dim if has_dim else stacked
    chosen.__doc__ = f"""{doc}

    Args:
        data: arrays of one type.
        num_args: their number.{_DIM_DOC if has_dim else ""}
    """
    register_function([name], chosen, shape=rule, dtype=promote, promotes=True)


_DIM_DOC = """
        dim: ignored.
"""


def _raising(rank: int, function: Callable[[Tensor], Tensor], doc: str) -> None:
    """Registers a function that adds axes to each of its arrays."""
    raised_shape = _at_least(rank)

    def raised(*arys: Tensor, num_args: Count) -> Any:
        return lone([function(x).detach().clone() for x in arys])

    def shape(op: Op, s: Shapes) -> None:
        for name, output in zip(s.inputs, s.outputs, strict=True):
            if s.known(name) is not None:
                s[output] = raised_shape(s[name])

    raised.__doc__ = f"""{doc}

    Args:
        arys: arrays of one type.
        num_args: their number.
    """
    # MXNet sends no gradient back through these.
    register_function(
        [f"_np_atleast_{rank}d"], raised, shape=shape, outputs=_one_each, differentiable=False
    )


def _one_each(op: Op) -> tuple[str, ...]:
    return numbered("output", op.n_variadic())


# fmt: off
_stacking("_npi_vstack", torch.vstack, rule=_stacking_shape(_at_least(2), 0),
          doc="The arrays one below the other, along the first axis; vectors are taken for rows.")
_stacking("_npi_hstack", torch.hstack, rule=_stacking_shape(_at_least(1), 1), has_dim=True,
          doc="The arrays side by side, along the second axis; vectors along their only one.")
_stacking("_npi_dstack", torch.dstack, rule=_stacking_shape(_at_least(3), 2), has_dim=True,
          doc="The arrays one behind the other, along the third axis, which is added if need be.")
_stacking("_npi_column_stack", torch.column_stack, rule=_stacking_shape(_as_columns, 1),
          doc="The arrays side by side, along the second axis; vectors are taken for columns.")

_raising(1, torch.atleast_1d, "Each array as it is, a scalar with an axis.")
_raising(2, torch.atleast_2d,
         "Each array with two axes or more; those that lack are added in front.")
_raising(3, torch.atleast_3d,
         "Each array with three axes or more; a matrix gets one behind, a vector on both sides.")
# fmt: on


# Cutting ------------------------------------------------------------------------------------------


class _SplitAlong(SplitV2):
    """A split along an axis that only depends on the rank of data, whatever `axis` says."""

    def along(self, rank: int) -> int:
        """The axis for an array of so many axes."""
        raise NotImplementedError

    def _split(self, rank: int) -> SplitV2:
        return SplitV2(**{**self.values, "axis": self.along(rank)})

    def infer_shape(self, s: Shapes) -> None:
        rank = s.rank("data")
        if rank <= self.along(rank):
            least = self.along(rank) + 1
            reason = f"data {shape_text(s.data)}: must have {least} axes or more"
            raise told_as("ValueError", s.fail(reason))
        self._split(rank).infer_shape(s)

    def forward(self, data: Tensor) -> Any:
        return self._split(data.ndim).forward(data)


@operator("_npi_hsplit")
class HSplit(_SplitAlong):
    """`data` cut along its second axis, a vector along its only one.

    Args:
        data: an array of one axis or more.
        indices: where each part begins, from 0 on; ignored when `sections` is positive.
        axis: ignored.
        squeeze_axis: drop the axis; every part must have size one.
        sections: number of parts; the first ones are larger by one when it leaves a rest.
    """

    indices: Shape
    axis: int = 1
    squeeze_axis: bool = False
    sections: AnyCount = 0

    def along(self, rank: int) -> int:
        return 1 if rank > 1 else 0


@operator("_npi_dsplit")
class DSplit(_SplitAlong):
    """`data` cut along its third axis.

    Args:
        data: an array of three axes or more.
        indices: where each part begins, from 0 on; ignored when `sections` is positive.
        axis: ignored.
        squeeze_axis: drop the axis; every part must have size one.
        sections: number of parts; the first ones are larger by one when it leaves a rest.
    """

    indices: Shape
    axis: int = 1
    squeeze_axis: bool = False
    sections: AnyCount = 0

    def along(self, rank: int) -> int:
        return 2


# Making larger ------------------------------------------------------------------------------------


def _broadcast_shape(op: Op, s: Shapes) -> None:
    array, shape = s.full("array"), op.attr("shape")
    n_new = len(shape) - len(array)
    kept = [d if n == -2 else n for n, d in zip(shape[n_new:], array, strict=False)]
    fits = n_new >= 0 and all(d in (1, n) for n, d in zip(kept, array, strict=True))
    if not fits or min((*shape[:n_new], *kept), default=0) < 0:
        raise s.fail(
            f"shape={shape_text(shape)}: array {shape_text(array)} cannot be broadcast to it"
        )
    s.output = (*shape[:n_new], *kept)


@function_operator("_npi_broadcast_to", shape=_broadcast_shape)
def broadcast_to(array: Tensor, *, shape: Shape = ()) -> Tensor:
    """Its input, repeated along axes of length 1 and along new ones in front.

    Args:
        array: of any shape.
        shape: the shape of the output; -2 keeps the length of array.
    """
    return array.expand([-1 if n == -2 else n for n in shape]).contiguous()


def _widths(pad_width: tuple[Shape, ...], rank: int) -> tuple[Shape, ...]:
    """Numbers before and behind, for each axis; for a vector, MXNet reads (before,), (behind,)."""
    if rank == 1 and len(pad_width) == 2:
        pad_width = ((*pad_width[0], *pad_width[1]),)
    return pad_width


def _pad_shape(op: Op, s: Shapes) -> None:
    widths = _widths(op.attr("pad_width"), s.rank("data"))
    if len(widths) != len(s.data) or any(len(w) != 2 for w in widths):
        raise s.fail(
            f"pad_width={op.attr('pad_width')}: must be two numbers for each axis of data "
            f"{shape_text(s.data)}"
        )
    if op.attr("mode") != "constant":
        for size, width in zip(s.data, widths, strict=True):
            if min(width) < 0 or (max(width) > 0 and size == 0):
                raise s.fail(
                    f"pad_width={op.attr('pad_width')}: data {shape_text(s.data)} cannot be "
                    f"padded so with mode={op.attr('mode')}"
                )
    output = tuple(d + sum(w) for d, w in zip(s.data, widths, strict=True))
    if any(d is not UNKNOWN and d < 0 for d in output):
        raise s.fail(f"pad_width={op.attr('pad_width')}: cuts more than data {shape_text(s.data)}")
    s.output = output


@function_operator("_npi_pad", shape=_pad_shape)
def pad(
    data: Tensor,
    *,
    pad_width: ShapeList,
    mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
    constant_value: Double = 0.0,
    reflect_type: str = "even",
) -> Tensor:
    """`data` with a border around it.

    Args:
        data: any array.
        pad_width: for each axis, the number of elements before and behind; with "constant",
            negative ones cut off.
        mode: fill the border with "constant_value", the nearest "edge" element, the "maximum" or
            "minimum" along the axis, or mirror the array, without its edge element ("reflect") or
            with it ("symmetric").
        constant_value: what "constant" fills in; cut for integers, 0 or not for bool.
        reflect_type: ignored; the mirror image is always the plain one.
    """
    widths = _widths(pad_width, data.ndim)
    if mode == "constant":
        value = as_element(constant_value, data.dtype)
        return F.pad(data, [n for width in reversed(widths) for n in width], value=value)
    for axis, (before, behind) in enumerate(widths):
        if before == behind == 0:
            continue
        if mode in ("maximum", "minimum"):
            extreme = (torch.amax if mode == "maximum" else torch.amin)(data, axis, keepdim=True)
            first, last = (extreme.repeat_interleave(n, axis) for n in (before, behind))
            data = torch.cat([first, data, last], axis)
        else:
            places = torch.arange(-before, data.shape[axis] + behind, device=data.device)
            data = index_select(data, axis, _source(mode, places, data.shape[axis]))
    return data


def _source(mode: str, place: Tensor, size: int) -> Tensor:
    """Where in an axis of length `size` the element for each place comes from."""
    if mode == "edge":
        return place.clamp(0, max(size - 1, 0))
    repeated = int(mode == "symmetric")  # whether the mirror image repeats the edge
    period = max(2 * size - 2 + 2 * repeated, 1)
    place = place % period
    return torch.where(place < size, place, period - repeated - place)
