# SPDX-License-Identifier: Apache-2.0
"""Creation of the functions of `mxnova.symbol` from the operator registry."""

from ..core.graph.functions import function_of
from ..core.op.schema import REGISTRY

__all__ = ["REGISTRY", "function_of"]
