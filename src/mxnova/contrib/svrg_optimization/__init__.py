# SPDX-License-Identifier: Apache-2.0
"""Stochastic variance reduced gradients."""

from . import svrg_module, svrg_optimizer

__all__ = ["svrg_module", "svrg_optimizer"]
