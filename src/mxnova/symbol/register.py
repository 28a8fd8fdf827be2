# SPDX-License-Identifier: Apache-2.0
"""Where the functions of `mxnova.symbol` come from: the registry of operators."""

from ..core.graph.functions import function_of
from ..core.op.record import REGISTRY

__all__ = ["REGISTRY", "function_of"]
