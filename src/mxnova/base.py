# SPDX-License-Identifier: Apache-2.0
"""What other modules build on: the error that everything raises, number types."""

import numpy as np

from .core.base.errors import MXNetError

__all__ = ["MXNetError", "mx_real_t", "mx_uint", "numeric_types", "string_types"]

mx_real_t = np.float32
mx_uint = np.uint32
numeric_types = (float, int, np.generic)
string_types = (str,)
