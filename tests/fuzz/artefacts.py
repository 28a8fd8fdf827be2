# SPDX-License-Identifier: Apache-2.0
"""Archives of models that attack whoever opens them: paths, links, devices, bombs, lies.

An input is an archive. It is opened and saved again within a folder, beside which nothing appears.
"""

from __future__ import annotations

import atexit
import functools
import gzip
import io
import json
import os
import random
import re
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import mxnova as mx
from mxnova.formats import params

from ..unit.artefacts import made

__all__ = ["attack", "make", "seeds"]


def seeds() -> list[bytes]:
    """An archive of each layout."""
    return [
        made.linear_learner(), made.image_classification(), made.object_detection(),
        made.semantic_segmentation(), made.script_mode(), made.mar(), made.old_mar(),
    ]  # fmt: skip


@functools.cache
def _good() -> list[dict[str, bytes]]:
    """The files of the seeds, as a tar or zip archive has them."""
    found = []
    for data in seeds():
        if data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                found.append({name: archive.read(name) for name in archive.namelist()})
        else:
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                members = {m.name: tar.extractfile(m) for m in tar if m.isfile()}
                found.append({name: file.read() for name, file in members.items() if file})
    return found


def make(rng: random.Random) -> bytes:
    """An archive of one kind of attack; bombs take longest, and are few."""
    if rng.random() < 0.01:
        return _bombs(rng)
    return rng.choice((_names, _entries, _directories, _json, _inside, _nested, _damaged))(rng)


# Paths and entries --------------------------------------------------------------------------------

_NAMES = (
    "../x.json", "a/../../x.json", "/tmp/x.json", "..", ".", "", "/", "C:/x", "..\\x", "a\0b",
    "\u202e.json", "n" * 300, "n/" * 300, "./model-symbol.json", "model-symbol.json", "~/x", "-o",
    "CON", "a//b/./c", "\ud800x", "é.params", "model-99999.params", "model-0000.params/",
)  # fmt: skip


def _names(rng: random.Random) -> bytes:
    """Files that are good, one of which has a strange name."""
    files = dict(rng.choice(_good()))
    strange = rng.choice(_NAMES)
    old = rng.choice(list(files))
    files[strange] = files.pop(old) if rng.random() < 0.7 else files[old]
    return _packed(files, rng)


def _packed(files: dict[str, bytes], rng: random.Random) -> bytes:
    return _zip(files) if rng.random() < 0.5 else _tar(files)


def _zip(files: dict[str, bytes], attributes: int = 0) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo("x")
            info.filename = name.encode("utf-8", "replace").decode()
            info.external_attr = attributes << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def _tar(files: dict[str, bytes], *entries: tarfile.TarInfo, end: bytes = bytes(1024)) -> bytes:
    raw = bytearray()
    for name, content in files.items():
        info = tarfile.TarInfo(name)
        info.size = len(content)
        raw += info.tobuf(tarfile.GNU_FORMAT, "utf-8", "replace")
        raw += content + bytes(-len(content) % 512)
    raw += b"".join(info.tobuf(tarfile.GNU_FORMAT) for info in entries)
    return gzip.compress(bytes(raw) + end, 1, mtime=0)


_TYPES = (
    tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE,
    tarfile.DIRTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME,
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.REGTYPE, b"Z",
)  # fmt: skip
_SIZES = (0, 1, 511, 1 << 20, 1 << 31, (1 << 33) - 1, 1 << 40, (1 << 62), -1, -512)


def _entries(rng: random.Random) -> bytes:
    """Links, devices and other entries; sizes that are not so."""
    files = rng.choice(_good())
    if rng.random() < 0.2:
        return _zip(files, rng.choice((0o120777, 0o060777, 0o020777, 0o010777, 0o040777)))
    infos = []
    for _ in range(3000 if rng.random() < 0.02 else rng.choice((1, 1, 2))):
        info = tarfile.TarInfo(rng.choice(("model-0000.params", "x", "../x", "hyperparams.json")))
        info.type, info.size = rng.choice(_TYPES), rng.choice(_SIZES)
        info.linkname = rng.choice(("/etc/passwd", "../../x", "model-symbol.json", ""))
        infos.append(info)
    return _tar(files if rng.random() < 0.5 else {}, *infos, end=bytes(rng.choice((0, 1024))))


# Bombs --------------------------------------------------------------------------------------------


@functools.cache
def _zeros() -> bytes:
    """A gzip stream of 256 MiB of nothing."""
    return gzip.compress(bytes(1 << 20), 9, mtime=0) * 256


@functools.cache
def _large() -> bytes:
    return bytes(48 << 20)


def _bombs(rng: random.Random) -> bytes:
    """Little that becomes much."""
    kind = rng.randrange(5)
    if kind == 0:
        info = tarfile.TarInfo(rng.choice(("model-0000.params", "x.rec")))
        info.size = rng.choice((1 << 20, 24 << 20, 200 << 20))
        return gzip.compress(info.tobuf(tarfile.GNU_FORMAT), 1, mtime=0) + _zeros()
    if kind == 1:
        return _zip({"model_algo-1": _large()[: rng.choice((1 << 20, 40 << 20))]})
    if kind == 2:
        names = (
            f"{i}{rng.choice(('.json', '.params', '.py'))}" for i in range(rng.choice((50, 2100)))
        )
        return _packed(dict.fromkeys(names, b"{}"), rng)
    if kind == 3:  # many files on the same bytes
        return _overlapping(rng.choice((3, 100, 1500)), 1 << rng.choice((10, 20)))
    text = rng.choice(
        (b"[" * 100_000, b'{"a":' * 50_000, b"[" + b"1," * 400_000, b'"' + b"a" * 9_000_000)
    )
    name = rng.choice(("hyperparams.json", "model-shapes.json", "synset.txt", "model-symbol.json"))
    return _packed({**rng.choice(_good()), name: text}, rng)


def _overlapping(often: int, size: int) -> bytes:
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(bytes(size)) + packed.flush()
    check = zlib.crc32(bytes(size))
    sizes = struct.pack("<III", check, len(body), size)
    local = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes
    made_file = local + struct.pack("<HH", 6, 0) + b"a.json" + body
    directory = b"".join(
        b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0) + sizes
        + struct.pack("<HHHHHII", 6, 0, 0, 0, 0, 0, 0) + b"a.json"
        for _ in range(often)
    )  # fmt: skip
    end = struct.pack("<HHHHIIH", 0, 0, often, often, len(directory), len(made_file), 0)
    return made_file + directory + b"PK\5\6" + end


def _directories(rng: random.Random) -> bytes:
    """A zip archive whose directory lies: sizes, methods, flags, places and counts."""
    data = bytearray(_zip(rng.choice(_good())))
    places = [found.start() for found in re.finditer(b"PK(\1\2|\3\4)", data[:-42])]
    end = data.rfind(b"PK\5\6")
    for _ in range(rng.choice((1, 1, 3))):
        value = rng.choice((0, 1, 2, 8, 12, 14, 99, 0xFFFF, 1 << 31, 0xFFFFFFFF))
        if rng.random() < 0.2:
            at, width = end + rng.choice((4, 8, 10, 12, 16, 20)), 2
        else:
            at, width = (
                rng.choice(places) + rng.choice((6, 8, 10, 14, 18, 20, 22, 24, 26, 28, 42)),
                4,
            )
        width = rng.choice((width, 2))
        data[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
    return bytes(data)


# Contents -----------------------------------------------------------------------------------------

_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1 << 40, 1.5, "", "x", "9" * 400, "3,224,224", "-1,0,0", [], {}, [[]],
    [None], {"a": {}}, "\ud800", "../x", ["a", "b"], {"0": "a"}, {"1": "b"}, [1, 2], "\0",
)  # fmt: skip
_TEXTS = (
    "hyperparams.json", "model-shapes.json", "signature.json", "MAR-INF/MANIFEST.json",
    "MANIFEST.json", "labels.json", "synset.txt", "parameters.json", "additional-params.json",
    "model-preprocessing.json", "image-classification-preprocessing.json", "mx-mod-shapes.json",
)  # fmt: skip


def _json(rng: random.Random) -> bytes:
    """Side files with strange values in the places of good ones."""
    files = dict(rng.choice(_good()))
    for _ in range(rng.choice((1, 2))):
        name = rng.choice([*_TEXTS, *(n for n in files if n.endswith(".json"))] * 1)
        try:
            value = json.loads(files.get(name, b"{}"))
        except ValueError:
            value = {}
        keys = ("size", "mean", "scale", "bgr", "gray", "interpolation", "backbone", "image_shape",
                "inputs", "input_type", "Model", "model", "base_network")  # fmt: skip
        files[name] = json.dumps(_odd(value, rng, keys)).encode()
    return _packed(files, rng)


def _odd(value: Any, rng: random.Random, keys: tuple[str, ...]) -> Any:
    """`value` with an odd one somewhere inside."""
    if rng.random() < 0.3 or not isinstance(value, (dict, list)):
        return rng.choice(_ODD)
    if isinstance(value, list):
        return [*value[:1], *(_odd(v, rng, keys) for v in value[:1])]
    key = rng.choice([*value, rng.choice(keys)])
    return {**value, key: _odd(value.get(key), rng, keys)}


def _inside(rng: random.Random) -> bytes:
    """A network or parameters that are damaged, in an archive that is not."""
    files = dict(rng.choice(_good()))
    name = rng.choice(list(files))
    files[name] = _hurt(files[name], rng)
    if rng.random() < 0.1:
        files["model_algo-1"] = params.dumps([], [])[: rng.choice((8, 16, 24, 32))]
    return _packed(files, rng)


def _hurt(content: bytes, rng: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.choice((1, 1, 4, 8))] = rng.choice(
            (bytes([rng.randrange(256)]), b"\xff" * 8, bytes(8), b"9", b'"', b"")
        )
    return bytes(data)


def _nested(rng: random.Random) -> bytes:
    """Archives in archives."""
    files = rng.choice(_good())
    for _ in range(rng.choice((1, 2, 3, 6))):
        name = rng.choice(("model_algo-1", "model.tar.gz", "x.mar", "../a.zip", "deep"))
        files = {name: _packed(files, rng)}
        if rng.random() < 0.2:
            files["second.zip"] = files[name]
    return _packed(files, rng)


def _damaged(rng: random.Random) -> bytes:
    return _hurt(_packed(rng.choice(_good()), rng), rng)


# Attack -------------------------------------------------------------------------------------------


_MEMORY = Path("/dev/shm")  # files in memory, where the system has such
_PLACE = _MEMORY if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) else None


@functools.cache
def _folder() -> str:
    """That of all attacks of a process: making one takes a fifth of the time of an attack."""
    made = tempfile.mkdtemp(prefix="fuzz-mxnova-", dir=_PLACE)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    os.mkdir(f"{made}/root")
    return made


def attack(data: bytes) -> None:
    """Opens an archive and saves what it holds."""
    folder = _folder()
    root = f"{folder}/root"
    archive, saved = f"{root}/archive", f"{root}/saved"
    with open(archive, "wb") as file:
        file.write(data)
    try:
        opened = mx.open_model(archive)
        if opened.graph is not None:
            opened.save(saved)
    finally:
        assert os.listdir(folder) == ["root"]
        assert set(os.listdir(root)) <= {"archive", "saved"}
        if os.path.exists(saved):
            names = os.listdir(saved)
            assert all(name.endswith((".json", ".params", ".txt")) for name in names)
            shutil.rmtree(saved)
