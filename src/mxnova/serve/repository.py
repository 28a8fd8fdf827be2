# SPDX-License-Identifier: Apache-2.0
"""The models of a server: found, loaded, unloaded, reloaded while requests go on."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..core.base import env
from ..core.base.cores import usable_cores
from ..core.base.errors import MXNetError, OutOfMemoryError, candidates, shown
from .batching import Batcher, Pool, batch_sizes
from .errors import Refused
from .loading import OPEN, Model, Tensor, load
from .metrics import Metrics
from .settings import ModelSource, Settings
from .shared_state import Entry, SharedState

__all__ = ["Repository", "Served"]

_log = logging.getLogger("mxnova")

Array = np.ndarray[Any, Any]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True)
class Served:
    """A loaded model with its queue; requests that hold one are answered after it was replaced."""

    name: str
    model: Model
    batcher: Batcher
    entry: Entry

    def submit(self, arrays: Mapping[str, Array]) -> asyncio.Future[list[Array]]:
        """The outputs for inputs by name.

        Raises:
            Refused: inputs are missing, unknown or of shapes that the model does not take.
        """
        for name in arrays:
            if name not in (known := [t.name for t in self.model.inputs]):
                raise Refused(
                    400, f"model {self.name!r} has no input {name!r}{candidates(name, known)}"
                )
        for tensor in self.model.inputs:
            if tensor.name not in arrays:
                raise Refused(400, f"input {tensor.name!r} of model {self.name!r} is missing")
        fed = {t.name: _fitting(t, arrays[t.name]) for t in self.model.inputs}
        rows = _rows(fed, self.model.inputs)
        return self.batcher.submit(fed, rows)


def _fitting(tensor: Tensor, values: Array) -> Array:
    """An input, in the element type of the model.

    Raises:
        Refused: it has not the shape, or an element type that would lose its meaning.
    """
    fits = len(values.shape) == len(tensor.shape) and all(
        wanted in (OPEN, size) for size, wanted in zip(values.shape, tensor.shape, strict=True)
    )
    if not fits or 0 in values.shape:
        text = (
            f"input {tensor.name!r} has shape {list(values.shape)}, expected {list(tensor.shape)}"
        )
        raise Refused(400, text + ", and no size of 0" * (0 in values.shape))
    if values.dtype == tensor.dtype:
        return values
    if not np.can_cast(values.dtype, tensor.dtype, "same_kind"):
        raise Refused(
            400, f"input {tensor.name!r} is of {values.dtype}, which is no {tensor.dtype}"
        )
    with np.errstate(all="ignore"):
        return values.astype(tensor.dtype)


def _rows(fed: Mapping[str, Array], tensors: Sequence[Tensor]) -> int:
    """The size of the first axis of all inputs.

    Raises:
        Refused: they do not agree.
    """
    sizes = {fed[t.name].shape[0] for t in tensors if t.shape and t.shape[0] == OPEN}
    if len(sizes) > 1:
        shapes = ", ".join(f"{name} {list(values.shape)}" for name, values in fed.items())
        raise Refused(400, f"inputs disagree about the size of the batch: {shapes}")
    return sizes.pop() if sizes else 1


def _free() -> None:
    """Collects models without references: graphs of some backends, with weights, form cycles.

    It stops all threads, so it runs only when models are loaded or unloaded. In a process of the
    server's own the rest is frozen (`gc.freeze`): a full collection takes 12 ms of some request.
    """
    is_own = env.get("MXNOVA_TUNE_PROCESS")
    if is_own:
        gc.unfreeze()
    gc.collect()
    if is_own:
        gc.freeze()


class Repository:
    """The models of a process.

    Args:
        settings: of the server; its models are loaded by `start`.
        metrics: told of every run.
    """

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._settings, self._metrics = settings, metrics
        self._pool = Pool(settings.threads)
        initial = {name: Entry(source) for name, source in settings.models.items()}
        self._state = SharedState(settings.state, initial)
        self._served: dict[str, Served] = {}
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def start(self) -> None:
        """Loads the models; returns when all have run once.

        Raises:
            MXNetError: one cannot be loaded.
        """
        for name, entry in self._state.entries().items():
            self._served[name] = self._load(name, entry)

    def close(self) -> None:
        """Ends the threads when they have nothing to do."""
        self._pool.executor.shutdown()

    def _load(self, name: str, entry: Entry) -> Served:
        settings = self._settings
        _free()
        model = load(entry.source, batch_sizes(max(2, settings.max_batch)))
        batcher = Batcher(
            lambda inputs: model.predictor.predict(**inputs),
            self._pool,
            settings.max_batch if model.is_batched else 1,
            settings.max_delay,
            settings.max_queue,
            partial(self._metrics.ran, name),
            settings.workers >= usable_cores(),
        )
        return Served(name, model, batcher, entry)

    # Lookups --------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Of the models that are served."""
        return list(self._entries())

    def has(self, name: str) -> bool:
        """Whether this process has the model."""
        return name in self._served

    def default(self) -> str:
        """The model that answers where no name is given: the first that the server was told of.

        A server that was told of none has one as long as one is loaded.

        Raises:
            Refused: it is not loaded, or there are several.
        """
        served = self.names()
        first = next(iter(self._settings.models), None)
        if first is None and len(served) == 1:
            return served[0]
        if first in served:
            return str(first)
        if first is None:
            text = f"{len(served)} models are loaded" if served else "no model is loaded"
            raise Refused(404, f"{text}, and none answers without its name: /models/NAME/invoke")
        raise Refused(
            404, f"model {first!r} answers here, and is unloaded; others do at /models/NAME/invoke"
        )

    def url(self, name: str) -> str:
        """Where a served model was loaded from."""
        return self._entry(name).source.path

    def available(self) -> list[str]:
        """Names of models that may be loaded, and are not."""
        root = self._settings.root
        found = sorted(root.iterdir()) if root is not None and root.is_dir() else []
        names = [*self._settings.models, *(path.name.removesuffix(".mxnova") for path in found)]
        served = self._entries()
        return [n for n in dict.fromkeys(names) if n not in served and _NAME.fullmatch(n)]

    def _entries(self) -> Mapping[str, Entry]:
        entries = self._state.entries()
        for name in self._served.keys() - entries.keys():  # another process was told to unload it
            self._drop(name)
        return entries

    def _entry(self, name: str) -> Entry:
        entries = self._entries()
        if name not in entries:
            known = ", ".join(list(entries)[:20]) or "none"
            raise Refused(404, f"there is no model {shown(name, 80)}; loaded are: {known}")
        return entries[name]

    async def get(self, name: str) -> Served:
        """The model, as it was loaded last by any process.

        Raises:
            Refused: there is no such model, or this process cannot load it.
        """
        entry = self._entry(name)
        served = self._served.get(name)
        if served is not None and served.entry == entry:
            return served
        async with self._lock(name):
            served = self._served.get(name)
            if served is None or served.entry != entry:
                served = await self._loaded(name, entry, 503)
                self._served[name] = served
        return served

    # Changes --------------------------------------------------------------------------------------

    async def load(self, name: str, path: str | None = None, is_new: bool = False) -> None:
        """Loads a model, or loads it again: requests go to the old one until the new one is there.

        Args:
            name: of the model.
            path: where it is, inside of the folder of models; default: where it was, or its name.
            is_new: refuse a name that is there.

        Raises:
            Refused: it may not be loaded, or cannot.
        """
        if not _NAME.fullmatch(name):
            raise Refused(400, f"{shown(name, 80)} is no name of a model: letters, digits, . _ -")
        async with self._lock(name):
            old = self._entries().get(name)
            if old is not None and is_new:
                raise Refused(409, f"model {name!r} is loaded already")
            source = self._source(name, path, old)
            served = await self._loaded(name, Entry(source), 400)
            self._served[name] = replace(served, entry=self._state.reload(name, source))

    async def unload(self, name: str) -> None:
        """Forgets a model; requests that have it already are answered.

        Raises:
            Refused: there is no such model.
        """
        async with self._lock(name):
            self._entry(name)
            self._state.remove(name)
            self._drop(name)

    def _drop(self, name: str) -> None:
        """Forgets a model; what requests still have is freed with the next one."""
        self._served.pop(name, None)
        _free()

    def _lock(self, name: str) -> asyncio.Lock:
        return self._loading.setdefault(name, asyncio.Lock())

    def _source(self, name: str, path: str | None, old: Entry | None) -> ModelSource:
        if path is None and old is not None:
            return old.source
        if path is None and name in self._settings.models:  # one that was unloaded
            return self._settings.models[name]
        root = self._settings.root
        if root is None:
            raise Refused(403, "models cannot be loaded: the server has no --model-root")
        wanted = Path(path) if path is not None else root / name
        compiled = root / f"{name}.mxnova"
        if path is None and not wanted.exists() and compiled.exists():
            wanted = compiled
        inside = root.resolve()
        if inside not in wanted.resolve().parents:
            raise Refused(403, f"{shown(str(wanted), 200)} is not in the folder of models")
        return ModelSource(str(wanted), backend=self._settings.backend, ctx=self._settings.ctx)

    async def _loaded(self, name: str, entry: Entry, status: int) -> Served:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(None, self._load, name, entry)
        except (OutOfMemoryError, MemoryError):
            raise Refused(507, f"model {name!r}: there is not enough memory") from None
        except (MXNetError, OSError) as error:
            _log.warning("model %s cannot be loaded: %s", name, error)
            raise Refused(status, f"model {name!r} cannot be loaded: {error}") from None
