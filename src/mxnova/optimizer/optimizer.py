# SPDX-License-Identifier: Apache-2.0
"""Every optimizer, under the name of MXNet's module."""

from .adam import Adam
from .base import Optimizer, create, register
from .descent import NAG, SGD, ccSGD
from .updater import Updater, get_updater

__all__ = [
    "NAG",
    "SGD",
    "Adam",
    "Optimizer",
    "Updater",
    "ccSGD",
    "create",
    "get_updater",
    "register",
]
