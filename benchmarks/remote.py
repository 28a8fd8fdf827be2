# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.remote``: records of a store that is far away, against those of a disk.

A file of JPEG images is read by `RecordDataset` and decoded, batch by batch: from the disk, and
from an object store on the loopback that lets 50 ms pass before it answers, with and without
reading ahead, the latter once; in order, in blocks, in random order, and as the batches of a
sampler, which a loader hands to its workers. Turns alternate. The ratios are of medians of the time
for a record, of the least times, or of processor time, which other programs change least; those of
"bytes" do not decode, and show what the transfer itself costs. The first batch of an epoch waits
for the store.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

ORDERS: dict[str, dict[str, Any]] = {
    "in order": {"shuffle": False},
    "blocks": {"shuffle": True, "block_size": 64, "window": 8},
    "random": {"shuffle": True},
    "random, by a sampler": {"shuffle": True},
}
DECODERS = ("image", "bytes")
KINDS = ("disk", "ahead", "not ahead")
_NOT_AHEAD = 64  # records that are read without reading ahead, unless in order


class _Times(NamedTuple):
    """Milliseconds for a record, that passed and of processors, and until the first batch came."""

    wall: float
    busy: float
    first: float


def main(
    records: Annotated[int, typer.Option(min=64, help="Images in the file.")] = 1500,
    turns: Annotated[int, typer.Option(min=1, help="Epochs of each kind.")] = 3,
    latency: Annotated[float, typer.Option(help="Seconds to an answer.")] = 0.05,
    threads: Annotated[int, typer.Option(min=0, help="That read and decode.")] = 0,
    smoke: Annotated[bool, typer.Option(help="Tiny: shows only that it runs.")] = False,
) -> None:
    """Compare reading from a store with reading from a disk."""
    records, turns = (128, 1) if smoke else (records, turns)
    with tempfile.TemporaryDirectory() as folder:
        size = _write(Path(folder) / "images.rec", records)
        server = [sys.executable, "-m", "benchmarks.object_store", folder, str(latency)]
        with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as store:
            try:
                url = store.stdout.readline().strip() if store.stdout else ""
                found = measure(folder, url, turns, threads)
            finally:
                store.kill()
    about = {"records": records, "MB": round(size / 1e6, 1), "latency_s": latency}
    print(json.dumps({**about, **found}, indent=2))


def _write(path: Path, n: int) -> int:
    """Writes a file of `n` images like photographs, of some 100 KB."""
    from mxnova.recordio import IRHeader, MXIndexedRecordIO, pack, pack_img, unpack

    random = np.random.default_rng(0)
    coarse = random.integers(0, 256, (8, 48, 64, 3), np.uint8)
    images = np.kron(coarse, np.ones((1, 10, 10, 1), np.uint8)) // 2
    images += random.integers(0, 60, images.shape, np.uint8)
    encoded = [unpack(pack_img(IRHeader(0, 0.0, 0, 0), one, quality=60))[1] for one in images]
    with MXIndexedRecordIO(path.with_suffix(".idx"), path, "w") as file:
        for i in range(n):
            file.write_idx(i, pack(IRHeader(0, float(i), i, 0), encoded[i % len(encoded)]))
    return path.stat().st_size


def measure(folder: str, url: str, turns: int, threads: int) -> dict[str, Any]:
    times: dict[tuple[str, str, str], list[_Times]] = defaultdict(list)
    keys = [
        (decode, order, kind)
        for turn in range(turns)
        for decode, order, kind in itertools.product(DECODERS, ORDERS, KINDS)
        if kind != "not ahead" or turn == 0
    ]
    for key in track(keys, "epochs", console=Console(stderr=True)):
        times[key].append(_seconds(folder, url, *key, threads))
    return {
        f"{decode}, {order}": _summary(*(times[decode, order, kind] for kind in KINDS))
        for decode in DECODERS
        for order in ORDERS
    }


def _summary(disk: list[_Times], ahead: list[_Times], late: list[_Times]) -> dict[str, float]:
    def median(found: list[_Times]) -> float:
        return statistics.median(times.wall for times in found)

    def least(found: list[_Times], kind: str) -> float:
        return min(getattr(times, kind) for times in found)

    return {
        "disk_ms": round(median(disk), 3),
        "store_ms": round(median(ahead), 3),
        "of_disk": round(median(disk) / median(ahead), 3),
        "of_disk_least": round(least(disk, "wall") / least(ahead, "wall"), 3),
        "of_disk_not_ahead": round(median(disk) / median(late), 3),
        "of_disk_processor": round(least(disk, "busy") / least(ahead, "busy"), 3),
        "disk_processor_ms": round(least(disk, "busy"), 3),
        "store_processor_ms": round(least(ahead, "busy"), 3),
        "disk_first_ms": round(least(disk, "first"), 1),
        "store_first_ms": round(least(ahead, "first"), 1),
    }


def _seconds(folder: str, url: str, decode: str, order: str, kind: str, threads: int) -> _Times:
    """Of one record, in an epoch."""
    from mxnova.recordio import RecordDataset

    if kind == "not ahead":
        os.environ["MXNOVA_REMOTE_READ_AHEAD"] = "0"
    else:
        os.environ.pop("MXNOVA_REMOTE_READ_AHEAD", None)
    root = folder if kind == "disk" else url
    data = RecordDataset(f"{root}/images.rec", decode=decode)
    is_slow = kind == "not ahead" and order != "in order"
    wanted = min(len(data), _NOT_AHEAD) if is_slow else len(data)
    batches = _batches(data, order, threads)
    begin, processor = time.perf_counter(), time.process_time()
    n = len(next(batches))
    first = time.perf_counter() - begin
    n += sum(map(len, itertools.islice(batches, -(-wanted // 32) - 1)))
    seconds, busy = time.perf_counter() - begin, time.process_time() - processor
    if n < wanted:
        raise RuntimeError(f"{n} records of {wanted} were read")
    return _Times(1e3 * seconds / n, 1e3 * busy / n, 1e3 * first)


def _batches(data: Any, order: str, threads: int) -> Iterator[list[Any]]:
    if order == "random, by a sampler":
        return map(data.__getitems__, data.sampler(32))
    return iter(data.batches(32, threads=threads, **ORDERS[order]))


if __name__ == "__main__":
    typer.run(main)
