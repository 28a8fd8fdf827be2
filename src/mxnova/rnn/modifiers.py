# SPDX-License-Identifier: Apache-2.0
"""Cells that change what passes: dropout, and modifiers of another cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Number
from typing import Any

from .. import symbol
from ..core.base.errors import AssertedError, shown
from ..ndarray import NDArray
from ..symbol import Symbol
from .base_cell import BaseRNNCell, RNNParams, Weights, normalized
from .containers import BidirectionalCell


class DropoutCell(BaseRNNCell):
    """Dropout on inputs, in training; it has no states.

    Args:
        dropout: share of the elements that become 0.
        prefix: start of the names of its nodes.
        params: ignored: there are none.
    """

    def __init__(
        self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None
    ) -> None:
        super().__init__(prefix, params)
        if not isinstance(dropout, Number):
            raise AssertedError(f"DropoutCell: dropout={shown(dropout)}: must be a number")
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Nothing: there are no states."""
        return []

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, Any]:
        """One step: the input, thinned out."""
        if self.dropout > 0:
            inputs = symbol.Dropout(data=inputs, p=self.dropout)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Thins out whole sequences; see `BaseRNNCell.unroll`."""
        self.reset()
        inputs, _ = normalized(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(BaseRNNCell):
    """The base of cells that modify another cell, whose weights they share.

    Args:
        base_cell: the cell to modify, which must not be called by itself any more.
    """

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        base_cell._modified = True
        self.base_cell = base_cell

    @property
    def params(self) -> RNNParams:
        """Weights of the base cell."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state of the base cell."""
        return self.base_cell.state_info

    @contextmanager
    def _unmodified(self) -> Iterator[BaseRNNCell]:
        """The base cell may be used by itself meanwhile."""
        self.base_cell._modified = False
        try:
            yield self.base_cell
        finally:
            self.base_cell._modified = True

    def begin_state(  # type: ignore[override]
        self, init_sym: Callable[..., Symbol] = symbol.zeros, **kwargs: Any
    ) -> list[Any]:
        """The states that a sequence starts with; see `BaseRNNCell.begin_state`."""
        self._refuse_modified()
        with self._unmodified() as cell:
            return cell.begin_state(**{"func": init_sym, **kwargs})

    def reset(self) -> None:
        """Reset the states of this cell and the base cell."""
        super().reset()
        if hasattr(self, "base_cell"):
            self.base_cell.reset()

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of the base cell's gates each on their own."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of the base cell's gates joined."""
        return self.base_cell.pack_weights(args)


def _steps_singly(cell: BaseRNNCell) -> bool:
    inside = [*getattr(cell, "_cells", ()), *filter(None, [getattr(cell, "base_cell", None)])]
    return (
        not isinstance(cell, BidirectionalCell)
        and type(cell).__call__ is not BaseRNNCell.__call__
        and not hasattr(cell, "unfuse")
        and all(map(_steps_singly, inside))
    )


class ZoneoutCell(ModifierCell):
    """Elements of outputs and states keep their last value, at random, in training.

    Krueger et al., arXiv:1606.01305.

    Args:
        base_cell: the cell to modify.
        zoneout_outputs: share of the outputs' elements that stay.
        zoneout_states: share of the states' elements that stay.
    """

    def __init__(
        self, base_cell: BaseRNNCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        if not _steps_singly(base_cell):
            raise AssertedError(
                f"ZoneoutCell: base_cell: a {type(base_cell).__name__} makes no single steps: "
                "modify the cells inside it; FusedRNNCell.unfuse() has some"
            )
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states
        self.prev_output: Any = None

    def reset(self) -> None:
        """Reset the state and the last output."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        output, new_states = self.base_cell(inputs, states)

        def mixed(new: Any, old: Any, share: float) -> Any:
            return symbol.where(symbol.Dropout(symbol.ones_like(new), p=share), new, old)

        if self.zoneout_outputs != 0.0:
            last = symbol.zeros((0, 0)) if self.prev_output is None else self.prev_output
            output = mixed(output, last, self.zoneout_outputs)
        if self.zoneout_states != 0.0:
            pairs = zip(new_states, states, strict=True)
            new_states = [mixed(new, old, self.zoneout_states) for new, old in pairs]
        self.prev_output = output
        return output, new_states


class ResidualCell(ModifierCell):
    """Adds the input to the output of another cell, of the same width.

    He et al., arXiv:1512.03385; Wu et al., arXiv:1609.08144.

    Args:
        base_cell: the cell to modify.
    """

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        output, states = self.base_cell(inputs, states)
        return _added(output, inputs), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Unroll whole sequences; see `BaseRNNCell.unroll`."""
        self.reset()
        with self._unmodified() as cell:
            outputs, states = cell.unroll(length, inputs, begin_state, layout, merge_outputs)
        merged = isinstance(outputs, Symbol) if merge_outputs is None else merge_outputs
        inputs, _ = normalized(length, inputs, layout, merged)
        if merged:
            return _added(outputs, inputs), states
        return [_added(o, i) for o, i in zip(outputs, inputs, strict=True)], states


def _added(output: Symbol, inputs: Symbol) -> Symbol:
    added: Symbol = symbol.elemwise_add(output, inputs, name=f"{output.name}_plus_residual")
    return added
