# SPDX-License-Identifier: Apache-2.0
"""Functions on whole arrays that are more than one operator."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ..base.doors import door
from ..base.dtypes import BFLOAT16
from ..base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MXNetError,
    OutOfRangeError,
    argument_error,
    shown,
)
from .array import NDArray
from .creation import array
from .functions import function_of

__all__ = ["concatenate", "histogram", "imdecode", "moveaxis", "onehot_encode"]


@door
def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Arrays of one element type joined along `axis`.

    Args:
        arrays: at least one; their other sizes must be equal.
        axis: the axis along which they may differ.
        always_copy: without it, a single array is returned itself.

    Example:
        >>> mx.nd.concatenate([mx.nd.zeros((1, 2)), mx.nd.ones((1, 2))]).asnumpy()
        array([[0., 0.],
               [1., 1.]], dtype=float32)
    """
    if not isinstance(arrays, (list, tuple)) or not all(isinstance(a, NDArray) for a in arrays):
        raise ArgumentTypeError(f"concatenate: arrays={shown(arrays)}: must be a list of arrays")
    if not arrays:
        raise AssertedError("concatenate: no arrays were given")
    if len(arrays) == 1:
        return arrays[0].copy() if always_copy else arrays[0]
    if len({a.dtype for a in arrays}) > 1:
        names = ", ".join(np.dtype(a.dtype).name for a in arrays)
        raise ArgumentError(f"concatenate: arrays of different element types: {names}")
    if not -arrays[0].ndim <= axis < arrays[0].ndim:
        raise OutOfRangeError(f"concatenate: axis={axis} of {arrays[0].ndim} axes")
    joined: NDArray = function_of("Concat")(*arrays, dim=axis)
    return joined


@door
def moveaxis(
    tensor: NDArray, source: int | Sequence[int], destination: int | Sequence[int]
) -> NDArray:
    """The array with some axes moved, the others in their order.

    Args:
        tensor: an array.
        source: an axis, or several.
        destination: where they go.

    Example:
        >>> mx.nd.moveaxis(mx.nd.zeros((2, 3, 4)), 0, 2).shape
        (3, 4, 2)
    """
    moved = _axes("source", source, tensor.ndim)
    places = _axes("destination", destination, tensor.ndim)
    if len(moved) != len(places):
        raise ArgumentError(f"moveaxis: source={source} and destination={destination} differ")
    order = [axis for axis in range(tensor.ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return tensor.transpose(order)  # type: ignore[attr-defined, no-any-return]


def _axes(name: str, given: int | Sequence[int], rank: int) -> list[int]:
    try:
        listed: Any = given if np.ndim(given) else [given]
        axes = [operator.index(axis) for axis in listed]
    except TypeError:
        raise argument_error("moveaxis", name, given, "must be a number or numbers") from None
    positive = [axis + rank if axis < 0 else axis for axis in axes]
    if len(set(positive)) < len(axes) or any(not 0 <= axis < rank for axis in positive):
        raise argument_error("moveaxis", name, given, f"must be different axes of {rank}")
    return positive


@door
def histogram(
    a: NDArray, bins: int | NDArray = 10, range: tuple[float, float] | None = None
) -> Any:
    """How many elements fall into each bin, and the edges of the bins.

    Args:
        a: any shape.
        bins: how many bins of equal width, or their edges.
        range: lowest and highest edge; default: those of the elements, and counts in float32.

    Example:
        >>> counts, edges = mx.nd.histogram(mx.nd.array([1, 2, 2, 4]), bins=3, range=(1, 4))
        >>> counts.asnumpy()
        array([1, 2, 1])
    """
    if isinstance(bins, NDArray):
        return function_of("_histogram")(a, bins)
    if not isinstance(bins, (int, np.integer)):
        raise argument_error("histogram", "bins", bins, "must be a number or an array")
    if range is None:
        numbers = a.astype("float32") if a.dtype == BFLOAT16 else a
        counts, edges = np.histogram(numbers.asnumpy(), bins=bins)
        return array(counts), array(edges)
    return function_of("_histogram")(a, bin_cnt=bins, range=range)


@door
def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Writes a row of zeros into `out` for each index, with 1 there; returns `out`.

    Args:
        indices: class numbers.
        out: an array to write the result into; None: a new one.

    Example:
        >>> mx.nd.onehot_encode(mx.nd.array([1, 0]), mx.nd.zeros((2, 3))).asnumpy()
        array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
    """
    if indices.ndim != 1 or out.ndim != 2 or len(indices) != len(out):
        raise MXNetError(f"onehot_encode: indices {indices.shape} and out {out.shape} do not fit")
    out[:] = function_of("one_hot")(indices, depth=out.shape[1])
    return out


@door
def imdecode(
    str_img: bytes,
    clip_rect: tuple[int, int, int, int] = (0, 0, 0, 0),
    out: NDArray | None = None,
    index: int = 0,
    channels: int = 3,
    mean: NDArray | None = None,
) -> NoReturn:
    """Refuses, as MXNet 1.9.1 does whatever it is given; `mx.image.imdecode` decodes images.

    Args:
        str_img: the bytes of an encoded image.
        clip_rect: (x0, y0, x1, y1) to cut out.
        out: an array to write the result into; None: a new one.
        index: where in `out` the image goes.
        channels: of the result.
        mean: is subtracted.

    Example:
        >>> try:
        ...     mx.nd.imdecode(b"an image")
        ... except mx.base.MXNetError as error:
        ...     print(error)
        imdecode: MXNet's fails for every image; mx.image.imdecode decodes images
    """
    raise MXNetError("imdecode: MXNet's fails for every image; mx.image.imdecode decodes images")
