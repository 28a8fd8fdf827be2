# SPDX-License-Identifier: Apache-2.0
"""Arrays that an operator should have computed and could not: who waits for them gets its error.

That holds for errors that only values tell. Operators on such arrays do not run; what they should
have computed fails with them. Under the NaiveEngine the call raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import torch

from ..base.errors import MXNetError
from ..base.shapes import Pause
from ..op.infer import DTypes, Shapes
from ..op.schema import Op
from ..runtime.context import Context
from ..runtime.engine import engine
from .access import var_of
from .base_array import BaseArray
from .wrapping import wrap

__all__ = ["fail", "failing_results", "is_failing", "recover", "share_failure"]


def is_failing(array: BaseArray) -> bool:
    """Whether an operator could not compute `array`, and nobody has been told yet."""
    var = array._chunk._var
    failure = None if var is None else var.failure
    return failure is not None and failure.is_of_call and failure.is_open


def fail(error: MXNetError, arrays: Sequence[BaseArray], name: str) -> None:
    """Keeps the error of `name` with the arrays that it should have computed."""
    engine().fail(error, [var_of(a) for a in arrays], name)


def share_failure(source: BaseArray, arrays: Sequence[BaseArray]) -> None:
    """Makes `arrays` fail as `source` does."""
    for array in arrays:
        var_of(array).failure = source._chunk.var.failure


def recover(arrays: Sequence[BaseArray]) -> None:
    """Lets `arrays` be written to; their failure is still for who waits for all."""
    for array in arrays:
        if is_failing(array):
            array._chunk.var.failure = None


def failing_results(
    op: Op,
    arrays: Sequence[BaseArray],
    context: Context,
    cls: type[BaseArray] | None = None,
) -> list[BaseArray] | None:
    """Arrays of the shapes and types that `op` would give.

    None where the rules do not tell, or there is no memory for them.
    """
    names, outputs = op.inputs(), op.outputs()
    unknown = [None] * len(outputs)
    values = [a._raw for a in arrays]
    shapes = Shapes(op.name, names, outputs, [*(tuple(v.shape) for v in values), *unknown])
    dtypes = DTypes(op.name, names, outputs, [*(v.dtype for v in values), *unknown])
    with suppress(Pause):
        op.infer_shape(shapes)
        op.infer_dtype(dtypes)
    made: list[BaseArray] = []
    for name in outputs[: op.n_visible()]:
        dtype = dtypes.known(name) or torch.float32
        try:
            zeros = torch.zeros(shapes.full(name), dtype=dtype, device=context.device)
        except (Pause, RuntimeError):
            return None
        made.append(wrap(zeros, context, cls))
    return made
