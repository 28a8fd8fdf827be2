# SPDX-License-Identifier: Apache-2.0
"""MXNet's iterators over image records, by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.base.errors import argument_error
from ...core.base.std_random import StdRandom
from ..mx_data_iter import MXDataIter
from ..parameters import DetRecord, ImageRecord, OfFloats, iterator
from .augmentation import Augmentation
from .detection import MAGIC as DET_SEED
from .detection import DetAugmentation
from .mean_image import mean_image
from .normalization import Normalization, Plain, check_channels
from .source import Drawn, ImageSource, Labels, longest_label

__all__ = [
    "ImageDetRecordIter",
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
]


def _source(name: str, params: SimpleNamespace, normalization: Any) -> ImageSource:
    check_channels(name, params)
    augmentation = Augmentation(params)

    def draw(random: StdRandom, size: tuple[int, int], labels: np.ndarray) -> Drawn:
        return Drawn(augmentation.steps(random, size), labels)

    return ImageSource(name, params, draw, normalization, Labels(params.label_width))


def _of_floats(name: str, params: SimpleNamespace, names: dict[str, Any]) -> MXDataIter:
    check_channels(name, params)
    if params.dtype in ("uint8", "int8"):
        return MXDataIter(_source(name, params, Plain(params, params.dtype)), **names)
    if params.dtype not in (None, "float32"):
        raise argument_error(name, "dtype", params.dtype, "must be float32, uint8 or int8")
    mean = mean_image(params, lambda: _source(name, params, Plain(params, "uint8")))
    return MXDataIter(_source(name, params, Normalization(params, mean)), **names)


@iterator(ImageRecord)
def ImageRecordIter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802
    """An iterator over image records: float32, augmented and normalized.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> header = mx.recordio.IRHeader(0, 1.0, 0, 0)
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img(header, image, img_fmt=".png"))
        >>> records.close()
        >>> batches = mx.io.ImageRecordIter(path_imgrec=path, data_shape=(3, 8, 8), batch_size=1)
        >>> next(batches).data[0].shape
        (1, 3, 8, 8)
    """
    return _of_floats("ImageRecordIter", params, names)


@iterator(ImageRecord)
def ImageRecordIter_v1(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802
    """`ImageRecordIter`, as it was called before.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> header = mx.recordio.IRHeader(0, 1.0, 0, 0)
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img(header, image, img_fmt=".png"))
        >>> records.close()
        >>> batches = mx.io.ImageRecordIter_v1(path_imgrec=path, data_shape=(3, 8, 8), batch_size=1)
        >>> next(batches).data[0].shape
        (1, 3, 8, 8)
    """
    return _of_floats("ImageRecordIter_v1", params, names)


@iterator(ImageRecord, unlisted=OfFloats.__annotations__)
def ImageRecordUInt8Iter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802
    """An iterator over image records: uint8, augmented.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> header = mx.recordio.IRHeader(0, 1.0, 0, 0)
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img(header, image, img_fmt=".png"))
        >>> records.close()
        >>> batches = mx.io.ImageRecordUInt8Iter(
        ...     path_imgrec=path,
        ...     data_shape=(3, 8, 8),
        ...     batch_size=1,
        ... )
        >>> next(batches).data[0].shape
        (1, 3, 8, 8)
    """
    return MXDataIter(_source("ImageRecordUInt8Iter", params, Plain(params, "uint8")), **names)


@iterator(ImageRecord, unlisted=OfFloats.__annotations__)
def ImageRecordUInt8Iter_v1(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802
    """`ImageRecordUInt8Iter`, as it was called before.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> header = mx.recordio.IRHeader(0, 1.0, 0, 0)
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img(header, image, img_fmt=".png"))
        >>> records.close()
        >>> batches = mx.io.ImageRecordUInt8Iter_v1(
        ...     path_imgrec=path,
        ...     data_shape=(3, 8, 8),
        ...     batch_size=1,
        ... )
        >>> next(batches).data[0].shape
        (1, 3, 8, 8)
    """
    return MXDataIter(_source("ImageRecordUInt8Iter_v1", params, Plain(params, "uint8")), **names)


@iterator(ImageRecord, unlisted=OfFloats.__annotations__)
def ImageRecordInt8Iter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802
    """An iterator over image records: int8, augmented; pixels beyond 127 are 127.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> header = mx.recordio.IRHeader(0, 1.0, 0, 0)
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img(header, image, img_fmt=".png"))
        >>> records.close()
        >>> batches = mx.io.ImageRecordInt8Iter(
        ...     path_imgrec=path,
        ...     data_shape=(3, 8, 8),
        ...     batch_size=1,
        ... )
        >>> next(batches).data[0].shape
        (1, 3, 8, 8)
    """
    return MXDataIter(_source("ImageRecordInt8Iter", params, Plain(params, "int8")), **names)


@iterator(DetRecord, unlisted=("path_imgidx", "device_id", "seed_aug", "mirror", "rand_mirror"))
def ImageDetRecordIter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802
    """An iterator over image records with boxes.

    A row of labels has channels, height and width of the image within the batch's, the number of
    labels, and those labels; what is left is `label_pad_value`.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> box = [2, 5, 1, 0.25, 0.25, 0.75, 0.75]  # widths of header and object; class, corners
        >>> header = mx.recordio.IRHeader(0, box, 0, 0)
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> records.write(mx.recordio.pack_img(header, image, img_fmt=".png"))
        >>> records.close()
        >>> batches = mx.io.ImageDetRecordIter(
        ...     path_imgrec=path,
        ...     data_shape=(3, 8, 8),
        ...     batch_size=1,
        ... )
        >>> next(batches).label[0].asnumpy()
        array([[3.  , 8.  , 8.  , 7.  , 2.  , 5.  , 1.  , 0.25, 0.25, 0.75, 0.75]],
              dtype=float32)
    """
    check_channels("ImageDetRecordIter", params)
    params.rand_mirror = params.mirror = False  # images are mirrored with their boxes
    mean = mean_image(params, lambda: _det_source(params, Plain(params, "uint8")))
    normalization = Normalization(params, mean, is_random=False)
    return MXDataIter(_det_source(params, normalization), **names)


def _det_source(params: SimpleNamespace, normalization: Any) -> ImageSource:
    width = longest_label("ImageDetRecordIter", params)
    if params.label_pad_width > 0:
        if params.label_pad_width < width:
            text = f"must be {width} at least, the length of the longest label"
            given = params.label_pad_width
            raise argument_error("ImageDetRecordIter", "label_pad_width", given, text)
        width = params.label_pad_width
    labels = Labels(width + 4, params.label_pad_value)
    augmentation = DetAugmentation(params)
    return ImageSource(
        "ImageDetRecordIter", params, augmentation, normalization, labels, DET_SEED, numbered=True
    )
