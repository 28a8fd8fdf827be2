# SPDX-License-Identifier: Apache-2.0
"""ImageIter: batches of images from records, lists or folders, augmented in Python."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np

from mxnova import io, recordio
from mxnova import ndarray as nd
from mxnova.core.base.errors import (
    ArgumentError,
    AssertedError,
    FormatError,
    MXNetError,
    UnknownNameError,
    argument_error,
    shown,
)
from mxnova.formats.source import read_file
from mxnova.formats.text_tables import parse_image_list

from .augmenters import CreateAugmenter
from .reading import imdecode

__all__ = ["ImageIter"]

_DTYPES = ("int32", "float32", "int64", "float64")


class ImageIter(io.DataIter):
    """An iterator over images in a record file, or in files of a list.

    Args:
        batch_size: images in a batch.
        data_shape: (channels, height, width) of an image in a batch.
        label_width: labels of an image; a single one counts for all of them.
        path_imgrec: path of a record file.
        path_imglist: path of a list: lines of an index, labels and a path, with tabs between.
        path_root: folder of the paths in the list.
        path_imgidx: path of the record file's index, for random order and parts.
        shuffle: whether the order is another one in each epoch.
        part_index: which part.
        num_parts: in how many parts the images are divided.
        aug_list: augmenters; default: those that CreateAugmenter makes of `kwargs`.
        imglist: a list itself: rows of labels and a path.
        data_name: of the data.
        label_name: of the labels.
        dtype: of the labels.
        last_batch_handle: a last batch that is not full is filled up with the first images
            (``pad``), left out (``discard``), or put before the next epoch's (``roll_over``).
        **kwargs: of CreateAugmenter.

    Raises:
        AssertedError: there are no images, or arguments exclude each other.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img((0, 3.0, 0, 0), image, img_fmt=".png"))
        >>> records.close()
        >>> batch = next(mx.image.ImageIter(1, (3, 8, 8), path_imgrec=path))
        >>> batch.data[0].shape, batch.label[0].asnumpy()
        ((1, 3, 8, 8), array([3.], dtype=float32))
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, int, int],
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Any = None,
        imglist: Any = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if not (path_imgrec or path_imglist or isinstance(imglist, list)):
            raise AssertedError("ImageIter: needs one of path_imgrec, path_imglist and imglist")
        if dtype not in _DTYPES:
            raise AssertedError(f"ImageIter: dtype={dtype!r}: must be one of {', '.join(_DTYPES)}")
        if last_batch_handle not in ("pad", "discard", "roll_over"):
            text = "must be pad, discard or roll_over"
            raise argument_error("ImageIter", "last_batch_handle", last_batch_handle, text)
        self.check_data_shape(data_shape)
        self.path_root = path_root
        self.imgrec: Any = None
        self.imgidx: list[Any] | None = None
        self.imglist: dict[Any, tuple[Any, str]] | None = None
        self._open(path_imgrec, path_imgidx)
        self._list(path_imglist, imglist, label_width)
        self.batch_size = batch_size
        self.data_shape = tuple(data_shape)
        self.label_width = label_width
        self.shuffle = shuffle
        self.seq = self._sequence(shuffle, num_parts, part_index)
        self.num_image = None if self.seq is None else len(self.seq)
        self.auglist = (
            CreateAugmenter(cast(tuple[int, int, int], self.data_shape), **kwargs)
            if aug_list is None
            else aug_list
        )
        self.last_batch_handle = last_batch_handle
        self.provide_data = [io.DataDesc(data_name, (batch_size, *data_shape), dtype)]
        labels = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_label = [io.DataDesc(label_name, labels, dtype)]
        self.cur = 0
        self._allow_read = True
        self._cache: list[tuple[Any, Any]] = []  # samples left over
        self.reset()

    # Where images come from -----------------------------------------------------------------------

    def _open(self, path_imgrec: str | None, path_imgidx: str | None) -> None:
        if path_imgrec and path_imgidx:
            self.imgrec = recordio.MXIndexedRecordIO(path_imgidx, path_imgrec, "r")
            self.imgidx = list(self.imgrec.keys)
        elif path_imgrec:
            self.imgrec = recordio.MXRecordIO(path_imgrec, "r")

    def _list(self, path: str | None, rows: Any, label_width: int) -> None:
        if path:
            try:
                entries = parse_image_list(read_file(path))
            except FormatError as error:
                raise FormatError(f"{path}: {error}") from None
            self.imglist = {e.index: (nd.array(e.labels), e.path) for e in entries}
        elif isinstance(rows, list):
            self.imglist = {str(i): _entry(row) for i, row in enumerate(rows, 1)}
        for key, (label, _) in (self.imglist or {}).items():
            self._check_label(key, label, label_width)

    def _check_label(self, key: Any, label: nd.NDArray, label_width: int) -> None:
        if label.size not in (1, label_width):
            text = f"{label.size} labels of image {key!r}, where label_width={label_width}"
            raise ArgumentError(f"ImageIter: {text}")

    def _sequence(self, shuffle: bool, num_parts: int, part_index: int) -> list[Any] | None:
        if self.imglist is not None and self.imgrec is None:
            keys: list[Any] | None = list(self.imglist)
        elif self.imgidx is not None:
            keys = self.imgidx
        else:
            keys = None
        if keys is None:
            if shuffle or num_parts > 1:
                raise AssertedError("ImageIter: shuffle and num_parts need path_imgidx")
            return None
        if not 0 <= part_index < num_parts:
            text = f"part_index={part_index}: must be below num_parts={num_parts}"
            raise AssertedError(f"ImageIter: {text}")
        size = len(keys) // num_parts
        return keys[part_index * size : (part_index + 1) * size] if num_parts > 1 else list(keys)

    # Epochs ---------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Start an epoch, with the samples left over if `last_batch_handle` rolls over."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        if self.last_batch_handle != "roll_over":
            self._cache = []
        self._rewind()

    def hard_reset(self) -> None:
        """Start an epoch without the samples left over."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        self._cache = []
        self._rewind()

    def _rewind(self) -> None:
        if self.imgrec is not None:
            self.imgrec.reset()
        self.cur = 0
        self._allow_read = True

    def next_sample(self) -> tuple[Any, bytes]:
        """Label and encoded image of the next sample.

        Raises:
            StopIteration: there is none.
        """
        if not self._allow_read:
            raise StopIteration
        if self.seq is None:
            record = self.imgrec.read()
            if record is None:
                raise StopIteration
            header, image = recordio.unpack(record)
            return header.label, image
        if self.cur >= len(self.seq):
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is None:
            label, path = self.imglist[key]  # type: ignore[index]
            return label, self.read_image(path)
        header, image = recordio.unpack(self.imgrec.read_idx(key))
        return (header.label if self.imglist is None else self._listed(key)), image

    def _listed(self, key: Any) -> Any:
        if key not in self.imglist:  # type: ignore[operator]
            raise UnknownNameError(f"ImageIter: the list has no image of index {key!r}")
        return self.imglist[key][0]  # type: ignore[index]

    def _samples(self, n: int) -> list[tuple[Any, Any]]:
        """Up to `n` samples, augmented: pairs of (channels, height, width) and labels."""
        samples: list[tuple[Any, Any]] = []
        while len(samples) < n:
            try:
                label, encoded = self.next_sample()
            except StopIteration:
                break
            image = self.imdecode(encoded)
            self.check_valid_image([image])
            samples.append((self.postprocess_data(self._fitting(image)), label))
        return samples

    def _fitting(self, image: nd.NDArray) -> nd.NDArray:
        image = self.augmentation_transform(image)
        channels, height, width = self.data_shape
        if image.shape != (height, width, channels):
            text = f"augmenters give {image.shape}, data_shape needs {(height, width, channels)}"
            raise ArgumentError(f"ImageIter: {text} (height, width, channels)")
        return image

    def next(self) -> io.DataBatch:
        """The next batch.

        Raises:
            StopIteration: there is none.
        """
        samples, pad = self._next_samples()
        data = np.stack([image.asnumpy() for image, _ in samples]).astype(np.float32)
        shape = self.provide_label[0].shape
        labels = np.stack([_labels_of(label, prod(shape[1:])) for _, label in samples])
        return io.DataBatch([nd.array(data)], [nd.array(labels.reshape(shape))], pad)

    def _next_samples(self) -> tuple[list[tuple[Any, Any]], int]:
        """The samples of a batch, and how many of them `pad` counts."""
        samples, self._cache = self._cache, []
        pad = self.batch_size - len(samples) if samples else 0
        samples = samples + self._samples(self.batch_size - len(samples))
        missing = self.batch_size - len(samples)
        if not samples:
            raise StopIteration
        if not missing:
            return samples, pad
        if self.last_batch_handle == "pad":
            return self._filled(samples), missing
        if self.last_batch_handle == "roll_over":
            self._cache = samples
        self._allow_read = False
        raise StopIteration

    def _filled(self, samples: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        nd.empty(self.provide_data[0].shape)  # out of memory now, not after reading for hours
        while len(samples) < self.batch_size:
            self._rewind()
            samples += self._samples(self.batch_size - len(samples))
        self._allow_read = False
        return samples

    # Steps that subclasses change -----------------------------------------------------------------

    def check_data_shape(self, data_shape: Any) -> None:
        """Refuses shapes that are not (channels, height, width).

        Raises:
            ArgumentError: it is another shape.
        """
        if len(data_shape) != 3 or data_shape[0] != 3:
            text = "must be (3, height, width)"
            raise argument_error(type(self).__name__, "data_shape", data_shape, text)

    def check_valid_image(self, data: Sequence[nd.NDArray]) -> None:
        """Refuses images without pixels.

        Raises:
            MXNetError: the image has none.
        """
        if len(data[0].shape) == 0:
            raise MXNetError("ImageIter: an image without pixels")

    def imdecode(self, s: bytes) -> nd.NDArray:
        """Decode the bytes of an image file, like `mx.image.imdecode`."""
        try:
            return imdecode(s)
        except MXNetError as error:
            where = "" if self.seq is None else f" {shown(self.seq[self.cur - 1])}"
            raise FormatError(f"{type(self).__name__}: image{where}: {error}") from None

    def read_image(self, fname: str) -> bytes:
        """The bytes of a file in the folder `path_root`."""
        return read_file(os.path.join(self.path_root or "", fname))

    def augmentation_transform(self, data: nd.NDArray) -> nd.NDArray:
        """An image that all augmenters have changed, one after the other."""
        for augment in self.auglist:
            data = augment(data)
        return data

    def postprocess_data(self, datum: nd.NDArray) -> nd.NDArray:
        """An image with its channels in front."""
        planar: nd.NDArray = nd.transpose(datum, axes=(2, 0, 1))
        return planar


def _entry(row: Sequence[Any]) -> tuple[nd.NDArray, str]:
    """Labels and path of a row: ``[label, path]``, ``[labels, path]`` or ``[label, ..., path]``."""
    *labels, path = row
    if not labels or not isinstance(path, str):
        raise ArgumentError(f"ImageIter: imglist: {shown(row)}: must be labels and a path")
    values = labels[0] if len(labels) == 1 else labels
    return nd.array(np.atleast_1d(np.asarray(values, np.float32))), path


def _numbers(label: Any) -> np.ndarray:
    return label.asnumpy() if isinstance(label, nd.NDArray) else np.asarray(label, np.float32)


def _labels_of(label: Any, count: int) -> np.ndarray:
    """The `count` labels of an image, of which it may name one for all."""
    numbers = _numbers(label).ravel()
    if numbers.size not in (1, count):
        raise ArgumentError(
            f"ImageIter: {numbers.size} labels of an image, which must have {count}"
        )
    return np.broadcast_to(numbers, count)
