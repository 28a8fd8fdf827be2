# SPDX-License-Identifier: Apache-2.0
"""Arrays repeated along axes of length 1."""

from .multiarray import broadcast_arrays  # type: ignore[attr-defined]  # from a table

__all__ = ["broadcast_arrays"]
