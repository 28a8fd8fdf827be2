# SPDX-License-Identifier: Apache-2.0
"""What a model may be given as, brought to one form: a symbol and its arrays."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import symbol as sym
from ..checkpoint import split_params
from ..core.base.errors import ArgumentError, ArgumentTypeError, shown
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from ..core.nd.files import load
from ..formats.checkpoint_files import located
from ..gluon.block import HybridBlock
from ..module import BaseModule, Module
from ..predictor import Predictor

__all__ = ["Model", "model_of"]

Arrays = dict[str, NDArray]
_PREFIX = re.compile(r"^(arg|aux):")


class Model(NamedTuple):
    """A symbol and its arrays.

    Attributes:
        symbol: what is computed.
        arrays: parameters and auxiliary states by name.
        frozen: names of parameters that are not trained.
        shapes: shapes of inputs, as far as the model has seen some.
    """

    symbol: Symbol
    arrays: Arrays
    frozen: frozenset[str] = frozenset()
    shapes: Mapping[str, tuple[int, ...]] = {}


def model_of(model: Any, params: Any, aux: Any, epoch: int | None) -> Model:
    """The one form of what `to_torch` is given; see there.

    Raises:
        MXNetError: it is nothing that a model may be given as, or not complete.
    """
    if isinstance(model, (HybridBlock, BaseModule, Predictor)):
        _refuse_further(model, params=params, aux=aux, epoch=epoch)
    if isinstance(model, HybridBlock):
        return _of_block(model)
    if isinstance(model, BaseModule):
        return _of_module(model)
    if isinstance(model, Predictor):
        return _of_predictor(model)
    if isinstance(model, (str, os.PathLike)):
        return _of_files(os.fspath(model), params, aux, epoch)
    if isinstance(model, Symbol):
        if epoch is not None:
            raise ArgumentError(f"to_torch: epoch={epoch}: a Symbol has none; give params")
        return _of_symbol(model, params, aux)
    raise ArgumentTypeError(
        f"to_torch: model={shown(model)}: must be a Symbol, the prefix of a checkpoint, the path "
        "of a symbol file, a HybridBlock, a Module or a Predictor"
    )


def _refuse_further(model: Any, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(f"to_torch: {name}: a {type(model).__name__} has its own")


# Files --------------------------------------------------------------------------------------------


def _of_files(path: str, params: Any, aux: Any, epoch: int | None) -> Model:
    if path.endswith(".json"):
        if params is None:
            params = located(path.removesuffix(".json").removesuffix("-symbol"), epoch).params
        return _of_symbol(_symbol(path), params, aux)
    if params is not None or aux is not None:
        raise ArgumentError(f"to_torch: params: the checkpoint {path!r} has its own")
    return _of_symbol(_symbol(f"{path}-symbol.json"), located(path, epoch).params, None)


def _of_symbol(symbol: Symbol, params: Any, aux: Any) -> Model:
    names = set(symbol.list_inputs())
    return Model(symbol, _arrays_of(params, "params", names) | _arrays_of(aux, "aux", names))


def _symbol(path: str) -> Symbol:
    loaded: Any = sym.load(path)
    return loaded  # type: ignore[no-any-return]


def _arrays_of(given: Any, what: str, names: set[str]) -> Arrays:
    """Return arrays by name, from a dict or a file.

    Keys of a dict may begin with ``arg:`` and ``aux:``, unless `names` contains them as they are.
    """
    if given is None:
        return {}
    if isinstance(given, (str, os.PathLike)):
        arguments, states = split_params(load(os.fspath(given)), os.fspath(given))
        return arguments | states
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"to_torch: {what}={shown(given)}: must be a dict or a path")
    for name, array in given.items():
        if not isinstance(array, NDArray):
            raise ArgumentTypeError(f"to_torch: {what}: {name} is {shown(array)}, no array")
    return {n if n in names else _PREFIX.sub("", n): array for n, array in given.items()}


# Objects ------------------------------------------------------------------------------------------


def _of_block(block: HybridBlock) -> Model:
    if block._cached_graph:
        _, symbol = block._cached_graph
    else:
        symbol = block(sym.var("data"))
        symbol = sym.Group(list(symbol)) if isinstance(symbol, (list, tuple)) else symbol
    names = set(symbol.list_inputs())
    parameters = {n: p for n, p in block.collect_params().items() if n in names}
    arrays = {n: p.data(p.list_ctx()[0]) for n, p in parameters.items()}
    states = set(symbol.list_auxiliary_states())
    frozen = frozenset(n for n, p in parameters.items() if p.grad_req == "null" and n not in states)
    return Model(symbol, arrays, frozen)


def _of_module(module: Any) -> Model:
    current: Any = getattr(module, "_curr_module", module)  # of a BucketingModule
    if not isinstance(current, Module):
        raise ArgumentTypeError(
            f"to_torch: model={shown(module)}: of modules Module and BucketingModule are one symbol"
        )
    return _of_bound(current)


def _of_bound(module: Any) -> Model:
    arguments, states = module.get_params()
    shapes = {d[0]: tuple(d[1]) for d in module.data_shapes} if module.binded else {}
    return Model(module.symbol, arguments | states, frozenset(module._fixed_param_names), shapes)


def _of_predictor(predictor: Any) -> Model:
    network = predictor.graph_network
    arrays = {n: NDArray(t) for n, t in network.parameters.items()}
    shapes = {n: network.input_facts(n)[0] for n in network.inputs}
    return Model(network.symbol, arrays, frozenset(), shapes)
