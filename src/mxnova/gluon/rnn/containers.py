# SPDX-License-Identifier: Apache-2.0
"""Cells composed of cells: stacked, or one for each direction of time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from ...core.base.errors import AssertedError
from ..listing import indented
from .recurrent_cell import HybridRecurrentCell, RecurrentCell
from .sequence import (
    TENSORS,
    _format_sequence,
    _get_begin_state,
    _mask_sequence_variable_length,
    _reverse_sequences,
)

if TYPE_CHECKING:  # each sequential cell has `_Stack` before a cell of its own among its bases
    _Cell = RecurrentCell
else:
    _Cell = object


def _cells_state_info(cells: Iterable[Any], batch_size: int) -> list[dict[str, Any]]:
    """Shape and layout of the states of all `cells`."""
    return [info for cell in cells for info in cell.state_info(batch_size)]


def _cells_begin_state(cells: Iterable[Any], **kwargs: Any) -> list[Any]:
    """The states that all `cells` start with; `kwargs` go to each of them."""
    return [state for cell in cells for state in cell.begin_state(**kwargs)]


class _Stack(_Cell):
    """The base of both sequential cells."""

    _children: Any  # cells by name, in order

    def __repr__(self) -> str:
        content = "\n".join(
            f"({key}): {indented(repr(cell), 2)}" for key, cell in self._children.items()
        )
        return f"{type(self).__name__}(\n{content}\n)"

    def add(self, cell: Any) -> None:
        """Append `cell` to the stack."""
        self.register_child(cell)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state, cell by cell."""
        return _cells_state_info(self._children.values(), batch_size)

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """The states that a sequence starts with, cell by cell; `kwargs` go to every cell."""
        self._refuse_modified()
        return _cells_begin_state(self._children.values(), **kwargs)

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step of each cell, each taking the output of the one before."""
        self._counter += 1
        rest, new_states = list(states), []
        for cell in self._children.values():
            if isinstance(cell, BidirectionalCell):
                raise AssertedError(
                    f"{self.name}: a BidirectionalCell cannot make single steps: use unroll"
                )
            n = len(cell.state_info())
            inputs, state = cell(inputs, rest[:n])
            rest = rest[n:]
            new_states.extend(state)
        return inputs, new_states

    def __len__(self) -> int:
        return len(self._children)

    def __getitem__(self, i: Any) -> Any:
        return list(self._children.values())[i]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Unroll whole sequences, cell by cell; see `RecurrentCell.unroll`."""
        self.reset()
        inputs, _, F, batch_size = _format_sequence(length, inputs, layout, None)
        rest = list(_get_begin_state(self, F, begin_state, inputs, batch_size))
        cells, states = list(self._children.values()), []
        for cell in cells:
            n = len(cell.state_info())
            inputs, new = cell.unroll(
                length,
                inputs=inputs,
                begin_state=rest[:n],
                layout=layout,
                merge_outputs=merge_outputs if cell is cells[-1] else None,
                valid_length=valid_length,
            )
            rest = rest[n:]
            states.extend(new)
        return inputs, states


class SequentialRNNCell(_Stack, RecurrentCell):
    """Cells one upon the other.

    Args:
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.

    Example:
        >>> cells = mx.gluon.rnn.SequentialRNNCell()
        >>> cells.add(mx.gluon.rnn.GRUCell(5))
        >>> cells.add(mx.gluon.rnn.GRUCell(4))
        >>> cells.initialize()
        >>> outputs, states = cells.unroll(3, mx.nd.ones((2, 3, 6)), merge_outputs=True)
        >>> outputs.shape
        (2, 3, 4)
    """

    def hybrid_forward(self, *args: Any, **kwargs: Any) -> Any:
        """What only HybridSequentialRNNCell has."""
        raise NotImplementedError("SequentialRNNCell.hybrid_forward: see HybridSequentialRNNCell")


class HybridSequentialRNNCell(_Stack, HybridRecurrentCell):
    """Cells one upon the other, all of which can be hybridized.

    Args:
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.

    Example:
        >>> cells = mx.gluon.rnn.HybridSequentialRNNCell()
        >>> cells.add(mx.gluon.rnn.GRUCell(5))
        >>> cells.add(mx.gluon.rnn.GRUCell(4))
        >>> cells.initialize()
        >>> outputs, states = cells.unroll(3, mx.nd.ones((2, 3, 6)), merge_outputs=True)
        >>> outputs.shape
        (2, 3, 4)
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Compute one step."""
        return self(inputs, states)


class BidirectionalCell(HybridRecurrentCell):
    """Two cells, one forwards and one backwards in time; outputs are concatenated.

    Schuster and Paliwal, "Bidirectional recurrent neural networks", 1997.

    Args:
        l_cell: the cell that runs forwards.
        r_cell: the cell that runs backwards.
        output_prefix: start of the names of outputs.

    Example:
        >>> cell = mx.gluon.rnn.BidirectionalCell(mx.gluon.rnn.GRUCell(5), mx.gluon.rnn.GRUCell(5))
        >>> cell.initialize()
        >>> outputs, states = cell.unroll(3, mx.nd.ones((2, 3, 6)), merge_outputs=True)
        >>> outputs.shape
        (2, 3, 10)
    """

    def __init__(self, l_cell: Any, r_cell: Any, output_prefix: str = "bi_") -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def _description(self) -> str:
        forward, backward = self._children.values()
        return f"forward={forward!r}, backward={backward!r}"

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Refused: a bidirectional cell cannot run single steps."""
        raise NotImplementedError("BidirectionalCell: it cannot make single steps: use unroll")

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state: the forward cell's, then the backward cell's."""
        return _cells_state_info(self._children.values(), batch_size)

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """The states that a sequence starts with; `kwargs` go to both cells."""
        self._refuse_modified()
        return _cells_begin_state(self._children.values(), **kwargs)

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Runs whole sequences in both directions; see `RecurrentCell.unroll`."""
        self.reset()
        inputs, axis, F, batch_size = _format_sequence(length, inputs, layout, False)
        backward_inputs = _reverse_sequences(inputs, length, valid_length)
        states = _get_begin_state(self, F, begin_state, inputs, batch_size)
        forward, backward = cast(Iterable[RecurrentCell], self._children.values())
        n = len(forward.state_info(batch_size))

        def run(cell: Any, inputs: Any, states: Any, merge: bool | None) -> tuple[Any, list[Any]]:
            result: tuple[Any, list[Any]] = cell.unroll(
                length, inputs, states, layout, merge_outputs=merge, valid_length=valid_length
            )
            return result

        l_outputs, l_states = run(forward, inputs, states[:n], merge_outputs)
        r_outputs, r_states = run(backward, backward_inputs, states[n:], False)
        if merge_outputs is None:
            merge_outputs = isinstance(l_outputs, TENSORS)
        r_outputs = _reverse_sequences(r_outputs, length, valid_length)
        pair = [_format_sequence(None, o, layout, merge_outputs)[0] for o in (l_outputs, r_outputs)]
        outputs = self._joined(F, pair, merge_outputs)
        if valid_length is not None:
            outputs = _mask_sequence_variable_length(
                F, outputs, length, valid_length, axis, merge_outputs
            )
        return outputs, [*l_states, *r_states]

    def _joined(self, F: Any, pair: list[Any], merged: bool) -> Any:
        if merged:
            return F.concat(*pair, dim=2, name=f"{self._output_prefix}out")
        steps = zip(*pair, strict=True)
        return [
            F.concat(*outputs, dim=1, name=f"{self._output_prefix}t{i}")
            for i, outputs in enumerate(steps)
        ]
