# SPDX-License-Identifier: Apache-2.0
"""ImageDetIter: batches of images with boxes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mxnova import io
from mxnova import ndarray as nd
from mxnova.core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    FormatError,
    MXNetError,
    argument_error,
)
from mxnova.core.base.opencv import require_opencv

from .det_creation import CreateDetAugmenter
from .iterators import ImageIter, _numbers

__all__ = ["ImageDetIter"]

_log = logging.getLogger("mxnova")


class ImageDetIter(ImageIter):
    """An iterator over images with boxes.

    A label has the width of its header, the width of an object, the rest of the header, and the
    objects: ``class, left, top, right, bottom, ...``. Labels of a batch are (batch size, objects,
    width of an object), filled up with -1. Images without boxes are left out, with a line in the
    log.

    Args:
        batch_size: images in a batch.
        data_shape: (channels, height, width) of an image in a batch.
        path_imgrec: see ImageIter.
        path_imglist: see ImageIter.
        path_root: see ImageIter.
        path_imgidx: see ImageIter.
        shuffle: see ImageIter.
        part_index: see ImageIter.
        num_parts: see ImageIter.
        aug_list: augmenters; default: those that CreateDetAugmenter makes of `kwargs`.
        imglist: see ImageIter.
        data_name: of the data.
        label_name: of the labels.
        last_batch_handle: see ImageIter.
        **kwargs: of CreateDetAugmenter.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "images.rec")
        >>> records = mx.recordio.MXRecordIO(path, "w")
        >>> image = np.zeros((8, 8, 3), np.uint8)
        >>> box = [2, 5, 1, 0.25, 0.25, 0.75, 0.75]  # widths of header and object; class, corners
        >>> records.write(mx.recordio.pack_img((0, box, 0, 0), image, img_fmt=".png"))
        >>> records.close()
        >>> batch = next(mx.image.ImageDetIter(1, (3, 8, 8), path_imgrec=path))
        >>> batch.label[0].asnumpy()
        array([[[1.  , 0.25, 0.25, 0.75, 0.75]]], dtype=float32)
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, int, int],
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
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size=batch_size,
            data_shape=data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=[],
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
        )
        self.auglist = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.label_shape = self._estimate_label_shape()
        self._describe_labels()

    def _check_label(self, key: Any, label: nd.NDArray, label_width: int) -> None:
        """Labels of images differ in length."""

    def _describe_labels(self) -> None:
        name = self.provide_label[0].name
        self.provide_label = [io.DataDesc(name, (self.batch_size, *self.label_shape))]

    # Labels ---------------------------------------------------------------------------------------

    def _estimate_label_shape(self) -> tuple[int, int]:
        """Most boxes, and numbers of a box."""
        count = width = 0
        self.reset()
        while True:
            try:
                label, _ = self.next_sample()
            except StopIteration:
                break
            try:
                boxes = self._parse_label(label)
            except FormatError as error:
                _log.debug("ImageDetIter: left out: %s", error)
                continue
            count, width = max(count, boxes.shape[0]), boxes.shape[1]
        self.reset()
        if not count:
            raise FormatError("ImageDetIter: there are no boxes")
        return count, width

    def _parse_label(self, label: Any) -> np.ndarray:
        """The boxes in a label.

        Raises:
            FormatError: it breaks the format, or has no boxes.
        """
        raw = _numbers(label).ravel()
        if raw.size < 7:
            raise FormatError(f"a label of {raw.size} numbers: a header and a box have 7 at least")
        if not (np.isfinite(raw[:2]).all() and 2 <= raw[0] <= raw.size and 5 <= raw[1] <= raw.size):
            raise FormatError(f"a label whose header and boxes have widths {raw[0]} and {raw[1]}")
        header, width = int(raw[0]), int(raw[1])
        if (raw.size - header) % width:
            text = f"{raw.size - header} numbers behind the header, where a box has {width}"
            raise FormatError(f"a label of {text}")
        boxes = raw[header:].reshape(-1, width)
        boxes = boxes[(boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])]
        if not len(boxes):
            raise FormatError("a label without boxes")
        return boxes

    def check_label_shape(self, label_shape: Any) -> None:
        """Refuses shapes that labels do not fit into.

        Raises:
            ArgumentError: it is no (boxes, width), or smaller than the present one.
        """
        text = f"must be two numbers, {self.label_shape} at least"
        if len(label_shape) != 2 or label_shape[0] < self.label_shape[0]:
            raise argument_error("ImageDetIter", "label_shape", label_shape, text)
        if label_shape[1] != self.label_shape[1]:
            raise argument_error("ImageDetIter", "label_shape", label_shape, text)

    def reshape(self, data_shape: Any = None, label_shape: Any = None) -> None:
        """Change the shapes of images and labels in following batches."""
        if data_shape is not None:
            self.check_data_shape(data_shape)
            desc = self.provide_data[0]
            self.provide_data = [io.DataDesc(desc.name, (self.batch_size, *data_shape))]
            self.data_shape = tuple(data_shape)
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.label_shape = tuple(label_shape)
            self._describe_labels()

    def sync_label_shape(self, it: ImageDetIter, verbose: bool = False) -> ImageDetIter:
        """Set the label shape of both iterators to the larger one.

        Args:
            it: the other one.
            verbose: whether changes are logged.

        Raises:
            AssertedError: `it` is something else, or its boxes have another width.
        """
        if not isinstance(it, ImageDetIter):
            raise AssertedError(f"sync_label_shape: it is a {type(it).__name__}")
        if self.label_shape[1] != it.label_shape[1]:
            widths = f"{self.label_shape[1]} and {it.label_shape[1]}"
            raise AssertedError(f"sync_label_shape: boxes of {widths} numbers")
        larger = max(self.label_shape[0], it.label_shape[0]), self.label_shape[1]
        for each in (self, it):
            if verbose and each.label_shape != larger:
                _log.info("ImageDetIter: label_shape is %s now, was %s", larger, each.label_shape)
            each.reshape(None, larger)
        return it

    # Batches --------------------------------------------------------------------------------------

    def _samples(self, n: int) -> list[tuple[Any, Any]]:
        samples: list[tuple[Any, Any]] = []
        while len(samples) < n:
            try:
                raw, encoded = self.next_sample()
            except StopIteration:
                break
            image = self.imdecode(encoded)
            try:
                self.check_valid_image([image])
                image, boxes = self.augmentation_transform(image, self._parse_label(raw))
                self._check_boxes(boxes)
            except FormatError as error:
                _log.debug("ImageDetIter: left out: %s", error)
                continue
            samples.append((self.postprocess_data(self._checked(image)), self._padded(boxes)))
        return samples

    def _check_boxes(self, boxes: np.ndarray) -> None:
        if boxes.ndim != 2 or boxes.shape[1] < 5:
            raise FormatError(f"boxes of shape {boxes.shape}")
        ordered = (boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])
        if not ((boxes[:, 0] >= 0) & ordered).any():
            raise FormatError("a label without boxes")

    def _checked(self, image: nd.NDArray) -> nd.NDArray:
        channels, height, width = self.data_shape
        if image.shape != (height, width, channels):
            text = f"augmenters give {image.shape}, data_shape needs {(height, width, channels)}"
            raise ArgumentError(f"ImageDetIter: {text} (height, width, channels)")
        return image

    def _padded(self, boxes: np.ndarray) -> np.ndarray:
        label = np.full(self.label_shape, -1, np.float32)
        n = min(len(boxes), len(label))
        label[:n] = boxes[:n, : label.shape[1]]
        return label

    def augmentation_transform(self, data: nd.NDArray, label: np.ndarray) -> Any:  # type: ignore[override]
        """An image and its boxes that all augmenters have changed, one after the other."""
        augmenters: Sequence[Any] = self.auglist
        for augment in augmenters:
            data, label = augment(data, label)
        return data, label

    def draw_next(
        self,
        color: Any = None,
        thickness: int = 2,
        mean: Any = None,
        std: Any = None,
        clip: bool = True,
        waitKey: int | None = None,  # noqa: N803 - MXNet's name
        window_name: str = "draw_next",
        id2labels: Any = None,
    ) -> Iterator[np.ndarray]:
        """The following images, as augmented, with their boxes drawn into them: uint8, BGR.

        Args:
            color: of the boxes; default: one that is drawn for each.
            thickness: of lines.
            mean: what was subtracted; True: the mean of ImageNet.
            std: what was divided by; True: that of ImageNet.
            clip: cut pixels to 0 to 255.
            waitKey: show each image in a window for so many milliseconds.
            window_name: of the window.
            id2labels: names of classes, by number, to be written at the boxes.
        """
        from .augmenters import statistic

        cv2 = require_opencv()
        mean, std = _factor(statistic("mean", mean)), _factor(statistic("std", std))
        while True:
            try:
                raw, encoded = self.next_sample()
            except StopIteration:
                return
            try:
                boxes = self._parse_label(raw)
                image, boxes = self.augmentation_transform(self.imdecode(encoded), boxes)
            except FormatError as error:
                _log.debug("ImageDetIter: left out: %s", error)
                continue
            pixels = image.asnumpy() * (1 if std is None else std) + (0 if mean is None else mean)
            pixels = np.clip(pixels, 0, 255) if clip else pixels
            canvas = np.ascontiguousarray(pixels.astype(np.uint8)[:, :, ::-1])
            for box in boxes:
                _draw(cv2, canvas, box, color, thickness, id2labels)
            if waitKey is not None:
                try:
                    cv2.imshow(window_name, canvas)
                    cv2.waitKey(waitKey)
                except cv2.error as error:
                    raise MXNetError(f"draw_next: there is no window: {error}") from None
            yield canvas


def _factor(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, nd.NDArray):
        return value.asnumpy()
    if not isinstance(value, np.ndarray):
        raise ArgumentTypeError(f"draw_next: a {type(value).__name__} where an array was expected")
    return value


def _draw(cv2: Any, canvas: Any, box: Any, color: Any, thickness: int, names: Any) -> None:
    height, width = canvas.shape[:2]
    corners = (box[1:5] * [width, height, width, height]).astype(int).tolist()
    shade = color or tuple(int(part) for part in np.random.randint(0, 255, 3))
    cv2.rectangle(canvas, tuple(corners[:2]), tuple(corners[2:]), shade, thickness)
    if names is not None and int(box[0]) in names:
        place = corners[0] + 5, corners[1] + 15
        cv2.putText(canvas, str(names[int(box[0])]), place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, shade)
