# SPDX-License-Identifier: Apache-2.0
"""RecordIO files: reading and writing records one by one."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from benchmarks.inputs import import_mx, indices
from benchmarks.subject import Case, Options, Subject

SIZES = {"100k of 100 B": (100_000, 100), "2k of 100 kB": (2000, 100_000)}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    mx = import_mx(peer)
    recordio = mx.recordio
    made: dict[str, Callable[[], Case]] = {}
    for what, (count, size) in SIZES.items():
        count = count // 1000 if options.smoke else count
        path = os.path.join(options.directory, f"{peer}-{size}.rec")
        payload = indices("payload", (size,), 256).astype("uint8").tobytes()
        arguments = (recordio, path, payload, count)
        made[f"write {what}"] = functools.partial(_writing, *arguments)
        made[f"read {what}"] = functools.partial(_reading, *arguments)
        made[f"read by key {what}"] = functools.partial(_reading_by_key, *arguments)
    return made


def _writing(recordio: Any, path: str, payload: bytes, count: int) -> Case:
    return Case(lambda: _write(recordio, path, payload, count), items=count)


def _write(recordio: Any, path: str, payload: bytes, count: int) -> None:
    writer = recordio.MXIndexedRecordIO(f"{path}.idx", path, "w")
    for key in range(count):
        writer.write_idx(key, payload)
    writer.close()


def _reading(recordio: Any, path: str, payload: bytes, count: int) -> Case:
    _write(recordio, path, payload, count)

    def read() -> None:
        reader = recordio.MXRecordIO(path, "r")
        while reader.read() is not None:
            pass
        reader.close()

    return Case(read, items=count)


def _reading_by_key(recordio: Any, path: str, payload: bytes, count: int) -> Case:
    _write(recordio, path, payload, count)
    reader = recordio.MXIndexedRecordIO(f"{path}.idx", path, "r")
    keys = indices("keys", (count,), count).tolist()

    def read() -> None:
        for key in keys:
            reader.read_idx(key)

    return Case(read, items=count)


SUBJECT = Subject("A record of a RecordIO file", ("mxnova", "mxnet"), cases)
