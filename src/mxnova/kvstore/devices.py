# SPDX-License-Identifier: Apache-2.0
"""Sums over the arrays of several devices, and copies to them.

Large dense arrays go through the engine, so that the caller goes on meanwhile; all others are done
at once, which takes less time than pushing them would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..core.base import env
from ..core.nd.access import var_of
from ..core.nd.array import NDArray
from ..core.nd.wrapping import receive, wrap, wrap_value
from ..core.op.sparse.storage import RowSparse, Value, dense_of
from ..core.runtime.context import Context
from ..core.runtime.engine import engine

__all__ = ["spread", "total_of"]

# Elements from which on a copy or a sum takes much longer than a push, which takes 40 µs.
BIG: int = env.get("MXNET_KVSTORE_BIGARRAY_BOUND")


def total_of(values: Sequence[NDArray], context: Context, priority: int = 0) -> NDArray:
    """The sum of arrays of one shape and element type, as a new array on `context`."""
    first = values[0]
    if len(values) == 1 or not _is_big(first, values):
        small: NDArray = wrap_value(_sum([array._value for array in values], context), context)
        return small
    total: NDArray = wrap(
        torch.empty(first.shape, dtype=first._raw.dtype, device=context.device), context
    )

    def add_up() -> None:
        _sum([array._value for array in values], context, out=total._target)

    _push(add_up, "sum of devices", context, values, [total], priority)
    return total


def _sum(values: Sequence[Value], context: Context, out: torch.Tensor | None = None) -> Value:
    """The sum; rows that are stored nowhere are not stored in it either."""
    device = context.device
    stored = [value for value in values if isinstance(value, RowSparse)]
    if len(stored) == len(values):
        indices = torch.cat([value.indices.to(device) for value in stored])
        rows = torch.cat([value.data.to(device) for value in stored])
        return RowSparse.of_rows(indices, rows, tuple(stored[0].shape))
    tensors = [dense_of(value).to(device) for value in values]
    if len(tensors) == 1:
        return tensors[0].clone()
    total = torch.add(tensors[0], tensors[1], out=out)
    for tensor in tensors[2:]:
        total += tensor
    return total


def spread(value: NDArray, outs: Sequence[NDArray], priority: int = 0) -> None:
    """Copies `value` into each of `outs`, whose element types and storage stay."""
    is_long = _is_coming(value) or (len(outs) > 1 and _is_big(value, outs))
    if is_long and _is_apart(value, outs):
        _push(lambda: _copy(value, outs), "copy to devices", value.context, [value], outs, priority)
    else:
        _copy(value, outs)


def _copy(value: NDArray, outs: Sequence[NDArray]) -> None:
    source = value._value
    for out in outs:
        receive(out, source, "KVStore.pull")


def _is_big(array: NDArray, others: Sequence[NDArray]) -> bool:
    return array.size >= BIG and all(other.stype == "default" for other in (array, *others))


def _is_coming(array: NDArray) -> bool:
    """Whether the engine is yet to write it, so that reading it would wait."""
    var = array._chunk._var
    return var is not None and var.writes > 0


def _is_apart(value: NDArray, outs: Sequence[NDArray]) -> bool:
    """Whether none is in the memory of `value`, which is then only read."""
    return all(out._chunk is not value._chunk for out in outs)


def _push(
    function: Callable[[], Any],
    name: str,
    context: Context,
    reads: Sequence[NDArray],
    writes: Sequence[NDArray],
    priority: int,
) -> None:
    engine().push_sync(
        function,
        context,
        map(var_of, reads),
        map(var_of, writes),
        priority=priority,
        name=name,
        asynchronous=True,
    )
