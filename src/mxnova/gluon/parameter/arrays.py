# SPDX-License-Identifier: Apache-2.0
"""The arrays of a parameter, one for each context, and its gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...core.base.doors import leave
from ...core.base.errors import ArgumentTypeError, MXNetError, shown
from ...core.nd.array import NDArray
from ...core.runtime.context import Context, current_context

__all__ = ["GENERATION", "ContextArrays", "DeferredInitializationError"]


class DeferredInitializationError(MXNetError):
    """Raised on access to a parameter whose shape is deferred until the first batch.

    Args:
        *args: as the class that it stands for.

    Example:
        >>> layer = mx.gluon.nn.Dense(2)
        >>> layer.initialize()
        >>> try:
        ...     layer.weight.data()
        ... except mx.gluon.DeferredInitializationError:
        ...     print("the shape is known after the first batch")
        the shape is known after the first batch
    """


class Generation:
    """How often any parameter has got other arrays; who keeps arrays of parameters compares it."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


GENERATION = Generation()


class _Arrays(list[NDArray]):
    """Arrays of a parameter, of which a program may put others in their place."""

    def __reduce__(self) -> Any:
        return list, (list(self),)


def _counted(name: str) -> Callable[..., Any]:
    """A method of lists that `GENERATION` counts, even where it fails half-way."""
    method = getattr(list, name)

    @wraps(method)
    def change(arrays: _Arrays, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(arrays, *args, **kwargs)
        finally:
            GENERATION.count += 1

    return change


for _name in (
    "__setitem__", "__delitem__", "__iadd__", "__imul__", "append", "clear", "extend", "insert",
    "pop", "remove", "reverse", "sort",
):  # fmt: skip
    setattr(_Arrays, _name, _counted(_name))


class ContextArrays:
    """Gives a parameter `data`, `grad` and their kin."""

    name: str
    shape: Any
    _stype: str
    _trainer: Any
    _deferred_init: tuple[Any, ...]
    _arrays: list[NDArray] | None
    _grad: list[NDArray] | None
    _ctx_list: list[Context] | None
    _ctx_map: list[list[int | None]] | None

    @property
    def _data(self) -> list[NDArray] | None:
        """Its arrays, in the order of `_ctx_list`."""
        return self._arrays

    @_data.setter
    def _data(self, arrays: list[NDArray] | None) -> None:
        self._arrays = arrays if arrays is None else _Arrays(arrays)
        GENERATION.count += 1

    def data(self, ctx: Context | None = None) -> NDArray:
        """Its array on a context; default: the only one, or that on the current context.

        Raises:
            MXNetError: it is sparse (see `row_sparse_data`), was not initialized, or is not there.
            DeferredInitializationError: its initialization waits for the first batch.
        """
        try:
            if self._stype != "default":
                raise MXNetError(
                    f"Parameter {self.name!r}: data(): it is stored as {self._stype}; "
                    "row_sparse_data(row_id) gives rows"
                )
            array: NDArray = self._check_and_get(self._arrays, ctx)
            return array
        except Exception as error:
            leave(error)
            raise

    def list_data(self) -> list[NDArray]:
        """Its arrays on all contexts."""
        try:
            if self._stype != "default":
                raise MXNetError(
                    f"Parameter {self.name!r}: list_data(): it is stored as {self._stype}; "
                    "list_row_sparse_data(row_id) gives rows"
                )
            arrays: list[NDArray] = self._check_and_get(self._arrays, list)
            return arrays
        except Exception as error:
            leave(error)
            raise

    def row_sparse_data(self, row_id: NDArray) -> NDArray:
        """Its array on the context of `row_id`, with these rows brought up to date."""
        self._check_row_sparse("row_sparse_data", "data()")
        array: NDArray = self._get_row_sparse(self._arrays, row_id, row_id)
        return array

    def list_row_sparse_data(self, row_id: NDArray) -> list[NDArray]:
        """Its arrays on all contexts, with these rows brought up to date."""
        self._check_row_sparse("list_row_sparse_data", "list_data()")
        arrays: list[NDArray] = self._get_row_sparse(self._arrays, list, row_id)
        return arrays

    def _check_row_sparse(self, method: str, instead: str) -> None:
        if self._stype != "row_sparse":
            raise MXNetError(
                f"Parameter {self.name!r}: {method}(): it is stored as {self._stype}; "
                f"{instead} gives it"
            )

    def _get_row_sparse(self, arrays: list[NDArray] | None, where: Any, row_id: NDArray) -> Any:
        if not isinstance(row_id, NDArray):
            raise ArgumentTypeError(
                f"Parameter {self.name!r}: row_id={shown(row_id)}: must be an NDArray"
            )
        if not self._trainer:
            raise MXNetError(
                f"Parameter {self.name!r}: a Trainer brings rows of a row_sparse parameter, "
                "and none was made with it"
            )
        found = self._check_and_get(arrays, where if where is list else row_id.context)
        self._trainer._row_sparse_pull(self, found, row_id)
        return found

    def grad(self, ctx: Context | None = None) -> NDArray:
        """Its gradient on a context; default: the only one, or that on the current context."""
        try:
            self._check_has_grad("grad")
            gradient: NDArray = self._check_and_get(self._grad, ctx)
            return gradient
        except Exception as error:
            leave(error)
            raise

    def list_grad(self) -> list[NDArray]:
        """Its gradients on all contexts."""
        try:
            self._check_has_grad("list_grad")
            gradients: list[NDArray] = self._check_and_get(self._grad, list)
            return gradients
        except Exception as error:
            leave(error)
            raise

    def _check_has_grad(self, method: str) -> None:
        if self._arrays is not None and self._grad is None:
            raise MXNetError(
                f"Cannot get gradient array for Parameter {self.name!r} because grad_req='null' "
                f"({method}())"
            )

    def list_ctx(self) -> list[Context]:
        """The contexts that it has arrays on, or is to have."""
        try:
            if self._arrays is not None:
                return list(self._ctx_list or ())
            if self._deferred_init:
                return list(self._deferred_init[1])
            raise self._uninitialized()
        except Exception as error:
            leave(error)
            raise

    def _check_and_get(self, arr_list: list[NDArray] | None, ctx: Any) -> Any:
        """The array on `ctx`; for the type `list`: all of them."""
        if arr_list is None:
            raise self._uninitialized()
        if ctx is list:
            return arr_list
        if len(arr_list) == 1 and (ctx is None or ctx is self._ctx_list[0]):  # type: ignore[index]
            return arr_list[0]
        if ctx is None:
            ctx = current_context()
        at = self._ctx_map[ctx.device_typeid & 1]  # type: ignore[index]
        index = at[ctx.device_id] if ctx.device_id < len(at) else None
        if index is None:
            raise MXNetError(
                f"Parameter {self.name!r} was not initialized on context {ctx}: it is on "
                f"{self._ctx_list}; reset_ctx() moves it, x.as_in_context(ctx) data"
            )
        return arr_list[index]

    def _uninitialized(self) -> MXNetError:
        if self._deferred_init:
            return DeferredInitializationError(
                f"Parameter {self.name!r} has not been initialized yet because initialization was "
                f"deferred: its shape {self.shape} is complete after the first forward: pass a "
                "batch through the network, or give the layer in_units, in_channels or the like"
            )
        return MXNetError(
            f"Parameter {self.name!r} has not been initialized: call initialize(), of a network "
            "that has it or of collect_params() (Block.params lacks the parameters of children)"
        )
