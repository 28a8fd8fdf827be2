# SPDX-License-Identifier: Apache-2.0
"""Files of parameters: 200 MB in 50 float32 arrays, already in the page cache."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.subject import Case, Options, Subject


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    n_floats = 1000 if options.smoke else 1_000_000
    arrays = {f"layer{i}_weight": normal(f"layer{i}", (n_floats,)) for i in range(50)}
    path = Path(options.directory, f"{peer}.params")
    return _torch_cases(arrays, path) if peer == "torch" else _mx_cases(peer, arrays, path)


def _mx_cases(
    peer: str, arrays: dict[str, np.ndarray], path: Path
) -> dict[str, Callable[[], Case]]:
    mx = import_mx(peer)
    loaded = {name: mx.nd.array(values) for name, values in arrays.items()}
    file = str(path)
    mx.nd.save(file, loaded)

    def read_all() -> list[np.ndarray]:
        return [a.asnumpy() for a in mx.nd.load(file).values()]

    cases: dict[str, Callable[[], Case]] = {
        "load": lambda: Case(lambda: mx.nd.load(file)),
        "load and copy to NumPy": lambda: Case(read_all, output=lambda: read_all()[:2]),
        "save": lambda: Case(lambda: mx.nd.save(file, loaded)),
        "save and fsync": lambda: Case(lambda: _synced(file, mx.nd.save, file, loaded)),
    }
    if peer == "mxnova":
        from mxnova.formats.params import read

        cases = {"open, mapped": lambda: Case(lambda: read(file)), **cases}
    return cases


def _torch_cases(arrays: dict[str, np.ndarray], path: Path) -> dict[str, Callable[[], Case]]:
    import torch

    loaded = {name: torch.from_numpy(values) for name, values in arrays.items()}
    torch.save(loaded, path)

    def read_all() -> list[np.ndarray]:
        return [t.numpy().copy() for t in torch.load(path).values()]

    return {
        "open, mapped": lambda: Case(lambda: torch.load(path, mmap=True)),
        "load": lambda: Case(lambda: torch.load(path)),
        "load and copy to NumPy": lambda: Case(read_all, output=lambda: read_all()[:2]),
        "save": lambda: Case(lambda: torch.save(loaded, path)),
        "save and fsync": lambda: Case(lambda: _synced(str(path), torch.save, loaded, path)),
    }


def _synced(path: str, save: Callable[..., Any], *arguments: Any) -> None:
    save(*arguments)
    with open(path, "rb") as file:
        os.fsync(file.fileno())


SUBJECT = Subject(
    "A .params file of 200 MB in 50 arrays",
    ("mxnova", "torch", "mxnet"),
    cases,
    turn=0,
    targets={("load", "mxnet"): 1.0, ("save", "mxnet"): 1.0},
)
