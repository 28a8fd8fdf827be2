# SPDX-License-Identifier: Apache-2.0
"""Initializers for the parameters of one kind of layer."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, AssertedError, shown
from .base import InitDesc, Initializer, bilinear_kernel, create, register

__all__ = ["Bilinear", "FusedRNN", "LSTMBias"]

NDArray = nd.NDArray


@register
class Bilinear(Initializer):
    """Weights of a transposed convolution that scales images up by interpolation."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = bilinear_kernel(arr.shape)


@register
class LSTMBias(Initializer):
    """Biases of an LSTM cell's four gates: 0, but for the second one's, which forgets.

    Args:
        forget_bias: the second gate's.
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0
        gate = arr.shape[0] // 4
        arr[gate : 2 * gate] = self.forget_bias


@register
class FusedRNN(Initializer):
    """Parameters of operator RNN, which are one vector: each gate's weights on their own.

    Args:
        init: fills the weights and biases; None: the initializer of the whole model.
        num_hidden: width of the hidden state.
        num_layers: number of stacked layers.
        mode: kind of cell: lstm, gru, rnn_relu or rnn_tanh.
        bidirectional: whether layers also run backwards in time.
        forget_bias: of an LSTM's forget gates, for the input and for the hidden state.
    """

    def __init__(
        self,
        init: Initializer | str | None,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        init = create(init) if isinstance(init, str) else init
        super().__init__(
            init=init.dumps() if init is not None else None,
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        if mode not in _GATES:
            raise ArgumentError(f"FusedRNN: mode={shown(mode)}: must be one of {', '.join(_GATES)}")
        self._init = init
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._forget_bias = forget_bias

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        flat = arr.reshape((-1,))
        global_init = getattr(desc, "global_init", None)
        init = self._init or global_init
        if init is None or init is self:
            raise ArgumentError(f"FusedRNN: init=None: {str(desc)!r} has no global_init either")
        start = 0
        for name, shape in self.parts(arr.size):
            part = flat[start : start + prod(shape)].reshape(shape)
            start += prod(shape)
            if self._mode == "lstm" and name.endswith("_f_bias"):
                part[:] = self._forget_bias
            else:
                init(InitDesc(name, global_init=global_init), part)

    def parts(self, size: int) -> Iterable[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the parts of the vector, in their order there."""
        gates, hidden = _GATES[self._mode], self._num_hidden
        directions = "lr" if self._bidirectional else "l"
        features = self._num_features(size, len(gates), len(directions))
        layers = range(self._num_layers)
        cells = [(f"{d}{layer}", layer) for layer in layers for d in directions]
        for cell, layer in cells:
            below = hidden * len(directions) if layer else features
            yield from ((f"{cell}_i2h{gate}_weight", (hidden, below)) for gate in gates)
            yield from ((f"{cell}_h2h{gate}_weight", (hidden, hidden)) for gate in gates)
        for cell, _ in cells:
            for part in ("i2h", "h2h"):
                yield from ((f"{cell}_{part}{gate}_bias", (hidden,)) for gate in gates)

    def _num_features(self, size: int, gates: int, directions: int) -> int:
        """The width of the input, which is what the rest of the vector's size leaves."""
        hidden = self._num_hidden
        above = (self._num_layers - 1) * (hidden + directions * hidden + 2)
        rows, rest = divmod(size, directions * hidden * gates)
        if rest or rows - above - hidden - 2 <= 0:
            raise AssertedError(
                f"FusedRNN: an array of {size} elements: not what num_hidden={hidden}, "
                f"num_layers={self._num_layers}, mode={self._mode!r} need with any input"
            )
        return rows - above - hidden - 2


_GATES = {  # names of gates, in the order of operator RNN
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}
