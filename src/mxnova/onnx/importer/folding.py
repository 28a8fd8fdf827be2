# SPDX-License-Identifier: Apache-2.0
"""Constant folding with NumPy while a model is read.

Sizes that are left open are Python's integers in arrays of objects, so that no arithmetic on them
overflows. Truth values are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, isfinite, prod
from typing import Any, TypeAlias

import numpy as np

from ...core.base.errors import shown
from .budget import Budget, cost_of
from .element_types import element_type
from .site import REQUIRED, RefusalError, Site
from .values import bounded, broadcast_shape, has_open

__all__ = [
    "FOLDS",
    "Folding",
    "filling",
    "flattened_from",
    "listed_axes",
    "n_parts",
    "slice_bounds",
    "split_sizes",
]

Fold: TypeAlias = Callable[[Site, list[Any]], Any]


class Folding:
    """Computes, within a budget that pays for what is read as well as for what is made.

    Args:
        budget: of the file.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def folded(self, site: Site) -> list[np.ndarray] | None:
        """The node's outputs where its inputs are constants; None where it cannot be computed now.

        Raises:
            RefusalError: it contradicts itself.
        """
        fold = FOLDS.get(site.kind)
        values = [None if value is None else value.array for value in site.inputs]
        known = all(v is None or a is not None for v, a in zip(site.inputs, values, strict=True))
        if site.kind in _OF_SHAPES and site.inputs and site.x.parts is None:
            known = True
        if site.kind in _OF_SHAPES:
            values = []
        if fold is None or not known or not self._is_affordable(site, values):
            return None
        self._budget.take(sum(cost_of(v) for v in values if v is not None))
        try:
            with np.errstate(all="ignore"):
                found = fold(site, values)
            if found is NotImplemented:
                return None
            has_sizes = site.kind in _OF_SHAPES or _has_objects(values)
            arrays = [_array(a, has_sizes) for a in (found if isinstance(found, list) else [found])]
        except (ValueError, TypeError, IndexError, ArithmeticError) as error:
            raise RefusalError(f"constants: {error}") from None
        self._budget.take(sum(map(cost_of, arrays)))
        return arrays

    def _is_affordable(self, site: Site, values: list[Any]) -> bool:
        """Whether there is memory for the result, whose size is asked before it is made."""
        read = [v for v in values if v is not None]
        grows = _GROWS.get(site.kind)
        try:
            count = sum(v.size for v in read) if grows is None else grows(site, values)
        except (ValueError, TypeError, IndexError, ArithmeticError) as error:
            raise RefusalError(f"constants: {error}") from None
        made = count * (cost_of(_ONE) if _has_objects(values) else 8)
        return self._budget.has(4 * max(made, 0) + sum(map(cost_of, read)))


def _has_objects(values: list[Any]) -> bool:
    return any(v is not None and v.dtype == object for v in values)


_ONE = np.array(1, object)


def _array(found: Any, has_sizes: bool) -> np.ndarray:
    """A result; sizes are objects, lest their arithmetic overflows."""
    array = np.asarray(found)
    if not has_sizes or array.dtype.kind not in "iufO":
        return array
    items = array.astype(object).flat
    rational = [Fraction(n) if isinstance(n, float) and isfinite(n) else n for n in items]
    numbers = [bounded(n) for n in rational]
    found = np.empty(len(numbers), object)
    found[:] = numbers
    exact: np.ndarray = found.reshape(array.shape)
    return exact


FOLDS: dict[str, Fold] = {}
_OF_SHAPES = ("Shape", "Size")  # of anything
_BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Mod": np.mod, "Pow": np.power,
    "Equal": np.equal, "Greater": np.greater, "Less": np.less, "And": np.logical_and,
    "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal, "Or": np.logical_or,
    "Xor": np.logical_xor,
}  # fmt: skip
_UNARY = {
    "Neg": np.negative, "Abs": np.abs, "Floor": np.floor, "Ceil": np.ceil, "Sqrt": np.sqrt,
    "Exp": np.exp, "Log": np.log, "Not": np.logical_not, "Sign": np.sign, "Round": np.rint,
    "Cos": np.cos, "Sin": np.sin, "Reciprocal": np.reciprocal,
}  # fmt: skip
_WHOLE: dict[str, Callable[[Fraction], int]] = {"Floor": floor, "Ceil": ceil, "Round": round}
_TRUTH = ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "And", "Or", "Xor")
_EXTREMES = {"Max": np.maximum, "Min": np.minimum}
_REDUCTIONS = {
    "ReduceSum": np.sum, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
}  # fmt: skip
_OF_SIZES: dict[str, Any] = {  # each step bounded, lest numbers grow with the array
    "ReduceSum": np.frompyfunc(lambda x, y: bounded(x + y), 2, 1, identity=0).reduce,
    "ReduceProd": np.frompyfunc(lambda x, y: bounded(x * y), 2, 1, identity=1).reduce,
}


def _fold(*names: str) -> Callable[[Fold], Fold]:
    def declare(function: Fold) -> Fold:
        FOLDS.update(dict.fromkeys(names, function))
        return function

    return declare


# Element by element


@_fold(*_BINARY)
def _binary(site: Site, values: list[Any]) -> Any:
    x, y = values
    if site.attribute("broadcast", 0) or (site.kind == "Pow" and object in (x.dtype, y.dtype)):
        return NotImplemented
    function = np.fmod if site.attribute("fmod", 0) else _BINARY[site.kind]
    found = function(x, y)
    if site.kind in _TRUTH:
        return found.astype(bool)
    return found if site.kind != "Pow" or x.dtype == object else found.astype(x.dtype)


@_fold("Div")
def _div(site: Site, values: list[Any]) -> Any:
    """Integers are divided toward zero."""
    x, y = values
    if _is_real(x) or _is_real(y):
        return x / y
    if np.any(y == 0):
        raise ValueError("division by zero")
    quotient = x // y
    return quotient + ((x % y != 0) & ((x < 0) != (y < 0)))


def _is_real(array: np.ndarray) -> bool:
    return array.dtype.kind == "f" or any(isinstance(n, Fraction) for n in array.flat[:1])


@_fold(*_UNARY)
def _unary(site: Site, values: list[Any]) -> Any:
    (x,) = values
    if x.dtype == object:
        if site.kind in ("Floor", "Ceil", "Round"):
            numbers = [Fraction(_WHOLE[site.kind](n)) for n in x.flat]
            return np.array(numbers, object).reshape(x.shape)
        return _UNARY[site.kind](x) if site.kind in ("Neg", "Abs") else NotImplemented
    return _UNARY[site.kind](x).astype(x.dtype)


@_fold(*_EXTREMES)
def _extremes(site: Site, values: list[Any]) -> Any:
    found = values[0]
    for other in values[1:]:
        found = _EXTREMES[site.kind](found, other)
    return found


@_fold("Where")
def _where(site: Site, values: list[Any]) -> Any:
    condition, x, y = values
    return np.where(condition.astype(bool), x, y)


@_fold("Cast")
def _cast(site: Site, values: list[Any]) -> Any:
    (x,) = values
    dtype = element_type(site.attribute("to", REQUIRED))
    if not has_open(x):
        return x.astype(dtype)
    if dtype.kind == "b":
        return x.astype(bool)
    numbers = [int(n) if dtype.kind in "iu" else Fraction(n) for n in x.flat]
    return np.array(numbers, object).reshape(x.shape)


@_fold("Identity")
def _identity(site: Site, values: list[Any]) -> Any:
    return values[0]


# Where elements stand


@_fold("Shape")
def _shape(site: Site, values: list[Any]) -> Any:
    start, end = site.attribute("start", 0), site.attribute("end", site.x.rank)
    return np.array([*site.x.shape[start:end], 0], object)[:-1]


@_fold("Size")
def _size(site: Site, values: list[Any]) -> Any:
    return np.array(prod(site.x.shape), object)


@_fold("Gather")
def _gather(site: Site, values: list[Any]) -> Any:
    x, index = values
    return np.take(x, index.astype("int64"), axis=site.attribute("axis", 0))


@_fold("NonZero")
def _non_zero(site: Site, values: list[Any]) -> Any:
    return np.array(np.nonzero(np.atleast_1d(values[0])))


@_fold("Concat")
def _concat(site: Site, values: list[Any]) -> Any:
    return np.concatenate(values, axis=site.attribute("axis", REQUIRED))


@_fold("Slice")
def _slice(site: Site, values: list[Any]) -> Any:
    if any(site.optional(i) is not None and has_open(values[i]) for i in (1, 2)):
        return NotImplemented
    keys = [slice(None)] * site.x.rank
    for axis, start, end, step in slice_bounds(site):
        keys[axis] = slice(start, end if step > 0 or end >= -site.x.shape[axis] else None, step)
    return values[0][tuple(keys)]


def slice_bounds(site: Site) -> list[tuple[int, int, int, int]]:
    """(axis, start, end, step) of each axis that is cut."""
    if site.version < 10:
        starts, ends = site.integers("starts"), site.integers("ends")
        axes, steps = site.integers("axes", [*range(len(starts))]), [1] * len(starts)
    else:
        starts, ends = site.sizes(1, "starts"), site.sizes(2, "ends")
        axes = site.fixed(3, "axes") if site.optional(3) else [*range(len(starts))]
        steps = site.fixed(4, "steps") if site.optional(4) else [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise RefusalError(f"starts {shown(starts)}, ends {shown(ends)}, steps {shown(steps)}")
    return [
        (site.axis(axis), start, end, step)
        for axis, start, end, step in zip(axes, starts, ends, steps, strict=True)
    ]


@_fold("Unsqueeze")
def _unsqueeze(site: Site, values: list[Any]) -> Any:
    axes = listed_axes(site, 13)
    rank = site.x.rank + len(axes)
    return np.expand_dims(values[0], tuple(site.axes(axes, rank)))


@_fold("Squeeze")
def _squeeze(site: Site, values: list[Any]) -> Any:
    axes = listed_axes(site, 13)
    return np.squeeze(values[0], tuple(site.axes(axes)) if axes else None)


def listed_axes(site: Site, since: int) -> list[int]:
    """Axes that are an attribute, from version `since` on the second input."""
    if site.version < since:
        return site.integers("axes", [])
    return site.fixed(1, "axes") if site.optional(1) is not None else []


@_fold("Reshape")
def _reshape(site: Site, values: list[Any]) -> Any:
    x = values[0]
    shape = site.integers("shape") if site.version < 5 else site.fixed(1, "shape")
    if not site.attribute("allowzero", 0):
        shape = [x.shape[i] if size == 0 else size for i, size in enumerate(shape)]
    return x.reshape(shape)


@_fold("Flatten")
def _flatten(site: Site, values: list[Any]) -> Any:
    axis = flattened_from(site)
    return values[0].reshape(prod(site.x.shape[:axis]), -1)


def flattened_from(site: Site) -> int:
    """The axis from which on Flatten joins axes; there may be none behind it."""
    axis = site.attribute("axis", 1)
    return site.x.rank if axis == site.x.rank else site.axis(axis)


@_fold("Transpose")
def _transpose(site: Site, values: list[Any]) -> Any:
    return np.transpose(values[0], site.attribute("perm", [*range(site.x.rank)][::-1]))


@_fold("Split")
def _split(site: Site, values: list[Any]) -> Any:
    axis = site.axis(site.attribute("axis", 0))
    ends = np.cumsum(split_sizes(site, axis))
    return np.split(values[0], [int(n) for n in ends[:-1]], axis)


def split_sizes(site: Site, axis: int) -> list[int]:
    """Sizes of the parts along an axis."""
    site.ignore("num_outputs")
    size, count = site.x.shape[axis], n_parts(site)
    if site.version >= 13 and site.optional(1) is not None:
        sizes = site.fixed(1, "split")
    elif site.version < 13 and site.is_set("split"):
        sizes = site.integers("split")
    else:
        part = -(-size // count)
        sizes = [part] * (count - 1) + [size - part * (count - 1)]
    if sum(sizes) != size or any(n < 0 for n in sizes):
        raise RefusalError(f"{size} items along axis {axis} in parts of {shown(tuple(sizes))}")
    return sizes


def n_parts(site: Site) -> int:
    """How many parts a Split makes."""
    count: int = site.attribute("num_outputs", site.n_outputs)
    if not 0 < count <= site.n_outputs:
        raise RefusalError(f"{count} parts, but {site.n_outputs} outputs")
    return count


@_fold(*_REDUCTIONS)
def _reduce(site: Site, values: list[Any]) -> Any:
    axes = listed_axes(site, 13 if site.kind == "ReduceSum" else 18)
    if not axes and site.attribute("noop_with_empty_axes", 0):
        return values[0]
    keep = bool(site.attribute("keepdims", 1))
    has_sizes = values[0].dtype == object
    function: Any = _REDUCTIONS[site.kind]
    function = _OF_SIZES.get(site.kind, function) if has_sizes else function
    found = function(values[0], axis=tuple(axes) or None, keepdims=keep)
    return found if has_sizes else found.astype(values[0].dtype)


# What makes larger arrays


@_fold("ConstantOfShape")
def _constant_of_shape(site: Site, values: list[Any]) -> Any:
    return np.full(site.sizes(0, "shape"), filling(site))


def filling(site: Site) -> Any:
    """The number that ConstantOfShape fills with."""
    array = np.asarray(site.attribute("value", np.zeros(1, "float32")))
    if array.size != 1:
        raise RefusalError(f"attribute value has the shape {array.shape}")
    return array.reshape(())[()]


@_fold("Expand")
def _expand(site: Site, values: list[Any]) -> Any:
    shape = broadcast_shape(values[0].shape, site.sizes(1, "shape"))
    return np.broadcast_to(values[0], shape).copy()


@_fold("Tile")
def _tile(site: Site, values: list[Any]) -> Any:
    return np.tile(values[0], site.sizes(1, "repeats"))


@_fold("Range")
def _range(site: Site, values: list[Any]) -> Any:
    return np.arange(*_bounds(values)).astype(values[0].dtype)


def _n_of_range(site: Site, values: list[Any]) -> int:
    start, limit, delta = _bounds(values)
    return max(int((limit - start) / delta) + 1, 1)


def _bounds(values: list[Any]) -> list[Any]:
    """Start, limit and delta as Python's numbers, whose difference does not overflow."""
    return [v.reshape(()).item() for v in values]


_GROWS: dict[str, Callable[[Site, list[Any]], int]] = {  # numbers of elements
    "ConstantOfShape": lambda site, values: prod(site.sizes(0, "shape")),
    "Expand": lambda site, values: prod(broadcast_shape(values[0].shape, site.sizes(1, "shape"))),
    "NonZero": lambda site, values: values[0].size * max(site.x.rank, 1),
    "Range": _n_of_range,
    "Tile": lambda site, values: values[0].size * prod(max(n, 1) for n in site.sizes(1, "repeats")),
    "Gather": lambda site, values: values[1].size * max(values[0].size, 1),
    "Where": lambda site, values: prod(broadcast_shape(*(v.shape for v in values))),
    **dict.fromkeys(
        [*_BINARY, "Div", *_EXTREMES],
        lambda site, values: prod(broadcast_shape(*(v.shape for v in values))),
    ),
}
