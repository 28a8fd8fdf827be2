# SPDX-License-Identifier: Apache-2.0
"""Binding a symbol to arrays made for it, from the shapes and types that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..base.errors import MXNetError
from ..base.shapes import from_user, is_known, shape_text
from ..graph.infer import (
    DTypeTable,
    infer_dtypes,
    infer_gradient_stypes,
    infer_shapes,
    infer_stypes,
)
from ..graph.node import Node
from ..graph.symbol import Symbol
from ..nd.array import NDArray
from ..nd.wrapping import zeros_stored
from ..op.dtypes import torch_dtype
from ..runtime.context import Context, context_of
from .executor import Executor, _requests

__all__ = ["simple_bind"]

_STORAGE = {"0": "default", "1": "row_sparse", "2": "csr"}


def simple_bind(
    symbol: Symbol,
    ctx: Context | None,
    grad_req: Any,
    type_dict: Mapping[str, Any] | None,
    stype_dict: Mapping[str, str] | None,
    shared_exec: Executor | None,
    shapes: Mapping[str, Any],
) -> Executor:
    """An executor with arrays made for all arguments, gradients and auxiliary states.

    Args:
        symbol: what to compute.
        ctx: where the arrays are made.
        grad_req: null, write or add: one for all, a list, or by name.
        type_dict: element types by name; float32 where nothing else follows.
        stype_dict: storage types by name.
        shared_exec: executor whose arrays of equal name, shape and type are used again.
        shapes: known shapes by name.

    Raises:
        MXNetError: shapes that contradict each other or are not enough.
    """
    context = context_of(ctx)
    known = symbol._known("simple_bind", (), shapes)
    table = infer_shapes(symbol.nodes, {n: from_user(s) for n, s in known.items()})
    dtypes = _all_dtypes(symbol, type_dict or {})
    arguments, auxiliary = symbol.variables()
    stypes = {n.name: _stype(n, stype_dict or {}) for n in (*arguments, *auxiliary)}

    inferred = infer_stypes(symbol.nodes, stypes)
    d_stypes = infer_gradient_stypes(symbol.nodes, symbol.entries, inferred)

    def made(node: Node, stype: str, shared: Mapping[str, Any]) -> NDArray:
        shape, dtype = table[id(node)][0], dtypes[id(node)][0]
        if not is_known(shape) or shape is None:
            raise MXNetError(
                f"simple_bind: the shape of {node.name!r} stays {shape_text(shape)}: "
                f"the given shapes are incomplete ({_shown(shapes)})"
            )
        old = shared.get(node.name)
        if old is not None and (old.shape, old.stype, old._value.dtype) == (shape, stype, dtype):
            return old  # type: ignore[no-any-return]
        return zeros_stored(stype, shape, context, dtype or torch.float32)

    old = shared_exec
    args = {n.name: made(n, stypes[n.name], old.arg_dict if old else {}) for n in arguments}
    aux = {n.name: made(n, stypes[n.name], old.aux_dict if old else {}) for n in auxiliary}
    requests = _requests(list(args), grad_req)
    gradients = {
        n.name: made(n, d_stypes.get(id(n), "default"), old.grad_dict if old else {})
        for n in arguments
        if requests[n.name] != "null"
    }
    return Executor(symbol, context, args, gradients, requests, aux)


def _shown(shapes: Mapping[str, Any]) -> str:
    return ", ".join(f"{n}={tuple(s)}" for n, s in shapes.items()) or "none given"


def _stype(node: Node, stype_dict: Mapping[str, str]) -> str:
    declared = _STORAGE.get(node.attrs.get("__storage_type__", "0"), "default")
    return stype_dict.get(node.name, declared)


def _all_dtypes(symbol: Symbol, type_dict: Mapping[str, Any]) -> DTypeTable:
    """Element types of everything.

    As in MXNet, variables of which nothing is said are float32; where that contradicts an operator,
    only those that no operator decides are.
    """
    given = {n: torch_dtype(d) for n, d in symbol._known("simple_bind", (), type_dict).items()}
    free = [n.name for n in symbol.nodes if n.op is None and "__dtype__" not in n.attrs]
    ways = [_decided_by_operators, _all_float32] if given else [_all_float32, _decided_by_operators]
    try:
        return ways[0](symbol, given, free)
    except MXNetError:
        return ways[1](symbol, given, free)


def _all_float32(
    symbol: Symbol, given: Mapping[str, torch.dtype], free: Sequence[str]
) -> DTypeTable:
    return infer_dtypes(symbol.nodes, {**dict.fromkeys(free, torch.float32), **given})


def _decided_by_operators(
    symbol: Symbol, given: Mapping[str, torch.dtype], free: Sequence[str]
) -> DTypeTable:
    known: dict[str, torch.dtype | None] = dict(given)
    variables = [n for n in symbol.nodes if n.op is None]
    while True:
        table = infer_dtypes(symbol.nodes, known)
        undecided = next((n for n in variables if table[id(n)][0] is None), None)
        if undecided is None:
            return table
        known[undecided.name] = torch.float32
