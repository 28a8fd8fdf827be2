# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

def adjust_lighting(data: NDArray | None = None, alpha: float | Sequence[float] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image shifted along the principal components of the colors of ImageNet."""
def crop(data: NDArray | None = None, x: int = ..., y: int = ..., width: int = ..., height: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A rectangle of images."""
def flip_left_right(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image with left and right exchanged."""
def flip_top_bottom(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image with top and bottom exchanged."""
def normalize(data: NDArray | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0), std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``(data - mean) / std``."""
def random_brightness(data: NDArray | None = None, min_factor: float = ..., max_factor: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``data * factor``."""
def random_color_jitter(data: NDArray | None = None, brightness: float = ..., contrast: float = ..., saturation: float = ..., hue: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image with brightness, contrast, saturation and hue changed in random order."""
def random_contrast(data: NDArray | None = None, min_factor: float = ..., max_factor: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``data * factor + mean * (1 - factor)``, the mean that of the gray image."""
def random_flip_left_right(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image, in half of all cases with left and right exchanged."""
def random_flip_top_bottom(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image, in half of all cases with top and bottom exchanged."""
def random_hue(data: NDArray | None = None, min_factor: float = ..., max_factor: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image with its hue turned by `factor` rounds."""
def random_lighting(data: NDArray | None = None, alpha_std: float = 0.05000000074505806, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """_image_adjust_lighting by normally distributed amounts."""
def random_saturation(data: NDArray | None = None, min_factor: float = ..., max_factor: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``data * factor + 0.114 * blue * (1 - factor)``."""
def resize(data: NDArray | None = None, size: int | Sequence[int] | None = (), keep_ratio: bool = False, interp: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Images brought to another size."""
def to_tensor(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``data / 255`` in float32, channels first."""
