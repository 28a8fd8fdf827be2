# SPDX-License-Identifier: Apache-2.0
"""Whether tensors fit an operator, and what to say when they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from ...base.errors import MXNetError, from_foreign
from ...base.shapes import Pause, is_known, shape_text
from ...op.dtypes import dtype_name
from ...op.infer import DTypes, MismatchError, Shapes, advised
from ...op.kernel_errors import from_kernel
from ...op.schema import Op
from ...op.sparse.storage import Value
from ..base_array import BaseArray

__all__ = ["check", "refuse", "refuse_count", "settled"]


def check(op: Op, values: Sequence[Value]) -> None:
    """Raises what the operator's shape and dtype rules say about these inputs; MXNetErrors only."""
    try:
        _apply_rules(op, values)
    except MXNetError:
        raise
    except Exception as error:
        raise from_foreign(error, _described(op, values)) from error


def _apply_rules(op: Op, values: Sequence[Value]) -> None:
    names, outputs = op.inputs(), op.outputs()
    unknown = [None] * len(outputs)
    types = DTypes(op.name, names, outputs, [*(v.dtype for v in values), *unknown])
    with suppress(Pause), _advised(op, types):
        op.infer_dtype(types)
    if op.has_shape_rule:
        shapes = [*(tuple(v.shape) for v in values), *unknown]
        facts = Shapes(op.name, names, outputs, shapes)
        with suppress(Pause), _advised(op, facts):
            op.infer_shape(facts)
            fills = "out" in op.type.signature.facts  # what the caller gives
            if not (names or fills or all(is_known(facts.known(n)) for n in outputs)):
                shown = shape_text(facts.known(outputs[0]))
                raise MXNetError(f"{op.name}: the shape {shown} of its output must be fully given")


@contextmanager
def _advised(op: Op, facts: Shapes | DTypes) -> Iterator[None]:
    try:
        yield
    except MismatchError as error:
        raise advised(op, facts, error) from None


def refuse_count(op: Op, count: int) -> NoReturn:
    """Raises the MXNetError for another number of arrays than the operator takes."""
    names = op.structure.inputs
    shown = ", ".join(names[:16]) + (", ..." if len(names) > 16 else "")
    raise MXNetError(f"{op.name} takes {len(names)} arrays ({shown}), not {count}")


def settled(op: Op, out: Any) -> Op:
    """`op`, where it has no inputs, with what the array `out` tells of its shape and type."""
    if not isinstance(out, BaseArray):
        return op
    try:
        if op.inputs():
            return op
        with suppress(Pause):
            op.infer_shape(Shapes(op.name, (), op.outputs(), [out.shape]))
        return op.settled(out.shape, out._raw.dtype)
    except MXNetError:
        raise
    except Exception as error:
        raise from_foreign(error, op.name) from error


def refuse(op: Op, values: Sequence[Value], error: Exception) -> NoReturn:
    """Raises the MXNetError for whatever running the operator raised, naming it and its inputs."""
    if isinstance(error, MXNetError):
        raise error
    if not isinstance(error, MemoryError):
        check(op, values)
    given = zip(_names(op, len(values)), values, strict=False)
    raise from_kernel(error, _described(op, values), given) from error


def _described(op: Op, values: Sequence[Value]) -> str:
    given = ", ".join(
        f"{name}={shape_text(tuple(v.shape))} {dtype_name(v.dtype)}"
        for name, v in zip(_names(op, len(values)), values, strict=False)
    )
    return f"{op.name}({given})"


def _names(op: Op, count: int) -> Sequence[str]:
    """What to call the inputs, also where the operator cannot say because it is given nonsense."""
    try:
        return op.inputs()
    except Exception:  # noqa: BLE001 - another error is being told
        return [f"input {i}" for i in range(count)]
