# SPDX-License-Identifier: Apache-2.0
"""Operators whose names start with an underscore, on symbols."""

from ..core.facade import internal_names, operators
from ..core.graph.functions import function_of

__getattr__ = operators(__name__, function_of)


def __dir__() -> list[str]:
    return internal_names()
