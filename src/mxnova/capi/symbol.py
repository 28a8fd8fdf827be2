# SPDX-License-Identifier: Apache-2.0
"""Symbols: made, composed, looked into, saved; by MXNet's names and by NNVM's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.base.errors import MXNetError
from ..core.base.handles import find, free, give
from ..core.exec.calls.subgraph import cut
from ..core.graph.base_symbol import BaseSymbol
from ..core.graph.node import Entry, Node, hidden, parsed
from ..core.graph.serialize import from_json, without_amp_casts
from ..core.graph.symbol import Group, Symbol
from ..formats.source import read_file
from .arguments import found, pairs, text, texts
from .creators import Creator
from .entry_points import extern
from .interface import NULL
from .returns import return_handles, return_text, return_texts

__all__: list[str] = []

# Made ---------------------------------------------------------------------------------------------


@extern
def MXSymbolCreateAtomicSymbol(
    creator: int, num_param: int, keys: Any, vals: Any, out: Any
) -> None:
    operator = find(creator, Creator)
    name = operator.type.name
    given = {hidden(k): v for k, v in pairs(num_param, keys, vals).items()}
    attrs = operator.attributes(given)
    bodies = _body(attrs) if name == "_CachedOp" else []
    op = parsed(name, attrs, bodies)
    node = Node(op, "", attrs, (), bodies)
    out[0] = give(Symbol(Entry(node, i) for i in range(op.n_visible())))


def _body(attrs: dict[str, str]) -> list[Symbol]:
    """The graph that stands as JSON among the parameters of a `_CachedOp`, which lose it."""
    json = attrs.pop("subgraph", None)
    attrs.clear()  # how MXNet is to run it
    return [] if json is None else [from_json(json)]


extern(MXSymbolCreateAtomicSymbol, "NNSymbolCreateAtomicSymbol")


@extern
def MXSymbolCreateVariable(name: Any, out: Any) -> None:
    out[0] = give(Symbol([Entry(Node(None, text(name), {}), 0)]))


extern(MXSymbolCreateVariable, "NNSymbolCreateVariable")


@extern
def MXSymbolCreateGroup(num_symbols: int, symbols: Any, out: Any) -> None:
    out[0] = give(Group(found(num_symbols, symbols, Symbol)))


extern(MXSymbolCreateGroup, "NNSymbolCreateGroup")


@extern
def MXSymbolCreateFromFile(fname: Any, out: Any) -> None:
    out[0] = give(from_json(read_file(text(fname))))


@extern
def MXSymbolCreateFromJSON(json: Any, out: Any) -> None:
    out[0] = give(from_json(text(json)))


@extern
def MXSymbolFree(symbol: int) -> None:
    if symbol:
        free(symbol, Symbol)


extern(MXSymbolFree, "NNSymbolFree")


@extern
def MXSymbolCopy(symbol: int, out: Any) -> None:
    out[0] = give(find(symbol, Symbol).__copy__())


extern(MXSymbolCopy, "NNSymbolCopy")


@extern
def MXShallowCopySymbol(src: int, out: Any) -> None:
    out[0] = give(Symbol(find(src, Symbol).entries))


@extern
def MXGenAtomicSymbolFromSymbol(sym_handle: int, ret_sym_handle: Any) -> None:
    ret_sym_handle[0] = give(find(sym_handle, Symbol)._gen_atomic_symbol())


@extern
def MXSymbolRemoveAmpCast(sym_handle: int, ret_sym_handle: Any) -> None:
    ret_sym_handle[0] = give(without_amp_casts(find(sym_handle, Symbol)))


# Composed -----------------------------------------------------------------------------------------

_BODIES = {"_foreach": 1, "_while_loop": 2, "_cond": 3}  # operator -> how many graphs come first


@extern
def MXSymbolCompose(sym: int, name: Any, num_args: int, keys: Any, args: Any) -> None:
    symbol, symbols = find(sym, Symbol), found(num_args, args, Symbol)
    named = "" if name == NULL else text(name)
    op = symbol.entries[0].node.op
    if keys != NULL:
        symbol._compose(name=named, **dict(zip(texts(num_args, keys), symbols, strict=True)))
    elif op is not None and op.name in _BODIES and not symbol.entries[0].node.inputs:
        _compose_control_flow(symbol, named, symbols, _BODIES[op.name])
    else:
        symbol._compose(*symbols, name=named)


extern(MXSymbolCompose, "NNSymbolCompose")


def _compose_control_flow(
    symbol: Symbol, name: str, symbols: Sequence[Symbol], n_bodies: int
) -> None:
    """Gives an operator its bodies, which come first, and its inputs."""
    old = symbol.entries[0].node
    bodies = symbols[:n_bodies]
    inputs = [entry for given in symbols[n_bodies:] for entry in given.entries]
    op = parsed(str(old.op and old.op.name), old.attrs, bodies)
    node = Node(op, name, dict(old.attrs), inputs, bodies)
    made = Symbol(Entry(node, i) for i in range(op.n_visible()))
    symbol._entries, symbol._nodes = made.entries, None


@extern
def MXSymbolCutSubgraph(sym: int, inputs: Any, input_size: Any) -> None:
    symbol = find(sym, Symbol)
    scope = symbol.entries[0].node.attrs.get("__subgraph_name__")
    captured: list[Symbol] = []
    if scope is not None:
        body = cut(symbol, scope)
        symbol._entries, symbol._nodes = body.symbol.entries, None
        names = [n for n in body.symbol.list_inputs() if n in body.captured]
        captured = [Symbol([body.captured[name]]) for name in names]
    return_handles(input_size, inputs, captured)


@extern
def MXSymbolGetInputSymbols(sym: int, inputs: Any, input_size: Any) -> None:
    return_handles(input_size, inputs, _variables(find(sym, Symbol)))


def _variables(symbol: BaseSymbol) -> list[Symbol]:
    return [Symbol([Entry(node, 0)]) for node in symbol.nodes if node.op is None]


@extern
def MXSymbolGrad(sym: int, num_wrt: int, wrt: Any, out: Any) -> None:
    find(sym, Symbol).gradient(texts(num_wrt, wrt))


# Looked into --------------------------------------------------------------------------------------


@extern
def MXSymbolGetName(symbol: int, out: Any, success: Any) -> None:
    _return_maybe(out, success, find(symbol, Symbol).name)


def _return_maybe(out: Any, success: Any, value: str | None) -> None:
    success[0] = value is not None
    if value is None:
        out[0] = NULL
    else:
        return_text(out, value)


@extern
def MXSymbolListArguments(symbol: int, out_size: Any, out_str_array: Any) -> None:
    return_texts(out_size, out_str_array, find(symbol, Symbol).list_arguments())


@extern
def MXSymbolListOutputs(symbol: int, out_size: Any, out_str_array: Any) -> None:
    return_texts(out_size, out_str_array, find(symbol, Symbol).list_outputs())


extern(MXSymbolListOutputs, "NNSymbolListOutputNames")


@extern
def MXSymbolListAuxiliaryStates(symbol: int, out_size: Any, out_str_array: Any) -> None:
    return_texts(out_size, out_str_array, find(symbol, Symbol).list_auxiliary_states())


def _inputs(symbol: Symbol, option: int) -> list[Node]:
    """All variables (0), those that are read only (1), auxiliary states (2)."""
    if option == 0:
        return [node for node in symbol.nodes if node.op is None]
    if option not in (1, 2):
        raise MXNetError(f"option={option}: must be 0 (all), 1 (read only) or 2 (auxiliary)")
    return symbol.variables()[option - 1]


@extern
def NNSymbolListInputNames(symbol: int, option: int, out_size: Any, out_str_array: Any) -> None:
    names = [node.name for node in _inputs(find(symbol, Symbol), option)]
    return_texts(out_size, out_str_array, names)


@extern
def NNSymbolListInputVariables(symbol: int, option: int, out_size: Any, out_sym_array: Any) -> None:
    nodes = _inputs(find(symbol, Symbol), option)
    return_handles(out_size, out_sym_array, [Symbol([Entry(node, 0)]) for node in nodes])


@extern
def MXSymbolGetNumOutputs(symbol: int, output_count: Any) -> None:
    output_count[0] = len(find(symbol, Symbol))


extern(MXSymbolGetNumOutputs, "NNSymbolGetNumOutputs")


@extern
def MXSymbolGetInternals(symbol: int, out: Any) -> None:
    out[0] = give(find(symbol, Symbol).get_internals())


extern(MXSymbolGetInternals, "NNSymbolGetInternals")


@extern
def MXSymbolGetChildren(symbol: int, out: Any) -> None:
    children = find(symbol, Symbol).get_children()
    out[0] = give(Symbol([]) if children is None else children)


extern(MXSymbolGetChildren, "NNSymbolGetChildren")


@extern
def MXSymbolGetOutput(symbol: int, index: int, out: Any) -> None:
    out[0] = give(find(symbol, Symbol)[index])


extern(MXSymbolGetOutput, "NNSymbolGetOutput")


@extern
def MXSymbolPrint(symbol: int, out_str: Any) -> None:
    return_text(out_str, find(symbol, Symbol).debug_str())


extern(MXSymbolPrint, "NNSymbolPrint")

# Attributes ---------------------------------------------------------------------------------------


@extern
def MXSymbolGetAttr(symbol: int, key: Any, out: Any, success: Any) -> None:
    _return_maybe(out, success, find(symbol, Symbol).attr(text(key)))


extern(MXSymbolGetAttr, "NNSymbolGetAttr")


@extern
def MXSymbolSetAttr(symbol: int, key: Any, value: Any) -> None:
    find(symbol, Symbol)._set_attr(**{text(key): text(value)})


@extern
def NNSymbolSetAttrs(symbol: int, num_param: int, keys: Any, values: Any) -> None:
    find(symbol, Symbol)._set_attr(**pairs(num_param, keys, values))


def _return_attrs(out_size: Any, out: Any, attrs: Mapping[str, str]) -> None:
    listed = [item for pair in attrs.items() for item in pair]
    return_texts(out_size, out, listed)
    out_size[0] = len(attrs)


def _all_attrs(symbol: Symbol) -> dict[str, str]:
    """Attributes of every node, by ``node$key``."""
    return {
        f"{node}${key}": value
        for node, attrs in symbol.attr_dict().items()
        for key, value in attrs.items()
    }


@extern
def MXSymbolListAttr(symbol: int, out_size: Any, out: Any) -> None:
    _return_attrs(out_size, out, _all_attrs(find(symbol, Symbol)))


@extern
def MXSymbolListAttrShallow(symbol: int, out_size: Any, out: Any) -> None:
    _return_attrs(out_size, out, find(symbol, Symbol).list_attr())


@extern
def NNSymbolListAttrs(symbol: int, recursive_option: int, out_size: Any, out: Any) -> None:
    found_symbol = find(symbol, Symbol)
    shallow = bool(recursive_option)  # NNVM: 0 is recursive
    attrs = found_symbol.list_attr() if shallow else _all_attrs(found_symbol)
    _return_attrs(out_size, out, attrs)


# Saved --------------------------------------------------------------------------------------------


@extern
def MXSymbolSaveToFile(symbol: int, fname: Any) -> None:
    find(symbol, Symbol).save(text(fname), remove_amp_cast=False)


@extern
def MXSymbolSaveToJSON(symbol: int, out_json: Any) -> None:
    return_text(out_json, find(symbol, Symbol).tojson(remove_amp_cast=False))
