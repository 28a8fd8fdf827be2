# SPDX-License-Identifier: Apache-2.0
"""Optimizers' states in files."""

from .states import load_states

__all__ = ["load_states"]
