# SPDX-License-Identifier: Apache-2.0
"""Whether tensors fit an operator, what to say when they do not, and whose memory results are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from torch import Tensor

from ..base.errors import MXNetError, OutOfRangeError
from ..base.shapes import Pause, is_known, shape_text
from ..op.dtypes import dtype_name
from ..op.infer import DTypes, Shapes
from ..op.record import Op

__all__ = ["check", "owned", "refuse"]


def check(op: Op, tensors: Sequence[Tensor]) -> None:
    """Raises what the operator's shape and dtype rules say about these inputs."""
    names, outputs = op.inputs(), op.outputs()
    if len(names) != len(tensors):
        raise MXNetError(
            f"{op.name} takes {len(names)} arrays ({', '.join(names)}), not {len(tensors)}"
        )
    unknown = [None] * len(outputs)
    with suppress(Pause):
        op.infer_dtype(DTypes(op.name, names, outputs, [*(t.dtype for t in tensors), *unknown]))
    if op.has_shape_rule:
        shapes = [*(tuple(t.shape) for t in tensors), *unknown]
        facts = Shapes(op.name, names, outputs, shapes)
        with suppress(Pause):
            op.infer_shape(facts)
        if not names and not all(is_known(facts.known(n)) for n in outputs):
            shown = shape_text(facts.known(outputs[0]))
            raise MXNetError(f"{op.name}: the shape {shown} of its output must be fully given")


def refuse(op: Op, tensors: Sequence[Tensor], error: Exception) -> NoReturn:
    """Raises MXNetError for what ATen refused, naming operator and inputs."""
    if isinstance(error, MXNetError):
        raise error
    check(op, tensors)
    given = ", ".join(
        f"{name}={shape_text(tuple(t.shape))} {dtype_name(t.dtype)}"
        for name, t in zip(op.inputs(), tensors, strict=False)
    )
    kind = OutOfRangeError if isinstance(error, IndexError) else MXNetError
    raise kind(f"{op.name}({given}): {str(error).splitlines()[0]}") from error


def owned(result: Tensor, inputs: Sequence[Tensor]) -> Tensor:
    """`result` as an array holds it: in the order of its axes, and in no input's memory.

    Operators may return views, which graphs like; arrays of different operators share nothing.
    """
    if not result.is_contiguous():
        return result.contiguous()
    base = result._base
    for tensor in inputs:
        if result is tensor or (base is not None and (base is tensor or base is tensor._base)):
            return result.clone()
    return result
