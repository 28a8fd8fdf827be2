# SPDX-License-Identifier: Apache-2.0
"""Operators that MXNet calls contributed, on arrays: what `mx.nd.contrib` also has."""

from ..core.facade import operator_names, operators
from ..core.nd.functions import function_of

__getattr__ = operators(__name__, function_of, "_contrib_")


def __dir__() -> list[str]:
    return operator_names("_contrib_")
