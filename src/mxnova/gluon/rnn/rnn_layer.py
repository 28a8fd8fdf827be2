# SPDX-License-Identifier: Apache-2.0
"""Layers that run whole sequences by one operator: RNN, LSTM, GRU."""

from __future__ import annotations

from typing import Any

from ...core.base.doors import facade
from .sequence_layer import RNNLayer

__all__ = ["GRU", "LSTM", "RNN"]

_RNNLayer = RNNLayer  # as MXNet calls it, for packages that ask for it


class RNN(RNNLayer):
    """Vanilla recurrent layers, with ReLU or tanh.

    Elman, "Finding structure in time", 1990.

    Args:
        hidden_size: width of a layer's output in each direction.
        num_layers: number of layers.
        activation: ``"relu"`` or ``"tanh"``.
        layout: ``"TNC"`` or ``"NTC"``, of inputs and outputs.
        dropout: share of a layer's outputs that become 0 in training, but for the last layer's.
        bidirectional: run backwards in time, too; outputs are concatenated.
        i2h_weight_initializer: of weights of inputs.
        h2h_weight_initializer: of recurrent weights.
        i2h_bias_initializer: of biases of inputs.
        h2h_bias_initializer: of recurrent biases.
        input_size: width of the input; 0: taken from the first input.
        dtype: element type of the parameters.
        kwargs: `use_sequence_length`, `prefix` and `params`.

    Example:
        >>> layer = mx.gluon.rnn.RNN(5, layout="NTC")
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 7, 3))).shape
        (2, 7, 5)
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            f"rnn_{activation}",
            None,
            None,
            None,
            None,
            False,
            dtype,
            **kwargs,
        )


class LSTM(RNNLayer):
    """Layers of long short-term memory.

    Hochreiter and Schmidhuber, "Long short-term memory", 1997; with projections: Sak et al.,
    arXiv:1402.1128.

    Args:
        hidden_size: width of a layer's output in each direction.
        num_layers: number of layers.
        layout: ``"TNC"`` or ``"NTC"``, of inputs and outputs.
        dropout: share of a layer's outputs that become 0 in training, but for the last layer's.
        bidirectional: run backwards in time, too; outputs are concatenated.
        input_size: width of the input; 0: taken from the first input.
        i2h_weight_initializer: of weights of inputs.
        h2h_weight_initializer: of recurrent weights.
        i2h_bias_initializer: of biases of inputs.
        h2h_bias_initializer: of recurrent biases.
        projection_size: width that outputs are projected to; None: they are not.
        h2r_weight_initializer: of the projection.
        state_clip_min: least value of the memory; None: any.
        state_clip_max: greatest value of the memory; None: any.
        state_clip_nan: whether NaN becomes the least value.
        dtype: element type of the parameters.
        kwargs: `use_sequence_length`, `prefix` and `params`.

    Example:
        >>> layer = mx.gluon.rnn.LSTM(5, layout="NTC")
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 7, 3))).shape
        (2, 7, 5)
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "lstm",
            projection_size,
            h2r_weight_initializer,
            state_clip_min,
            state_clip_max,
            state_clip_nan,
            dtype,
            **kwargs,
        )


class GRU(RNNLayer):
    """Layers of gated recurrent units.

    Cho et al., arXiv:1406.1078, in the form of cuDNN: the reset gate applies after the recurrent
    product.

    Args:
        hidden_size: width of a layer's output in each direction.
        num_layers: number of layers.
        layout: ``"TNC"`` or ``"NTC"``, of inputs and outputs.
        dropout: share of a layer's outputs that become 0 in training, but for the last layer's.
        bidirectional: run backwards in time, too; outputs are concatenated.
        input_size: width of the input; 0: taken from the first input.
        i2h_weight_initializer: of weights of inputs.
        h2h_weight_initializer: of recurrent weights.
        i2h_bias_initializer: of biases of inputs.
        h2h_bias_initializer: of recurrent biases.
        dtype: element type of the parameters.
        kwargs: `use_sequence_length`, `prefix` and `params`.

    Example:
        >>> layer = mx.gluon.rnn.GRU(5, layout="NTC")
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 7, 3))).shape
        (2, 7, 5)
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "gru",
            None,
            None,
            None,
            None,
            False,
            dtype,
            **kwargs,
        )


facade(__name__)
