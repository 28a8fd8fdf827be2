# SPDX-License-Identifier: Apache-2.0
"""Updates of several weights in one call, as optimizers make one at every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..op.schema import Op, find
from ..runtime.slow_path import SLOW_PATH
from ..runtime.threads import is_small, single_threaded
from .base_array import BaseArray
from .calls.dispatch import execute, invoke
from .calls.plan import plan_of
from .recording import STATE

__all__ = ["UpdateOfSeveral"]

_FLOATS = frozenset({float})
_MULTIPLICATIONS = 2  # for each number


class UpdateOfSeveral:
    """An operator that updates several weights in place, as a function.

    It is ``function_of(name)(*arrays, out=weights, num_weights=…, **options)``: the same where
    anything is out of the ordinary, and half of its time for small weights everywhere else. Calls
    with the same numbers as the last one share its operator.

    Args:
        name: of an operator that leaves its results in the weights where these are `out`.
    """

    __slots__ = ("_execute_alone", "_last", "_type")

    def __init__(self, name: str) -> None:
        self._type = find(name)
        self._execute_alone = single_threaded(execute)
        self._last: tuple[Any, Op | None] = None, None  # its numbers, itself

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
            arrays: for each weight, what the operator takes of it: weight, gradient, states.
            weights: the weights.
            lrs: learning rate of each.
            wds: weight decay of each.
            options: other parameters of the operator.

        Raises:
            MXNetError: the arrays do not fit the operator, or a number is refused.
        """
        op = self._operator(lrs, wds, options)
        values = []
        is_ordinary = not (SLOW_PATH or STATE.recording)
        for array in arrays:
            is_ordinary = is_ordinary and array.stype == "default"
            values.append(array._raw)
        plan = plan_of(op)
        if not is_ordinary or len(values) != plan.n_inputs:
            invoke(op, arrays, list(weights))
            return
        plan.accept(op, values)
        size = sum([w._raw.numel() for w in weights])
        run = self._execute_alone if is_small(_MULTIPLICATIONS * size) else execute
        run(op, op.forward, plan.facts, values, weights[0]._chunk.context, weights)

    def _operator(self, lrs: Sequence[float], wds: Sequence[float], options: dict[str, Any]) -> Op:
        numbers = (*lrs, *wds, *options.values())
        are_floats = _FLOATS.issuperset(map(type, numbers))
        key = (*options, *numbers)
        last, op = self._last
        if op is None or not are_floats or key != last:
            op = self._type.of({"num_weights": len(lrs), "lrs": lrs, "wds": wds, **options})
            self._last = key, op
        return op
