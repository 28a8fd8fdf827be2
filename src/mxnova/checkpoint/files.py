# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: a symbol in ``prefix-symbol.json``, parameters in ``prefix-0001.params``."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, NamedTuple

from .. import ndarray as nd
from .. import symbol as sym
from ..core.base.doors import door
from ..core.base.errors import FormatError
from ..core.graph.serialize import saving
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray

__all__ = [
    "BatchEndParam",
    "joined_params",
    "load_checkpoint",
    "load_params",
    "save_checkpoint",
    "split_params",
]

Params = dict[str, NDArray]


class BatchEndParam(NamedTuple):
    """The arguments of batch-end and evaluation-end callbacks."""

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: Any


@door
def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Writes ``prefix-symbol.json`` (unless `symbol` is None) and ``prefix-<epoch>.params``."""
    path, parameters = f"{prefix}-symbol.json", f"{prefix}-{epoch:04d}.params"
    with nullcontext() if symbol is None else saving(symbol, path, remove_amp_cast):
        nd.save(parameters, joined_params(arg_params, aux_params))
    logging.info('Saved checkpoint to "%s"', parameters)


def joined_params(
    arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
) -> dict[str, NDArray]:
    """Return the content of a parameter file: ``arg:`` and ``aux:`` names with their arrays."""
    arrays = {f"arg:{name}": array for name, array in arg_params.items()}
    arrays.update((f"aux:{name}", array) for name, array in aux_params.items())
    return arrays


@door
def load_params(prefix: str, epoch: int) -> tuple[Params, Params]:
    """(arguments, auxiliary states) in ``prefix-<epoch>.params``."""
    path = f"{prefix}-{epoch:04d}.params"
    return split_params(nd.load(path), path)


def split_params(loaded: object, source: str) -> tuple[Params, Params]:
    """(arguments, auxiliary states) of a loaded file, whose names start with ``arg:`` or ``aux:``.

    Raises:
        FormatError: it holds a list, or a name without either prefix.
    """
    if not isinstance(loaded, dict):
        if not loaded:
            return {}, {}
        raise FormatError(f"{source}: arrays without names are no model parameters")
    kinds: dict[str, Params] = {"arg": {}, "aux": {}}
    for key, array in loaded.items():
        kind, _, name = str(key).partition(":")
        if kind not in kinds or not name:
            raise FormatError(f"{source}: {key!r} starts with neither 'arg:' nor 'aux:'")
        kinds[kind][name] = array
    return kinds["arg"], kinds["aux"]


@door
def load_checkpoint(prefix: str, epoch: int) -> tuple[Symbol, Params, Params]:
    """(symbol, arguments, auxiliary states) of a checkpoint."""
    symbol = sym.load(f"{prefix}-symbol.json")
    return symbol, *load_params(prefix, epoch)
