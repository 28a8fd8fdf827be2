# SPDX-License-Identifier: Apache-2.0
"""Subgraph backends: which nodes of a symbol are taken together into subgraphs, by name.

To add one, `register` a function that looks at a symbol and says which of its nodes to take.
`Symbol.optimize_for` and ``MXNET_SUBGRAPH_BACKEND`` then know its name.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...base import env
from ...base.errors import (
    ArgumentError,
    ArgumentTypeError,
    MXNetError,
    UnknownNameError,
    candidates,
)
from ...graph.infer import infer_stypes
from ...graph.node import Node
from ...graph.partition import Selection, partitioned
from ...graph.symbol import Symbol
from ...nd.array import NDArray
from ...op.infer import UndecidedTypeError
from ...runtime.context import Context
from .. import backends
from ..backends.request import marked, options_of
from ..passes.mkldnn_subgraphs import with_fused_layers, with_integer_layers
from .bind_arguments import Arrays, by_name

__all__ = [
    "Chooser",
    "for_binding",
    "get_backend_symbol",
    "optimize_for",
    "register",
    "with_operators",
]

Chooser = Callable[[Symbol, Mapping[str, Any]], Selection]
"""(symbol, options of the caller) -> what says of each node that is no variable whether to take
it."""

_log = logging.getLogger("mxnova")
_CHOOSERS: dict[str, Chooser] = {}
_OPERATORS: dict[str, frozenset[str]] = {}  # what backends that go by operators' names take


def register(name: str, chooser: Chooser) -> None:
    """Makes a backend known, in place of another of that name."""
    _CHOOSERS[name] = chooser


def _found(name: str) -> Chooser:
    if name not in _CHOOSERS:
        raise UnknownNameError(
            f"subgraph backend {name!r} is not registered{candidates(name, _CHOOSERS)}"
        )
    return _CHOOSERS[name]


# By names of operators ----------------------------------------------------------------------------


def set_operators(backend: str, names: Sequence[str], must_exist: bool = False) -> None:
    """Says which operators a backend takes that goes by names.

    Raises:
        UnknownNameError: there is no such backend, where there must be.
    """
    if must_exist:
        _found(backend)
    _OPERATORS[backend] = frozenset(names)


def remove_operators(backend: str, must_exist: bool = False) -> None:
    """Takes back what `set_operators` said.

    Raises:
        UnknownNameError: there is no such backend, where there must be.
    """
    if must_exist:
        _found(backend)
    _OPERATORS.pop(backend, None)


def with_operators(symbol: Symbol, backend: str, names: Sequence[str]) -> Symbol:
    """`symbol` with its nodes of operators of these names in subgraphs.

    Raises:
        UnknownNameError: there is no such backend.
    """
    _found(backend)
    return partitioned(symbol, _of_operators(frozenset(names)))


def _of_operators(names: frozenset[str]) -> Selection:
    return lambda node: node.op is not None and node.op.name in names


def _by_names(backend: str) -> Chooser:
    def choose(_symbol: Symbol, _options: Mapping[str, Any]) -> Selection:
        if backend not in _OPERATORS:
            raise MXNetError(
                f"subgraph backend {backend!r} takes operators by name, and none were named: "
                f"call MXSetSubgraphPropertyOpNamesV2 before"
            )
        return _of_operators(_OPERATORS[backend])

    return choose


def _nothing(_symbol: Symbol, _options: Mapping[str, Any]) -> Selection:
    return lambda _node: False


register("default", _by_names("default"))
register("default_v2", _by_names("default_v2"))
# When a symbol is bound, operators find oneDNN's kernels by themselves.
register("MKLDNN", _nothing)
register("MKLDNN_QUANTIZE", _nothing)
_REWRITES = {"MKLDNN": with_fused_layers, "MKLDNN_QUANTIZE": with_integer_layers}


# Symbols ------------------------------------------------------------------------------------------


def optimize_for(
    self: Symbol,
    backend: str,
    args: Arrays | None = None,
    aux: Arrays | None = None,
    ctx: Context | None = None,
    shape_dict: Mapping[str, Any] | None = None,
    type_dict: Mapping[str, Any] | None = None,
    stype_dict: Mapping[str, Any] | None = None,
    skip_infer: bool = False,
    **kwargs: Any,
) -> Symbol:
    """The symbol with the nodes that a backend takes in subgraphs, or marked for it.

    Backends that compile (openvino, onnxruntime, inductor, cudagraph, auto; aten is the default)
    take what they can when the symbol runs outside training; the nodes stay as they are, with a
    mark. Without a backend of that name it is a copy, and that is logged as an error, as by MXNet.

    Args:
        self: any symbol; it stays as it is.
        backend: name of the backend.
        args: arrays of arguments, by name or in order: their shapes and types must fit the symbol.
        aux: arrays of auxiliary states; the same.
        ctx: where it will run.
        shape_dict: shapes by name, of inputs without arrays.
        type_dict: element types by name, of inputs without arrays.
        stype_dict: storage types by name, of inputs without arrays.
        skip_infer: do not look whether shapes and types fit.
        kwargs: options for the backend. ``dedup_subgraph``: readers of one thing share an input or
            output of a subgraph. ``precision``, of those that compile: what products may be
            computed in, float32 or bfloat16.

    Raises:
        MXNetError: shapes or types that contradict each other or the symbol; the backend cannot
            be used here.
    """
    if ctx is not None and not isinstance(ctx, Context):
        raise ArgumentTypeError(f"optimize_for: ctx={ctx!r} is no Context")
    if not skip_infer:
        arrays = _arrays(self, args, aux)
        self.infer_shape_partial(
            **_facts(self, "shape_dict", shape_dict, {n: a.shape for n, a in arrays.items()})
        )
        types = _facts(self, "type_dict", type_dict, {n: a.dtype for n, a in arrays.items()})
        with suppress(UndecidedTypeError):  # of data, as a rule
            self.infer_type_partial(**types)
    if backend in backends.names():
        backends.named(backend)
        return marked(self.__copy__(), backend, **options_of(backend, kwargs))
    if backend in _REWRITES:
        return _REWRITES[backend](self.__copy__())
    if backend not in _CHOOSERS:
        hint = candidates(backend, [*_CHOOSERS, *backends.names()])
        _log.error("optimize_for: no subgraph backend %r%s", backend, hint)
        return self.__copy__()
    shared = str(kwargs.pop("dedup_subgraph", False)) in ("True", "1")
    return partitioned(self, _CHOOSERS[backend](self, kwargs), shared)


def _arrays(symbol: Symbol, args: Arrays | None, aux: Arrays | None) -> dict[str, NDArray]:
    return {
        **by_name("args", symbol.list_arguments(), args or {}, required=False),
        **by_name("aux", symbol.list_auxiliary_states(), aux or {}, required=False),
    }


def _facts(
    symbol: Symbol, what: str, given: Mapping[str, Any] | None, known: Mapping[str, Any]
) -> dict[str, Any]:
    names = symbol.list_inputs()
    for name in given or {}:
        if name not in names:
            raise ArgumentError(
                f"optimize_for: {what} has {name!r}, which is no input{candidates(name, names)}"
            )
    return {**(given or {}), **known}


def get_backend_symbol(self: Symbol, backend: str) -> Symbol:
    """The symbol with the nodes that a backend takes in subgraphs.

    Raises:
        UnknownNameError: there is no such backend.
    """
    if backend in backends.names():
        backends.named(backend)
        return marked(self.__copy__(), backend)
    if backend in _REWRITES:
        return _REWRITES[backend](self)
    return partitioned(self, _found(backend)(self, {}))


def for_binding(symbol: Symbol, stypes: Mapping[str, str]) -> Symbol:
    """`symbol` as ``MXNET_SUBGRAPH_BACKEND`` wants it bound; itself where that is not set.

    Nodes that touch something sparse stay as they are.

    Args:
        symbol: what is bound.
        stypes: storage types of the inputs, by name.

    Raises:
        UnknownNameError: there is no such backend.
    """
    name = env.get("MXNET_SUBGRAPH_BACKEND")
    if name in ("", "NONE"):
        return symbol
    if name in backends.names():
        backends.named(name)
        return marked(symbol, name)
    selects = _found(name)(symbol, {})
    stored = infer_stypes(symbol.nodes, stypes)

    def is_dense(node: Node) -> bool:
        read = (stored[e.node][e.output] for e in node.inputs)
        return all(s == "default" for s in (*read, *stored[node]))

    return partitioned(symbol, lambda node: is_dense(node) and selects(node))
