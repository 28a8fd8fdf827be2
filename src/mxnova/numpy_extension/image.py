# SPDX-License-Identifier: Apache-2.0
"""Images with NumPy's semantics."""

from typing import Any

from ..core.facade import operator_names
from ..ndarray.numpy_extension import image as _operators


def __getattr__(name: str) -> Any:
    return getattr(_operators, name)


def __dir__() -> list[str]:
    return operator_names("_npx__image_")
