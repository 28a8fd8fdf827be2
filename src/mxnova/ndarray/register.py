# SPDX-License-Identifier: Apache-2.0
"""Creation of the functions of `mxnova.ndarray` from the operator registry."""

from ..core.nd.functions import function_of
from ..core.op.schema import REGISTRY

__all__ = ["REGISTRY", "function_of"]
