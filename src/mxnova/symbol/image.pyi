# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def adjust_lighting(data: Symbol | None = None, alpha: float | Sequence[float] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image shifted along the principal components of the colors of ImageNet."""
def crop(data: Symbol | None = None, x: int = ..., y: int = ..., width: int = ..., height: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A rectangle of images."""
def flip_left_right(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image with left and right exchanged."""
def flip_top_bottom(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image with top and bottom exchanged."""
def normalize(data: Symbol | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0), std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``(data - mean) / std``."""
def random_brightness(data: Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``data * factor``."""
def random_color_jitter(data: Symbol | None = None, brightness: float = ..., contrast: float = ..., saturation: float = ..., hue: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image with brightness, contrast, saturation and hue changed in random order."""
def random_contrast(data: Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``data * factor + mean * (1 - factor)``, the mean that of the gray image."""
def random_flip_left_right(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image, in half of all cases with left and right exchanged."""
def random_flip_top_bottom(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image, in half of all cases with top and bottom exchanged."""
def random_hue(data: Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image with its hue turned by `factor` rounds."""
def random_lighting(data: Symbol | None = None, alpha_std: float = 0.05000000074505806, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """_image_adjust_lighting by normally distributed amounts."""
def random_saturation(data: Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``data * factor + 0.114 * blue * (1 - factor)``."""
def resize(data: Symbol | None = None, size: int | Sequence[int] | None = (), keep_ratio: bool = False, interp: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Images brought to another size."""
def to_tensor(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``data / 255`` in float32, channels first."""
