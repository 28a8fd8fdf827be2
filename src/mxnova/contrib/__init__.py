# SPDX-License-Identifier: Apache-2.0
"""Old names: what became `mx.autograd`, `mx.nd.contrib` and `mx.sym.contrib`; `text`."""

from . import autograd, ndarray, symbol, text
from . import ndarray as nd
from . import symbol as sym

__all__ = ["autograd", "nd", "ndarray", "sym", "symbol", "text"]
