# SPDX-License-Identifier: Apache-2.0
"""MXNet's own functions beside NumPy's: ``mx.npx``."""

from typing import Any

from ..base import check_call, classproperty, with_metaclass
from ..context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from ..core.base.doors import leave
from ..core.facade import operator_names
from ..ndarray import numpy_extension as _operators
from ..util import (
    get_cuda_compute_capability,
    is_np_array,
    is_np_shape,
    np_array,
    np_shape,
    reset_np,
    set_np,
    use_np,
    use_np_array,
    use_np_shape,
)
from . import image, random, utils
from .random import seed
from .utils import load, save, waitall

__all__ = [
    "Context",
    "check_call",
    "classproperty",
    "constraint_check",
    "cpu",
    "cpu_pinned",
    "current_context",
    "get_cuda_compute_capability",
    "gpu",
    "gpu_memory_info",
    "image",
    "is_np_array",
    "is_np_shape",
    "load",
    "nonzero",
    "np_array",
    "np_shape",
    "num_gpus",
    "random",
    "reset_np",
    "save",
    "seed",
    "set_np",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "utils",
    "waitall",
    "with_metaclass",
]


def nonzero(a: Any) -> Any:
    """The indices of elements that are not 0, one below another; see `np.nonzero`.

    Args:
        a: an array.

    Example:
        >>> mx.npx.nonzero(mx.np.array([0.0, 3.0])).asnumpy()
        array([[1]])
    """
    return _operators.nonzero(a)


def constraint_check(x: Any, msg: str = "Constraint violated.") -> Any:
    """True where all elements hold; else an MXNetError that says `msg`.

    Args:
        x: an array of truth values.
        msg: what the error says.

    Example:
        >>> mx.npx.constraint_check(mx.np.array([1.0]) > 0).item()
        True
    """
    return _operators.constraint_check(x, msg=msg)


def __getattr__(name: str) -> Any:
    try:
        return getattr(_operators, name)
    except Exception as error:
        leave(error)
        raise


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names("_npx_")})
