# SPDX-License-Identifier: Apache-2.0
"""MXNet's own operators with NumPy's semantics, on arrays: ``F.npx`` of a network's code."""

from ...core.facade import operator_names, operators
from ...core.nd.functions import function_of
from . import image, random

__all__ = ["image", "random"]

__getattr__ = operators(__name__, function_of, "_npx_")


def __dir__() -> list[str]:
    return sorted([*operator_names("_npx_"), *__all__])
