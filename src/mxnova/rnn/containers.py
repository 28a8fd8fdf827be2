# SPDX-License-Identifier: Apache-2.0
"""Cells made of cells: one upon the other, or one in each direction of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from .. import symbol
from ..core.base.errors import AssertedError
from ..ndarray import NDArray
from ..symbol import Symbol
from .base_cell import BaseRNNCell, RNNParams, Weights, normalized, states_of


class _Container(BaseRNNCell):
    """Cells whose weights and states are its own.

    Args:
        prefix: start of the names of its nodes.
        params: weights that all cells share.
    """

    def __init__(self, prefix: str, params: RNNParams | None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._override_cell_params = params is not None
        self._cells: list[BaseRNNCell] = []

    def _adopt(self, cell: BaseRNNCell) -> None:
        if self._override_cell_params:
            if not cell._own_params:
                raise AssertedError(
                    f"{type(self).__name__}: params= are given to it and to {cell._prefix!r}: "
                    "one of them is enough"
                )
            cell.params._params.update(self.params._params)
        self.params._params.update(cell.params._params)
        self._cells.append(cell)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state, cell by cell."""
        return states_of(self._cells)

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """The states that a sequence starts with, cell by cell; `kwargs` go to every cell."""
        self._refuse_modified()
        return [state for cell in self._cells for state in cell.begin_state(**kwargs)]

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of all cells' gates each on their own."""
        return reduce(lambda made, cell: cell.unpack_weights(made), self._cells, dict(args))

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of each cell's gates joined."""
        return reduce(lambda made, cell: cell.pack_weights(made), self._cells, dict(args))


class SequentialRNNCell(_Container):
    """Cells one upon the other.

    Args:
        params: weights that all cells share.
    """

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__("", params)

    def add(self, cell: BaseRNNCell) -> None:
        """Append `cell` to the stack."""
        self._adopt(cell)

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step of each cell, each taking the output of the one before."""
        if any(isinstance(cell, BidirectionalCell) for cell in self._cells):
            raise AssertedError(
                "SequentialRNNCell: a BidirectionalCell cannot make single steps: use unroll"
            )
        self._counter += 1
        return self._through(inputs, states, lambda cell, *args: cell(*args))

    def _through(
        self, inputs: Any, states: Any, run: Callable[[BaseRNNCell, Any, Any], tuple[Any, Any]]
    ) -> tuple[Any, list[Any]]:
        rest, new_states = list(states), []
        for cell in self._cells:
            n = len(cell.state_info)
            inputs, new = run(cell, inputs, rest[:n])
            rest = rest[n:]
            new_states.extend(new)
        return inputs, new_states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Unroll whole sequences, cell by cell; see `BaseRNNCell.unroll`."""
        self.reset()
        last = self._cells[-1] if self._cells else None
        return self._through(
            inputs,
            self.begin_state() if begin_state is None else begin_state,
            lambda cell, inputs, states: cell.unroll(
                length, inputs, states, layout, merge_outputs if cell is last else None
            ),
        )


class BidirectionalCell(_Container):
    """Two cells, one forwards and one backwards in time; outputs are concatenated.

    Args:
        l_cell: the cell that runs forwards.
        r_cell: the cell that runs backwards.
        params: weights that both share.
        output_prefix: start of the names of outputs.
    """

    def __init__(
        self,
        l_cell: BaseRNNCell,
        r_cell: BaseRNNCell,
        params: RNNParams | None = None,
        output_prefix: str = "bi_",
    ) -> None:
        super().__init__("", params)
        self._output_prefix = output_prefix
        self._adopt(l_cell)
        self._adopt(r_cell)

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Refused: a bidirectional cell cannot run single steps."""
        raise NotImplementedError("BidirectionalCell: it cannot make single steps: use unroll")

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Runs whole sequences in both directions; see `BaseRNNCell.unroll`.

        Returns:
            Outputs, and a list of the states of each direction.
        """
        self.reset()
        inputs, axis = normalized(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        forward, backward = self._cells
        n = len(forward.state_info)
        l_out, l_states = forward.unroll(length, inputs, states[:n], layout, merge_outputs)
        r_out, r_states = backward.unroll(
            length, list(reversed(inputs)), states[n:], layout, merge_outputs
        )
        if merge_outputs is None:
            merge_outputs = isinstance(l_out, Symbol) and isinstance(r_out, Symbol)
            l_out, _ = normalized(None, l_out, layout, merge_outputs)
            r_out, _ = normalized(None, r_out, layout, merge_outputs)
        return self._joined(l_out, r_out, axis, merge_outputs), [l_states, r_states]

    def _joined(self, forward: Any, backward: Any, axis: int, merged: bool) -> Any:
        if merged:
            turned = symbol.reverse(backward, axis=axis)
            return symbol.Concat(forward, turned, dim=2, name=f"{self._output_prefix}out")
        return [
            symbol.Concat(*pair, dim=1, name=f"{self._output_prefix}t{i}")
            for i, pair in enumerate(zip(forward, reversed(backward), strict=True))
        ]
