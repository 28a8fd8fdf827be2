# SPDX-License-Identifier: Apache-2.0
"""How nodes that were given no name are named."""

from .core.base.doors import facade
from .core.base.scopes import NameManager, Prefix

__all__ = ["NameManager", "Prefix"]


facade(__name__)
