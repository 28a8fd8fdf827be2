# SPDX-License-Identifier: Apache-2.0
"""Arguments of iterators, and lines of host files, that are as a stranger would choose them.

An input is JSON: the iterator and its arguments, or the text of a host file.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import random
import shutil
import tempfile
import warnings
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx
from mxnova.cli.launch.job import job_of
from mxnova.cli.launch.launchers import LAUNCHERS
from mxnova.core.base.errors import OutOfMemoryError
from mxnova.io.parameters import ITERATORS, parameters_of

__all__ = ["attack", "make", "seeds"]

_VALUES: tuple[Any, ...] = (
    0, 1, 2, 3, 7, -1, 10**7, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 62, 1 << 80, 0.5, 1e308, -1e30,
    float("nan"), float("inf"), True, False, None, "", "x", "None", "(1,)", [], [1], [3, 8, 8], [0, 1 << 40],
    [1 << 31, 1 << 31, 1 << 31], [3, -1, 8],
)  # fmt: skip
_KINDS = ("ImageRecordIter", "ImageRecordIter", "ImageRecordUInt8Iter", "ImageDetRecordIter",
          "CSVIter", "LibSVMIter", "MNISTIter")  # fmt: skip
_WORDS = ("a", "-oProxyCommand=x", "-", "--", "u@h", "u@-h", "-u@h", "h:22", "h:0", "-ffa", "[::1]",
          "::1", "a@b@c", "h;x", "$(x)", "h\tx", "h:99999", "`x`", "-J", "é", "[-1]", "h|x", "#", "-l:22",
          "127.0.0.1", "-1", "a@", "@a", "h%eth0", "ssh://-x", "a,b", "a\x0b-x", "\u2028-x")  # fmt: skip


@functools.cache
def _folder() -> Path:
    """Small files of every kind, kept for all inputs of a process."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    record = mx.recordio.MXIndexedRecordIO(str(folder / "x.idx"), str(folder / "x.rec"), "w")
    for i in range(5):
        header = mx.recordio.IRHeader(0, [2, 5, 0, 0.1, 0.1, 0.5, 0.5], i, 0)
        record.write_idx(
            i, mx.recordio.pack_img(header, np.full((9, 9, 3), i, "uint8"), img_fmt=".png")
        )
    record.close()
    (folder / "x.csv").write_text("1,2\n3,4\n5,6\n")
    (folder / "x.svm").write_text("0 0:1\n1 1:2\n2 0:3\n")
    (folder / "images").write_bytes(
        bytes((0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3)) + bytes(18)
    )
    (folder / "labels").write_bytes(bytes((0, 0, 8, 1, 0, 0, 0, 2)) + bytes(2))
    return folder


def _good(name: str) -> dict[str, Any]:
    if name == "CSVIter":
        return {"data_csv": "x.csv", "data_shape": [2], "batch_size": 2}
    if name == "LibSVMIter":
        return {"data_libsvm": "x.svm", "data_shape": [2], "batch_size": 2}
    if name == "MNISTIter":
        return {"image": "images", "label": "labels", "batch_size": 1}
    width = {"label_width": 7} if name.startswith("ImageRecord") else {}
    return {"path_imgrec": "x.rec", "data_shape": [3, 8, 8], "batch_size": 2, **width}


def seeds() -> list[bytes]:
    """Every iterator with good arguments, and a host file."""
    iterators = [json.dumps([name, _good(name)]).encode() for name in sorted(set(_KINDS))]
    return [*iterators, json.dumps("a slots=2\n[::1] # b\nu@h\n").encode()]


def make(rng: random.Random) -> bytes:
    """Arguments of which a few are strange; or lines of words."""
    if rng.random() < 0.2:
        lines = [" ".join(rng.choices(_WORDS, k=rng.choice((1, 1, 2)))) for _ in range(2)]
        return json.dumps(rng.choice(("\n", "\r\n", "\x0c")).join(lines)).encode()
    name = rng.choice(_KINDS)
    given = _good(name)
    fields = [field.name for field in parameters_of(name)]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        given[rng.choice(fields)] = rng.choice(_VALUES)
    if rng.random() < 0.3:
        given["prefetch_buffer"] = 10**7
    if name == "ImageDetRecordIter" and rng.random() < 0.2:
        given["num_crop_sampler"] = rng.choice((10**4, 10**7))
    return json.dumps([name, given]).encode()


def attack(data: bytes) -> None:
    """Reads two epochs, or says how processes would be started."""
    given = json.loads(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(given, str):
            _start(given)
        else:
            _iterate(*given)


def _iterate(name: str, given: dict[str, Any]) -> None:
    for key, value in given.items():
        given[key] = tuple(value) if isinstance(value, list) else value
    before = Path.cwd()
    os.chdir(_folder())  # where `mean_img` is written to
    try:
        iterator = ITERATORS[name](**given)
        for _ in range(2):
            for batch, _ in zip(iterator, range(8)):
                batch.data[0].wait_to_read()
            iterator.reset()
    except (OutOfMemoryError, TypeError):  # of a batch that is asked for; of an argument's type
        pass
    finally:
        os.chdir(before)


def _start(text: str) -> None:
    path = _folder() / "hosts"
    path.write_text(text, encoding="utf-8", newline="")
    options = Namespace(launcher=None, hostfile=path, sync_dst_dir=None, env_server=[], env=[],
                        env_worker=[], num_servers=0, num_workers=2, min=None, max=None,
                        line=["echo"])  # fmt: skip
    for part in LAUNCHERS["ssh"](job_of(options), {}):
        words = list(part.command)
        host = words[words.index("--") + 1]
        assert len(words) == words.index("--") + 3, words
        assert not host.startswith("-") and "@-" not in host, host
