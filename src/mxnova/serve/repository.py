# SPDX-License-Identifier: Apache-2.0
"""The models of a server: found, loaded, unloaded, reloaded while requests go on."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import math
import re
import time
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from starlette.types import Scope

from ..core.base import env
from ..core.base.cores import usable_cores
from ..core.base.errors import MXNetError, OutOfMemoryError, bounded, candidates, shown
from ..core.base.printable import printable
from .batching import Batcher, Pool, batch_sizes
from .bodies import timeout
from .errors import Refused, overloaded
from .loading import OPEN, Model, Tensor, load
from .metrics import Metrics
from .pools import BoundedPool
from .settings import ModelSource, Settings
from .shared_state import Entry, SharedState

__all__ = ["Fed", "Repository", "Served"]

_log = logging.getLogger("mxnova")

Array = np.ndarray[Any, Any]
_MOST_LOADS = 8  # The number of loads that run or wait.
_FULL_SECONDS = 60  # The interval of full garbage collections.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Fed(NamedTuple):
    """Inputs that a model takes.

    Attributes:
        arrays: By name.
        rows: The size of their first axis.
    """

    arrays: dict[str, Array]
    rows: int

    @property
    def own_bytes(self) -> int:
        """Return how many bytes the arrays have that are not views of a body."""
        # Views of a body are read-only, as `bytes` are; arrays of their own can be written.
        return sum([a.nbytes for a in self.arrays.values() if a.flags.writeable])


@dataclass(frozen=True)
class Served:
    """A loaded model with its queue; requests that hold one are answered after it was replaced."""

    name: str
    model: Model
    batcher: Batcher
    entry: Entry

    def fit(self, arrays: Mapping[str, Array]) -> Fed:
        """Return inputs by name in the dtypes of the model; callable from any thread.

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
        return Fed(fed, _rows(fed, self.model.inputs))

    def submit(self, fed: Fed, hold: Callable[[int], None]) -> asyncio.Future[list[Array]]:
        """Return the outputs, when the model has run.

        Args:
            fed: The inputs.
            hold: Called with the number of bytes of the outputs, see `Batcher.submit`.

        Raises:
            Refused: Too many requests wait for the model.
        """
        return self.batcher.submit(fed.arrays, fed.rows, hold)


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
        self._loader = BoundedPool("loading", 1, _MOST_LOADS)
        self._n_changes = 0  # The number of loads in progress.
        self._garbage = _Garbage()

    def start(self) -> None:
        """Loads the models; returns when all have run once.

        Raises:
            MXNetError: one cannot be loaded.
        """
        for name, entry in self._state.entries().items():
            self._served[name] = self._load(name, entry)
        self._garbage.freeze(self._served.values())

    def close(self) -> None:
        """End the threads when they have nothing to do."""
        self._pool.executor.shutdown()
        self._loader.executor.shutdown(cancel_futures=True)

    def _load(self, name: str, entry: Entry) -> Served:
        settings = self._settings
        self._garbage.collect(list(self._served.values()))
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

    async def get(self, name: str, scope: Scope | None = None) -> Served:
        """Return the model, as it was loaded last by any process.

        Args:
            name: Of the model.
            scope: Of the request.

        Raises:
            Refused: there is no such model, or this process cannot load it.
        """
        entry = self._entry(name)
        served = self._served.get(name)
        if served is not None and served.entry == entry:
            return served
        async with self._changing(name, self._settings.timeout):
            served = self._served.get(name)
            if served is None or served.entry != entry:
                served = await self._run_load(name, entry, 503, scope)
                self._put(served)
        return served

    # Changes --------------------------------------------------------------------------------------

    async def load(
        self, name: str, path: str | None = None, is_new: bool = False, scope: Scope | None = None
    ) -> None:
        """Load a model, or load it again: requests go to the old one until the new one is there.

        Args:
            name: Of the model.
            path: Where it is, inside of the folder of models; default: where it was, or its name.
            is_new: Refuse a name that is there.
            scope: Of the request.

        Raises:
            Refused: it may not be loaded, or cannot.
        """
        if not _NAME.fullmatch(name):
            raise Refused(400, f"{shown(name, 80)} is no name of a model: letters, digits, . _ -")
        if self._n_changes >= _MOST_LOADS:
            raise overloaded(f"{self._n_changes} models are being loaded")
        self._n_changes += 1
        try:
            async with self._changing(name, self._settings.load_timeout):
                await self._replace(name, path, is_new, scope)
        finally:
            self._n_changes -= 1

    async def _replace(
        self, name: str, path: str | None, is_new: bool, scope: Scope | None
    ) -> None:
        entries = self._entries()
        old = entries.get(name)
        if old is not None and is_new:
            raise Refused(409, f"model {name!r} is loaded already")
        most = max(self._settings.max_models, len(self._settings.models))
        if old is None and len(entries) >= most:
            raise Refused(507, f"{len(entries)} models are loaded; unload one before {name!r}")
        source = self._source(name, path, old)
        served = await self._run_load(name, Entry(source), 400, scope)
        try:
            entry = self._state.reload(name, source)
        except OSError as error:  # The disk is full.
            _log.error("the list of models cannot be written: %s", error)
            raise Refused(507, "the server cannot write its list of models") from None
        self._put(replace(served, entry=entry))

    def _put(self, served: Served) -> None:
        """Have later requests take this model."""
        if (old := self._served.get(served.name)) is not None:
            self._garbage.drop(old)
        self._served[served.name] = served

    async def unload(self, name: str) -> None:
        """Forgets a model; requests that have it already are answered.

        Raises:
            Refused: there is no such model.
        """
        async with self._changing(name, self._settings.load_timeout):
            self._entry(name)
            self._state.remove(name)
            self._drop(name)

    def _drop(self, name: str) -> None:
        """Forgets a model; what requests still have is freed with the next one."""
        self._garbage.drop(self._served.pop(name))
        self._garbage.collect(self._served.values())

    @contextlib.asynccontextmanager
    async def _changing(self, name: str, seconds: float) -> AsyncIterator[None]:
        """Have the block load or unload a model that no other request loads or unloads.

        Raises:
            Refused: Others took longer than some seconds.
        """
        lock = self._loading.setdefault(name, asyncio.Lock())
        try:
            async with timeout(seconds):
                await lock.acquire()
        except TimeoutError:
            raise overloaded(f"others have loaded model {name!r} for {seconds:g} seconds") from None
        try:
            yield
        finally:
            lock.release()

    def _source(self, name: str, path: str | None, old: Entry | None) -> ModelSource:
        if path is None and old is not None:
            return old.source
        if path is None and name in self._settings.models:  # one that was unloaded
            return self._settings.models[name]
        root = self._settings.root
        if root is None:
            raise Refused(403, "models cannot be loaded: the server has no --model-root")
        wanted = Path(_check_path(path)) if path is not None else root / name
        compiled = root / f"{name}.mxnova"
        try:
            if path is None and not wanted.exists() and compiled.exists():
                wanted = compiled
            is_inside = root.resolve() in wanted.resolve().parents
        except (OSError, RuntimeError) as error:  # The name is too long, or links form a circle.
            reason = error.strerror if isinstance(error, OSError) else error
            raise Refused(400, f"{shown(str(wanted), 200)} is not a path: {reason}") from None
        if not is_inside:
            raise Refused(403, f"{shown(str(wanted), 200)} is not in the folder of models")
        return ModelSource(str(wanted), backend=self._settings.backend, ctx=self._settings.ctx)

    async def _run_load(self, name: str, entry: Entry, status: int, scope: Scope | None) -> Served:
        load = partial(self._load, name, entry)
        seconds, failure = self._settings.load_timeout, f"model {name!r} was not loaded"
        try:
            return await self._loader.run(load, scope or {}, seconds, failure)
        except (OutOfMemoryError, MemoryError):
            raise Refused(507, f"model {name!r}: there is not enough memory") from None
        except (MXNetError, OSError) as error:
            _log.warning("model %s cannot be loaded: %s", name, printable(bounded(str(error))))
            raise Refused(status, f"model {name!r} cannot be loaded: {error}") from None


def _check_path(path: str) -> str:
    """Return a path of a client.

    Raises:
        Refused: It contains control characters, or characters that no encoding has.
    """
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in path):
        raise Refused(400, f"{shown(path, 200)} is not a path: it contains control characters")
    return path


class _Garbage:
    """Collects models without references: graphs of some backends, with weights, form cycles.

    A collection holds the GIL. In a process of the server's own, the objects that exist when the
    server starts are therefore frozen (`gc.freeze`): collecting them, too, takes 140 ms.
    """

    def __init__(self) -> None:
        self._frozen: set[int] = set()  # The ids of frozen models.
        self._has_frozen_garbage = False
        self._last_full = -math.inf

    def freeze(self, models: Iterable[Served]) -> None:
        """Collect all garbage, and leave the rest, with these models, out of collections."""
        gc.unfreeze()
        gc.collect()
        if env.get("MXNOVA_TUNE_PROCESS"):
            gc.freeze()
            self._frozen = {id(served.model) for served in models}
        self._has_frozen_garbage = False

    def drop(self, served: Served) -> None:
        """Note that a model is not served any more."""
        self._has_frozen_garbage |= id(served.model) in self._frozen

    def collect(self, models: Iterable[Served]) -> None:
        """Collect garbage. Frozen models that were dropped wait for the first call in a minute."""
        if self._has_frozen_garbage and time.monotonic() - self._last_full > _FULL_SECONDS:
            self._last_full = time.monotonic()
            self.freeze(models)
        else:
            gc.collect()
