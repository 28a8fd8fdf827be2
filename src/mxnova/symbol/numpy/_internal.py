# SPDX-License-Identifier: Apache-2.0
"""The operators behind NumPy's functions, on symbols."""

from ...core.facade import operator_names, operators
from ...core.graph.functions import function_of

__getattr__ = operators(__name__, function_of, "_npi_")


def __dir__() -> list[str]:
    return operator_names("_npi_")
