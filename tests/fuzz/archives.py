# SPDX-License-Identifier: Apache-2.0
"""Archives and files of data sets whose headers lie: sizes, types, names, and what they unpack to.

An input is a line with the name of the file, then its bytes.
"""

from __future__ import annotations

import functools
import gzip
import io
import random
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import mxnova as mx
from mxnova.gluon import places
from mxnova.gluon.contrib.data.text import WikiText2
from mxnova.gluon.data.vision import CIFAR10, CIFAR100, MNIST

__all__ = ["attack", "make", "seeds"]

_SIZES = (0, 1, 2, 28, 10_000, 60_000, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
_ROW = 3073


def seeds() -> list[bytes]:
    """Small files that are good."""
    labels = struct.pack(">II", 2049, 2) + bytes(2)
    images = struct.pack(">IIII", 2051, 2, 3, 3) + bytes(18)
    parts = [(f"data_batch_{i}.bin", bytes(_ROW)) for i in range(1, 6)]
    return [
        _named("idx3", images),
        _named("idx1", labels),
        _named("mnist", gzip.compress(images)),
        _named("cifar-10-binary.tar.gz", gzip.compress(_tar(parts), mtime=0)),
    ]


def _named(name: str, content: bytes) -> bytes:
    return name.encode() + b"\n" + content


def make(rng: random.Random) -> bytes:
    """A file of one kind."""
    return rng.choice((_idx, _gzip, _cifar, _cifar, _wiki))(rng)


def _header(rng: random.Random, n_axes: int) -> bytes:
    magic = rng.choice((0x800 + n_axes,) * 6 + (0, 0xD00 + n_axes))
    return struct.pack(f">{1 + n_axes}I", magic, *(rng.choice(_SIZES) for _ in range(n_axes)))


def _idx(rng: random.Random) -> bytes:
    n_axes = rng.choice((1, 3))
    content = _header(rng, n_axes) + bytes(rng.choice((0, 1, 100, 2352)))
    return _named(f"idx{n_axes}", content[: rng.choice((None, None, None, 3, 9))])


def _gzip(rng: random.Random) -> bytes:
    """MNIST's images, of which there may be many more than their bytes."""
    content = _header(rng, 3) + bytes(rng.choice((0, 2352, 1 << 22)))
    packed = gzip.compress(content, 1, mtime=0)
    return _named("mnist", _zeros() if rng.random() < 0.1 else _cut(packed, rng))


@functools.cache
def _zeros() -> bytes:
    """256 MiB of nothing."""
    return gzip.compress(bytes(1 << 20), 9, mtime=0) * 256


def _cut(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return data[: rng.randrange(len(data) + 1)]
    if rng.random() < 0.1:
        at = rng.randrange(len(data))
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data


_MEMBERS = (
    "data_batch_1.bin",
    "../data_batch_2.bin",
    "/tmp/test_batch.bin",
    "a" * 200,
    "train.bin",
)
_TYPES = (tarfile.REGTYPE,) * 4 + (
    tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_SPARSE,
    tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.CHRTYPE,
)  # fmt: skip


def _tar(parts: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in parts:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return made.getvalue()


_HOLES = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
_HEADERS = {  # types and contents of what goes before a member, or is one, often
    "members": (tarfile.REGTYPE, b""),
    "names": (tarfile.XHDTYPE, b"".join(b"10 k%04d=1\n" % i for i in range(50_000))),
    "holes": (tarfile.XHDTYPE, _HOLES),
    "links": (tarfile.LNKTYPE, b""),
    "long names": (tarfile.GNUTYPE_LONGNAME, b"n" * (1 << 19)),
}


def _cifar_headers(rng: random.Random) -> bytes:
    """Headers of one kind, as many as the archive may be large."""
    kind, content = _HEADERS[rng.choice(list(_HEADERS))]
    info = tarfile.TarInfo(rng.choice(_MEMBERS))
    info.type, info.size = kind, len(content)
    piece = info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)
    if content == _HOLES:
        numbers = b"10000000\n" + b"0\n" * rng.choice((10, 1 << 20, 16 << 20))
        info.type, info.size = tarfile.REGTYPE, len(numbers)
        piece += info.tobuf(tarfile.GNU_FORMAT) + numbers + bytes(-len(numbers) % 512)
    often = min(rng.choice((1, 30, 50_000)), (32 << 20) // len(piece) + 1)
    return _named("cifar-10-binary.tar.gz", gzip.compress(piece * often, 1, mtime=0))


def _cifar(rng: random.Random) -> bytes:
    """Members of all types, that say to be of any size."""
    if rng.random() < 0.3:
        return _cifar_headers(rng)
    made = bytearray()
    for _ in range(rng.choice((1, 2, 5))):
        info = tarfile.TarInfo(rng.choice(_MEMBERS))
        info.type, info.linkname = rng.choice(_TYPES), rng.choice(("", "/etc/passwd", "train.bin"))
        content = bytes(rng.choice((0, _ROW, 3 * _ROW, 1 << 20)))
        lies = rng.random() < 0.5
        info.size = rng.choice((0, 800 << 20, 1 << 40, (1 << 63) - 1)) if lies else len(content)
        made += info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)
    packed = gzip.compress(bytes(made) + bytes(1024), 1, mtime=0)
    packed = packed + _zeros() if rng.random() < 0.2 else _cut(packed, rng)
    return _named(rng.choice(("cifar-10-binary.tar.gz", "cifar-100-binary.tar.gz")), packed)


def _wiki(rng: random.Random) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        name = rng.choice(("wiki.train.tokens", "x/wiki.train.tokens", "../wiki.train.tokens", "y"))
        text = b" ".join(rng.choice((b"a", b"\xff", b"=", b"\n")) for _ in range(200))
        archive.writestr(name, text * rng.choice((1, 1, 1, 1, 300_000)))
    return _named("wikitext-2-v1.zip", _cut(made.getvalue(), rng))


def attack(data: bytes) -> None:
    """Reads the file as what it is called; nothing is made outside of its folder."""
    name, _, content = data.partition(b"\n")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        root.mkdir()
        try:
            with mock.patch(f"{places.__name__}.download", _refused):
                _READERS[name.decode()](root, content)
        finally:
            assert [p.name for p in Path(folder).iterdir()] == ["root"]


def _refused(url: str, **_: object) -> None:
    raise mx.MXNetError(f"{url}: not asked for")


def _read_idx(n_axes: int, root: Path, content: bytes) -> None:
    path = root / "x"
    path.write_bytes(content)
    other = root / "y"
    header = struct.pack(">II", 2049, 2) if n_axes == 3 else struct.pack(">IIII", 2051, 2, 1, 1)
    other.write_bytes(header + bytes(2))
    given = {"image": path, "label": other} if n_axes == 3 else {"image": other, "label": path}
    names = {key: str(value) for key, value in given.items()}
    for batch in mx.io.MNISTIter(**names, batch_size=1):
        batch.data[0].wait_to_read()


def _read_mnist(root: Path, content: bytes) -> None:
    labels = gzip.compress(struct.pack(">II", 2049, 2) + bytes(2))
    (root / "t10k-labels-idx1-ubyte.gz").write_bytes(labels)
    (root / "t10k-images-idx3-ubyte.gz").write_bytes(content)
    MNIST(str(root), train=False)


def _read_archive(dataset: Callable[..., object], name: str, root: Path, content: bytes) -> None:
    (root / name).write_bytes(content)
    dataset(str(root))


_READERS: dict[str, Callable[[Path, bytes], None]] = {
    "idx1": functools.partial(_read_idx, 1),
    "idx3": functools.partial(_read_idx, 3),
    "mnist": _read_mnist,
    **{
        name: functools.partial(_read_archive, dataset, name)
        for name, dataset in (
            ("cifar-10-binary.tar.gz", CIFAR10),
            ("cifar-100-binary.tar.gz", CIFAR100),
            ("wikitext-2-v1.zip", WikiText2),
        )
    },
}
