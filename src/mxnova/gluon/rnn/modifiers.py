# SPDX-License-Identifier: Apache-2.0
"""Cells that change what passes: dropout, and modifiers of another cell."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from numbers import Number
from typing import Any

from ... import symbol
from ...core.base.errors import AssertedError, shown
from .containers import BidirectionalCell
from .recurrent_cell import HybridRecurrentCell
from .sequence import TENSORS, _format_sequence, _mask_sequence_variable_length


class DropoutCell(HybridRecurrentCell):
    """Dropout on inputs, in training; it has no states.

    Args:
        rate: share of the elements that become 0.
        axes: axes along which elements share their fate.
        prefix: start of the names of its nodes.
        params: ignored: there are none.

    Example:
        >>> mx.gluon.rnn.DropoutCell(0.5)(mx.nd.ones((2, 3)), [])[0].shape
        (2, 3)
    """

    def __init__(
        self, rate: float, axes: Any = (), prefix: str | None = None, params: Any = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if not isinstance(rate, Number):
            raise AssertedError(f"DropoutCell: rate={shown(rate)}: must be a number")
        self._rate = rate
        self._axes = axes

    def _alias(self) -> str:
        return "dropout"

    def _description(self) -> str:
        return f"rate={self._rate}, axes={self._axes}"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Nothing: there are no states."""
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, Any]:
        if self._rate > 0:
            name = f"t{self._counter}_fwd"
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=name)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        self.reset()
        inputs, _, F, _ = _format_sequence(length, inputs, layout, merge_outputs)
        if isinstance(inputs, TENSORS):  # one mask for all steps costs less
            return self.hybrid_forward(F, inputs, begin_state or [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(HybridRecurrentCell):
    """The base of cells that modify another cell, whose parameters they share.

    Args:
        base_cell: the cell to modify, which must not be called by itself any more.

    Example:
        >>> cell = mx.gluon.rnn.ResidualCell(mx.gluon.rnn.GRUCell(3))
        >>> cell.initialize()
        >>> outputs, states = cell.unroll(2, mx.nd.ones((1, 2, 3)), merge_outputs=True)
        >>> outputs.shape
        (1, 2, 3)
    """

    def __init__(self, base_cell: Any) -> None:
        if base_cell._modified:
            raise AssertedError(
                f"{type(self).__name__}: base_cell={base_cell.name}: another modifier has it"
            )
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell
        base_cell._modified = True

    def _description(self) -> str:
        return repr(self.base_cell)

    @property
    def params(self) -> Any:
        """Parameters of the base cell."""
        return self.base_cell.params

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state of the base cell."""
        info: list[dict[str, Any]] = self.base_cell.state_info(batch_size)
        return info

    @contextmanager
    def _unmodified(self) -> Any:
        """The base cell may be used by itself meanwhile."""
        self.base_cell._modified = False
        try:
            yield self.base_cell
        finally:
            self.base_cell._modified = True

    def begin_state(  # type: ignore[override]
        self, func: Callable[..., Any] = symbol.zeros, **kwargs: Any
    ) -> list[Any]:
        """The states that a sequence starts with; see `RecurrentCell.begin_state`."""
        self._refuse_modified()
        with self._unmodified() as cell:
            states: list[Any] = cell.begin_state(func=func, **kwargs)
            return states

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Compute one step with operators of `F`."""
        raise NotImplementedError(f"{type(self).__name__}.hybrid_forward")


class StatefulModifier(ModifierCell):
    """A modifier that remembers something from step to step, until `reset`.

    Hybridizing compiles the cell inside it: a compiled step has no memory.
    """

    def hybridize(self, active: bool = True, *args: Any, **kwargs: Any) -> None:
        """Compiles the base cell, or no longer does."""
        super().hybridize(active, *args, **kwargs)
        self._active = False


def refuse_bidirectional(cell: Any, modifier: str) -> None:
    """Raise AssertedError if `cell`, or one of its inner cells, is bidirectional."""
    if isinstance(cell, BidirectionalCell):
        raise AssertedError(
            f"{modifier}: a BidirectionalCell cannot make single steps: modify the cells inside it"
        )
    for child in cell._children.values():
        refuse_bidirectional(child, modifier)


class ZoneoutCell(StatefulModifier):
    """Elements of outputs and states keep their last value, at random, in training.

    Krueger et al., arXiv:1606.01305.

    Args:
        base_cell: the cell to modify.
        zoneout_outputs: share of the outputs' elements that stay.
        zoneout_states: share of the states' elements that stay.

    Example:
        >>> cell = mx.gluon.rnn.ZoneoutCell(mx.gluon.rnn.GRUCell(5), 0.1, 0.1)
        >>> cell.initialize()
        >>> outputs, states = cell.unroll(2, mx.nd.ones((1, 2, 3)), merge_outputs=True)
        >>> outputs.shape
        (1, 2, 5)
    """

    def __init__(
        self, base_cell: Any, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        refuse_bidirectional(base_cell, "ZoneoutCell")
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states

    def _alias(self) -> str:
        return "zoneout"

    def _description(self) -> str:
        return f"p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, {self.base_cell!r}"

    def reset(self) -> None:
        """Reset the state and the last output."""
        super().reset()
        self._prev_output = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        output, new_states = self.base_cell(inputs, states)

        def mixed(new: Any, old: Any, share: float) -> Any:
            return F.where(F.Dropout(F.ones_like(new), p=share), new, old)

        if self.zoneout_outputs != 0.0:
            last = F.zeros_like(output) if self._prev_output is None else self._prev_output
            output = mixed(output, last, self.zoneout_outputs)
        if self.zoneout_states != 0.0:
            pairs = zip(new_states, states, strict=True)
            new_states = [mixed(new, old, self.zoneout_states) for new, old in pairs]
        self._prev_output = output
        return output, new_states


class ResidualCell(ModifierCell):
    """Adds the input to the output of another cell, of the same width.

    Wu et al., arXiv:1609.08144; He et al., arXiv:1512.03385.

    Args:
        base_cell: the cell to modify.

    Example:
        >>> cell = mx.gluon.rnn.ResidualCell(mx.gluon.rnn.GRUCell(3))
        >>> cell.initialize()
        >>> outputs, states = cell.unroll(2, mx.nd.ones((1, 2, 3)), merge_outputs=True)
        >>> outputs.shape
        (1, 2, 3)
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        self.reset()
        with self._unmodified() as cell:
            outputs, states = cell.unroll(
                length, inputs, begin_state, layout, merge_outputs, valid_length
            )
        merged = isinstance(outputs, TENSORS) if merge_outputs is None else merge_outputs
        inputs, axis, F, _ = _format_sequence(length, inputs, layout, merged)
        if valid_length is not None:
            inputs = _mask_sequence_variable_length(F, inputs, length, valid_length, axis, merged)
        if merged:
            return F.elemwise_add(outputs, inputs), states
        return [F.elemwise_add(o, i) for o, i in zip(outputs, inputs, strict=True)], states
