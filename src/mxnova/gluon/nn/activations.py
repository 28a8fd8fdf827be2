# SPDX-License-Identifier: Apache-2.0
"""Layers that apply one function to every element."""

from __future__ import annotations

from typing import Any

from ...core.base.doors import facade
from ...core.base.errors import ArgumentTypeError, AssertedError, shown
from ...initializer import Constant, Initializer
from ..block import HybridBlock

__all__ = ["ELU", "GELU", "SELU", "Activation", "LeakyReLU", "PReLU", "Swish"]


class Activation(HybridBlock):
    """The operator `Activation`; output as input.

    Args:
        activation: 'relu', 'sigmoid', 'tanh', 'softrelu' or 'softsign'.

    Example:
        >>> mx.gluon.nn.Activation("relu")(mx.nd.array([-1, 2])).asnumpy()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: str, **kwargs: Any) -> None:
        if not isinstance(activation, str):
            raise ArgumentTypeError(
                f"{type(self).__name__}: activation={shown(activation)}: expected a name, "
                f"got {type(activation).__name__}"
            )
        self._act_type = activation  # the prefix, which the base makes, is called after it
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(HybridBlock):
    """`x` where it is positive, `alpha * x` elsewhere.

    Args:
        alpha: the slope below zero, not negative.

    Example:
        >>> mx.gluon.nn.LeakyReLU(0.1)(mx.nd.array([-1, 2])).asnumpy()
        array([-0.1,  2. ], dtype=float32)
    """

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if alpha < 0:
            raise AssertedError(f"LeakyReLU: alpha={alpha!r}: the slope must be at least 0")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """LeakyReLU whose slope is learned (He et al., https://arxiv.org/abs/1502.01852).

    Args:
        alpha_initializer: of the slopes.
        in_channels: number of slopes: one for all channels, or one for each.

    Example:
        >>> layer = mx.gluon.nn.PReLU()
        >>> layer.initialize()
        >>> layer(mx.nd.array([-1, 0, 2])).asnumpy().round(4)
        array([-0.25,  0.  ,  2.  ], dtype=float32)
    """

    def __init__(
        self,
        alpha_initializer: str | Initializer = Constant(0.25),  # noqa: B008 - has no state
        in_channels: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere (arXiv:1511.07289).

    Args:
        alpha: the slope of the negative part.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.ELU()
        >>> layer.initialize()
        >>> layer(mx.nd.array([-1, 0, 2])).asnumpy().round(4)
        array([-0.6321,  0.    ,  2.    ], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """ELU with scale and slope that keep mean 0 and variance 1 (arXiv:1706.02515).

    Args:
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.SELU()
        >>> layer.initialize()
        >>> layer(mx.nd.array([-1, 0, 2])).asnumpy().round(4)
        array([-1.1113,  0.    ,  2.1014], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """`x` times the normal distribution function of `x` (arXiv:1606.08415).

    Args:
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.GELU()
        >>> layer.initialize()
        >>> layer(mx.nd.array([-1, 0, 2])).asnumpy().round(4)
        array([-0.1587,  0.    ,  1.9545], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """`x * sigmoid(beta * x)` (arXiv:1710.05941).

    Args:
        beta: the factor inside of the sigmoid.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.Swish()
        >>> layer.initialize()
        >>> layer(mx.nd.array([-1, 0, 2])).asnumpy().round(4)
        array([-0.2689,  0.    ,  1.7616], dtype=float32)
    """

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x * F.sigmoid(self._beta * x, name="fwd")


facade(__name__)
