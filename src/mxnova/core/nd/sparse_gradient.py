# SPDX-License-Identifier: Apache-2.0
"""Gradients that come, or go to arrays, in sparse storage."""

from __future__ import annotations

from torch import Tensor

from ..op.kernel_gradient import value_of_gradient
from ..op.schema import find
from ..op.sparse.storage import Value, dense_of, stype_of
from ..runtime.context import Context
from .base_array import BaseArray
from .wrapping import receive, wrap_value

__all__ = ["sparse_gradient", "sum_of", "take_sparse_gradient"]


def take_sparse_gradient(array: BaseArray, fresh: Value, grad_req: str) -> None:
    """Puts a gradient that nobody else holds into its array, where one of the two is sparse.

    Rows stay rows: only what goes to a dense array becomes dense.
    """
    value = value_of_gradient(fresh) if isinstance(fresh, Tensor) else fresh
    if grad_req == "add":
        value = sum_of(array._value, value)
    receive(array, value, "backward", owned=True)


def sparse_gradient(fresh: Tensor, context: Context) -> BaseArray:
    """The array of a gradient in sparse storage."""
    value = value_of_gradient(fresh)
    made: BaseArray = wrap_value(value, context)
    return made


def sum_of(before: Value, more: Value) -> Value:
    """The sum of two gradients, in rows where both are."""
    add = find("elemwise_add").of({})
    kernel = add.kernel_for([stype_of(before), stype_of(more)])
    if kernel is None:
        return dense_of(before) + dense_of(more)
    total: Value = kernel.forward(add, before, more)
    return total
