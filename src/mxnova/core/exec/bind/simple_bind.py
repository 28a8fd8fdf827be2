# SPDX-License-Identifier: Apache-2.0
"""Binding a symbol to arrays made for it, from the shapes and types that are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from ...base.errors import ArgumentTypeError, MXNetError, candidates, shown
from ...base.gc_pause import resting
from ...base.shapes import PartialShape, from_user, is_known, shape_text
from ...graph.infer import (
    DTypeTable,
    infer_complete_dtypes,
    infer_dtypes,
    infer_gradient_stypes,
    infer_shapes,
    infer_stypes,
)
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...nd.array import NDArray
from ...nd.wrapping import zeros_stored
from ...op.dtypes import torch_dtype
from ...runtime.context import Context
from ..program.placement import contexts_of
from .allocation import first_elements
from .bind_arguments import requests_of
from .executor import Executor

__all__ = ["Sharing", "simple_bind"]

_STORAGE = {"0": "default", "1": "row_sparse", "2": "csr"}


class Sharing(NamedTuple):
    """Where the memory of arrays may come from; see `Symbol.simple_bind`."""

    executor: Executor | None = None
    names: frozenset[str] = frozenset()
    buffer: dict[str, NDArray] | None = None

    def argument(self, name: str, is_gradient: bool, wanted: _Wanted) -> NDArray:
        """The array of an argument, or of its gradient."""
        if self.buffer is None:
            return wanted.made()
        if name in self.names:
            if self.executor is None:
                return wanted.made()
            old = self.executor.grad_dict if is_gradient else self.executor.arg_dict
            return wanted.found_or_made(old.get(name))
        key = f"grad of {name}" if is_gradient else name
        array = wanted.found(self.buffer.get(key))
        if array is None:
            array = self.buffer[key] = wanted.made()
        return array

    def state(self, name: str, wanted: _Wanted) -> NDArray:
        """The array of an auxiliary state."""
        if self.buffer is None or self.executor is None:
            return wanted.made()
        return wanted.found_or_made(self.executor.aux_dict.get(name))


class _Wanted(NamedTuple):
    """An array that is to be had."""

    stype: str
    shape: tuple[int, ...]
    context: Context
    dtype: torch.dtype

    def made(self) -> NDArray:
        """A new one, zero."""
        zeros: NDArray = zeros_stored(self.stype, self.shape, self.context, self.dtype)
        return zeros

    def found_or_made(self, old: NDArray | None) -> NDArray:
        """`old` where it will do, else a new one."""
        found = self.found(old)
        return self.made() if found is None else found

    def found(self, old: NDArray | None) -> NDArray | None:
        """`old`, or the part that is enough, where it is of this kind."""
        if not isinstance(old, NDArray) or old.stype != self.stype or old.context != self.context:
            return None
        return first_elements(old, self.shape) if old._raw.dtype is self.dtype else None


@resting()
def simple_bind(
    symbol: Symbol,
    context: Context,
    grad_req: Any,
    type_dict: Mapping[str, Any] | None,
    stype_dict: Mapping[str, str] | None,
    groups: Mapping[str, Context] | None,
    sharing: Sharing,
    given: Mapping[str, Any],
) -> Executor:
    """An executor with arrays made for all arguments, gradients and auxiliary states.

    Args:
        symbol: what to compute.
        context: where the arrays are made.
        grad_req: null, write or add: one for all, a list, or by name.
        type_dict: element types by name; float32 where nothing else follows.
        stype_dict: storage types by name.
        groups: contexts of groups of nodes, whose arrays are made there.
        sharing: where memory may come from.
        given: known shapes by name; names that the symbol does not have are ignored.

    Raises:
        MXNetError: shapes that contradict each other or are not enough.
    """
    names = {n.name for n in symbol.nodes if n.op is None}
    shapes, spare = given, [name for name in given if name not in names]
    given = {name: shape for name, shape in given.items() if name in names}
    table = infer_shapes(symbol.nodes, {n: _shape(n, s) for n, s in given.items()})
    dtypes = _all_dtypes(symbol, type_dict or {})
    contexts = contexts_of(symbol.nodes, context, groups)
    arguments, auxiliary = symbol.variables()
    stypes = {n.name: _stype(n, stype_dict or {}) for n in (*arguments, *auxiliary)}
    d_stypes = infer_gradient_stypes(
        symbol.nodes, symbol.entries, infer_stypes(symbol.nodes, stypes)
    )

    def wanted(node: Node, stype: str) -> _Wanted:
        shape, dtype = table[node][0], dtypes[node][0]
        if not is_known(shape) or shape is None:
            raise MXNetError(
                f"simple_bind: the shape of {node.name!r} stays {shape_text(shape)}: "
                f"the given shapes are incomplete ({_shown(shapes)})"
                + "".join(f"; {n!r} is no input{candidates(n, names)}" for n in spare[:4])
            )
        return _Wanted(stype, shape, contexts[node], dtype or torch.float32)

    args = {n.name: sharing.argument(n.name, False, wanted(n, stypes[n.name])) for n in arguments}
    aux = {n.name: sharing.state(n.name, wanted(n, stypes[n.name])) for n in auxiliary}
    requests = requests_of(list(args), grad_req)
    gradients = {
        n.name: sharing.argument(n.name, True, wanted(n, d_stypes.get(n, "default")))
        for n in arguments
        if requests[n.name] != "null"
    }
    return Executor(symbol, context, args, gradients, requests, aux, groups, sharing.executor)


def _shape(name: str, given: Any) -> PartialShape:
    try:
        return from_user(given)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ArgumentTypeError(f"simple_bind: {name}={shown(given)}: must be a shape") from None


def _shown(shapes: Mapping[str, Any]) -> str:
    return ", ".join(f"{n}={shape_text(from_user(s))}" for n, s in shapes.items()) or "none given"


def _stype(node: Node, stype_dict: Mapping[str, str]) -> str:
    declared = _STORAGE.get(node.attrs.get("__storage_type__", "0"), "default")
    return stype_dict.get(node.name, declared)


def _all_dtypes(symbol: Symbol, type_dict: Mapping[str, Any]) -> DTypeTable:
    """Infer the dtype of every node output.

    As in MXNet, variables without a dtype default to float32. Where that contradicts an operator,
    only variables that no operator decides do.
    """
    names = {n.name for n in symbol.nodes if n.op is None}
    given = {n: torch_dtype(d) for n, d in type_dict.items() if n in names}
    if given:
        try:
            return infer_complete_dtypes(symbol.nodes, given)
        except MXNetError:
            return _infer_from_float32(symbol, given)
    try:
        return _infer_from_float32(symbol, given)
    except MXNetError:
        return infer_complete_dtypes(symbol.nodes, given)


def _infer_from_float32(symbol: Symbol, given: Mapping[str, torch.dtype]) -> DTypeTable:
    """Infer dtypes with float32 for every variable that is neither declared nor given."""
    free = [n.name for n in symbol.nodes if n.op is None and "__dtype__" not in n.attrs]
    return infer_dtypes(symbol.nodes, {**dict.fromkeys(free, torch.float32), **given})
