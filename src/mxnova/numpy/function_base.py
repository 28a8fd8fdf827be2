# SPDX-License-Identifier: Apache-2.0
"""Functions that are made of others."""

from .multiarray import broadcast_arrays, meshgrid

__all__ = ["broadcast_arrays", "meshgrid"]
