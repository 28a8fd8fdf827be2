# SPDX-License-Identifier: Apache-2.0
"""Attributes for every symbol made inside a block."""

from .core.base.doors import facade
from .core.base.scopes import AttrScope

__all__ = ["AttrScope"]


facade(__name__)
