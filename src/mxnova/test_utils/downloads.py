# SPDX-License-Identifier: Apache-2.0
"""Data sets and models that tests fetch."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, FormatError
from ..formats.archives import copy_at_most, unpacking
from ..formats.atomic import replacing

__all__ = [
    "download",
    "download_model",
    "get_bz2_data",
    "get_cifar10",
    "get_mnist",
    "get_mnist_iterator",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_zip_data",
]

_SERVER = "http://data.mxnet.io"
_MOST_BYTES = 4 << 30  # that an archive may unpack to; CIFAR-10's has 0.2 GB
_MOST_OF_MNIST = 48 << 20  # bytes of a file; that of the images has 47,040,016
_MNIST_FILES = tuple(
    f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")
)


def download(
    url: str,
    fname: str | None = None,
    dirname: str | None = None,
    overwrite: bool = False,
    retries: int = 5,
) -> str:
    """Fetches a file, which is there whole or not at all.

    Args:
        url: where from.
        fname: where to; default: the last part of the URL.
        dirname: directory that `fname` is in; it is made where it is missing.
        overwrite: whether a file that is there already is fetched again.
        retries: how often to try again.

    Returns:
        Where the file is.

    Raises:
        MXNetError: the file cannot be fetched, or the URL names none.
    """
    from ..gluon.utils import download as fetched
    from ..gluon.utils import name_in_url

    path = Path(dirname or "", fname or name_in_url(url))
    return fetched(url, str(path), overwrite, retries=retries)


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Fetches a zip file into a directory and unpacks it there.

    Args:
        data_dir: the directory.
        url: where from.
        data_origin_name: the zip file's name there.
    """
    path = Path(data_dir, data_origin_name)
    if not path.exists():
        download(url, data_origin_name, data_dir)
        _unzip(path, data_dir)


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Fetches a bz2 file into a directory, unpacks it there and removes it.

    Args:
        data_dir: the directory.
        data_name: name of the unpacked file.
        url: where from.
        data_origin_name: the bz2 file's name.
    """
    packed, unpacked = Path(data_dir, data_origin_name), Path(data_dir, data_name)
    if not unpacked.exists():
        download(url, data_origin_name, data_dir)
        with _used_up(packed), bz2.open(packed) as source, replacing(unpacked) as target:
            copy_at_most(source, target, _MOST_BYTES, str(packed))
        packed.unlink()


def _unzip(path: Path, folder: str) -> None:
    with _used_up(path), zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > _MOST_BYTES:
            raise FormatError(f"{path}: unpacks to {size} bytes, expected at most {_MOST_BYTES}")
        archive.extractall(folder)


@contextlib.contextmanager
def _used_up(archive: Path) -> Iterator[None]:
    """A block that unpacks an archive, which is removed where that fails: it is fetched again."""
    try:
        with unpacking(str(archive)):
            yield
    except BaseException:
        archive.unlink()
        raise


def get_cifar10() -> None:
    """CIFAR-10 as RecordIO, ``train.rec`` and ``test.rec``, in ``data/cifar``."""
    wanted = [Path("data", "cifar", f"{part}.{kind}") for part in ("train", "test")
              for kind in ("rec", "lst")]  # fmt: skip
    _unpacked("cifar10.zip", wanted)


def get_mnist_ubyte() -> None:
    """MNIST in its own format, in ``data``."""
    _unpacked("mnist.zip", [Path("data", name) for name in _MNIST_FILES])


def _unpacked(archive: str, wanted: list[Path]) -> None:
    if not all(path.exists() for path in wanted):
        path = download(f"{_SERVER}/mxnet/data/{archive}", archive, "data")
        _unzip(Path(path), "data")


def get_mnist_pkl() -> None:
    """MNIST as ``data/mnist.pkl.gz``, which is fetched and not read."""
    download("http://deeplearning.net/data/mnist/mnist.pkl.gz", "mnist.pkl.gz", "data")


def get_mnist() -> dict[str, Any]:
    """MNIST as NumPy arrays, fetched into the current directory.

    Returns:
        ``train_data`` and ``test_data``, float32 in [0, 1] of shape (n, 1, 28, 28), and
        ``train_label`` and ``test_label``, int8 of shape (n,).
    """
    arrays = [
        _read_idx(download(f"{_SERVER}/data/mnist/{name}.gz", f"{name}.gz"))
        for name in _MNIST_FILES
    ]
    images = [a.reshape(-1, 1, 28, 28).astype(np.float32) / 255 for a in arrays[::2]]
    labels = [a.astype(np.int8) for a in arrays[1::2]]
    return {
        "train_data": images[0],
        "train_label": labels[0],
        "test_data": images[1],
        "test_label": labels[1],
    }


def _read_idx(path: str) -> Any:
    """The array in a gzipped file of bytes in MNIST's format."""
    with unpacking(path), gzip.open(path) as file:
        data = file.read(_MOST_OF_MNIST + 1)
    if len(data) > _MOST_OF_MNIST:
        raise FormatError(f"{path}: unpacks to more than {_MOST_OF_MNIST} bytes")
    if len(data) < 4 or data[:3] != b"\0\0\x08":
        raise FormatError(f"{path}: it does not start as a file of MNIST does")
    sizes = struct.unpack_from(f">{data[3]}I", data, 4)
    values = np.frombuffer(data, np.uint8, offset=4 + 4 * len(sizes))
    if values.size != np.prod(sizes, dtype=np.int64):
        raise FormatError(f"{path}: {values.size} bytes are no array of shape {sizes}")
    return values.reshape(sizes)


def get_mnist_iterator(
    batch_size: int, input_shape: tuple[int, ...], num_parts: int = 1, part_index: int = 0
) -> tuple[Any, Any]:
    """(training, validation) iterators over MNIST, fetched into ``data``.

    Args:
        batch_size: examples in a batch.
        input_shape: shape of an example: three axes, or one.
        num_parts: how many parts the data is cut into.
        part_index: which of them is read.
    """
    import mxnova as mx

    get_mnist_ubyte()
    images, labels, test_images, test_labels = (str(Path("data", n)) for n in _MNIST_FILES)
    common = {
        "input_shape": input_shape,
        "batch_size": batch_size,
        "flat": len(input_shape) != 3,
        "num_parts": num_parts,
        "part_index": part_index,
    }
    iterator = mx.io.MNISTIter
    return (
        iterator(image=images, label=labels, shuffle=True, **common),
        iterator(image=test_images, label=test_labels, **common),
    )


_MODELS = {  # model -> its files on the server, without -symbol.json or the epoch
    "imagenet1k-inception-bn": ("imagenet/inception-bn/Inception-BN", 126),
    **{
        f"imagenet1k-resnet-{n}": (f"imagenet/resnet/{n}-layers/resnet-{n}", 0)
        for n in (18, 34, 50, 101, 152)
    },
    "imagenet1k-resnext-50": ("imagenet/resnext/50-layers/resnext-50", 0),
    "imagenet1k-resnext-101": ("imagenet/resnext/101-layers/resnext-101", 0),
    "imagenet1k-resnext-101-64x4d": ("imagenet/resnext/101-layers/resnext-101-64x4d", 0),
    "imagenet11k-resnet-152": ("imagenet-11k/resnet-152/resnet-152", 0),
    "imagenet11k-place365ch-resnet-152": ("imagenet-11k-place365-ch/resnet-152", 0),
    "imagenet11k-place365ch-resnet-50": ("imagenet-11k-place365-ch/resnet-50", 0),
}


def download_model(
    model_name: str, dst_dir: str = "./", meta_info: Mapping[str, Any] | None = None
) -> tuple[str | None, int]:
    """Fetches a trained model.

    Args:
        model_name: its name.
        dst_dir: directory that it is put in.
        meta_info: ``{"symbol": url, "params": url}`` for each model; default: MXNet's own.

    Returns:
        (prefix, epoch) to load it with; (None, 0) for a name that is not known.
    """
    known = _urls() if meta_info is None else dict(meta_info)
    if model_name not in known:
        return None, 0
    missing = {"symbol", "params"} - set(known[model_name])
    if missing:
        raise ArgumentError(f"download_model: meta_info has no {min(missing)} for {model_name}")
    prefix = str(Path(dst_dir, model_name))
    download(known[model_name]["symbol"], f"{prefix}-symbol.json")
    download(known[model_name]["params"], f"{prefix}-0000.params")
    return prefix, 0


def _urls() -> dict[str, dict[str, str]]:
    return {
        name: {
            "symbol": f"{_SERVER}/models/{path}-symbol.json",
            "params": f"{_SERVER}/models/{path}-{epoch:04d}.params",
        }
        for name, (path, epoch) in _MODELS.items()
    }
