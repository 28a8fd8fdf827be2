# SPDX-License-Identifier: Apache-2.0
"""Arrays repeated along axes of length 1."""

from .multiarray import broadcast_arrays

__all__ = ["broadcast_arrays"]
