# SPDX-License-Identifier: Apache-2.0
"""Where the functions of `mxnova.ndarray` come from: the registry of operators."""

from ..core.nd.functions import function_of
from ..core.op.record import REGISTRY

__all__ = ["REGISTRY", "function_of"]
