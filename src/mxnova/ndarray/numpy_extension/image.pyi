# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.numpy import ndarray as ndarray

def adjust_lighting(data: ndarray | None = None, alpha: float | Sequence[float] = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image shifted along the principal components of the colors of ImageNet."""
def crop(data: ndarray | None = None, x: int = ..., y: int = ..., width: int = ..., height: int = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """A rectangle of images."""
def flip_left_right(data: ndarray | None = None, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image with left and right exchanged."""
def flip_top_bottom(data: ndarray | None = None, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image with top and bottom exchanged."""
def normalize(data: ndarray | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0), std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """``(data - mean) / std``."""
def random_brightness(data: ndarray | None = None, min_factor: float = ..., max_factor: float = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """``data * factor``."""
def random_color_jitter(data: ndarray | None = None, brightness: float = ..., contrast: float = ..., saturation: float = ..., hue: float = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image with brightness, contrast, saturation and hue changed in random order."""
def random_contrast(data: ndarray | None = None, min_factor: float = ..., max_factor: float = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """``data * factor + mean * (1 - factor)``, the mean that of the gray image."""
def random_flip_left_right(data: ndarray | None = None, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image, in half of all cases with left and right exchanged."""
def random_flip_top_bottom(data: ndarray | None = None, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image, in half of all cases with top and bottom exchanged."""
def random_hue(data: ndarray | None = None, min_factor: float = ..., max_factor: float = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """The image with its hue turned by `factor` rounds."""
def random_lighting(data: ndarray | None = None, alpha_std: float = 0.05000000074505806, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """_image_adjust_lighting by normally distributed amounts."""
def random_saturation(data: ndarray | None = None, min_factor: float = ..., max_factor: float = ..., out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """``data * factor + 0.114 * blue * (1 - factor)``."""
def resize(data: ndarray | None = None, size: int | Sequence[int] | None = (), keep_ratio: bool = False, interp: int = 1, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """Images brought to another size."""
def to_tensor(data: ndarray | None = None, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None, **kwargs: Any) -> ndarray:
    """``data / 255`` in float32, channels first."""
