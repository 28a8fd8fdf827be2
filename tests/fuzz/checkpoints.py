# SPDX-License-Identifier: Apache-2.0
"""Folders of sharded checkpoints that attack whoever reads them: indexes, headers, names, links.

An input is a folder: JSON of the names of its entries, with their bytes or where a link leads. Most
have the hashes that their bytes have, as an attacker's would.
"""

from __future__ import annotations

import base64
import copy
import functools
import hashlib
import json
import os
import random
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx
from mxnova.checkpoint import ownership
from mxnova.checkpoint.random_state import random_state, restore_random_state
from mxnova.core.base.errors import MXNetError
from mxnova.formats.shards.writing import SHARDING, WORKER, dumps, hash_of
from mxnova.optimizer import Updater

__all__ = ["attack", "make", "seeds"]

Files = dict[str, Any]  # bytes, or the text of where a link leads
INDEX = "model.safetensors.index.json"
SECRET = b"what no checkpoint may show"
_TEMPORARY = "/dev/shm" if os.path.isdir("/dev/shm") else None


class _Reader:
    def state_dict(self) -> Any:
        return {"place": 3, "order": np.arange(5), "names": ("a", b"b", float("inf"), 1 << 70)}

    def load_state_dict(self, state: Any) -> None:
        self.state = state


# Good ones ----------------------------------------------------------------------------------------


@functools.cache
def _good(world: int) -> Files:
    """The files of a small checkpoint."""
    before, sliced = random_state(), ownership._SLICED
    random.seed(0)
    np.random.seed(0)
    mx.random.seed(0)
    arrays = {"w": mx.nd.arange(24).reshape((6, 4)), "b": mx.nd.ones(3, dtype="float16")}
    arrays["s"] = mx.nd.ones((4, 2)).tostype("row_sparse")
    trainer = _learner()
    with tempfile.TemporaryDirectory(dir=_TEMPORARY) as folder:
        ownership._SLICED = 8  # bytes from which on arrays are cut
        savings = [
            mx.checkpoint.save(folder, 7, arrays, trainer, iterator=_Reader(), rank=r, world=world,
                               extra={"epoch": 1, "a": mx.nd.ones(2)})
            for r in range(world)
        ]  # fmt: skip
        (path,) = {Path(saving.wait()) for saving in savings}
        ownership._SLICED = sliced
        files: Files = {entry.name: entry.read_bytes() for entry in path.iterdir()}
    restore_random_state(before)
    return files


def _learner() -> mx.gluon.Trainer:
    net = mx.gluon.nn.Dense(3, in_units=4)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam")
    with mx.autograd.record():
        loss = net(mx.nd.ones((2, 4))).sum()
    loss.backward()
    trainer.step(2)
    return trainer


@functools.cache
def _torchs() -> Files:
    """A folder as torch writes it, which has no index."""
    files = {name: data for name, data in _good(3).items() if name != INDEX}
    for name in files:
        header, data = _opened(files[name])
        del header["__metadata__"][WORKER]
        files[name] = _closed(header, data)
    return files


def seeds() -> list[bytes]:
    """Checkpoints of several workers, and one of torch's."""
    return [_packed(_good(1)), _packed(_good(3)), _packed(_torchs())]


def _packed(files: Files) -> bytes:
    entries = {
        name: base64.b64encode(held).decode() if isinstance(held, bytes) else {"link": held}
        for name, held in files.items()
    }
    return json.dumps(entries).encode()


def _opened(data: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _closed(header: Any, data: bytes) -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def _hashed(files: Files) -> Files:
    """With an index that says what the files are, where it is an index still."""
    try:
        document = json.loads(files[INDEX])
        own = document["mxnova"]
        for name, said in own["files"].items():
            if isinstance(files.get(name), bytes):
                parts = [
                    files[name][i : i + own["block"]]
                    for i in range(0, len(files[name]), own["block"])
                ]
                said |= {
                    "size": len(files[name]),
                    "sha256": [hashlib.sha256(p).hexdigest() for p in parts],
                }
        own["sha256"] = hash_of({n: v for n, v in own.items() if n != "sha256"})
        return {**files, INDEX: dumps(document).encode()}
    except (KeyError, TypeError, ValueError, AttributeError, MXNetError):
        return files


# Attacks ------------------------------------------------------------------------------------------

_NUMBERS = (0, -1, 1, 2, 3, 4, 7, 1 << 31, 1 << 40, 1 << 60, (1 << 63) - 1, 1 << 64, 10**30, 1.5,
            1e308, True, None)  # fmt: skip
_OTHERS = ("", "x", [], {}, [[]], {"a": 1}, [1, 2], "w", "F32", {"tuple": []}, {"dict": [[[], 1]]},
           {"array": "optimizer.0.0"}, {"numpy": "worker.0.random.python.words"}, {"int": "9" * 5000},
           {"bytes": "!"}, {"float": "1"}, {"object": ["os", "system"], "state": {"dict": []}},
           {"object": ["mxnet.optimizer.optimizer", "SGD"], "state": {"dict": []}})  # fmt: skip
_NAMES = ("../x.safetensors", "/etc/passwd", "a/b.safetensors", "..", ".", "", "x", "CON.safetensors",
          "x.safetensors\0", ".hidden.safetensors", "n" * 300 + ".safetensors", INDEX, "-o.safetensors",
          "../outside.safetensors", "\u202e.safetensors", "é.safetensors", "a\\b.safetensors")  # fmt: skip
_LINKS = ("../outside.safetensors", "/dev/zero", "/dev/null", ".", "..", "/etc/passwd", "self",
          INDEX, "shard-00001-model-00001-of-00001.safetensors", "nowhere")  # fmt: skip


def make(rng: random.Random) -> bytes:
    """A folder with one kind of attack, or two."""
    files = dict(rng.choice((_good(1), _good(3), _good(3), _torchs())))
    kinds = (_index, _header, _offsets, _offsets, _notes, _notes, _texts, _texts, _names, _links,
             _missing, _bytes, _bombs if rng.random() < 0.2 else _header)  # fmt: skip
    for _ in range(rng.choice((1, 1, 1, 2))):
        files = rng.choice(kinds)(rng, files)
        if rng.random() < 0.85:
            files = _hashed(files)
    return _packed(files)


def _shard(rng: random.Random, files: Files) -> str:
    names = [n for n, held in files.items() if isinstance(held, bytes) and n != INDEX]
    return rng.choice(names) if names else ""


def _replaced(rng: random.Random, value: Any, depth: int = 0) -> Any:
    """`value` with something else in one place."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not inner or rng.random() < 0.15:
        return rng.choice((*_NUMBERS, *_OTHERS))
    value = copy.copy(value)
    key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    kind = rng.random()
    if kind < 0.8:
        value[key] = _replaced(rng, value[key], depth + 1)
    elif kind < 0.9:
        del value[key]
    elif isinstance(value, dict):
        value[rng.choice(("x", "w", *value))] = value.pop(key)
    else:
        value.append(value[key])
    return value


def _index(rng: random.Random, files: Files) -> Files:
    if INDEX not in files:
        return _header(rng, files)
    try:
        document = json.loads(files[INDEX])
    except ValueError:
        return files
    if isinstance(document, dict) and "mxnova" in document and rng.random() < 0.8:
        document["mxnova"] = _replaced(rng, document["mxnova"])
    else:
        document = _replaced(rng, document)
    return {**files, INDEX: json.dumps(document).encode()}


def _notes(rng: random.Random, files: Files) -> Files:
    """What the index says of parameters, states and the program's data."""
    try:
        document = json.loads(files[INDEX])
        content = document["mxnova"]["content"]
        key = rng.choice(list(content))
        content[key] = _replaced(rng, content[key])
    except (KeyError, TypeError, ValueError, IndexError):
        return files
    return {**files, INDEX: json.dumps(document).encode()}


def _texts(rng: random.Random, files: Files) -> Files:
    """JSON inside of JSON: what a worker has for itself, and names of arrays."""
    name = _shard(rng, files)
    try:
        header, data = _opened(files[name])
        texts = header["__metadata__"]
        key = rng.choice(list(texts))
        inner = _replaced(rng, json.loads(texts[key]))
        if isinstance(inner, dict) and isinstance(inner.get("arrays"), dict):
            for text in inner["arrays"]:
                if rng.random() < 0.3:
                    inner["arrays"][text] = json.dumps(
                        _replaced(rng, json.loads(inner["arrays"][text]))
                    )
        texts[key] = json.dumps(inner)
        return {**files, name: _closed(header, data)}
    except (KeyError, TypeError, ValueError, AttributeError, struct.error):
        return files


def _header(rng: random.Random, files: Files) -> Files:
    name = _shard(rng, files)
    try:
        header, data = _opened(files[name])
        return {**files, name: _closed(_replaced(rng, header), data)}
    except (KeyError, ValueError, struct.error):
        return files


def _offsets(rng: random.Random, files: Files) -> Files:
    """Pieces that overlap, leave gaps, or lie far away."""
    name = _shard(rng, files)
    try:
        header, data = _opened(files[name])
        info = json.loads(header["__metadata__"][SHARDING])
        array = rng.choice(list(info))
        offsets = info[array]["saved_offsets"]
        if offsets:
            offsets[rng.randrange(len(offsets))] = rng.choice(_NUMBERS)
        if rng.random() < 0.3:
            info[rng.choice(list(info))] = info[array]
        header["__metadata__"][SHARDING] = json.dumps(info)
        return {**files, name: _closed(header, data)}
    except (KeyError, TypeError, ValueError, IndexError, struct.error):
        return files


def _names(rng: random.Random, files: Files) -> Files:
    """A file of the index has another name, there or in the folder or both."""
    try:
        document = json.loads(files[INDEX])
        listed = document["mxnova"]["files"]
        old, new = rng.choice(list(listed)), rng.choice((*_NAMES, *listed))
        listed[new] = listed[old] if rng.random() < 0.5 else listed.pop(old)
        if rng.random() < 0.3:
            del document["mxnova"]
            document["weight_map"] = {"w": new, "b": old}
    except (KeyError, TypeError, ValueError, IndexError):
        return files
    return {**files, INDEX: json.dumps(document).encode()}


def _links(rng: random.Random, files: Files) -> Files:
    return {**files, rng.choice(list(files)): rng.choice(_LINKS)} if files else files


def _missing(rng: random.Random, files: Files) -> Files:
    """A file that is not there, or is another's."""
    if not files:
        return files
    name, files = rng.choice(list(files)), dict(files)
    if rng.random() < 0.5:
        del files[name]
    else:
        files[name] = files[rng.choice(list(files))]
    if rng.random() < 0.2:
        files["shard-00009-model-00001-of-00001.safetensors"] = next(iter(files.values()), b"")
    return files


def _bytes(rng: random.Random, files: Files) -> Files:
    names = [n for n, held in files.items() if isinstance(held, bytes) and held]
    if not names:
        return files
    name = rng.choice(names)
    data = bytearray(files[name])
    at = rng.randrange(len(data))
    if rng.random() < 0.3:
        del data[at:]
    else:
        data[at : at + rng.choice((0, 1, 4))] = rng.randbytes(rng.choice((1, 2, 8, 100)))
    return {**files, name: bytes(data)}


def _bombs(rng: random.Random, files: Files) -> Files:
    """Very many, very deep, very large."""
    n = rng.choice((100, 1000, 8000))
    kind = rng.randrange(7)
    if kind < 4 and INDEX in files:
        try:
            document = json.loads(files[INDEX])
            own = document["mxnova"]
            if kind == 0:
                said = next(iter(own["files"].values()))
                own["files"] |= {f"f{i}.safetensors": said for i in range(n)}
            elif kind == 1:
                own["content"]["optimizer"]["states"] = {
                    "dict": [[i, {"array": "optimizer.0.0"}] for i in range(n)]
                }
            elif kind == 2:
                value: Any = 1
                for _ in range(min(n, 900)):
                    value = {"tuple": [value, value]} if n < 20 else [value]
                own["content"]["extra"] = value
            else:
                own["block"] = rng.choice((1, 1 << 16, 1 << 29))
                own["world"] = rng.choice((1 << 19, 1 << 30))
            return {**files, INDEX: json.dumps(document).encode()}
        except (KeyError, TypeError, ValueError, StopIteration, RecursionError):
            return files
    name = _shard(rng, files)
    rows = [(i, rng.choice((1, 1, 1, 2))) for i in range(n)]
    ndim = rng.choice((1, 2, 8, 30))
    if kind == 4:  # many pieces of nothing
        header = {
            f"e{i}": {"dtype": "F32", "shape": [0] * ndim, "data_offsets": [0, 0]} for i, _ in rows
        }
    elif kind == 5:  # a corner far away along many axes
        header = {"w": {"dtype": "U8", "shape": [1] * ndim, "data_offsets": [0, 1]}}
    else:
        header = {
            f"e{i}": {"dtype": "U8", "shape": [1], "data_offsets": [i, i + 1]} for i, _ in rows
        }
    size = max(entry["data_offsets"][1] for entry in header.values())
    info = {
        e: {"saved_offsets": [rng.choice((0, 1, 1 << 20))] * len(header[e]["shape"])}
        for e in header
    }
    whole = {"__metadata__": {SHARDING: json.dumps(info)}, **header}
    return {**files, name or "x.safetensors": _closed(whole, bytes(size))}


# Reading them -------------------------------------------------------------------------------------


def attack(data: bytes) -> None:
    """Reads all that a program may read of a checkpoint, and goes on from it."""
    try:
        entries = json.loads(data)
        files = {
            str(n): v["link"] if isinstance(v, dict) else base64.b64decode(v)
            for n, v in entries.items()
        }
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return
    with tempfile.TemporaryDirectory(dir=_TEMPORARY) as outer:
        (Path(outer) / "outside.safetensors").write_bytes(SECRET)
        folder = Path(outer) / "inside"
        folder.mkdir()
        _unpack(files, folder)
        before = sorted(os.listdir(outer)), sorted(os.listdir(folder))
        try:
            _read(folder)
        except MXNetError as error:
            if SECRET.decode() in str(error):
                raise AssertionError("a file outside of the folder was read") from error
        finally:
            assert before == (sorted(os.listdir(outer)), sorted(os.listdir(folder)))


def _unpack(files: Files, folder: Path) -> None:
    for name, held in files.items():
        if not name or "/" in name or "\0" in name or len(name) > 200 or name in (".", ".."):
            continue
        try:
            if isinstance(held, str):
                os.symlink(held, folder / name)
            else:
                (folder / name).write_bytes(held)
        except (OSError, ValueError):  # no name of the system
            continue


def _read(folder: Path) -> None:
    found = mx.checkpoint.read(folder)
    steps = (
        lambda: [found.array(name) for name in list(found.arrays)[:50]],
        lambda: found.extra,
        found.parameters,
        lambda: Updater(mx.optimizer.SGD()).set_states(found.states()),
        lambda: [found.worker(rank) for rank in range(min(found.world, 3))],
        lambda: mx.checkpoint.load(
            folder, {"w": mx.nd.zeros((6, 4))}, _learner(), iterator=_Reader()
        ),
    )
    failed: MXNetError | None = None
    for step in steps:
        try:
            step()
        except MXNetError as error:
            failed = error
    if failed is not None:
        raise failed
