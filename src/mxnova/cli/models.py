# SPDX-License-Identifier: Apache-2.0
"""Whether the models that a command names are there, and begin as such files do: without torch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace

from ..core.base.errors import ArgumentError, FormatError, MissingFileError, candidates
from ..formats.archive_files import kind_of
from ..formats.checkpoint_files import SYMBOL, CheckpointFiles, epochs_of, prefix_of
from ..formats.kinds import PARAMS_MAGIC
from ..formats.remote.urls import is_remote
from ..formats.source import open_regular

__all__ = ["check_models", "stem_of"]

_HEAD = 512
_BEGINNINGS: dict[str, tuple[str, Callable[[bytes], object]]] = {  # by ending: what, and how
    ".json": ("symbol", lambda head: head.lstrip()[:1] == b"{"),
    ".params": ("file of arrays", lambda head: head.startswith(PARAMS_MAGIC)),
    ".safetensors": ("safetensors file", lambda head: head[8:9] == b"{"),
    ".mxnova": ("compiled model", lambda head: head[8:9] == b"{"),
    ".onnx": ("ONNX model", lambda head: head[:1] != b"" and head[0] & 7 in (0, 2)),
    ".pt2": ("archive of torch.export", lambda head: kind_of(head) == "zip"),
}


def check_models(options: SimpleNamespace, names: Iterable[str]) -> None:
    """Refuses models that are not there or are no models, before anything heavy is imported.

    Args:
        options: of the command; ``NAME=MODEL`` is understood, too.
        names: of the options that are models, or several.

    Raises:
        FileError: there is no such file, or it cannot be read.
        FormatError: a file does not begin as its kind does.
        ArgumentError: there is no such epoch.
    """
    for name in names:
        value = getattr(options, name)
        for text in [value] if isinstance(value, str | os.PathLike) else value or ():
            path = os.fspath(text)
            named = path.partition("=")[2]
            epoch = options.epoch if (options.epoch or 0) >= 0 else None  # the command refuses it
            _check(named if named and not os.path.exists(path) else path, epoch)


def _check(path: str, epoch: int | None) -> None:
    if not path:
        raise ArgumentError("which model? '' is no name of a file")
    if is_remote(path):  # a request takes as long as importing torch
        return
    prefix = prefix_of(path)
    if os.path.exists(path) and prefix == path:
        files = [path] if os.path.isfile(path) else []
    elif os.path.exists(path) and path.endswith(".params"):
        files = [prefix + SYMBOL, path]
    else:
        files = list(_checkpoint(path, prefix, epoch))
    for file in files:
        _check_beginning(file)


def _checkpoint(path: str, prefix: str, epoch: int | None) -> Iterator[str]:
    """The files of a checkpoint that a command reads."""
    epochs = epochs_of(prefix)
    if not epochs and not os.path.exists(prefix + SYMBOL):
        raise _missing(path, prefix)
    if epoch is not None and epochs and epoch not in epochs:
        there = ", ".join(map(str, epochs[-20:]))
        text = f"there is no epoch {epoch} of {os.path.basename(prefix)}, but {there}"
        raise ArgumentError(f"{path}: {text}")
    if os.path.exists(prefix + SYMBOL):
        yield prefix + SYMBOL
    if epochs:
        yield CheckpointFiles.of(prefix, epochs[-1] if epoch is None else epoch).params


def _missing(path: str, prefix: str) -> MissingFileError:
    text, name = "there is no such file", os.path.basename(prefix)
    if os.path.splitext(name)[1] not in _BEGINNINGS:
        text += ", and no {} or {}".format(*CheckpointFiles.of(name, 0))
    hint = candidates(os.path.basename(path), _models_in(os.path.dirname(path) or "."))
    return MissingFileError(2, text + hint, path)


def _models_in(folder: str) -> set[str]:
    """What models in a folder may be called by."""
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    prefixes = {stem_of(name) for name in names if name.endswith((SYMBOL, ".params"))}
    return prefixes | {name for name in names if os.path.splitext(name)[1] in _BEGINNINGS}


def stem_of(path: str) -> str:
    """What names of files that are made of a model begin with by default."""
    prefix = prefix_of(path.rstrip("/"))
    return os.path.splitext(prefix)[0] if prefix.endswith((".onnx", ".params")) else prefix


def _check_beginning(path: str) -> None:
    with open_regular(path) as file:
        head = file.read(_HEAD)
    kind, begins = _BEGINNINGS.get(os.path.splitext(path)[1], ("", len))
    if not head:
        raise FormatError(f"{path}: is empty")
    if kind and not begins(head):
        raise FormatError(f"{path}: is no {kind}: it begins with {head[:8]!r}")
