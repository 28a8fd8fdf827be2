# SPDX-License-Identifier: Apache-2.0
"""Dense layers, embeddings, dropout, and functions as layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import ndarray as nd
from ... import symbol as sym
from ...core.base.doors import facade
from ...core.base.errors import ArgumentError, AssertedError, candidates, shown
from ...initializer import Initializer
from ..block import Block, HybridBlock
from .activations import Activation
from .containers import HybridSequential, Sequential
from .normalization import (
    BatchNorm,
    BatchNormReLU,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
    _BatchNorm,  # noqa: F401 - packages derive layers from it
)

__all__ = [
    "BatchNorm",
    "BatchNormReLU",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "HybridLambda",
    "HybridSequential",
    "InstanceNorm",
    "Lambda",
    "LayerNorm",
    "Sequential",
]


class Dense(HybridBlock):
    """A fully connected layer: `act(dot(x, weight.T) + bias)`.

    Args:
        units: size of the last axis of the output.
        activation: name of what follows, or None.
        use_bias: whether there is a bias.
        flatten: whether all axes of the input but the first are one: ``(n, ...)`` gives
            ``(n, units)``. Otherwise the layer works on the last axis: ``(..., in_units)`` gives
            ``(..., units)``.
        dtype: of weight and bias.
        weight_initializer: of the weight, ``(units, in_units)``.
        bias_initializer: of the bias, ``(units,)``.
        in_units: size of the input; 0: as the first input tells.

    Example:
        >>> layer = mx.gluon.nn.Dense(4, activation="relu")
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 3))).shape
        (2, 4)
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: str | Initializer | None = None,
        bias_initializer: str | Initializer | None = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._flatten = flatten
        with self.name_scope():
            self._units = units
            self._in_units = in_units
            self.weight = self.params.get(
                "weight",
                shape=(units, in_units),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )
            self.bias = None
            if use_bias:
                self.bias = self.params.get(
                    "bias",
                    shape=(units,),
                    init=bias_initializer,
                    dtype=dtype,
                    allow_deferred_init=True,
                )
            self.act = None
            if activation is not None:
                self.act = Activation(activation, prefix=f"{activation}_")

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        out = F.FullyConnected(
            x,
            weight,
            bias,
            no_bias=bias is None,
            num_hidden=self._units,
            flatten=self._flatten,
            name="fwd",
        )
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        units, inputs = self.weight._sizes
        return f"{type(self).__name__}({inputs or None} -> {units}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """Sets elements to zero at random, and scales the others, when training.

    Srivastava et al., 2014.

    Args:
        rate: probability of zero; 0: nothing is done.
        axes: axes along which the same elements are dropped.

    Example:
        >>> mx.gluon.nn.Dropout(0.5)(mx.nd.ones(2)).asnumpy()
        array([1., 1.], dtype=float32)
    """

    def __init__(self, rate: float, axes: Sequence[int] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = rate
        self._axes = axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(HybridBlock):
    """Table lookup: maps indices of shape ``(...)`` to vectors ``(..., output_dim)``.

    Args:
        input_dim: number of rows.
        output_dim: size of a row.
        dtype: of the table.
        weight_initializer: of the table.
        sparse_grad: whether the gradient is row_sparse, of the rows that were used.

    Example:
        >>> layer = mx.gluon.nn.Embedding(10, 4)
        >>> layer.initialize()
        >>> layer(mx.nd.array([1, 2, 3])).shape
        (3, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: str | Initializer | None = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": sparse_grad,
        }
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=(input_dim, output_dim),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
                grad_stype="row_sparse" if sparse_grad else "default",
            )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return "{0}({input_dim} -> {output_dim}, {dtype})".format(
            type(self).__name__, **self._kwargs
        )


class Flatten(HybridBlock):
    """Flatten all axes but the first: ``(n, a, b, ...)`` → ``(n, a * b * ...)``.

    Args:
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.Flatten()(mx.nd.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Lambda(Block):
    """A function as a block.

    Args:
        function: of arrays; or the name of one in `mx.nd`.
        prefix: of the block's name.

    Example:
        >>> mx.gluon.nn.Lambda(lambda x: x * 2)(mx.nd.array([-1, 2])).asnumpy()
        array([-2.,  4.], dtype=float32)
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func_impl: Any = _named(self, function, nd) or function

    def forward(self, *args: Any) -> Any:
        """Return the result of the function."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_name(self._func_impl)})"


class HybridLambda(HybridBlock):
    """A function as a hybrid block.

    Args:
        function: called with the module of operators, `mx.nd` or `mx.sym`, and the inputs; or the
            name of a function that both modules have, called with the inputs.
        prefix: of the block's name.

    Example:
        >>> mx.gluon.nn.HybridLambda(lambda F, x: F.relu(x))(mx.nd.array([-1, 2])).asnumpy()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func: Any = function
        self._func_name = _name(function)
        if _named(self, function, nd, sym):
            self._func = lambda F, *args: getattr(F, self._func_name)(*args)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


def _named(block: Block, function: Any, *modules: Any) -> Any:
    """What the first of `modules` has under the name `function`; None for what can be called."""
    if isinstance(function, str):
        for module in modules:
            if not hasattr(module, function):
                raise AssertedError(
                    f"{type(block).__name__}: function={shown(function)}: "
                    f"{module.__name__} has no such function{candidates(function, dir(module))}"
                )
        return getattr(modules[0], function)
    if not callable(function):
        raise ArgumentError(
            f"{type(block).__name__}: function={shown(function)}: expected a name or a function, "
            f"got {type(function).__name__}"
        )
    return None


def _name(function: Any) -> str:
    return function if isinstance(function, str) else getattr(function, "__name__", repr(function))


facade(__name__)
