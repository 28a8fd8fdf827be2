# SPDX-License-Identifier: Apache-2.0
"""Functions that are composed of others."""

from .multiarray import broadcast_arrays, meshgrid  # type: ignore[attr-defined]  # from a table

__all__ = ["broadcast_arrays", "meshgrid"]
