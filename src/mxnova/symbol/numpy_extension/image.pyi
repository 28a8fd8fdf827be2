# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.numpy import _Symbol as _Symbol

def adjust_lighting(data: _Symbol | None = None, alpha: float | Sequence[float] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image shifted along the principal components of the colors of ImageNet."""
def crop(data: _Symbol | None = None, x: int = ..., y: int = ..., width: int = ..., height: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """A rectangle of images."""
def flip_left_right(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with left and right exchanged."""
def flip_top_bottom(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with top and bottom exchanged."""
def normalize(data: _Symbol | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0), std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``(data - mean) / std``."""
def random_brightness(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data * factor``."""
def random_color_jitter(data: _Symbol | None = None, brightness: float = ..., contrast: float = ..., saturation: float = ..., hue: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with brightness, contrast, saturation and hue changed in random order."""
def random_contrast(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data * factor + mean * (1 - factor)``, the mean that of the gray image."""
def random_flip_left_right(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image, in half of all cases with left and right exchanged."""
def random_flip_top_bottom(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image, in half of all cases with top and bottom exchanged."""
def random_hue(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with its hue turned by `factor` rounds."""
def random_lighting(data: _Symbol | None = None, alpha_std: float = 0.05000000074505806, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """_image_adjust_lighting by normally distributed amounts."""
def random_saturation(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data * factor + 0.114 * blue * (1 - factor)``."""
def resize(data: _Symbol | None = None, size: int | Sequence[int] | None = (), keep_ratio: bool = False, interp: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Images brought to another size."""
def to_tensor(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data / 255`` in float32, channels first."""
