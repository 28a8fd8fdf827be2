# SPDX-License-Identifier: Apache-2.0
"""ONNX's operators that choose elements, by numbers or in an order."""

from __future__ import annotations

import numpy as np

from ...core.graph.open_sizes import is_open
from .arrangement import moved
from .elementwise import binary, cast
from .reshaping import reshaped
from .site import RefusalError, Site, translator
from .values import Value

__all__: list[str] = []

_INT64 = np.dtype("int64")


@translator("Gather")
def _gather(site: Site) -> Value:
    x, index, axis = site.x, site.input(1), site.axis(site.attribute("axis", 0))
    if index.array is not None and not index.rank:
        place = int(site.fixed(1, "indices")[0])
        end = None if place == -1 else place + 1
        row = site.op("slice_axis", x, axis=axis, begin=place, end=end)
        return _without_axis(site, row, axis)
    found = site.op("take", x, _counted(site, index, x.shape[axis]), axis=axis, mode="clip")
    return found if index.rank else _without_axis(site, found, axis)


def _without_axis(site: Site, x: Value, axis: int) -> Value:
    if x.rank == 1:
        return x.as_scalar()
    return site.op("squeeze", x, axis=(axis,))


def _counted(site: Site, index: Value, size: int) -> Value:
    """Indices counted from the front; negative ones count from the end."""
    if index.array is not None:
        array = index.array
        if is_open(size) and (array < 0).any():
            raise RefusalError(
                "indices are counted from the end of a size that the file leaves open"
            )
        if (array < 0).any():
            return Value.constant(index.name, np.where(array < 0, array + size, array))
        return index
    below = site.op("_lesser_scalar", index, scalar=0)
    if is_open(size):
        count = cast(site, site.constant(np.array([size], object)), index.dtype)
        return binary(site, "Add", index, binary(site, "Mul", below, count))
    return site.op("elemwise_add", index, site.op("_mul_scalar", below, scalar=size))


@translator("GatherElements")
def _gather_elements(site: Site) -> Value:
    x, axis = site.x, site.axis(site.attribute("axis", 0))
    return site.op("gather_nd", x, _places(site, x, site.input(1), axis))


def _places(site: Site, x: Value, index: Value, axis: int) -> Value:
    """For each item of `index` its place in `x`, along the first axis."""
    index = cast(site, _counted(site, index, x.shape[axis]), _INT64)
    parts = [index if i == axis else _along(site, index, i) for i in range(x.rank)]
    return site.op("stack", *parts, axis=0)


def _along(site: Site, x: Value, axis: int) -> Value:
    """The position of each item along an axis."""
    found = site.op("_contrib_index_array", x, axes=(axis,))
    return site.op("squeeze", found, axis=(x.rank,))


@translator("GatherND")
def _gather_nd(site: Site) -> Value:
    x, batch = site.x, site.attribute("batch_dims", 0)
    places = _places_of_rows(site, x, site.input(1), batch)
    found = site.op("gather_nd", x, places)
    return found if places.rank > 1 else found.as_scalar()


def _places_of_rows(site: Site, x: Value, index: Value, batch: int) -> Value:
    """Indices along the last axis of `index`, behind the batch's, as MXNet wants them in front."""
    count = index.shape[-1]
    if is_open(count) or not 0 < count + batch <= x.rank or not 0 <= batch < index.rank:
        raise RefusalError(f"indices of the shape {index.shape} for {x.rank} axes")
    if index.array is not None:
        sizes = np.array(x.shape[batch : batch + count], object)
        if (index.array < 0).any():
            counted = np.where(index.array < 0, index.array + sizes, index.array)
            index = Value.constant(index.name, counted.astype(_INT64))
        if not batch:
            return Value.constant(index.name, np.moveaxis(np.asarray(index.array), -1, 0))
    front = moved(site, index, index.rank - 1, 0)
    if not batch:
        return front
    rows = cast(site, front, _INT64)
    own = site.op("slice_axis", rows, axis=0, begin=0, end=1)
    parts = [_along(site, own, 1 + i) for i in range(batch)]
    return site.op("Concat", *parts, rows, dim=0)


@translator("ScatterND")
def _scatter_nd(site: Site) -> Value:
    return _scattered(site, _places_of_rows(site, site.x, site.input(1), 0))


@translator("ScatterElements Scatter")
def _scatter_elements(site: Site) -> Value:
    axis = site.axis(site.attribute("axis", 0))
    return _scattered(site, _places(site, site.x, site.input(1), axis))


def _scattered(site: Site, places: Value) -> Value:
    x, updates = site.x, site.input(2)
    site.only("reduction", "none")
    if any(map(is_open, x.shape)):
        raise RefusalError("it writes to an array whose sizes the file leaves open")
    return site.op("_scatter_set_nd", x, updates, places, shape=x.shape)
    return site.op()


@translator("OneHot")
def _one_hot(site: Site) -> Value:
    x, depth = site.x, int(site.scalar(1, "depth"))
    values = site.numbers(2, "values")
    if values.shape != (2,) or depth < 1:
        raise RefusalError(f"depth {depth}, values of the shape {values.shape}")
    axis = site.axis(site.attribute("axis", -1), x.rank + 1)
    off, on = values.tolist()
    facts = {"on_value": on, "off_value": off, "dtype": values.dtype.name}
    found = site.op("one_hot", _counted(site, x, depth), depth=depth, **facts)
    found = found if x.rank else reshaped(site, found, [depth])
    return moved(site, found, found.rank - 1, axis)


@translator("TopK")
def _top_k(site: Site) -> list[Value]:
    site.ignore("sorted")
    axis = site.axis(site.attribute("axis", -1))
    count = site.attribute("k", 1) if site.version < 10 else site.sizes(1, "k")[0]
    count = 0 if count == site.x.shape[axis] else count
    if is_open(count) or count < 0:
        raise RefusalError("k does not follow from the sizes left open")
    facts = {"ret_typ": "both", "dtype": "int64", "is_ascend": not site.attribute("largest", 1)}
    return site.ops("topk", site.x, axis=axis, k=count, **facts)


@translator("ArgMax ArgMin")
def _arg_max(site: Site) -> Value:
    x, axis = site.x, site.axis(site.attribute("axis", 0))
    keep, last = bool(site.attribute("keepdims", 1)), site.attribute("select_last_index", 0)
    if last and is_open(x.shape[axis]):
        raise RefusalError("attribute select_last_index counts a size that the file leaves open")
    x = site.op("reverse", x, axis=(axis,)) if last else x
    found = site.op(site.kind.lower(), x, axis=axis, keepdims=keep)
    found = site.op("_rminus_scalar", found, scalar=x.shape[axis] - 1) if last else found
    found = site.op("Cast", found, dtype="int64")
    return found if keep or x.rank > 1 else found.as_scalar()


@translator("CumSum")
def _cum_sum(site: Site) -> Value:
    x, axis = site.x, site.axis(int(site.scalar(1, "axis")))
    is_reversed, is_exclusive = site.attribute("reverse", 0), site.attribute("exclusive", 0)
    turned = site.op("reverse", x, axis=(axis,)) if is_reversed else x
    found = site.op("cumsum", turned, axis=axis)
    found = site.op("elemwise_sub", found, turned) if is_exclusive else found
    return site.op("reverse", found, axis=(axis,)) if is_reversed else found


@translator("Compress")
def _compress(site: Site) -> Value:
    chosen = np.flatnonzero(site.numbers(1, "condition"))
    if not len(chosen):
        raise RefusalError("nothing is chosen, and MXNet has no arrays without elements")
    x = site.x if site.is_set("axis") else reshaped(site, site.x, [-1])
    axis = site.axis(site.attribute("axis", 0), x.rank)
    return site.op("take", x, site.constant(chosen), axis=axis, mode="clip")


@translator("ReverseSequence")
def _reverse_sequence(site: Site) -> Value:
    x, time, batch = site.x, site.attribute("time_axis", 0), site.attribute("batch_axis", 1)
    if sorted((time, batch)) != [0, 1]:
        raise RefusalError(f"time_axis={time}, batch_axis={batch}: they must be 0 and 1")
    x = x if time == 0 else site.op("SwapAxis", x, dim1=0, dim2=1)
    lengths = cast(site, site.input(1), np.dtype("float32"))
    found = site.op("SequenceReverse", x, lengths, use_sequence_length=True)
    return found if time == 0 else site.op("SwapAxis", found, dim1=0, dim2=1)
