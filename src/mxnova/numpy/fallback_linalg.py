# SPDX-License-Identifier: Apache-2.0
"""Linear algebra that NumPy computes, on the CPU and without gradients."""

import numpy as np

from .fallback import computed_by

_NAMES = ["cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"]
globals().update({name: computed_by(getattr(np.linalg, name)) for name in _NAMES})
__all__ = [*_NAMES]
