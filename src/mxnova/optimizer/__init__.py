# SPDX-License-Identifier: Apache-2.0
"""Optimizers, the registry that makes them by name, and what keeps their states."""

from . import optimizer
from .optimizer import NAG, SGD, Adam, Optimizer, Updater, ccSGD, create, get_updater, register
from .states import load_states

__all__ = [
    "NAG",
    "SGD",
    "Adam",
    "Optimizer",
    "Updater",
    "ccSGD",
    "create",
    "get_updater",
    "load_states",
    "optimizer",
    "register",
]
