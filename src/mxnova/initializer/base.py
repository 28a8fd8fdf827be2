# SPDX-License-Identifier: Apache-2.0
"""The base of initializers: rules by parameter names, and the registry."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MXNetError,
    argument_error,
    shown,
)
from ..core.base.printable import printable
from ..core.base.user_warnings import warn_user
from ..registry import get_alias_func, get_create_func, get_register_func

__all__ = ["InitDesc", "Initializer", "alias", "bilinear_kernel", "create", "register"]

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
    """The base of initializers, which set the first values of parameters.

    Subclasses override `_init_weight`, and the other `_init_*` where they differ.

    Args:
        kwargs: arguments of the subclass, of which `dumps` makes a description.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], Any] | None = None

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self._kwargs == other._kwargs

    __hash__ = None  # type: ignore[assignment]  # the arguments may be set later

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
            values = self._print_func(arr)
            logging.info("%s: filled as %s: %s", printable(str(desc)), init, values)

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
            _fill_as_described(desc, init, arr)
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
        warn_user(text, DeprecationWarning)
        for start, ending, method in _BY_NAME:
            if name.startswith(start) and name.endswith(ending):
                getattr(self, method)(name, arr)
                return
        self._init_default(name, arr)

    def _init_bilinear(self, _: str, arr: NDArray) -> None:
        arr[:] = bilinear_kernel(arr.shape)

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


def _fill_as_described(desc: InitDesc, init: str, arr: NDArray) -> None:
    """Fills an array by the initializer that its variable names, as a file may have it."""
    try:
        create(init)._init_weight(desc, arr)
    except (TypeError, ValueError, ArithmeticError) as error:  # of its arguments
        if isinstance(error, MXNetError) and not isinstance(error, ArgumentTypeError):
            raise
        raise argument_error(f"variable {str(desc)!r}", "__init__", init, str(error)) from error


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


def bilinear_kernel(shape: Sequence[int]) -> Any:
    """The last two axes of the weights; its size is that of the last one."""
    if len(shape) != 4:
        raise ArgumentError(f"Bilinear: weights of shape {tuple(shape)}: must have four axes")
    height, width = shape[2:]
    factor = math.ceil(width / 2)
    center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
    rows, columns = (1 - abs(np.arange(n) / factor - center) for n in (height, width))
    return np.outer(rows, columns).astype("float32")


def _root_mean_square(array: NDArray) -> str:
    return str((nd.norm(array) / math.sqrt(array.size)).asscalar())


_register = get_register_func(Initializer, "initializer")
alias = get_alias_func(Initializer, "initializer")
create = get_create_func(Initializer, "initializer")


def register(klass: type) -> type:
    """Registers a class of initializers under its name, in lower case; a decorator."""
    return _register(klass)
