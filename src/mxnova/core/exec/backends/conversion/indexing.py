# SPDX-License-Identifier: Apache-2.0
"""What stands at indices: rows, classes, steps of sequences, the largest items."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

import torch

from .site import Site, converter


def _clipped(site: Site, position: int, size: int) -> Any:
    """An input of indices, kept within an axis of some size."""
    with site.ops.computing_in(site.dtypes[position]):
        return site.ops.within(site.inputs[position], 0, size - 1)


def _wrapped(site: Site, position: int, size: int) -> Any:
    """An input of indices, counted on from the front of an axis behind its end, and back."""
    o = site.ops
    with o.computing_in(torch.float32):
        index, count = o.cast(site.inputs[position], torch.float32), o.size(size)
        turns = o.elementwise("floor", o.elementwise("divide", index, count))
        return o.elementwise("subtract", index, o.elementwise("multiply", turns, count))


def _whole(site: Site, index: Any, position: int) -> Any:
    """Indices without their fractions."""
    is_whole = not site.dtypes[position].is_floating_point
    return index if is_whole else site.ops.elementwise("floor", index)


@converter("Embedding")
def _embedding(site: Site) -> Any:
    return site.ops.rows(site.inputs[1], _clipped(site, 0, int(site.input_dim)), 0)


@converter("take", lambda site: f"mode={site.mode}" if site.mode == "raise" else None)
def _take(site: Site) -> Any:
    axis = site.axis()
    kept = _clipped if site.mode == "clip" else _wrapped
    return site.ops.rows(site.x, kept(site, 1, site.shapes[0][axis]), axis)


# Positions that are compared with indices ---------------------------------------------------------


def _positions(
    site: Site, word: str, index: Any, dtype: torch.dtype, sizes: Sequence[int], axis: int
) -> Any:
    """Positions along an axis of an array of these sizes, compared with indices of one along it."""
    shape = [1] * len(sizes)
    shape[axis] = -1
    with site.ops.computing_in(dtype):
        numbers = site.ops.reshape(site.ops.positions(sizes[axis]), shape)
        return site.ops.elementwise(word, numbers, index)


def _along(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    """The shape with one item along an axis."""
    return (*shape[:axis], 1, *shape[axis + 1 :])


@converter("one_hot")
def _one_hot(site: Site) -> Any:
    o = site.ops
    index = o.reshape(_whole(site, site.x, 0), (*site.shapes[0], 1))
    holds = _positions(site, "equal", index, site.dtypes[0], site.out[0], site.rank)
    with o.computing_in(site.out_dtypes[0]):
        return o.elementwise("select", holds, o.floats(site.on_value), o.floats(site.off_value))


@converter("pick", lambda site: None if site.mode == "clip" else f"mode={site.mode}")
def _pick(site: Site) -> Any:
    return _picked(site, *_flat(site))


@converter("batch_take", only_onnx=True)
def _batch_take(site: Site) -> Any:
    *rows, classes = site.shapes[0]
    x = site.ops.reshape(site.x, (prod(rows), classes))
    return _picked(site, x, (prod(rows), classes), 1)


def _picked(site: Site, x: Any, shape: Sequence[int], axis: int) -> Any:
    o = site.ops
    index = _whole(site, _clipped(site, 1, shape[axis]), 1)
    index = o.reshape(index, _along(shape, axis))
    holds = _positions(site, "equal", index, site.dtypes[1], shape, axis)
    chosen = o.elementwise("select", holds, x, o.floats(0))
    return o.reshape(o.reduce("sum", chosen, [axis]), site.out[0])


@converter("softmax_cross_entropy", only_onnx=True)
def _softmax_cross_entropy(site: Site) -> Any:
    o, shape = site.ops, site.shapes[0]
    index = o.reshape(_whole(site, site.inputs[1], 1), _along(shape, 1))
    holds = _positions(site, "equal", index, site.dtypes[1], shape, 1)
    chosen = o.elementwise("select", holds, o.softmax(site.x, 1), o.floats(0))
    right = o.clip(o.reduce("sum", chosen, [1]), 1e-8, inf)
    return o.elementwise("negative", o.reduce("sum", o.elementwise("log", right), [0], keep=True))


# Sequences ----------------------------------------------------------------------------------------


def _lengths(site: Site) -> Any:
    """Lengths of sequences, along the axis of the batch."""
    shape = [1] * site.rank
    shape[1 - site.axis()] = -1
    return site.ops.reshape(site.inputs[1], shape)


@converter("SequenceMask")
def _sequence_mask(site: Site) -> Any:
    if not site.use_sequence_length:
        return site.x
    inside = _positions(site, "less", _lengths(site), site.dtypes[1], site.shapes[0], site.axis())
    return site.ops.elementwise("select", inside, site.x, site.ops.floats(site.value))


@converter("SequenceLast")
def _sequence_last(site: Site) -> Any:
    o, axis = site.ops, site.axis()
    steps = site.shapes[0][axis]
    if not site.use_sequence_length:
        return o.reshape(o.slice(site.x, {axis: range(steps - 1, steps)}), site.out[0])
    with o.computing_in(site.dtypes[1]):
        last = o.elementwise("subtract", o.within(_lengths(site), 1, steps), o.floats(1))
    is_last = _positions(site, "equal", last, site.dtypes[1], site.shapes[0], axis)
    return o.reduce("sum", o.elementwise("select", is_last, site.x, o.floats(0)), [axis])


@converter("SequenceReverse", only_onnx=True)
def _sequence_reverse(site: Site) -> Any:
    if not site.use_sequence_length:
        return site.ops.slice(site.x, {0: range(site.shapes[0][0])[::-1]})
    with site.ops.computing_in(site.dtypes[1]):
        lengths = site.ops.within(site.inputs[1], 1, site.shapes[0][0])
    return site.ops.steps_reversed(site.x, lengths)


def _softmax_refusal(site: Site) -> str | None:
    if not site.rank:
        return "a scalar"
    return "use_length" if len(site.shapes) > 1 and site.op.name == "log_softmax" else None


@converter("softmax log_softmax softmin", _softmax_refusal, is_arithmetic=True)
def _softmax(site: Site) -> Any:
    o, x, axis = site.ops, site.x, site.axis()
    temperature = 1.0 if site.temperature is None else site.temperature
    if (site.op.name == "softmin") is not (temperature < 0):
        x = o.elementwise("negative", x)
    if len(site.shapes) > 1:
        return _softmax_of_lengths(site, x, axis, abs(temperature))
    run = o.log_softmax if site.op.name == "log_softmax" else o.softmax
    return run(_below_zero(site, x, axis, abs(temperature)), axis)


def _below_zero(site: Site, x: Any, axis: int, temperature: float) -> Any:
    """`x` divided by the temperature, less what changes no result and keeps quotients finite."""
    if temperature == 1.0:
        return x
    o = site.ops
    below = o.elementwise("subtract", x, o.reduce("max", x, (axis,), keep=True))
    return o.elementwise("divide", below, o.floats(temperature))


def _softmax_of_lengths(site: Site, x: Any, axis: int, temperature: float) -> Any:
    o, shape = site.ops, site.shapes[0]
    lengths = o.reshape(site.inputs[1], _along(shape, axis))
    inside = _positions(site, "less", lengths, site.dtypes[1], shape, axis)
    x = o.elementwise("select", inside, x, o.floats(-inf))
    found = o.softmax(_below_zero(site, x, axis, temperature), axis)
    return o.elementwise("select", inside, found, o.floats(0))


# The largest --------------------------------------------------------------------------------------


def _flat(site: Site) -> tuple[Any, tuple[int, ...], int]:
    """(array, its shape, axis) of what is asked for along an axis, or of all items."""
    if site.op.attr("axis") is None or not site.rank:
        size = prod(site.shapes[0])
        return site.ops.reshape(site.x, (size,)), (size,), 0
    return site.x, site.shapes[0], site.axis()


@converter("argmax argmin _npi_argmax _npi_argmin", only_onnx=True)
def _extreme(site: Site) -> Any:
    x, _, axis = _flat(site)
    index = site.ops.extreme_index(x, axis, site.op.name.endswith("max"))
    return site.ops.reshape(site.ops.cast(index, site.out_dtypes[0]), site.out[0])


@converter("argmax_channel", only_onnx=True)
def _channel(site: Site) -> Any:
    index = site.ops.extreme_index(site.x, 1, True)
    return site.ops.reshape(site.ops.cast(index, site.out_dtypes[0]), site.out[0])


def _topk_refusal(site: Site) -> str | None:
    return "ret_typ=mask" if site.ret_typ == "mask" else None


@converter("topk", _topk_refusal, has_several=True, only_onnx=True)
def _topk(site: Site) -> list[Any]:
    x, shape, axis = _flat(site)
    count = int(site.k) if 0 < site.k <= shape[axis] else shape[axis]
    values, index = site.ops.top(x, count, axis, not site.is_ascend)
    if site.ret_typ == "value":
        return [values]
    index = site.ops.cast(index, site.out_dtypes[-1])
    return [index] if site.ret_typ == "indices" else [values, index]


@converter("sort", only_onnx=True)
def _sort(site: Site) -> Any:
    x, shape, axis = _flat(site)
    return site.ops.top(x, shape[axis], axis, not site.is_ascend)[0]


@converter("argsort", only_onnx=True)
def _argsort(site: Site) -> Any:
    x, shape, axis = _flat(site)
    index = site.ops.top(x, shape[axis], axis, not site.is_ascend)[1]
    return site.ops.cast(index, site.out_dtypes[0])


@converter("gather_nd", only_onnx=True)
def _gather_nd(site: Site) -> Any:
    rank = len(site.shapes[1])
    index = site.ops.transpose(site.inputs[1], (*range(1, rank), 0))
    return site.ops.items(site.x, index)


@converter("_np_cumsum", only_onnx=True, is_arithmetic=True)
def _cumsum(site: Site) -> Any:
    x, _, axis = _flat(site)
    return site.ops.reshape(site.ops.running_sum(x, axis), site.out[0])
