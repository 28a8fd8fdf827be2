# SPDX-License-Identifier: Apache-2.0
"""What is raised when a node of a bound graph fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...base.errors import MXNetError
from ...base.shapes import shape_text
from ...op.dtypes import dtype_name
from ...op.kernel_errors import from_kernel
from .lowering import Step
from .sparse_execution import value_of

__all__ = ["refuse"]

_SHOWN = 12  # inputs; those of compiled groups are a network's parameters


def refuse(error: Exception, step: Step, inputs: Sequence[Any]) -> NoReturn:
    """Raises MXNetError for what the operator of `step` raised: node, operator, inputs, reason."""
    node = f"node {step.node.name!r}: "
    if isinstance(error, MXNetError):
        if len(error.args) == 1 and not str(error).startswith("node "):
            error.args = (node + str(error),)
        raise error
    names = step.op.inputs()
    shown = [f"{n}={_shown(v)}" for n, v in zip(names[:_SHOWN], inputs, strict=False)]
    more = len(names) - len(shown)
    given = ", ".join([*shown, f"{more} more"] if more > 0 else shown)
    where = f"{node}{step.op.name}({given})"
    raise from_kernel(error, where, zip(names, map(value_of, inputs), strict=False)) from error


def _shown(edge: Any) -> str:
    value = value_of(edge)
    if not hasattr(value, "dtype"):
        return "?"
    return f"{shape_text(tuple(value.shape))} {dtype_name(value.dtype)}"
