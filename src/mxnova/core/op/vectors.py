# SPDX-License-Identifier: Apache-2.0
"""Element-wise kernels of NumPy where ATen takes slower ones: float32 on CPUs without AVX-512.

There ATen's hyperbolic tangent is MKL's, which on AMD's processors takes 14 µs for 4,096 numbers
on one core, NumPy's 6. With AVX-512 MKL's is fast.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

__all__ = ["tanh_"]

_NUMPY_IS_FASTER = torch.backends.cpu.get_cpu_capability() == "AVX2"
# Below, the array that NumPy sees costs more than it saves; above, ATen's threads share the work.
_LEAST, _MOST = 1 << 9, 1 << 15


def tanh_(data: Tensor) -> Tensor:
    """The hyperbolic tangent of `data`, in its place; for what autograd does not see."""
    if _NUMPY_IS_FASTER and _LEAST <= data.numel() <= _MOST and _takes(data):
        array = data.numpy()
        np.tanh(array, out=array)
        return data
    return torch.tanh_(data)


def _takes(data: Tensor) -> bool:
    is_compiling = torch.compiler.is_compiling()
    return data.dtype is torch.float32 and data.device.type == "cpu" and not is_compiling
