# SPDX-License-Identifier: Apache-2.0
"""Operators, on arrays."""

from ..core.facade import operator_names, operators
from ..core.nd.functions import function_of

__getattr__ = operators(__name__, function_of)


def __dir__() -> list[str]:
    return operator_names()
