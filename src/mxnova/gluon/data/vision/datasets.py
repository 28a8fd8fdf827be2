# SPDX-License-Identifier: Apache-2.0
"""Datasets of images: the published ones, folders of files, and RecordIO files.

The published ones are read from their folder, to which files that are not there are downloaded.
"""

from __future__ import annotations

import gzip
import logging
import math
import os
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np

from mxnova import image
from mxnova import ndarray as nd
from mxnova.base import data_dir
from mxnova.core.base.errors import FileError, FormatError
from mxnova.formats.archives import copy_at_most, tar_files, unpacking
from mxnova.formats.atomic import replacing
from mxnova.formats.idx import header_size, idx_shape
from mxnova.recordio import unpack
from mxnova.util import is_np_array

from ....core.base.doors import facade
from ....core.base.user_warnings import warn_user
from ...places import first_that_has
from ...utils import check_sha1
from .. import dataset

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageRecordDataset",
]

_log = logging.getLogger("mxnova")

_Transform = Callable[[Any, Any], Any] | None
_File = tuple[str, str]  # its name and SHA-1


def _default(name: str) -> str:
    return os.path.join(data_dir(), "datasets", name)


class _Published(dataset._DownloadedDataset):
    """A dataset that MXNet's server has, or had."""

    _namespace: str  # its folder there
    _most_bytes: int  # that a published file has, packed or not; of larger ones no hash is taken
    _published: list[str] | None = None  # paths of the files, of which others are refused then

    def _path_of(self, name: str, sha1: str) -> str:
        """Where file `name` is, which is downloaded if need be."""
        path = os.path.join(self._root, name)
        if not os.path.exists(path):
            self._download(path, name, sha1)
        elif os.path.getsize(path) > self._most_bytes or not check_sha1(path, sha1):
            text = f"{path}: is not the published file: its SHA-1 is not {sha1}"
            if self._published is not None:
                raise FormatError(text)
            _log.warning("%s", text)
        if self._published is not None:
            self._published.append(path)
        return path

    def _download(self, path: str, name: str, sha1: str) -> None:
        def accept(found: str) -> None:
            if os.path.getsize(found) > self._most_bytes or not check_sha1(found, sha1):
                raise FormatError("is not the published file")
            with open(found, "rb") as source, replacing(path) as target:
                shutil.copyfileobj(source, target)

        about = f"a file of this data set, whose SHA-1 is {sha1},"
        first_that_has([f"gluon/dataset/{self._namespace}/{name}"], accept, path, about)


class MNIST(_Published):
    """Handwritten digits: 28 × 28 pixels, gray, uint8 (28, 28, 1); labels 0 to 9, int32.

    Y. LeCun, C. Cortes, C. J. C. Burges, http://yann.lecun.com/exdb/mnist.

    Args:
        root: folder of the four ``.gz`` files.
        train: the 60,000 images to train with, or the 10,000 to test with.
        transform: what is called with image and label; or None.
    """

    _most_bytes = 60_000 * 28 * 28  # in a file

    def __init__(
        self,
        root: str = _default("mnist"),
        train: bool = True,
        transform: _Transform = None,
    ):
        self._train = train
        self._train_data: _File = (
            "train-images-idx3-ubyte.gz",
            "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d",
        )
        self._train_label: _File = (
            "train-labels-idx1-ubyte.gz",
            "2a80914081dc54586dbdf242f9805a6b8d2a15fc",
        )
        self._test_data: _File = (
            "t10k-images-idx3-ubyte.gz",
            "c3a25af1f52dad7f726cce8cacb138654b760d48",
        )
        self._test_label: _File = (
            "t10k-labels-idx1-ubyte.gz",
            "763e7fa3757d93b0cdec073cef058b2004252c17",
        )
        self._namespace = "mnist"
        _Published.__init__(self, root, transform)

    def _get_data(self) -> None:
        data, label = (
            (self._train_data, self._train_label)
            if self._train
            else (self._test_data, self._test_label)
        )
        labels = _idx(self._path_of(*label), 1, self._most_bytes)
        images = _idx(self._path_of(*data), 3, self._most_bytes)
        if len(images) != len(labels):
            raise FormatError(
                f"{self._root}: {data[0]} has {len(images)} images, {label[0]} {len(labels)} labels"
            )
        self._label = labels.astype(np.int32)
        self._data = _array(images[..., np.newaxis])


class FashionMNIST(MNIST):
    """Articles of clothing, of MNIST's form.

    H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST", 2017.

    Args:
        root: folder of the four ``.gz`` files.
        train: the 60,000 images to train with, or the 10,000 to test with.
        transform: what is called with image and label; or None.
    """

    def __init__(
        self,
        root: str = _default("fashion-mnist"),
        train: bool = True,
        transform: _Transform = None,
    ):
        self._train = train
        self._train_data = (
            "train-images-idx3-ubyte.gz",
            "0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
        )
        self._train_label = (
            "train-labels-idx1-ubyte.gz",
            "236021d52f1e40852b06a4c3008d8de8aef1e40b",
        )
        self._test_data = (
            "t10k-images-idx3-ubyte.gz",
            "626ed6a7c06dd17c0eec72fa3be1740f146a2863",
        )
        self._test_label = (
            "t10k-labels-idx1-ubyte.gz",
            "17f9ab60e7257a1620f4ad76bbbaf857c3920701",
        )
        self._namespace = "fashion-mnist"
        _Published.__init__(self, root, transform)


def _array(images: np.ndarray[Any, Any]) -> nd.NDArray:
    array = nd.array(images, dtype=np.uint8)
    return array.as_np_ndarray() if is_np_array() else array


_ADVICE = "; delete it to have it downloaded"


def _idx(path: str, n_axes: int, most: int) -> np.ndarray[Any, Any]:
    """The bytes in a gzipped IDX file of `n_axes` axes.

    Raises:
        FormatError: it is something else, or damaged, or has more than `most` bytes.
    """
    with unpacking(path, _ADVICE), gzip.open(path) as file:
        try:
            shape = idx_shape(file.read(header_size(n_axes)), n_axes)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None
        size = math.prod(shape)
        if size > most:
            raise FormatError(f"{path}: {shape} bytes, where the published file has {most}")
        content = file.read(size + 1)
    if len(content) != size:
        raise FormatError(f"{path}: has not the {shape} bytes that it says")
    return np.frombuffer(content, np.uint8).reshape(shape)


class CIFAR10(_Published):
    """Photographs of ten kinds of things: uint8 (32, 32, 3); labels int32.

    A. Krizhevsky, "Learning multiple layers of features from tiny images", 2009.

    Args:
        root: folder of the ``.bin`` files, or of the archive with them.
        train: the 50,000 images to train with, or the 10,000 to test with.
        transform: what is called with image and label; or None.
    """

    _most_bytes = 180 << 20  # the archive has 170,052,171
    _n_labels = 1  # bytes before each image
    _label_at = 0
    _most_images = 10_000  # in a file
    _n_files = 6  # in the archive

    def __init__(
        self,
        root: str = _default("cifar10"),
        train: bool = True,
        transform: _Transform = None,
    ):
        self._train = train
        self._archive_file: _File = (
            "cifar-10-binary.tar.gz",
            "fab780a1e191a7eda0f345501ccd62d20f7ed891",
        )
        self._train_data: list[_File] = [
            ("data_batch_1.bin", "aadd24acce27caa71bf4b10992e9e7b2d74c2540"),
            ("data_batch_2.bin", "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"),
            ("data_batch_3.bin", "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"),
            ("data_batch_4.bin", "aab85764eb3584312d3c7f65fd2fd016e36a258e"),
            ("data_batch_5.bin", "26e2849e66a845b7f1e4614ae70f4889ae604628"),
        ]
        self._test_data: list[_File] = [
            ("test_batch.bin", "67eb016db431130d61cd03c7ad570b013799c88c")
        ]
        self._namespace = "cifar10"
        super().__init__(root, transform)

    def _get_data(self) -> None:
        files = self._train_data if self._train else self._test_data
        missing = {n for n, _ in files if not os.path.exists(os.path.join(self._root, n))}
        if missing:
            self._unpack(self._path_of(*self._archive_file), missing)
        batches = [self._read_batch(self._path_of(*file)) for file in files]
        self._data = _array(np.concatenate([data for data, _ in batches]))
        self._label = np.concatenate([label for _, label in batches])

    def _read_batch(self, filename: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Images and labels of one file."""
        length = self._n_labels + 3 * 32 * 32
        if os.path.getsize(filename) > self._most_images * length:
            raise FormatError(f"{filename}: more than {self._most_images} images of {length} bytes")
        content = np.fromfile(filename, np.uint8)
        if not content.size or content.size % length:
            raise FormatError(f"{filename}: {content.size} bytes are no images of {length} each")
        rows = content.reshape(-1, length)
        images = rows[:, self._n_labels :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return images, rows[:, self._label_at].astype(np.int32)

    def _unpack(self, archive: str, names: set[str]) -> None:
        """Copies the files `names`, wherever in a tar archive they are, to the folder."""
        most = self._most_images * (self._n_labels + 3 * 32 * 32)
        with unpacking(archive, _ADVICE), gzip.open(archive) as file:
            for name, size in tar_files(file, self._n_files * most):  # type: ignore[arg-type]
                if name in names:
                    names.discard(name)
                    with replacing(os.path.join(self._root, name)) as target:
                        copy_at_most(file, target, most, name, size)  # type: ignore[arg-type]
                if not names:
                    break


class CIFAR100(CIFAR10):
    """Photographs of a hundred kinds of things, in twenty groups, of CIFAR10's form.

    Args:
        root: folder of the ``.bin`` files, or of the archive with them.
        fine_label: labels are the hundred kinds, instead of the twenty groups.
        train: the 50,000 images to train with, or the 10,000 to test with.
        transform: what is called with image and label; or None.
    """

    _n_labels = 2
    _most_images = 50_000
    _n_files = 2

    def __init__(
        self,
        root: str = _default("cifar100"),
        fine_label: bool = False,
        train: bool = True,
        transform: _Transform = None,
    ):
        self._train = train
        self._archive_file = (
            "cifar-100-binary.tar.gz",
            "a0bb982c76b83111308126cc779a992fa506b90b",
        )
        self._train_data = [("train.bin", "e207cd2e05b73b1393c74c7f5e7bea451d63e08e")]
        self._test_data = [("test.bin", "8fb6623e830365ff53cf14adec797474f5478006")]
        self._fine_label = fine_label
        self._label_at = int(fine_label)
        self._namespace = "cifar100"
        _Published.__init__(self, root, transform)


class ImageRecordDataset(dataset.RecordFileDataset):
    """The images of a RecordIO file: uint8 (height, width, channels), and their labels.

    Args:
        filename: path of the ``.rec`` file; the index lies beside it, as ``.idx``.
        flag: 1: three channels, 0: one gray channel.
        transform: what is called with image and label; or None.
    """

    def __init__(self, filename: str, flag: int = 1, transform: _Transform = None):
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: int) -> Any:
        header, encoded = unpack(super().__getitem__(idx))
        item = image.imdecode(encoded, self._flag), header.label
        return item if self._transform is None else self._transform(*item)


_EXTENSIONS = (".jpg", ".jpeg", ".png")


class ImageFolderDataset(dataset.Dataset):
    """The images in the folders of a folder, one for each class, named after it.

    Args:
        root: the folder of folders.
        flag: 1: three channels, 0: one gray channel.
        transform: what is called with image and label; or None.

    Attributes:
        synsets: names of the classes, in the order of their labels.
        items: (path, label) of each image.
    """

    def __init__(self, root: str, flag: int = 1, transform: _Transform = None):
        self._root = os.path.expanduser(root)
        self._flag = flag
        self._transform = transform
        self._exts = list(_EXTENSIONS)
        self._list_images(self._root)

    def _list_images(self, root: str) -> None:
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        for name in _listed(root):
            folder = os.path.join(root, name)
            if not os.path.isdir(folder):
                _ignored(folder, "it is no folder")
                continue
            label = len(self.synsets)
            self.synsets.append(name)
            for filename in _listed(folder):
                path = os.path.join(folder, filename)
                if os.path.splitext(filename)[1].lower() in self._exts:
                    self.items.append((path, label))
                else:
                    _ignored(path, f"it is none of {', '.join(self._exts)}")

    def __getitem__(self, idx: int) -> Any:
        path, label = self.items[idx]
        item = image.imread(path, self._flag), label
        return item if self._transform is None else self._transform(*item)

    def __len__(self) -> int:
        return len(self.items)


def _listed(folder: str) -> list[str]:
    """Names in a folder, in order."""
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise FileError.of(error, folder) from error


def _ignored(path: str, reason: str) -> None:
    warn_user(f"ImageFolderDataset: {path} is ignored: {reason}")


facade(__name__)
