# SPDX-License-Identifier: Apache-2.0
"""Stochastic variance reduced gradients."""

from . import svrg_module

__all__ = ["svrg_module"]
