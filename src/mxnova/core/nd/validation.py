# SPDX-License-Identifier: Apache-2.0
"""Whether tensors fit an operator, and what to say when they do not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from ..base.errors import MXNetError, OutOfRangeError
from ..base.shapes import Pause, is_known, shape_text
from ..op.dtypes import dtype_name
from ..op.infer import DTypes, Shapes
from ..op.record import Op
from ..op.sparse.storage import Value

__all__ = ["check", "refuse"]


def check(op: Op, tensors: Sequence[Value]) -> None:
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


def refuse(op: Op, tensors: Sequence[Value], error: Exception) -> NoReturn:
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
