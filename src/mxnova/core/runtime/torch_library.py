# SPDX-License-Identifier: Apache-2.0
"""The library that ATen's kernels are in, for what it has and PyTorch does not offer to Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

__all__ = ["torch_library"]


def torch_library(loader: Callable[[str], Any] = ctypes.CDLL) -> Any:
    """The library; None where it is not to be had. It is loaded already.

    Functions of the libraries that it was linked to, such as OpenMP's, are found in it, too.

    Args:
        loader: `ctypes.PyDLL` for functions that keep the interpreter's lock, as short ones should.
    """
    found = sorted((Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*"))
    return loader(str(found[0])) if found else None
