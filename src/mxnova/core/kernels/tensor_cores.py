# SPDX-License-Identifier: Apache-2.0
"""The layout of images that tensor cores of a GPU take as they are: channels-last.

From other layouts, and to them, cuDNN reorders images around each convolution.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from ..runtime.torch_cudnn import convolves_in_tf32

__all__ = ["channels_last"]

# The first generation whose tensor cores multiply such numbers; float32 as TF32.
_GENERATIONS = {torch.float16: 7, torch.bfloat16: 8, torch.float32: 8}


def channels_last(images: Tensor) -> Tensor:
    """`images` of a GPU, channels-last where its tensor cores convolve them."""
    if images.ndim != 4 or not _multiply(images.device, images.dtype):
        return images
    if images.dtype is torch.float32 and not convolves_in_tf32():
        return images
    return images.contiguous(memory_format=torch.channels_last)


@functools.cache
def _multiply(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the GPU has tensor cores for numbers of this type."""
    wanted = _GENERATIONS.get(dtype)
    return wanted is not None and torch.cuda.get_device_capability(device)[0] >= wanted
