# SPDX-License-Identifier: Apache-2.0
"""Parameter: an array on one or more contexts, with a gradient, made when its shape is known."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ... import autograd, initializer
from ... import ndarray as nd
from ... import symbol as sym
from ...base import mx_real_t
from ...core.base.doors import facade
from ...core.base.errors import (
    ArgumentError,
    AssertedError,
    MXNetError,
    shown,
)
from ...core.base.mismatches import Mismatches
from ...core.base.printable import printable
from ...core.base.scopes import is_np_array, is_np_shape
from ...core.base.user_warnings import warn_user
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...core.op.dtypes import dtype_name, torch_dtype
from ...core.runtime.context import Context, cpu
from .arrays import ContextArrays
from .contexts import context_map, contexts_of
from .shapes import agrees, merged, shape_is_known

__all__ = ["Parameter"]

_GRAD_REQS = ("write", "add", "null")
_STYPES = ("default", "row_sparse", "csr")
_NAMES_OF_MXNET = {"_data": "_arrays", "_trainer": "_trainer_of"}  # of attributes, in pickles


class Parameter(ContextArrays):
    """An array that a block learns.

    Args:
        name: its name, in graphs and files too.
        grad_req: write, add or null: what a backward pass does with its gradient.
        shape: its shape; 0 (legacy) or -1 (NumPy semantics) for sizes that the first batch tells.
        dtype: its element type.
        lr_mult: multiplier of the learning rate.
        wd_mult: multiplier of the weight decay.
        init: its initializer; None: the one that `initialize` is given.
        allow_deferred_init: whether `initialize` may wait for the shape.
        differentiable: False: its grad_req is always null.
        stype: how it is stored: default, row_sparse or csr.
        grad_stype: how its gradient is stored.

    Example:
        >>> weight = mx.gluon.Parameter("weight", shape=(2, 3))
        >>> weight.initialize(mx.init.One())
        >>> weight.data().asnumpy()
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: Any = None,
        dtype: Any = mx_real_t,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for what, value in (("stype", stype), ("grad_stype", grad_stype)):
            if value not in _STYPES:
                raise AssertedError(
                    f"Parameter {name!r}: {what}={shown(value)}: must be one of {_STYPES}"
                )
        self._var: Symbol | None = None
        self._arrays = self._grad = self._ctx_list = self._ctx_map = None
        self._trainer_of: Callable[[], Any] = _nobody
        self._deferred_init: tuple[Any, ...] = ()
        self._differentiable = differentiable
        self._allow_deferred_init = allow_deferred_init
        self._grad_req: str | None = None
        self._shape = (shape,) if isinstance(shape, int) else None if shape is None else shape
        self._shape = None if self._shape is None else tuple(self._shape)
        self.name = name
        self._dtype = dtype
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.init = init
        self._stype = stype
        self._grad_stype = grad_stype
        self.grad_req = grad_req

    def __repr__(self) -> str:
        name = printable(self.name)
        return f"{type(self).__name__} {name} (shape={self.shape}, dtype={self.dtype})"

    def __getstate__(self) -> dict[str, Any]:
        """All but its trainer."""
        return {**self.__dict__, "_trainer_of": _nobody}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = {_NAMES_OF_MXNET.get(name, name): value for name, value in state.items()}
        self.__dict__.update(own, _trainer_of=_nobody)
        self._data = self._arrays  # again a list that tells of changes
        if self._arrays is not None and self._grad is not None:
            autograd.mark_variables(self._arrays or (), self._grad, self.grad_req)

    # What it is ----------------------------------------------------------------------------------

    @property
    def grad_req(self) -> Any:
        """The gradient request: write, add or null."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in _GRAD_REQS:
            raise AssertedError(
                f"Parameter {self.name!r}: grad_req={shown(req)}: must be one of {_GRAD_REQS}"
            )
        req = req if self._differentiable else "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        if self._arrays is None:
            return
        if req == "null":
            self._grad = None
            self._data = [array.detach() for array in self._arrays]
        else:
            self._init_grad()

    @property
    def dtype(self) -> Any:
        """Its element type; setting it casts."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Its shape; unknown sizes are 0, or -1 under NumPy's shape semantics."""
        if self._shape is None or not is_np_shape():
            return self._shape
        return tuple(size if size != 0 else -1 for size in self._shape)

    @shape.setter
    def shape(self, new_shape: Sequence[int]) -> None:
        if self._shape is not None and not agrees(self._shape, new_shape):
            raise AssertedError(
                f"Parameter {self.name!r}: shape={tuple(new_shape)}: its shape is {self._shape}"
            )
        self._shape = tuple(new_shape)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Its shape, () where none was declared."""
        return self.shape or ()

    @property
    def stype(self) -> str:
        """How it is stored: default, row_sparse or csr."""
        return self._stype

    @property
    def _trainer(self) -> Any:
        """The trainer that updates it, if there is one."""
        return self._trainer_of()

    @_trainer.setter
    def _trainer(self, trainer: Any) -> None:
        # A trainer knows its parameters; were it known to all of them, dropped networks would wait
        # for the garbage collector. Sparse parameters need it to bring rows.
        is_weak = trainer is not None and self._stype == "default"
        self._trainer_of = weakref.ref(trainer) if is_weak else functools.partial(_same, trainer)

    def _set_trainer(self, trainer: Any) -> None:
        """Names the trainer that brings the rows of a sparse parameter."""
        if self._stype != "default" and self._trainer and trainer and self._trainer is not trainer:
            raise MXNetError(
                f"Parameter {self.name!r}: a {self._stype} parameter has one trainer, and this "
                "has one already"
            )
        self._trainer = trainer

    # Initialization ------------------------------------------------------------------------------

    def initialize(
        self,
        init: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        default_init: Any = initializer.Uniform(),  # noqa: B008 - MXNet's signature
        force_reinit: bool = False,
    ) -> None:
        """Initialize the arrays, or defer this to the first forward.

        Args:
            init: the initializer; None: its own, or `default_init`.
            ctx: context, or contexts, to have an array on; default: the current one.
            default_init: the initializer of parameters that have none of their own.
            force_reinit: also where it has arrays already.

        Raises:
            ArgumentError: its shape is unknown, and it may not wait for it.
        """
        if self._arrays is not None and not force_reinit:
            warn_user(
                f"Parameter {self.name!r} is initialized already, nothing was done; "
                "force_reinit=True makes it anew",
            )
            return
        contexts = contexts_of(ctx)
        if init is None:
            init = default_init if self.init is None else self.init
        is_known = shape_is_known(self.shape)
        if not is_known and not self._allow_deferred_init:
            raise ArgumentError(
                f"Cannot initialize Parameter {self.name!r} because it has invalid shape: "
                f"{self.shape}: every size must be known"
            )
        before = self._deferred_init
        self._deferred_init = (init, contexts, default_init, None)
        if not is_known:
            self._data = self._grad = None
            return
        try:
            self._finish_deferred_init()
        except Exception:
            self._deferred_init = before
            raise

    def _finish_deferred_init(self) -> None:
        """Makes its arrays, if `initialize` has left that to be done."""
        if not self._deferred_init:
            return
        init, contexts, default_init, data = self._deferred_init
        if not shape_is_known(self.shape):
            raise AssertedError(
                f"Parameter {self.name!r}: shape={self.shape}: the shape is still unknown; give "
                "the layer in_units, in_channels or the like"
            )
        with autograd.pause():
            if data is None:
                data = nd.zeros(self.shape, dtype=self.dtype, ctx=cpu(), stype=self._stype)
                data = _in_force(data)
                desc = initializer.InitDesc(self.name, {"__init__": init})
                initializer.create(default_init)(desc, data)
            self._init_impl(data, contexts)
        self._deferred_init = ()

    def _init_impl(self, data: NDArray, ctx_list: Iterable[Context]) -> None:
        """Puts copies of `data` on the contexts."""
        contexts = list(ctx_list)
        copies: list[Any] = [data.copyto(context) for context in contexts]
        arrays = [_in_force(copy) for copy in copies]
        self._ctx_list = contexts
        self._ctx_map = context_map(contexts)
        self._data = arrays
        self._init_grad()

    def _init_grad(self) -> None:
        """Makes gradients of zeros."""
        if self.grad_req == "null":
            self._grad = None
            return
        self._grad = [
            _in_force(nd.zeros(a.shape, dtype=a.dtype, ctx=a.context, stype=self._grad_stype))
            for a in self._arrays or ()
        ]
        autograd.mark_variables(self._arrays or (), self._grad, self.grad_req)

    def _load_init(
        self,
        data: NDArray,
        ctx: Context | Sequence[Context] | None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Takes the values of a file; see `Block.load_parameters`."""
        contexts = self._check_load(data, ctx, cast_dtype, dtype_source)
        if cast_dtype and not self._has_type_of(data):
            if dtype_source == "current":
                data = data.astype(self.dtype)
            else:
                self.dtype = data.dtype
        if self._stype != data.stype:
            data = data.tostype(self._stype)
        self._shape = data.shape
        if self._arrays is None:
            self._init_impl(data, contexts)
        else:
            self.set_data(data)
        self._deferred_init = ()

    def _check_load(
        self,
        data: NDArray,
        ctx: Context | Sequence[Context] | None,
        cast_dtype: bool,
        dtype_source: str,
    ) -> list[Context]:
        """The contexts that `_load_init` puts `data` on; it raises what that would raise."""
        if cast_dtype and dtype_source not in ("current", "saved"):
            raise AssertedError(
                f"Parameter {self.name!r}: dtype_source={shown(dtype_source)}: must be 'current' "
                "or 'saved'"
            )
        if self._shape and not agrees(self._shape, data.shape):
            raise AssertedError(
                f"Failed loading Parameter {self.name!r} from saved params: shape incompatible "
                f"expected {self.shape} vs saved {data.shape}"
            )
        if not cast_dtype and not self._has_type_of(data):
            raise AssertedError(
                f"Failed loading Parameter {self.name!r} from saved params: dtype incompatible "
                f"expected {dtype_name(torch_dtype(self.dtype))} vs saved "
                f"{dtype_name(data._raw.dtype)}; "
                "cast_dtype=True casts"
            )
        return self._loading_contexts(ctx)

    def _tell_misfit(
        self,
        data: NDArray,
        ctx: Context | Sequence[Context] | None,
        cast_dtype: bool,
        dtype_source: str,
        told: Mismatches,
    ) -> None:
        """Notes what `_load_init` would raise."""
        try:
            self._check_load(data, ctx, cast_dtype, dtype_source)
        except AssertedError as error:
            text = str(error).removeprefix("Failed loading Parameter ")
            told.add(
                "unfit",
                text.replace(" from saved params:", ""),
                functools.partial(AssertedError, str(error)),
            )

    def _has_type_of(self, data: NDArray) -> bool:
        return not self.dtype or torch_dtype(self.dtype) is data._raw.dtype

    def _loading_contexts(self, ctx: Context | Sequence[Context] | None) -> list[Context]:
        """Where to have arrays; those that it has or waits for are not changed."""
        given = None if ctx is None else contexts_of(ctx)
        have = self._ctx_list if self._arrays is not None else None
        if have is None and self._deferred_init:
            have = self._deferred_init[1]
        if have is None:
            return [cpu()] if given is None else given
        if given is not None and set(given) != set(have):
            raise AssertedError(
                f"Parameter {self.name!r}: ctx={given}: it was initialized on {have}; reset_ctx "
                "moves it"
            )
        return list(have)

    # Changing it ---------------------------------------------------------------------------------

    def set_data(self, data: NDArray) -> None:
        """Writes `data` into its arrays on all contexts."""
        if self._arrays is None and not self._deferred_init:
            raise AssertedError(str(self._uninitialized()))
        self.shape = data.shape
        if self._arrays is None:
            self._deferred_init = (*self._deferred_init[:3], data)
            return
        trainer = self._trainer
        stored = trainer and trainer._kv_initialized and trainer._update_on_kvstore
        if stored and self not in trainer._params_to_init:  # the store's copy would win
            trainer._reset_kvstore()
        for array in self._arrays:
            array[:] = data

    def zero_grad(self) -> None:
        """Sets its gradients to zero."""
        for gradient in self._grad or ():
            gradient[:] = 0

    def reset_ctx(self, ctx: Context | Sequence[Context] | None) -> None:
        """Moves it to other contexts."""
        contexts = contexts_of(ctx)
        if self._arrays is not None:
            with autograd.pause():
                self._init_impl(self._reduce(), contexts)
        elif self._deferred_init:
            init, _, default_init, data = self._deferred_init
            self._deferred_init = (init, contexts, default_init, data)
        else:
            raise ArgumentError(
                f"Parameter {self.name!r} has not been initialized: call initialize() before "
                "reset_ctx()"
            )

    def cast(self, dtype: Any) -> None:
        """Casts it and its gradient to an element type."""
        self._dtype = dtype
        if self._arrays is None:
            return
        with autograd.pause():
            self._data = [array.astype(dtype) for array in self._arrays]
            if self._grad is not None:
                self._grad = [gradient.astype(dtype) for gradient in self._grad]
                autograd.mark_variables(self._arrays or (), self._grad, self.grad_req)

    def _reduce(self) -> NDArray:
        """Its value on the CPU: the mean over contexts, all rows of a sparse one."""
        if self._stype == "row_sparse":
            return self._all_rows()
        arrays = self._check_and_get(self._arrays, list)
        if len(arrays) == 1:
            only: NDArray = arrays[0].copyto(cpu())
            return only
        mean: NDArray = nd.add_n(*(array.copyto(cpu()) for array in arrays)) / len(arrays)
        return mean

    def _value_on_cpu(self) -> NDArray:
        """As `_reduce`, but its array itself where there is one, on the CPU."""
        arrays = self._check_and_get(self._arrays, list)
        is_there = len(arrays) == 1 and arrays[0].context.device_type == "cpu"
        only: NDArray = arrays[0] if is_there and self._stype == "default" else self._reduce()
        return only

    def _all_rows(self) -> NDArray:
        if not self._trainer:
            rows_here: NDArray = self._check_and_get(self._arrays, list)[0].copyto(cpu())
            return rows_here
        rows = nd.arange(0, self.shape[0], dtype="int64", ctx=cpu())  # type: ignore[index]
        data = nd.zeros(self.shape, dtype=self.dtype, stype="row_sparse", ctx=cpu())
        self._trainer._row_sparse_pull(self, data, rows, full_idx=True)
        return data

    def var(self) -> Symbol:
        """The variable that represents the parameter in graphs."""
        if self._var is None:
            self._var = sym.var(
                self.name,
                shape=self.shape,
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self.init,
                stype=self._stype,
            )
        return self._var.as_np_ndarray() if is_np_array() else self._var

    def _agree_on(self, attribute: str, wanted: Any) -> None:
        """Takes an attribute that somebody who shares it asks for.

        Raises:
            AssertedError: it has another one.
        """
        have = getattr(self, attribute, None)
        if have is None:
            setattr(self, attribute, wanted)
            return
        if attribute == "shape" and wanted is not None:
            shape = merged((wanted,) if isinstance(wanted, int) else wanted, have)
            if shape is not None:
                self._shape = shape
                return
        elif attribute == "dtype" and torch_dtype(wanted) is torch_dtype(have):
            return
        if wanted is not None and wanted != have:
            raise AssertedError(
                f"Parameter {self.name!r}: {attribute}={shown(wanted)}: it was made with "
                f"{shown(have)}"
            )


def _in_force(array: NDArray) -> NDArray:
    """A dense array as one of NumPy's where these are in force."""
    return array.as_np_ndarray() if is_np_array() and array.stype == "default" else array


def _nobody() -> None:
    """The trainer of a parameter that has none."""


def _same(value: Any) -> Any:
    return value


facade(__name__)
