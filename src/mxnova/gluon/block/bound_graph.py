# SPDX-License-Identifier: Apache-2.0
"""The graph of a block, made ready for calls: its parameters are looked up once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.exec.bind.cached_op import CachedOp
from ...core.nd.array import NDArray
from ...core.nd.modes import MODES
from ...core.runtime.context import Context
from ...core.runtime.slow_path import SLOW_PATH
from ..parameter import Parameter
from ..parameter.arrays import GENERATION

if TYPE_CHECKING:
    from .hybrid import HybridBlock

__all__ = ["BoundGraph"]


class BoundGraph:
    """The graph of a block with the arrays that its parameters have on one context.

    Attributes:
        generation: the count of changes of parameters that it is made for.
    """

    __slots__ = ("_computed", "_context", "_op", "_plain", "_used", "generation")

    def __init__(self, block: HybridBlock, context: Context) -> None:
        self.generation = GENERATION.count  # before arrays are taken: later changes are noticed
        inputs: dict[int, int] = {}
        computed: dict[int, Parameter] = {}
        fixed: dict[int, NDArray] = {}
        for position, (is_arg, value) in enumerate(block._cached_op_args):
            if is_arg:
                inputs[value] = position
            elif type(value).data is not Parameter.data:
                computed[position] = value
            else:
                fixed[position] = value.data(context)
        self._context = context
        self._computed = list(computed.values())
        self._used = sorted(inputs)
        # How many arrays it takes where lists and None are not among its inputs, else 0.
        self._plain = len(inputs) if block._in_format == [0] * len(inputs) else 0
        op: CachedOp = block._cached_op  # type: ignore[assignment]
        self._op = op.bound(fixed, [*(inputs[i] for i in self._used), *computed], context)

    def takes(self, x: NDArray, args: tuple[Any, ...]) -> bool:
        """Whether it can be called with these as they are."""
        if self.generation != GENERATION.count or self._plain != len(args) + 1:
            return False
        if SLOW_PATH and MODES.watchers():
            return False
        context = x._chunk.context
        for array in args:
            if not isinstance(array, NDArray) or array._chunk.context is not context:
                return False
        return True

    def __call__(self, arrays: Sequence[NDArray]) -> Any:
        """The outputs for its inputs, of which some may be unused."""
        if len(arrays) != len(self._used):
            arrays = [arrays[i] for i in self._used]
        if self._computed:
            arrays = [*arrays, *(p.data(self._context) for p in self._computed)]
        return self._op(arrays)
