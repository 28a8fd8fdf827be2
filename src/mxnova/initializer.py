# SPDX-License-Identifier: Apache-2.0
"""First values of parameters.

An initializer is called with the name of a parameter (`InitDesc`) and the array to fill. The name's
ending says what the parameter is: weights are what initializers differ in; biases and the like have
values of their own. A parameter with an initializer among its attributes is filled by that one.
"""

from __future__ import annotations

import json
import logging
import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from . import ndarray as nd
from .core.base.errors import ArgumentError, ArgumentTypeError, AssertedError, shown
from .registry import get_alias_func, get_create_func, get_register_func

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]

NDArray = nd.NDArray


class InitDesc(str):
    """The name of a parameter, and what is known of it.

    Args:
        name: the name.
        attrs: attributes; ``__init__`` is an initializer, its name or its JSON description.
        global_init: the initializer of the whole model.
    """

    attrs: Mapping[str, Any]
    global_init: Initializer | None

    def __new__(
        cls,
        name: str,
        attrs: Mapping[str, Any] | None = None,
        global_init: Initializer | None = None,
    ) -> InitDesc:
        """The name as text, with attributes."""
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc


class Initializer:
    """What fills the arrays of parameters with first values.

    Subclasses override `_init_weight`, and the other `_init_*` where they differ.

    Args:
        kwargs: arguments of the subclass, of which `dumps` makes a description.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], Any] | None = None

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self._kwargs == other._kwargs  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment] - the arguments may be set later

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[NDArray], Any] | None = None
    ) -> Initializer:
        """Logs what is filled, or no longer.

        Args:
            verbose: whether to log.
            print_func: what to log of an array; its root of the mean square by default.
        """
        self._verbose = verbose
        self._print_func = print_func or _root_mean_square
        return self

    def _verbose_print(self, desc: str, init: Any, arr: NDArray) -> None:
        if self._verbose and self._print_func:
            logging.info("%s: filled as %s: %s", desc, init, self._print_func(arr))

    def dumps(self) -> str:
        """The initializer as JSON text, which `create` makes one of: ``["name", {arguments}]``."""
        return json.dumps([self.__class__.__name__.lower(), self._kwargs])

    def __call__(self, desc: InitDesc | str, arr: NDArray) -> None:
        """Fills the array of a parameter.

        Args:
            desc: the parameter; plain text has no attributes, and further rules for names.
            arr: its array.

        Raises:
            ArgumentError: no rule fits the name.
        """
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        init = desc.attrs.get("__init__", "")
        if init:
            create(init)._init_weight(desc, arr)
            self._verbose_print(desc, init, arr)
            return
        for ending, method in _BY_ENDING:
            if desc.endswith(ending):
                getattr(self, method)(desc, arr)
                self._verbose_print(desc, ending, arr)
                return
        self._init_default(desc, arr)

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"Initializer: name={shown(name)}: must be an InitDesc")
        text = "an initializer called with plain text is deprecated: call it with an InitDesc"
        warnings.warn(text, DeprecationWarning, stacklevel=3)
        for start, ending, method in _BY_NAME:
            if name.startswith(start) and name.endswith(ending):
                getattr(self, method)(name, arr)
                return
        self._init_default(name, arr)

    def _init_bilinear(self, _: str, arr: NDArray) -> None:
        arr[:] = _bilinear_kernel(arr.shape)

    def _init_loc_bias(self, _: str, arr: NDArray) -> None:
        if arr.shape != (6,):
            raise AssertedError(f"Initializer: bias of shape {arr.shape}: an affine map has (6,)")
        arr[:] = [1.0, 0, 0, 0, 1.0, 0]

    def _init_zero(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_one(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_quantized_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_gamma(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_beta(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(f"{type(self).__name__}: has no _init_weight for {name!r}")

    def _init_quantized_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = nd.random.randint(-127, 127, shape=arr.shape, ctx=arr.ctx, dtype="int32")

    def _init_default(self, name: str, _: NDArray) -> None:
        raise ArgumentError(
            f"{type(self).__name__}: name={str(name)!r}: says by its ending neither weight, bias, "
            "gamma nor beta; give the variable an initializer of its own: "
            f"mx.sym.Variable({str(name)!r}, init=mx.init.Zero())"
        )


_BY_ENDING = (
    ("weight", "_init_weight"),
    ("bias", "_init_bias"),
    ("gamma", "_init_gamma"),
    ("beta", "_init_beta"),
    ("min", "_init_zero"),
    ("max", "_init_one"),
    ("weight_quantize", "_init_quantized_weight"),
    ("bias_quantize", "_init_quantized_bias"),
)
_BY_NAME = (  # start, ending; of plain text
    ("upsampling", "", "_init_bilinear"),
    ("stn_loc", "weight", "_init_zero"),
    ("stn_loc", "bias", "_init_loc_bias"),
    ("", "bias", "_init_bias"),
    ("", "gamma", "_init_gamma"),
    ("", "beta", "_init_beta"),
    ("", "weight", "_init_weight"),
    ("", "moving_mean", "_init_zero"),
    ("", "moving_var", "_init_one"),
    ("", "moving_inv_var", "_init_zero"),
    ("", "moving_avg", "_init_zero"),
    ("", "min", "_init_zero"),
    ("", "max", "_init_one"),
)


def _root_mean_square(array: NDArray) -> str:
    return str((nd.norm(array) / math.sqrt(array.size)).asscalar())


def _draw(distribution: str, first: float, second: float, arr: NDArray) -> None:
    dtype = arr.dtype if np.dtype(arr.dtype).kind != "V" else "float32"  # bfloat16 is rounded
    getattr(nd.random, distribution)(first, second, dtype=dtype, out=arr)


_register = get_register_func(Initializer, "initializer")
alias = get_alias_func(Initializer, "initializer")
create = get_create_func(Initializer, "initializer")


def register(klass: type) -> type:
    """Registers a class of initializers under its name, in lower case; a decorator."""
    return _register(klass)


class Load:
    """Fills parameters with values from a file or dictionary.

    Args:
        param: a file of parameters, or arrays by name; ``arg:`` and ``aux:`` are cut off names.
        default_init: fills parameters that are not there.
        verbose: whether to log where values come from.
    """

    def __init__(
        self,
        param: str | Mapping[str, NDArray],
        default_init: Callable[[str, NDArray], None] | None = None,
        verbose: bool = False,
    ) -> None:
        arrays = nd.load(param) if isinstance(param, str) else param
        if not isinstance(arrays, Mapping):
            what = f"param={shown(param)}: must be arrays with names, or a file of such"
            raise AssertedError(f"Load: {what}")
        self.param = {_without_kind(name): array for name, array in arrays.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fills the array of parameter `name`.

        Raises:
            AssertedError: the value has another shape, or there is none and no default.
        """
        source = "loaded values"
        if name in self.param:
            value = self.param[name]
            if arr.shape != value.shape:
                reason = f"the value to load is of shape {value.shape}"
                raise AssertedError(f"Load: {name!r} is of shape {arr.shape}: {reason}")
            arr[:] = value
        elif self.default_init is not None:
            self.default_init(name, arr)
            source = "the default initializer"
        else:
            reason = "is not among the values to load, and there is no default_init"
            raise AssertedError(f"Load: {str(name)!r} {reason}")
        if self.verbose:
            logging.info("%s: filled by %s", name, source)


def _without_kind(name: str) -> str:
    return name[4:] if name.startswith(("arg:", "aux:")) else name


class Mixed:
    """Initializers by patterns of names; the first pattern that fits counts.

    Args:
        patterns: regular expressions that match the start of names.
        initializers: an initializer, or its name, for each.
    """

    def __init__(self, patterns: Iterable[str], initializers: Iterable[Any]) -> None:
        patterns, initializers = list(patterns), list(initializers)
        if len(patterns) != len(initializers):
            counts = f"{len(patterns)} patterns, {len(initializers)} initializers"
            raise AssertedError(f"Mixed: {counts}: each pattern has one")
        made = (create(i) if isinstance(i, str) else i for i in initializers)
        self.map = list(zip(map(re.compile, patterns), made, strict=True))

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fills the array of parameter `name`.

        Raises:
            ArgumentError: no pattern fits.
        """
        for pattern, initializer in self.map:
            if pattern.match(name):
                initializer(name, arr)
                return
        reason = "fits no pattern; a last pattern '.*' fits all"
        raise ArgumentError(f"Mixed: name={str(name)!r}: {reason}")


@register
@alias("zeros")
class Zero(Initializer):
    """Weights of 0."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0


@register
@alias("ones")
class One(Initializer):
    """Weights of 1."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """Weights of one value.

    Args:
        value: a number, or an array that the weight's shape can be made of.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.dumps() == other.dumps()

    __hash__ = None  # type: ignore[assignment]

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = self.value

    def dumps(self) -> str:
        """As `Initializer.dumps`; arrays become lists."""
        value = self._kwargs["value"]
        value = value.asnumpy() if isinstance(value, NDArray) else value
        plain = np.asarray(value).tolist()
        return json.dumps([self.__class__.__name__.lower(), {"value": plain}])


@register
class Uniform(Initializer):
    """Weights drawn evenly from [-scale, scale).

    Args:
        scale: the bound.
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _draw("uniform", -self.scale, self.scale, arr)


@register
class Normal(Initializer):
    """Weights drawn from the normal distribution around 0.

    Args:
        sigma: its standard deviation.
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _draw("normal", 0, self.sigma, arr)


@register
class Orthogonal(Initializer):
    """Weights that are, as a matrix of the first axis and the others, orthogonal.

    Saxe, McClelland and Ganguli, arXiv:1312.6120.

    Args:
        scale: what the orthonormal matrix is multiplied by.
        rand_type: distribution that it is made from: ``uniform`` or ``normal``.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = _matrix_shape("Orthogonal", name, arr)
        if self.rand_type not in ("uniform", "normal"):
            what = f"rand_type={shown(self.rand_type)}: must be uniform or normal"
            raise ArgumentError(f"Orthogonal: {what}")
        low, high = (-1.0, 1.0) if self.rand_type == "uniform" else (0.0, 1.0)
        drawn = getattr(nd.random, self.rand_type)(low, high, shape=(shape[0], prod(shape[1:])))
        left, _, right = np.linalg.svd(drawn.asnumpy(), full_matrices=False)
        matrix = left if left.shape == drawn.shape else right
        arr[:] = self.scale * matrix.reshape(shape)


@register
class Xavier(Initializer):
    """Weights drawn within a scale that keeps the variance of activations from layer to layer.

    The scale is √(magnitude / fan), where the fans are the sizes of the first (out) and second (in)
    axis times those of the others.

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010.

    Args:
        rnd_type: ``uniform``, in [-scale, scale), or ``gaussian``, with that standard deviation.
        factor_type: which fan: ``avg``, ``in`` or ``out``.
        magnitude: the factor above.
    """

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = _matrix_shape("Xavier", name, arr)
        scale = math.sqrt(self.magnitude / self._fan(shape))
        if self.rnd_type == "uniform":
            _draw("uniform", -scale, scale, arr)
        elif self.rnd_type == "gaussian":
            _draw("normal", 0, scale, arr)
        else:
            what = f"rnd_type={shown(self.rnd_type)}: must be uniform or gaussian"
            raise ArgumentError(f"Xavier: {what}")

    def _fan(self, shape: Sequence[int]) -> float:
        window = prod(shape[2:])
        fan_out, fan_in = shape[0] * window, shape[1] * window
        fans = {"avg": (fan_in + fan_out) / 2.0, "in": fan_in, "out": fan_out}
        if self.factor_type not in fans:
            what = f"factor_type={shown(self.factor_type)}: must be avg, in or out"
            raise ArgumentError(f"Xavier: {what}")
        return fans[self.factor_type]


def _matrix_shape(function: str, name: str, arr: NDArray) -> tuple[int, ...]:
    shape: tuple[int, ...] = arr.shape
    if len(shape) < 2 or 0 in shape:
        reason = "must have two axes or more, none of them empty"
        raise ArgumentError(f"{function}: {str(name)!r} of shape {shape}: {reason}")
    return shape


@register
class MSRAPrelu(Xavier):
    """`Xavier`, normally distributed, for layers that PReLU follows: magnitude 2 / (1 + slope²).

    He et al., arXiv:1502.01852.

    Args:
        factor_type: which fan: ``avg``, ``in`` or ``out``.
        slope: the first slope of PReLU for negative values.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """Weights of a transposed convolution that scales images up by interpolation."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = _bilinear_kernel(arr.shape)


def _bilinear_kernel(shape: Sequence[int]) -> Any:
    """The last two axes of the weights; its size is that of the last one."""
    if len(shape) != 4:
        raise ArgumentError(f"Bilinear: weights of shape {tuple(shape)}: must have four axes")
    height, width = shape[2:]
    factor = math.ceil(width / 2)
    center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
    rows, columns = (1 - abs(np.arange(n) / factor - center) for n in (height, width))
    return np.outer(rows, columns).astype("float32")


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
            raise ArgumentError(
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
