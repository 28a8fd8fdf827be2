# SPDX-License-Identifier: Apache-2.0
"""Variables that stand for a block's inputs while its graph is drawn, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ... import symbol as sym
from ...core.base.errors import ArgumentError, ArgumentTypeError
from ...core.base.user_warnings import warn_user
from ...core.graph.numpy_symbol import INPUT_DTYPES
from ...core.graph.numpy_symbol import _Symbol as np_symbol
from ...core.graph.symbol import Symbol
from ...core.nd.numpy_array import ndarray as np_ndarray
from ..parameter import Parameter

if TYPE_CHECKING:
    from .base import Block

__all__ = ["grouped", "input_dtypes", "variables_for", "warn_of_unused"]


def variables_for(flat: Sequence[Any]) -> list[Symbol | None]:
    """A variable for each array: data, or data0, data1, … where there are several."""
    count = sum(a is not None for a in flat)
    if not count:
        raise ArgumentError("hybridized block: all inputs are None")
    names = iter(["data"] if count == 1 else [f"data{i}" for i in range(count)])
    return [None if a is None else _variable_for(a, next(names)) for a in flat]


def _variable_for(argument: Any, name: str) -> Symbol:
    """A variable with the semantics of an array or symbol."""
    variable = sym.var(name)
    is_numpy = isinstance(argument, (np_ndarray, np_symbol))
    return variable.as_np_ndarray() if is_numpy else variable


@contextmanager
def input_dtypes(inputs: Sequence[Symbol | None], flat: Sequence[Any]) -> Iterator[None]:
    """Let NumPy's symbols know the dtypes of the arrays that the variables stand for."""
    dtypes = {
        str(variable.name): array._raw.dtype
        for variable, array in zip(inputs, flat, strict=True)
        if variable is not None and isinstance(array, np_ndarray)
    }
    token = INPUT_DTYPES.set(dtypes)
    try:
        yield
    finally:
        INPUT_DTYPES.reset(token)


def grouped(block: Block, outputs: Sequence[Symbol]) -> Symbol:
    """The outputs of a block as one symbol.

    Raises:
        ArgumentTypeError: some are NumPy's, others not.
    """
    kinds = {o.semantics for o in outputs}
    if len(kinds) > 1:
        raise ArgumentTypeError(
            f"{type(block).__name__} {block.name!r}: NumPy's symbols and legacy ones among its "
            "outputs; one kind of the two is needed"
        )
    return sym.Group(outputs)


def warn_of_unused(positions: dict[str, int], params: dict[str, Parameter], used: set[str]) -> None:
    """Warns of inputs and parameters of a block that its graph does without."""
    for name, i in positions.items():
        if name not in used:
            warn_user(f"input {i} of the block is not used in its graph")
    for name in params:
        if name not in used:
            warn_user(f"parameter {name} is not used in the graph of its block")
