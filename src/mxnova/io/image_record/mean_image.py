# SPDX-License-Identifier: Apache-2.0
"""The mean of all images, kept in a file."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ... import ndarray as nd
from ...core.base.errors import FormatError
from .source import ImageSource

__all__ = ["mean_image"]

_NAME = "mean_img"
_log = logging.getLogger("mxnova")


def mean_image(params: SimpleNamespace, source: Callable[[], ImageSource]) -> np.ndarray | None:
    """Read the mean image from the file `mean_img`; compute it from all images if it is missing.

    Raises:
        FormatError: the file holds something else.
    """
    path = params.mean_img
    if not path:
        return None
    if not os.path.exists(path):
        mean = _mean(source())
        nd.save(path, {_NAME: nd.array(mean)})
        _log.info("%s: the mean image is written", path)
        return mean
    arrays = nd.load(path)
    image = arrays.get(_NAME) if isinstance(arrays, dict) else None
    if image is None or image.shape != tuple(params.data_shape):
        found = "no array of this name" if image is None else f"one of {image.shape}"
        text = f"{_NAME} must have the shape {tuple(params.data_shape)}, there is {found}"
        raise FormatError(f"{path}: {text}")
    stored: np.ndarray = nd.cast(image, dtype="float32").asnumpy()
    return stored


def _mean(source: ImageSource) -> np.ndarray:
    total: Any = None
    n_images = 0
    while (batch := source.read()) is not None:
        images = batch.data[0].asnumpy()
        images = images[: len(images) - (batch.pad or 0)].astype(np.float64)
        n_images += len(images)
        total = images.sum(axis=0) + (0 if total is None else total)
    source.close()
    if total is None:
        raise FormatError("mean_img: there are no images")
    mean: np.ndarray = (total / n_images).astype(np.float32)
    return mean
