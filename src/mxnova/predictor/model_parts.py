# SPDX-License-Identifier: Apache-2.0
"""The parts of a model as they are given to a predictor, checked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from ..checkpoint import split_params
from ..core.base.aligned import VECTOR
from ..core.base.errors import ArgumentError, ArgumentTypeError, MXNetError, candidates, shown
from ..core.exec import backends
from ..core.exec.backends.request import DEFAULT, marked, wanted
from ..core.exec.bind.subgraph_backends import for_binding
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Group, Symbol
from ..core.nd.array import NDArray
from ..core.nd.files import load, load_frombuffer
from ..core.runtime.context import Context
from ..formats.source import read_file

__all__ = [
    "PathOrBytes",
    "aligned",
    "arrays_of",
    "asking",
    "missing_values",
    "named",
    "outputs_of",
    "symbol_of",
]

PathOrBytes = str | os.PathLike[str] | bytes


def symbol_of(source: Symbol | PathOrBytes) -> Symbol:
    """The symbol that is given as one, as JSON or by its path."""
    if isinstance(source, Symbol):
        return source
    symbol: Symbol
    if isinstance(source, (str, bytes)) and source.lstrip()[:1] in ("{", b"{"):
        symbol = from_json(source)
        return symbol
    text = read_file(os.fsdecode(source))
    try:
        symbol = from_json(text)
    except MXNetError as error:
        raise type(error)(f"{os.fsdecode(source)}: {error}") from None
    return symbol


def asking(symbol: Symbol, backend: str | None, precision: str, context: Context) -> Symbol:
    """`symbol`, asking for a backend."""
    if backend is None and precision == "float32":
        bound = for_binding(symbol, {})
        is_asking = bound is not symbol or any(wanted(symbol))
        is_given = is_asking or not backends.is_worth_measuring(context)
        return bound if is_given else marked(symbol, "auto")
    if not isinstance(backend, str | None):
        raise ArgumentTypeError(f"Predictor: backend={shown(backend)}: must be a name")
    name = DEFAULT if backend is None else backend
    backends.named(name)
    return marked(symbol, name, precision)


def named(what: str, given: Any) -> Mapping[str, Any]:
    """What is given by name."""
    if isinstance(given, Mapping):
        return given
    raise ArgumentTypeError(f"Predictor: {what}={shown(given)}: must be a dict of names")


def outputs_of(symbol: Symbol, names: Sequence[str] | None) -> Symbol:
    """`symbol` with these outputs, inner ones included."""
    if names is None:
        return symbol
    internals = symbol.get_internals()
    known = internals.list_outputs()
    if not isinstance(names, (list, tuple)):
        raise ArgumentTypeError(f"Predictor: outputs={shown(names)}: must be a list of names")
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"Predictor: outputs: {shown(name)} is no name")
        if name not in known and f"{name}_output" not in known:
            hint = candidates(name, [k.removesuffix("_output") for k in known])
            raise ArgumentError(f"Predictor: no output is named {name!r}{hint}")
    return Group([internals[n if n in known else f"{n}_output"] for n in names])


def arrays_of(params: PathOrBytes | Mapping[str, NDArray]) -> dict[str, NDArray]:
    """The parameters by name."""
    if isinstance(params, Mapping):
        loaded: Any = dict(params)
        source = "params"
    else:
        loaded = load_frombuffer(params) if isinstance(params, bytes) else load(params)
        source = "params" if isinstance(params, bytes) else os.fspath(params)
    arguments, auxiliary = split_params(loaded, source)
    arrays = arguments | auxiliary
    for name, array in arrays.items():
        if not isinstance(array, NDArray):
            raise ArgumentTypeError(f"Predictor: {source}: {name} is {shown(array)}, no array")
    return arrays


def missing_values(source: str, names: Sequence[str]) -> str:
    """Format the error for variables of a network that have no values.

    Args:
        source: the file of parameters, or the argument that holds them.
        names: the variables.
    """
    several = len(names) > 10
    listed = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if several else "")
    return (
        f"Predictor: {source} lacks {listed}, and input_shapes does not give the shape of an input "
        "of that name. Complete the parameters, or pass allow_missing=True to compute with zeros"
    )


def aligned(parameters: dict[str, Tensor], symbol: Symbol) -> dict[str, Tensor]:
    """`parameters`, with those that products read copied where files have them anywhere.

    The last bits of BLAS's products depend on where the weights lie: a model that is mapped and one
    that was given as bytes must answer alike.
    """
    products = (n for n in symbol.nodes if n.op is not None and n.op.is_product)
    read = {e.node.name for n in products for e in n.inputs if e.node.op is None}
    return {
        n: t.clone() if n in read and t.data_ptr() % VECTOR else t for n, t in parameters.items()
    }
