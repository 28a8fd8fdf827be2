# SPDX-License-Identifier: Apache-2.0
"""How workers write one checkpoint together: by files of the folder that they share.

1. The first worker makes a new folder for the checkpoint and announces it in ``saving.json``.
2. Each worker writes its file there and then a receipt, with the hashes of the file.
3. The first worker waits for all receipts, checks that the pieces make whole arrays, and writes
   the index. From then on the checkpoint counts.
4. It removes receipts, what was never completed, and what is beyond `keep`.

An attempt gets another folder than those that are there, the one announced last, and the last one
that has failed here, so that a late worker, one of a job that was killed, or an announcement that
it left can take no part: who has written for one that is not gone on with writes anew for the next.
Nothing but files is needed, as the calls of a store have an order, which a thread beside them would
break.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.base.errors import FileError, FormatError, MXNetError, shown
from ..core.runtime.forks import after_fork_in_child
from ..core.runtime.process import STARTED
from ..formats import bounded_json
from ..formats.atomic import replacing, sync_folder
from ..formats.params import ArrayRecord
from ..formats.paths import (
    joined,
    make_folder,
    make_new_folder,
    many,
    names_in,
    next_attempt,
    remove_file,
    remove_folder,
)
from ..formats.remote.urls import is_remote
from ..formats.shards import (
    BLOCK,
    INDEX,
    FileHashes,
    Shards,
    numbered,
    numbered_of,
    shard_name,
    write_index,
    write_shard,
)
from ..formats.shards.folder import Numbered
from ..formats.shards.reading import ShardFile
from ..formats.shards.writing import dumps
from ..formats.source import path_exists, read_file
from .content import WorkerContent

__all__ = ["Commit", "Snapshot"]

_ANNOUNCEMENT = "saving.json"
_OWN = re.compile(
    r"shard-\d+-model-\d+-of-\d+\.safetensors|\.receipt-\d+\.json|\.mxnova-[0-9a-f]+\.tmp(\.old)?"
)
_PAUSES = (0.002, 0.2)  # seconds between looks at the folder: at first, at most
_PAUSES_OF_STORES = (0.02, 2.0)  # which take money for each look
_last_seen: dict[tuple[str, int], str] = {}  # an attempt by folder and rank: an older save's
_failed: dict[tuple[str, int], Numbered] = {}  # the last folder that was given up, by root and step
after_fork_in_child(_last_seen.clear)


@dataclass
class Snapshot:
    """What a worker writes: pieces of arrays with where they begin, notes of all, its own."""

    pieces: dict[str, tuple[tuple[int, ...], ArrayRecord]]
    notes: dict[str, Any]
    worker: WorkerContent | None = None


@dataclass(frozen=True)
class Commit:
    """The writing of one checkpoint, as one worker sees it.

    Attributes:
        root: the folder of checkpoints.
        step: number of the checkpoint.
        rank: of this worker.
        world: the number of workers.
        keep: how many checkpoints to keep; None: all.
        timeout: seconds to wait for the others.
    """

    root: str
    step: int
    rank: int
    world: int
    keep: int | None
    timeout: float

    def write(self, snapshot: Snapshot) -> str:
        """Writes this worker's part, and returns the folder when the checkpoint is complete.

        Raises:
            FileError: a file cannot be written.
            MXNetError: another worker has failed, or does not come.
        """
        with _as_file_errors(self.root):
            make_folder(self.root)
            return self._lead(snapshot) if self.rank == 0 else self._follow(snapshot)

    def _write_shard(self, path: str, snapshot: Snapshot) -> FileHashes:
        pieces, notes = dict(snapshot.pieces), {}
        if snapshot.worker is not None:
            notes = snapshot.worker.notes
            for name, record in snapshot.worker.arrays.items():
                pieces[name] = (0,) * len(record.shape), record
        hashes = write_shard(joined(path, shard_name(self.rank)), pieces, notes)
        sync_folder(path)
        return hashes

    # The first worker ----------------------------------------------------------------------------

    def _lead(self, snapshot: Snapshot) -> str:
        path = self._new_folder()
        attempt = {
            "step": self.step,
            "folder": os.path.basename(path),
            "attempt": secrets.token_hex(8),
            "time": time.time(),
        }
        try:
            self._announce(attempt)
            hashes = {shard_name(0): self._write_shard(path, snapshot)}
            hashes |= self._receipts(path)
            self._write_index(path, hashes, snapshot.notes)
        except BaseException as error:
            with contextlib.suppress(OSError, MXNetError):
                self._announce({**attempt, "error": str(error)})
            self._give_up(path)
            raise
        _failed.pop((self.root, self.step), None)
        sync_folder(path)
        with contextlib.suppress(OSError, MXNetError):  # it is complete: a later one cleans up
            self._clean(path)
        return path

    def _give_up(self, path: str) -> None:
        folder = numbered_of(self.root, os.path.basename(path))
        if folder is not None and self.world > 1:  # of one alone nobody is late
            _failed[self.root, self.step] = folder
        _remove(path)

    def _new_folder(self) -> str:
        """A folder that is not there, was not announced last, and has not failed before.

        A worker that is late may still write into the one of an attempt that has failed.
        """
        known = [*numbered(self.root), *self._announced()]
        known += [f for f in [_failed.get((self.root, self.step))] if f is not None]
        attempts = [n.attempt for n in known if n.step == self.step]
        for attempt in itertools.count(next_attempt(self.root, attempts)):
            path = Numbered.of(self.root, self.step, attempt).path
            with contextlib.suppress(FileExistsError):
                make_new_folder(path)
                return path
        raise AssertionError

    def _announced(self) -> Iterator[Numbered]:
        with contextlib.suppress(FormatError):
            said = _read_json(joined(self.root, _ANNOUNCEMENT)) or {}
            folder = numbered_of(self.root, str(said.get("folder")))
            if folder is not None:
                yield folder

    def _announce(self, announcement: dict[str, Any]) -> None:
        if self.world > 1:
            _write_json(joined(self.root, _ANNOUNCEMENT), announcement)

    def _receipts(self, path: str) -> dict[str, FileHashes]:
        """What the other workers say of their files, once all are written."""
        found: dict[int, FileHashes] = {}
        missing = {os.path.basename(_receipt_path(path, r)): r for r in range(1, self.world)}

        def failed() -> str:
            return f"worker {min(missing.values())} has not written its part of {path}"

        for _ in self._looks(failed):
            ready = missing.keys() & set(names_in(path)) if missing else set()
            receipts = many(path, lambda name: _read_json(joined(path, name)), sorted(ready))
            for name, receipt in zip(sorted(ready), receipts, strict=True):
                if receipt is None:
                    continue
                rank = missing.pop(name)
                if "error" in receipt:
                    raise MXNetError(f"worker {rank}: {receipt['error']}")
                found[rank] = FileHashes.of(receipt, BLOCK)
            if not missing:
                break
        return {shard_name(rank): found[rank] for rank in sorted(found)}

    def _write_index(
        self, path: str, hashes: Mapping[str, FileHashes], notes: dict[str, Any]
    ) -> None:
        files = many(path, lambda name: ShardFile(joined(path, name), None, BLOCK), hashes)
        arrays = Shards(path, None, files).arrays
        own = {
            "version": 1,
            "step": self.step,
            "world": self.world,
            "block": BLOCK,
            "files": {name: said.plain() for name, said in hashes.items()},
            "content": notes,
        }
        of = {name: os.path.basename(a.pieces[0].file.path) for name, a in arrays.items()}
        total = sum(array.nbytes for array in arrays.values())
        write_index(joined(path, INDEX), own, of, total)

    def _clean(self, path: str) -> None:
        """Removes what is not needed any more; what cannot be removed stays."""
        done = [n for n in numbered(self.root) if n.is_complete]
        last = {n.step: n.path for n in done}  # of each step the last attempt
        kept = [*last.values()][-self.keep if self.keep is not None else 0 :]
        for old in numbered(self.root):
            if old.path not in (*kept, path):
                _remove(old.path)
        many(path, lambda rank: _unlink(_receipt_path(path, rank)), range(1, self.world))
        if self.world > 1:
            _unlink(joined(self.root, _ANNOUNCEMENT))

    # The others ----------------------------------------------------------------------------------

    def _follow(self, snapshot: Snapshot) -> str:
        announcement = joined(self.root, _ANNOUNCEMENT)
        older = _last_seen.get((self.root, self.rank))
        written: str | None = None
        for _ in self._looks(lambda: f"worker 0 has not completed checkpoint {self.step}"):
            said = _read_json(announcement)
            if written is not None and path_exists(joined(written, INDEX)):
                return written
            if said is None or said.get("step") != self.step:
                continue
            path = joined(self.root, str(said.get("folder")))
            attempt = str(said.get("attempt"))
            if "error" in said:
                if attempt != older and _is_of_this_job(said):
                    _last_seen[self.root, self.rank] = attempt
                    raise MXNetError(f"worker 0: {said['error']}")
            elif path != written and not path_exists(joined(path, INDEX)):
                _last_seen[self.root, self.rank] = attempt
                written = self._written(path, snapshot) or written
        raise AssertionError

    def _written(self, path: str, snapshot: Snapshot) -> str | None:
        """Writes this worker's part of a checkpoint; None: nobody goes on with it."""
        if not self._is_there(path):
            return None
        try:
            _write_json(_receipt_path(path, self.rank), self._write_shard(path, snapshot).plain())
        except (OSError, MXNetError) as error:
            if not self._is_there(path):  # the first worker has given it up, and says why
                return None
            _write_json(_receipt_path(path, self.rank), {"error": str(error)})
            raise
        return path

    def _is_there(self, path: str) -> bool:
        return any(n.path == path for n in numbered(self.root))

    def _looks(self, failed: Callable[[], str]) -> Iterator[None]:
        """Yields again and again, for `timeout` seconds.

        Raises:
            MXNetError: they are over.
        """
        end = time.monotonic() + self.timeout
        pause, longest = _PAUSES_OF_STORES if is_remote(self.root) else _PAUSES
        while True:
            yield
            if time.monotonic() > end:
                raise MXNetError(f"checkpoint: {failed()} within {self.timeout:g} s")
            time.sleep(pause)
            pause = min(2 * pause, longest)


def _is_of_this_job(said: Mapping[str, Any]) -> bool:
    time_of = said.get("time")
    return isinstance(time_of, (int, float)) and time_of >= STARTED


def _receipt_path(path: str, rank: int) -> str:
    return joined(path, f".receipt-{rank + 1:05d}.json")


def _write_json(path: str, value: Mapping[str, Any]) -> None:
    with replacing(path) as file:
        file.write(dumps(value).encode())


def _read_json(path: str) -> dict[str, Any] | None:
    """A small object, None where there is none, or no whole one yet.

    A store may replace it between the requests for its size and for its bytes.
    """
    try:
        value = bounded_json.loads(read_file(path), max_depth=3, unique=True)
    except FileNotFoundError:
        return None
    except FileError as error:
        if is_remote(path) and error.errno in (errno.EINVAL, errno.EBUSY):
            return None
        raise
    except FormatError as error:
        if is_remote(path):
            return None
        raise FormatError(f"{path}: {error}") from None
    if not isinstance(value, dict):
        raise FormatError(f"{path}: {shown(value)}: must be an object")
    return value


def _remove(path: str) -> None:
    """Removes a checkpoint, first what makes it one; what others have put there stays."""
    _unlink(joined(path, INDEX))
    with contextlib.suppress(OSError):
        many(path, _unlink, [joined(path, n) for n in names_in(path) if _OWN.fullmatch(n)])
        remove_folder(path)


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        remove_file(path)


@contextlib.contextmanager
def _as_file_errors(root: str) -> Iterator[None]:
    try:
        yield
    except MXNetError:
        raise
    except OSError as error:
        raise FileError.of(error, os.fsdecode(error.filename or root)) from error
