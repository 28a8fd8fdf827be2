# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, on symbols."""

from ..core.facade import operator_names, operators
from ..core.graph.functions import function_of

__getattr__ = operators(__name__, function_of, "_linalg_")


def __dir__() -> list[str]:
    return operator_names("_linalg_")
