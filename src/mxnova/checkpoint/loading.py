# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that many workers wrote, read by any number of workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ..core.base.doors import door
from ..core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormatError,
    MissingFileError,
    MXNetError,
    shown,
)
from ..core.nd.base_array import BaseArray
from ..core.nd.files import array_of_record
from ..formats import bounded_json, params, shards
from ..formats.atomic import replacing
from ..formats.params import ArrayRecord, ParamsFile
from ..formats.paths import joined
from ..formats.safetensors import SafetensorsFile
from ..formats.safetensors_params import NAMES, array_names, to_params
from ..formats.shards.folder import Numbered
from ..formats.shards.plain import decode
from ..formats.shards.writing import WORKER
from ..formats.source import path_exists
from ..formats.states import ObjectRecord, StatesFile
from ..ndarray import NDArray
from ..optimizer.states import dumps_described
from .content import Learner, LiveEncoder, Network
from .random_state import restore_random_state
from .workers import workers_of

__all__ = ["Checkpoint", "load", "read", "steps"]

_MAX_DEPTH = 100


class Checkpoint:
    """A checkpoint that is opened; arrays are read when they are asked for.

    Args:
        files: its files, whose headers were read.
    """

    def __init__(self, files: shards.Shards) -> None:
        self._files = files
        index = files.index
        self._notes = _object(index.content if index is not None else {}, "content")

    @property
    def path(self) -> str:
        """Its folder."""
        return self._files.folder

    @property
    def step(self) -> int | None:
        """The number it was saved with; None where another program wrote it."""
        return self._files.index.step if self._files.index is not None else None

    @property
    def world(self) -> int:
        """How many workers wrote it."""
        index = self._files.index
        return index.world if index is not None else len(self._files.files)

    @property
    def arrays(self) -> dict[str, tuple[tuple[int, ...], str]]:
        """Shape and element type of all arrays, by their names in the files."""
        return {n: (array.shape, array.dtype.name) for n, array in self._files.arrays.items()}

    def array(
        self, name: str, begin: Sequence[int] | None = None, shape: Sequence[int] | None = None
    ) -> NDArray:
        """An array, or a box of it, for which no more than its rows are read.

        Args:
            name: of the array, as in `arrays`.
            begin: first index along each axis; default: 0.
            shape: of the box; default: up to the end.

        Raises:
            MXNetError: there is no such array or box, or the bytes are not those that were saved.
        """
        return _array_of(self._record(name, begin, shape))

    @property
    def extra(self) -> Any:
        """What was saved as `extra`; None without.

        Raises:
            FormatError: it breaks the format.
        """
        notes = self._notes
        texts = notes.get("extra_arrays", {})
        return self._decoded(notes.get("extra"), texts, "extra", array_of_record)

    # Parameters and states -----------------------------------------------------------------------

    def parameters(self) -> dict[str, NDArray]:
        """The parameters, by the names that a file of them would have.

        Raises:
            FormatError: the checkpoint holds none, or breaks the format.
        """
        file, _ = self._parameter_file()
        pairs = zip(file.names, file.records, strict=True)
        return {name: _array_of(record) for name, record in pairs if record is not None}

    def save_parameters(self, filename: str | os.PathLike[str]) -> None:
        """Writes the ``.params`` file that the network would have written."""
        file, np_shape = self._parameter_file()
        params.write(filename, file.records, file.names, np_shape=np_shape)

    def save_states(
        self, filename: str | os.PathLike[str], dump_optimizer: bool | None = None
    ) -> None:
        """Writes the ``.states`` file that the Trainer or Module would have written.

        Args:
            filename: the file.
            dump_optimizer: whether the optimizer is part of it; default: for a Trainer it is.
        """
        file, in_files = self._states_file()
        content = dumps_described(file, in_files if dump_optimizer is None else dump_optimizer)
        with replacing(filename) as target:
            target.write(content)

    def states(self) -> bytes:
        """The bytes of a ``.states`` file with the optimizer, as a Trainer writes it."""
        return dumps_described(self._states_file()[0], with_optimizer=True)

    def _parameter_file(self) -> tuple[ParamsFile, bool]:
        if self._files.index is None:
            records = {name: self._record(name) for name in self._files.arrays}
            is_numpy = any(not record.shape for record in records.values())
            return ParamsFile(list(records.values()), list(records)), is_numpy
        texts = self._notes.get("parameters")
        if texts is None:
            raise FormatError(f"{self.path}: the checkpoint holds no parameters")
        return self._group(texts, "parameters")

    def _states_file(self) -> tuple[StatesFile, bool]:
        notes = _object(self._notes.get("optimizer", {}), "optimizer")
        if not notes:
            raise FormatError(f"{self.path}: the checkpoint holds no states of an optimizer")
        both = {"tuple": [notes.get("states"), notes.get("object")]}
        states, optimizer = self._decoded(both, notes.get("arrays"), "optimizer", _itself)
        if not isinstance(states, dict) or not isinstance(optimizer, ObjectRecord | None):
            raise FormatError(f"{self.path}: the states of the optimizer are no states")
        return StatesFile(states, optimizer), notes.get("in_files") is True

    # What workers had for themselves -------------------------------------------------------------

    def worker(self, rank: int) -> dict[str, Any]:
        """What the worker of a rank saved: its ``iterator``'s state, its ``random`` numbers'.

        Raises:
            ArgumentError: there was no such worker.
            FormatError: it breaks the format.
        """
        name = shards.shard_name(rank)
        file = next((f for f in self._files.files if os.path.basename(f.path) == name), None)
        if file is None or self._files.index is None:
            raise ArgumentError(f"{self.path}: there was no worker of rank {rank}")
        text = file.layout.metadata.get(WORKER, "{}")
        try:
            value = bounded_json.loads(text, max_depth=_MAX_DEPTH, unique=True, finite=True)
        except FormatError as error:
            raise FormatError(f"{file.path}: {WORKER}: {error}") from None
        notes = _object(value, WORKER)
        kinds = [kind for kind in ("iterator", "random") if kind in notes]
        pairs = {"dict": [[kind, notes[kind]] for kind in kinds]}
        texts, what = notes.get("arrays", {}), f"worker {rank}"
        found: dict[str, Any] = self._decoded(pairs, texts, what, array_of_record)
        return found

    # Reading -------------------------------------------------------------------------------------

    def _record(
        self, name: str, begin: Sequence[int] | None = None, shape: Sequence[int] | None = None
    ) -> ArrayRecord:
        values = self._files.read(name, begin, shape)
        return ArrayRecord("default", values.shape, self._files.arrays[name].dtype, values)

    def _group(self, texts: Any, what: str) -> tuple[ParamsFile, bool]:
        """Some of the arrays, as the metadata say that were made of them."""
        if not isinstance(texts, dict) or not all(isinstance(t, str) for t in texts.values()):
            raise FormatError(f"{self.path}: {what}: {shown(texts)}: must be an object of texts")
        try:
            names = array_names(texts)
            missing = next((name for name in names if name not in self._files.arrays), None)
            if missing is not None:
                raise FormatError(f"there is no array {shown(missing)}")
            if NAMES not in texts:
                raise FormatError(f"no {NAMES}")
            arrays = {name: self._record(name) for name in names}
            return to_params(SafetensorsFile(arrays, texts))
        except FormatError as error:
            raise FormatError(f"{self.path}: {what}: {error}") from None

    def _decoded(
        self, value: Any, texts: Any, what: str, made: Callable[[ArrayRecord], Any]
    ) -> Any:
        """Plain data with its arrays; a name stands there once, or memory would have no bound."""
        if texts == {}:
            records: dict[str, ArrayRecord] = {}
        else:
            file, _ = self._group(texts, what)
            records = {n: r for n, r in zip(file.names, file.records, strict=True) if r is not None}

        def array_of(kind: str, name: str) -> Any:
            if name not in records:
                raise FormatError(f"no array {shown(name)} is left")
            record = records.pop(name)
            return made(record) if kind == "array" else record.data

        try:
            return decode(value, array_of)
        except FormatError as error:
            raise FormatError(f"{self.path}: {what}: {error}") from None


def _array_of(record: ArrayRecord) -> NDArray:
    return cast("NDArray", array_of_record(record))


def _itself(record: ArrayRecord) -> ArrayRecord:
    return record


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{what}: {shown(value)}: must be an object")
    return value


# Folders ------------------------------------------------------------------------------------------


@door
def steps(folder: str | os.PathLike[str]) -> list[int]:
    """Numbers of the complete checkpoints in a folder, ascending; none without such a folder."""
    return sorted({n.step for n in shards.numbered(folder) if n.is_complete})


def read(
    folder: str | os.PathLike[str], step: int | None = None, *, check_hashes: bool = True
) -> Checkpoint:
    """Opens a checkpoint of `save`, or of torch.distributed.checkpoint in safetensors files.

    Args:
        folder: of checkpoints, or of one; it may be a URL. HTTP servers, which list no folders,
            have only those of one.
        step: which one; default: that of the highest step.
        check_hashes: compare what is read with the hashes in the index.

    Raises:
        MissingFileError: there is none.
        FormatError: it is not complete, or breaks the format.
    """
    path = os.fspath(folder)
    if step is not None or not path_exists(joined(path, shards.INDEX)):
        found = [n for n in shards.numbered(folder) if n.is_complete]
        if step is not None or found:
            path = _of_step(path, found, step)
    return Checkpoint(shards.read(path, check_hashes=check_hashes))


def _of_step(folder: str, found: Sequence[Numbered], step: int | None) -> str:
    fits = [n for n in found if step in (None, n.step)]
    if not fits:
        have = sorted({n.step for n in found})
        raise MissingFileError(2, f"there is no checkpoint {step}; there are {shown(have)}", folder)
    return fits[-1].path


@door
def load(
    folder: str | os.PathLike[str],
    net: Any = None,
    trainer: Any = None,
    *,
    iterator: Any = None,
    random: bool = True,
    step: int | None = None,
    store: Any = None,
    rank: int | None = None,
    world: int | None = None,
    check_hashes: bool = True,
) -> Checkpoint:
    """Goes on from a checkpoint; every worker calls it, however many there were before.

    Parameters and states of the optimizer are the same on any number of workers. A worker takes
    the random numbers of the same rank, if there was one. What an iterator noted is taken by as
    many workers as there were, or where all noted the same.

    Args:
        folder: of checkpoints, or of one.
        net: what takes the parameters: a Block, a Module that is bound, or arrays by name, which
            are filled.
        trainer: what takes the optimizer and its states: a Trainer; default: a Module that is
            `net`, once it has an optimizer.
        iterator: of the data; its `load_state_dict` takes its state, if it was saved, or its
            `load_states`, if it has that, a list with the state of each worker.
        random: whether to continue random numbers, if they were saved.
        step: which checkpoint; default: that of the highest step.
        store: the store that tells the workers apart; default: the trainer's.
        rank: number of this worker, from 0, without a store.
        world: how many workers there are, without a store.
        check_hashes: compare what is read with the hashes in the index.

    Returns:
        The checkpoint, with its `step` and `extra`.

    Raises:
        MissingFileError: there is none.
        MXNetError: it is not complete, breaks the format, or does not fit. Nothing has changed
            then, unless the last of the objects refuses what the others have taken.
    """
    checkpoint = read(folder, step, check_hashes=check_hashes)
    has_optimizer = isinstance(net, Learner) and getattr(net, "optimizer_initialized", False)
    learner = net if trainer is None and has_optimizer else trainer
    arrays = checkpoint.parameters() if net is not None else {}
    states = checkpoint.states() if learner is not None else b""
    if net is not None:
        _fill(net, arrays, checkpoint.path)
    rank, world = workers_of("checkpoint.load", learner, store, rank, world)
    if learner is not None:
        learner._load_checkpoint_states(states)
    wants_iterator = iterator is not None and hasattr(iterator, "load_state_dict")
    if checkpoint.step is not None and (random or wants_iterator):
        of_worker = checkpoint.worker(rank) if rank < checkpoint.world else {}
        if wants_iterator:
            _restore_iterator(iterator, checkpoint, of_worker, world)
        if random and "random" in of_worker:
            restore_random_state(of_worker["random"])
    return checkpoint


def _fill(net: Any, arrays: dict[str, NDArray], source: str) -> None:
    if isinstance(net, Network):
        net._load_checkpoint_parameters(arrays, source)
        return
    if not isinstance(net, Mapping) or not all(isinstance(a, BaseArray) for a in net.values()):
        text = f"net={shown(net)}: must be a Block, a Module or arrays by name"
        raise ArgumentTypeError(f"checkpoint.load: {text}")
    for name, target in net.items():
        given = arrays.get(name)
        if given is None or given.shape != target.shape:
            have = "none" if given is None else str(given.shape)
            text = f"array {shown(name)} has shape {target.shape}, in the checkpoint: {have}"
            raise ArgumentError(f"checkpoint.load: {source}: {text}")
    for name, target in net.items():
        arrays[name].astype(target.dtype).copyto(target)


def _restore_iterator(
    iterator: Any, checkpoint: Checkpoint, of_worker: dict[str, Any], world: int
) -> None:
    if world == checkpoint.world:
        states = [of_worker]
    else:
        states = [checkpoint.worker(rank) for rank in range(checkpoint.world)]
    found = [state["iterator"] for state in states if "iterator" in state]
    if not found:
        return
    if hasattr(iterator, "load_states"):  # those of several workers, who know of other records
        iterator.load_states(found)
        return
    if any(_fingerprint(state) != _fingerprint(found[0]) for state in found[1:]):
        raise MXNetError(
            f"checkpoint.load: iterator: {checkpoint.world} workers were at places of their own in "
            f"the data, and there are {world} now: load without it, and set its place; "
            "read(folder).worker(rank) tells those"
        )
    iterator.load_state_dict(found[0])


def _fingerprint(state: Any) -> tuple[Any, dict[str, bytes]]:
    """What is equal exactly where states are."""
    encoder = LiveEncoder("")
    return encoder.encode(state), {n: r.data.tobytes() for n, r in encoder.arrays.items()}
