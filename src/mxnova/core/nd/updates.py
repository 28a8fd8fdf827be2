# SPDX-License-Identifier: Apache-2.0
"""Updates of several weights in one call, as optimizers make one at every step."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..op.schema import Op, OpType, find
from ..op.sparse.storage import Csr, RowSparse, Value
from ..op.sparse.updates import Rows
from ..runtime.slow_path import SLOW_PATH
from ..runtime.threads import is_small, single_threaded
from .base_array import BaseArray
from .calls.dispatch import execute, invoke
from .calls.plan import plan_of
from .recording import STATE

__all__ = ["UpdateOfSeveral"]

_FLOATS = frozenset({float})
_MULTIPLICATIONS = 2  # for each number
_RECORDS = frozenset({Csr, RowSparse})


class UpdateOfSeveral:
    """An operator that updates several weights in place, as a function.

    It is ``function_of(name)(*arrays, out=weights, num_weights=…, **options)``: the same where
    anything is out of the ordinary, and half of its time for small weights everywhere else. Calls
    with the same numbers as the last one share its operator. With `lazy` it is that function for
    one weight after another where there are sparse arrays.

    Args:
        name: of an operator that leaves its results in the weights where these are `out`.
        lazy: name of the operator for one weight, if that can move the rows alone that a row_sparse
            gradient has.
    """

    __slots__ = ("_execute_alone", "_last", "_lazy", "_type")

    def __init__(self, name: str, lazy: str | None = None) -> None:
        self._type = find(name)
        self._lazy = None if lazy is None else find(lazy)
        self._execute_alone = single_threaded(execute)
        self._last: tuple[Any, Op | None] = None, None  # its numbers, itself

    def takes(self, arrays: Sequence[BaseArray], count: int, lazily: bool) -> bool:
        """Whether it updates weights that are stored so.

        Args:
            arrays: for each weight, what the operator takes of it.
            count: how many weights there are.
            lazily: whether row_sparse gradients are to move the rows alone that they have.
        """
        stypes = [array.stype for array in arrays]
        if stypes.count("default") == len(stypes):
            return True
        size = len(stypes) // count
        groups = [stypes[at : at + size] for at in range(0, len(stypes), size)]
        return (
            lazily
            and self._lazy is not None
            and all(
                (gradient == "row_sparse" or gradient == weight == "default")
                and states.count(weight) == len(states)
                for weight, gradient, *states in groups
            )
        )

    def __call__(
        self,
        arrays: Sequence[BaseArray],
        weights: Sequence[BaseArray],
        lrs: Sequence[float],
        wds: Sequence[float],
        **options: Any,
    ) -> None:
        """Updates all weights.

        Args:
            arrays: for each weight, what the operator takes of it: weight, gradient, states; stored
                as it `takes` them.
            weights: the weights.
            lrs: learning rate of each.
            wds: weight decay of each.
            options: other parameters of the operator.

        Raises:
            MXNetError: the arrays do not fit the operator, or a number is refused.
        """
        op = self._operator(lrs, wds, options)
        values: list[Value] = [array._raw for array in arrays]
        is_dense = _RECORDS.isdisjoint(map(type, values))
        lazy = None if is_dense else self._lazy
        is_known = is_dense or lazy is not None
        plan = plan_of(op)
        if SLOW_PATH or STATE.recording or not is_known or len(values) != plan.n_inputs:
            if lazy is None:
                invoke(op, arrays, list(weights))
            else:
                self._update_apart(lazy, arrays, weights, lrs, wds, options)
            return
        plan.accept(op, values)
        forward = op.forward if is_dense else functools.partial(_update_rows, op, arrays)
        size = sum([gradient.data.numel() for gradient in values[1 :: len(values) // len(weights)]])
        run = self._execute_alone if is_small(_MULTIPLICATIONS * size) else execute
        run(op, forward, plan.facts, values, weights[0]._chunk.context, weights)

    def _update_apart(
        self,
        lazy: OpType,
        arrays: Sequence[BaseArray],
        weights: Sequence[BaseArray],
        lrs: Sequence[float],
        wds: Sequence[float],
        options: dict[str, Any],
    ) -> None:
        size = len(arrays) // len(weights)
        for at, (weight, lr, wd) in enumerate(zip(weights, lrs, wds, strict=True)):
            op = lazy.of({"lr": lr, "wd": wd, **options})
            invoke(op, arrays[at * size : (at + 1) * size], weight)

    def _operator(self, lrs: Sequence[float], wds: Sequence[float], options: dict[str, Any]) -> Op:
        numbers = (*lrs, *wds, *options.values())
        are_floats = _FLOATS.issuperset(map(type, numbers))
        key = (*options, *numbers)
        last, op = self._last
        if op is None or not are_floats or key != last:
            op = self._type.of({"num_weights": len(lrs), "lrs": lrs, "wds": wds, **options})
            self._last = key, op
        return op


def _update_rows(
    op: Op, arrays: Sequence[BaseArray], *values: Value, out: Sequence[Any]
) -> tuple[()]:
    """`op.forward`, of weights with row_sparse gradients on the rows alone that these have.

    Args:
        op: the operator.
        arrays: what it was called on; weights and states get all rows, as in MXNet.
        values: theirs.
        out: those of the weights.
    """
    size = len(values) // len(out)
    taken: list[Any] = list(values)
    moved: list[tuple[BaseArray, Rows]] = []
    for first in range(0, len(taken), size):
        gradient = taken[first + 1]
        if isinstance(gradient, RowSparse):
            taken[first + 1] = gradient.data
            for at in (first, *range(first + 2, first + size)):
                rows = Rows(taken[at], gradient.indices)
                taken[at] = rows.taken
                moved.append((arrays[at], rows))
    op.forward(*taken, out=tuple(taken[::size]))
    for array, rows in moved:
        array._raw = rows.put(rows.taken, in_place=True)
    return ()
