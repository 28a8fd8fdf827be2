# SPDX-License-Identifier: Apache-2.0
"""Attributes for every symbol made inside a block."""

from .core.base.scopes import AttrScope

__all__ = ["AttrScope"]
