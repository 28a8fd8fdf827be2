# SPDX-License-Identifier: Apache-2.0
"""Whether tensors fit an operator, and what to say when they do not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from torch import Tensor

from ..base.errors import MXNetError
from ..base.shapes import Pause, shape_text
from ..op.dtypes import dtype_name
from ..op.infer import DTypes, Shapes
from ..op.operator import Op

__all__ = ["check", "refuse"]


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
        with suppress(Pause):
            op.infer_shape(Shapes(op.name, names, outputs, shapes))


def refuse(op: Op, tensors: Sequence[Tensor], error: Exception) -> NoReturn:
    """Raises MXNetError for what ATen refused, naming operator and inputs."""
    if isinstance(error, MXNetError):
        raise error
    check(op, tensors)
    given = ", ".join(
        f"{name}={shape_text(tuple(t.shape))} {dtype_name(t.dtype)}"
        for name, t in zip(op.inputs(), tensors, strict=False)
    )
    raise MXNetError(f"{op.name}({given}): {str(error).splitlines()[0]}") from error
