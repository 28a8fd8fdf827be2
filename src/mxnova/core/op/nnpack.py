# SPDX-License-Identifier: Apache-2.0
"""Convolution by 3×3 windows through NNPACK, which PyTorch is built with: Winograd's F(6×6, 3×3).

Tiles of 8×8 give 6×6 outputs with 64 products for each channel and filter instead of 324. Tiles and
outputs are transformed by kernels written for that, which `winograd` does by small products: it
takes fewer reads of weights, and is better where there are many channels. What tiles add to
float32's rounding is 1e-5 of the largest output.

PyTorch's own operator transforms the weights in each call, which takes a third of it; so NNPACK is
called from here, by the names that PyTorch's library exports. On one core with AVX2: 64 channels of
56×56 in 1.2 ms, 128 of 28×28 in 1.0; by oneDNN 2.6 each. With several threads it is not called:
NNPACK's own threads look for work between calls, on the cores of ATen's, and among other operators
such images take 1.2 to 2 times as long as by oneDNN. Called by ATen's threads it takes 0.65 of
oneDNN's time by itself, and whole networks gain nothing.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from math import ceil, prod
from typing import Any

import torch
from torch import Tensor

from ..base.errors import MXNetError
from ..base.shapes import PartialShape, is_known
from ..runtime.torch_library import torch_library
from .winograd import mean_channels, output_size

__all__ = ["convolve", "is_available", "is_faster", "transformed"]

# Below, transforms outweigh what products are saved, and with fewer tiles reading the weights does.
_LEAST_CHANNELS = 32
_LEAST_TILES = 16
_MOST_PAD = 2
_TILE = 6  # outputs along an edge

_BY_TILES = 3  # an algorithm
_PREPARE, _REUSE = 2, 3  # weights: what is done with them
_size, _pointer = ctypes.c_size_t, ctypes.c_void_p


class _Size(ctypes.Structure):
    _fields_ = (("width", _size), ("height", _size))


class _Margins(ctypes.Structure):
    _fields_ = (("top", _size), ("right", _size), ("bottom", _size), ("left", _size))


_WINDOW, _EVERYWHERE = _Size(3, 3), _Size(1, 1)


# The library --------------------------------------------------------------------------------------


@functools.cache
def _library() -> Any:
    """PyTorch's library with NNPACK's functions declared; None without them.

    None, too, on processors that have AVX-512, with which oneDNN multiplies 2.7 times as fast and
    NNPACK no faster, and on those that it was not measured on.
    """
    if torch.backends.cpu.get_cpu_capability() != "AVX2":
        return None
    library = torch_library()
    if not hasattr(library, "nnp_convolution_inference") or library.nnp_initialize():
        return None
    numbers = (ctypes.c_int, ctypes.c_int, _size, _size)
    places = (_Size, _Margins, _Size, _Size)
    memory = (*(_pointer,) * 5, ctypes.POINTER(_size))
    library.nnp_convolution_inference.argtypes = (
        *(*numbers, *places, *memory),
        *(ctypes.c_int, _pointer, _pointer, _pointer),
    )
    return library


def is_available() -> bool:
    """Whether it can be called, on a processor that it is fast on."""
    return _library() is not None


class _Call:
    """A convolution of one image.

    Args:
        channels: of the image.
        filters: channels of the output.
        size: height and width of the image.
        pad: zeros before and after rows and columns.
    """

    def __init__(
        self, channels: int, filters: int, size: Sequence[int], pad: Sequence[int]
    ) -> None:
        margins = _Margins(pad[0], pad[1], pad[0], pad[1])
        places = (_Size(size[1], size[0]), margins, _WINDOW, _EVERYWHERE)
        self._what = (channels, filters, *places)
        self._function = _library().nnp_convolution_inference
        self.space = self._space(_REUSE)

    def weights(self, weight: Tensor) -> Tensor:
        """Weights ``(filters, channels, 3, 3)``, transformed."""
        made = torch.empty(self._space(_PREPARE), dtype=torch.uint8)
        self._run(_PREPARE, (None, weight, None, None, made), _size(made.numel()))
        return made

    def __call__(
        self, image: Tensor, weight: Tensor, bias: Tensor, output: Tensor, rectified: bool
    ) -> None:
        """Writes the output for transformed weights."""
        space = torch.empty(self.space, dtype=torch.uint8)
        tensors = (image, weight, bias, output, space)
        self._run(_REUSE, tensors, _size(space.numel()), rectified)

    def _space(self, mode: int) -> int:
        """Bytes that a call writes besides its output."""
        found = _size()
        self._run(mode, (None,) * 5, found)
        return found.value

    def _run(
        self, mode: int, tensors: Sequence[Tensor | None], space: Any, rectified: bool = False
    ) -> None:
        """Calls the library.

        Args:
            mode: what to do with the weights.
            tensors: image, weight, bias, output, and what else is written; without the last, the
                library only tells how many bytes that takes.
            space: bytes of the last tensor.
            rectified: whether negative outputs become 0.
        """
        memory = [None if t is None else t.data_ptr() for t in tensors]
        numbers = (_BY_TILES, mode, *self._what)
        unused = (None, None, None)  # an activation's parameters, a pool of threads, a profile
        status = self._function(*numbers, *memory, ctypes.byref(space), int(rectified), *unused)
        if status:
            raise MXNetError(f"NNPACK refuses a convolution: status {status}")


_call = functools.lru_cache(256)(_Call)


# Convolutions -------------------------------------------------------------------------------------


def is_faster(shape: PartialShape, filters: int, *place: Any) -> bool:
    """Whether a convolution in float32 is possible so, and faster than others.

    Args:
        shape: of its images, ``(n, channels, height, width)``, as far as it is known.
        filters: number of output channels.
        place: of its windows, as `winograd.output_size` takes it.
    """
    size = output_size(shape, *place)
    if size is None or not is_known(shape) or not is_available():
        return False
    return (
        torch.get_num_threads() == 1
        and prod(ceil(extent / _TILE) for extent in size) >= _LEAST_TILES
        and mean_channels(shape[1], filters) >= _LEAST_CHANNELS
        and max(place[1]) <= _MOST_PAD
    )


def transformed(weight: Tensor) -> Tensor:
    """Weights ``(filters, channels, 3, 3)`` as `convolve` takes them."""
    filters, channels = weight.shape[:2]
    return _call(channels, filters, (3, 3), (0, 0)).weights(weight.contiguous())


def convolve(
    images: Tensor,
    output: Tensor,
    pad: Sequence[int],
    weight: Tensor,
    bias: Tensor,
    *,
    rectified: bool = False,
) -> None:
    """Writes the outputs of a convolution, in the calling thread.

    Args:
        images: ``(n, channels, height, width)``, in rows.
        output: ``(n, filters, height, width)``, in rows.
        pad: zeros before and after rows and columns, 2 at most.
        weight: of `transformed`.
        bias: of outputs.
        rectified: whether negative outputs become 0.
    """
    call = _call(images.shape[1], output.shape[1], tuple(images.shape[2:]), tuple(pad))
    for image, made in zip(images, output, strict=True):
        call(image, weight, bias, made, rectified)
