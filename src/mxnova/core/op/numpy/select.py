# SPDX-License-Identifier: Apache-2.0
"""Entries deleted, inserted, made unique or found along one axis."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...base.errors import MXNetError, OutOfRangeError, argument_error
from ...base.params import Double
from ...base.shapes import shape_text
from ...kernels.sorting import as_numpy_sorts
from ...runtime.torch_api import is_traced
from ..declaration import function_operator, operator
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes
from ..schema import Op


def _line(op: Op, s: Shapes, name: str) -> tuple[tuple[int, ...], int]:
    """Shape of array `name` and the axis to work on: without one, it is flattened."""
    shape, axis = s.full(name), op.attr("axis")
    if axis is None:
        return (prod(shape),), 0
    return shape, s.axis(name, axis)


def _flattened(array: Tensor, axis: int | None) -> tuple[Tensor, int]:
    return (array.reshape(-1), 0) if axis is None else (array, axis % max(array.ndim, 1))


def _slice(op: Op, n: int) -> range:
    step = op.attr("step")
    return range(*slice(op.attr("start"), op.attr("stop"), 1 if step is None else step).indices(n))


def _check_step(op: Op) -> None:
    if op.attr("step") == 0:
        raise argument_error(op.name, "step", 0, "must not be 0")


def _check_index(op: Op, n: int, last: int) -> None:
    index = op.attr("int_ind")
    if index is not None and not -n <= index <= last:
        raise argument_error(op.name, "int_ind", index, f"the axis has length {n}")


# Delete -------------------------------------------------------------------------------------------


@operator("_npi_delete")
class Delete(Op):
    """`arr` without some entries along an axis: those at one index, in a slice, or listed.

    Args:
        arr: any numbers.
        obj: indices, with neither `int_ind` nor `step`; those that are negative or too
            large are passed over.
        start: first index of the slice.
        stop: end of the slice, excluded.
        step: distance of indices in the slice.
        int_ind: the one index.
        axis: where to delete; by default in the flattened array.
    """

    start: int | None = None
    stop: int | None = None
    step: int | None = None
    int_ind: int | None = None
    axis: int | None = None
    differentiable = None

    def inputs(self) -> tuple[str, ...]:
        return ("arr", "obj") if self.step is None and self.int_ind is None else ("arr",)

    def infer_shape(self, s: Shapes) -> None:
        shape, axis = _line(self, s, "arr")
        _check_step(self)
        _check_index(self, shape[axis], shape[axis] - 1)
        if "obj" not in s:
            s.output = (
                *shape[:axis],
                shape[axis] - self._n_deleted(shape[axis]),
                *shape[axis + 1 :],
            )

    def _n_deleted(self, n: int) -> int:
        return 1 if self.int_ind is not None else len(_slice(self, n))

    def infer_dtype(self, t: DTypes) -> None:
        t.same("arr", "output")
        for name in t.inputs:
            if t.known(name) is torch.bool:
                raise MXNetError(f"{self.name}: {name} has type bool, but it must hold numbers")

    def forward(self, arr: Tensor, obj: Tensor | None = None) -> Tensor:
        arr, axis = _flattened(arr, self.axis)
        n = arr.shape[axis]
        kept = torch.ones(n, dtype=torch.bool, device=arr.device)
        if obj is not None:
            index = obj.reshape(-1).long()
            kept[index[(index >= 0) & (index < n)]] = False
        elif self.int_ind is not None:
            kept[self.int_ind] = False
        else:
            kept[_positions(_slice(self, n), arr.device)] = False
        return arr.index_select(axis, kept.nonzero().view(-1))


def _positions(indices: range, device: torch.device) -> Tensor:
    return torch.arange(len(indices), device=device) * indices.step + indices.start


# Insert -------------------------------------------------------------------------------------------


class _Insert(Op):
    """What the three ways of inserting share: where `values` go, and how they are broadcast."""

    axis: int | None
    val: float | None
    differentiable = None

    def inputs(self) -> tuple[str, ...]:
        return tuple(n for n in self.type.signature.inputs if n != "values" or self.val is None)

    def infer_shape(self, s: Shapes) -> None:
        shape, axis = _line(self, s, "arr")
        n_positions = self._check(s, shape[axis])
        values = s.full("values") if "values" in s else ()
        aligned = _aligned(values, len(shape), axis, one=n_positions is None)
        if aligned is None:
            raise s.fail(f"values {shape_text(values)} has more axes than {shape_text(shape)}")
        n_new = aligned[axis] if n_positions in (None, 1) else n_positions or 0
        wanted = (*shape[:axis], n_new, *shape[axis + 1 :])
        if any(a not in (1, w) for a, w in zip(aligned, wanted, strict=True)):
            raise s.fail(f"values {shape_text(values)} cannot be broadcast to {shape_text(wanted)}")
        s.output = (*shape[:axis], shape[axis] + n_new, *shape[axis + 1 :])

    def _check(self, s: Shapes, n: int) -> int | None:
        """The number of positions, None for a lone one: raises when they cannot be."""
        raise NotImplementedError

    def infer_dtype(self, t: DTypes) -> None:
        t.same("arr", "output")

    def _inserted(
        self, arr: Tensor, values: Tensor | None, positions: Callable[[int], Tensor]
    ) -> Tensor:
        arr, axis = _flattened(arr, self.axis)
        n, shape = arr.shape[axis], list(arr.shape)
        at = positions(n)
        if values is None:
            values = torch.full((), self.val or 0.0, dtype=torch.float64, device=arr.device)
        new = values.to(arr.dtype)
        aligned = _aligned(tuple(new.shape), arr.ndim, axis, one=False) or ()
        new = new.reshape(aligned)
        if at.ndim == 0:
            new = new.movedim(0, axis)
        shape[axis] = new.shape[axis] if at.numel() == 1 else len(at)
        before = (at + n * (at < 0)).expand(shape[axis])
        # The sort is stable, so that what is new comes before the entry that it pushes back.
        order = torch.cat((before, torch.arange(n, device=at.device))).argsort(stable=True)
        return torch.cat((new.expand(shape), arr), axis).index_select(axis, order)


def _aligned(shape: tuple[int, ...], rank: int, axis: int, *, one: bool) -> tuple[int, ...] | None:
    """`shape` with `rank` axes; for a lone position, its first axis goes to `axis`."""
    extra = len(shape) - rank
    if any(length != 1 for length in shape[: max(extra, 0)]):
        return None
    aligned = (1,) * -extra + shape[max(extra, 0) :]
    return (*aligned[1 : axis + 1], aligned[0], *aligned[axis + 1 :]) if one else aligned


@operator("_npi_insert_scalar")
class InsertScalar(_Insert):
    """`arr` with `values` inserted before one index.

    Args:
        arr: any array.
        values: broadcast to one entry or several, when `val` is None; their first axis counts
            the entries if there are as many axes as in `arr`.
        val: the value, everywhere.
        start: not used.
        stop: not used.
        step: not used.
        int_ind: the index, up to the length of the axis.
        axis: where to insert; by default in the flattened array.
    """

    val: Double | None = None
    start: int | None = None
    stop: int | None = None
    step: int | None = None
    int_ind: int | None = None
    axis: int | None = None

    def _check(self, s: Shapes, n: int) -> None:
        if self.int_ind is None:
            raise argument_error(self.name, "int_ind", None, "must be an integer")
        _check_index(self, n, n)

    def forward(self, arr: Tensor, values: Tensor | None = None) -> Tensor:
        at = torch.full((), self.int_ind or 0, dtype=torch.int64, device=arr.device)
        return self._inserted(arr, values, lambda n: at)


@operator("_npi_insert_slice")
class InsertSlice(_Insert):
    """`arr` with `values` inserted, one before each index of a slice.

    Args:
        arr: any array.
        values: broadcast to an entry for each index, or any number for one index; when `val` is
            None.
        val: the value, everywhere.
        start: first index.
        stop: end of the slice, excluded.
        step: distance of indices.
        int_ind: not used.
        axis: where to insert; by default in the flattened array.
    """

    val: Double | None = None
    start: int | None = None
    stop: int | None = None
    step: int | None = None
    int_ind: int | None = None
    axis: int | None = None

    def _check(self, s: Shapes, n: int) -> int:
        _check_step(self)
        return len(_slice(self, n))

    def forward(self, arr: Tensor, values: Tensor | None = None) -> Tensor:
        return self._inserted(arr, values, lambda n: _positions(_slice(self, n), arr.device))


@operator("_npi_insert_tensor")
class InsertTensor(_Insert):
    """`arr` with `values` inserted, one before each index of an array.

    Args:
        arr: any array.
        values: broadcast to an entry for each index, or any number for one index; when `val` is
            None.
        obj: the indices, int64, of one axis or none; up to the length of the axis.
        val: the value, everywhere.
        start: not used.
        stop: not used.
        step: not used.
        int_ind: not used.
        axis: where to insert; by default in the flattened array.
    """

    val: Double | None = None
    start: int | None = None
    stop: int | None = None
    step: int | None = None
    int_ind: int | None = None
    axis: int | None = None

    def _check(self, s: Shapes, n: int) -> int | None:
        return s.full("obj")[0] if s.rank("obj", 0, 1) else None

    def infer_dtype(self, t: DTypes) -> None:
        super().infer_dtype(t)
        t.obj = torch.int64

    def forward(
        self, arr: Tensor, values: Tensor | None = None, obj: Tensor | None = None
    ) -> Tensor:
        # Without `values` the indices are the second array.
        at = values if obj is None else obj
        new = None if obj is None else values
        return self._inserted(arr, new, lambda n: self._within(at, n))

    def _within(self, at: Tensor | None, n: int) -> Tensor:
        if at is None:
            raise MXNetError(f"{self.name}: obj is missing")
        if not is_traced() and bool(((at < -n) | (at > n)).any()):
            raise OutOfRangeError(f"{self.name}: obj has an index out of range: length is {n}")
        return at


# Find ---------------------------------------------------------------------------------------------


@operator("_npi_unique")
class Unique(Op):
    """The different entries of `data` in ascending order; slices along `axis`, if there is one.

    Args:
        data: any numbers.
        return_index: also give where each occurs first.
        return_inverse: also give the place of each entry of `data` in the result.
        return_counts: also give how often each occurs.
        axis: along which slices are compared; by default single elements are.
    """

    return_index: bool = False
    return_inverse: bool = False
    return_counts: bool = False
    axis: int | None = None
    differentiable = False

    def outputs(self) -> tuple[str, ...]:
        n = 1 + self.return_index + self.return_inverse + self.return_counts
        return tuple(f"output{i}" for i in range(n)) if n > 1 else ("output",)

    def infer_shape(self, s: Shapes) -> None:
        if self.axis is not None and s.rank("data"):
            s.axis("data", self.axis)

    def infer_dtype(self, t: DTypes) -> None:
        if t.data is torch.bool:
            raise MXNetError(f"{self.name}: data has type {dtype_name(t.data)}, not numbers")
        values, *places = t.outputs
        t.same("data", values)
        for name in places:
            t[name] = torch.int64

    def forward(self, data: Tensor) -> tuple[Tensor, ...] | Tensor:
        if data.numel() == 0:
            none = data.new_empty(0, dtype=torch.int64)
            found = (data.reshape(-1), none, none, none)
        else:
            line, axis = _flattened(data, self.axis if data.ndim else None)
            if line.ndim == 1 and line.device.type == "cpu":
                return self._found_by_numpy(line)
            found = self._found(line, axis)
        asked = (True, self.return_index, self.return_inverse, self.return_counts)
        results = tuple(array for array, wanted in zip(found, asked, strict=True) if wanted)
        return results if len(results) > 1 else results[0]

    def _found_by_numpy(self, line: Tensor) -> tuple[Tensor, ...] | Tensor:
        """What is asked for of numbers: 200,000 in 1.4 ms, which ATen's sort takes 23 ms for."""
        asked = (self.return_index, self.return_inverse, self.return_counts)
        unique: Callable[..., Any] = np.unique
        found = unique(as_numpy_sorts(line), *asked, equal_nan=False)
        values, *others = found if any(asked) else (found,)
        results = torch.from_numpy(values).to(line.dtype), *map(torch.from_numpy, others)
        return results if others else results[0]

    def _found(self, data: Tensor, axis: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        values, inverse, counts = torch.unique(
            data, return_inverse=True, return_counts=True, dim=axis
        )
        order = torch.arange(len(inverse), device=data.device)
        first = torch.full_like(counts, len(inverse)).scatter_reduce_(0, inverse, order, "amin")
        return values, first, inverse, counts


def _int64(op: Op, t: DTypes) -> None:
    t.output = torch.int64


@function_operator(
    "_npx_nonzero",
    "_npi_nonzero",
    shape=lambda op, s: None,
    dtype=_int64,
    differentiable=False,
)
def nonzero(x: Tensor) -> Tensor:
    """Indices of the elements that are not 0, one row for each.

    Args:
        x: any array; one without axes counts as one with a single element.
    """
    return (x if x.ndim else x.reshape(1)).nonzero()
