# SPDX-License-Identifier: Apache-2.0
"""What was recognized among the files of an artefact, and which of them are the network."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from ..core.base.errors import ArgumentError
from ..formats.checkpoint_files import SYMBOL, newest
from ..predictor.picture import Picture
from .contents import Contents
from .side_files import Shapes

__all__ = ["Findings", "checkpoint_of"]

_CHECKPOINT = re.compile(r"(.*)-(\d{4,9})\.params")
# Where there are several networks: the names that SageMaker and Multi Model Server look for.
_USUAL = ("model", "model_algo_1", "image-classification", "mx-mod", "prediction_net")


@dataclass
class Findings:
    """Facts of an artefact.

    Attributes:
        layout: what it is.
        symbol: the path of the network's file; None where there is none.
        params: the path of the file of parameters.
        epoch: its number; `has_epochs`: whether its name tells one.
        network: name of a network of Gluon's model zoo, where only parameters are there.
        labels: names of the scores.
        preprocessing: how an image becomes an input.
        input_shapes: shapes of inputs; words are sizes that are open.
        notes: what else there is to know.
        handlers: programs that were found, and are not run.
    """

    layout: str = "model"
    symbol: str | None = None
    params: str | None = None
    epoch: int = 0
    has_epochs: bool = False
    network: str | None = None
    labels: list[str] | None = None
    preprocessing: Picture | None = None
    input_shapes: Shapes | None = None
    notes: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)

    @property
    def prefix(self) -> str:
        """What the names of the network's files begin with."""
        if self.symbol is not None:
            return os.path.basename(self.symbol).removesuffix(SYMBOL).removesuffix(".json")
        name = os.path.basename(self.params or "model").removesuffix(".params")
        found = _CHECKPOINT.fullmatch(f"{name}.params")
        return found[1] if found else name


def checkpoint_of(
    contents: Contents, found: Findings, epoch: int | None, hint: str | None = None
) -> None:
    """Finds the network and its parameters by their names.

    Args:
        contents: the files.
        found: gets symbol, params and epoch.
        epoch: its number; None for the newest.
        hint: what the names may begin with.

    Raises:
        ArgumentError: there are several networks, and nothing says which is meant; or there is no
            such epoch.
    """
    prefixes = _prefixes(contents)
    prefix = _chosen(contents.path, prefixes, hint)
    if prefix is None:
        return
    epochs = prefixes[prefix]
    symbol = f"{prefix}{SYMBOL}"
    found.symbol = symbol if symbol in contents.sizes else None
    if epoch is not None and epoch not in epochs:
        there = ", ".join(map(str, sorted(epochs))) or "none"
        raise ArgumentError(f"{contents.path}: there is no epoch {epoch} of {prefix}, but {there}")
    if epochs:
        found.epoch = newest(prefix, epochs) if epoch is None else epoch
        found.params = epochs[found.epoch]
        found.has_epochs = True
    else:
        found.params = _only_params(contents, symbol)


def _prefixes(contents: Contents) -> dict[str, dict[int, str]]:
    """Beginnings of names, each with its files of parameters by epoch."""
    found: dict[str, dict[int, str]] = {
        name.removesuffix(SYMBOL): {} for name in contents.sizes if name.endswith(SYMBOL)
    }
    has_symbols = bool(found)
    for name in contents.sizes:
        match = _CHECKPOINT.fullmatch(name)
        if match and (match[1] in found or not has_symbols):
            found.setdefault(match[1], {})[int(match[2])] = name
    return found


def _chosen(path: str, prefixes: dict[str, dict[int, str]], hint: str | None) -> str | None:
    if len(prefixes) < 2:
        return next(iter(prefixes), None)
    for wanted in (hint, *_USUAL):
        same = [prefix for prefix in prefixes if os.path.basename(prefix) == wanted]
        if len(same) == 1:
            return same[0]
    names = ", ".join(sorted(prefixes))
    raise ArgumentError(f"{path}: holds several networks: {names}; give PATH/NAME of one")


def _only_params(contents: Contents, symbol: str) -> str | None:
    """The only file of parameters beside a network, however it is called."""
    folder = os.path.dirname(symbol)
    names = [name for name in contents.sizes if os.path.dirname(name) == folder]
    beside = list(filter(contents.holds_arrays, names))
    return beside[0] if len(beside) == 1 else None
