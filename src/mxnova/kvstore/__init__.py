# SPDX-License-Identifier: Apache-2.0
"""Stores of values by key, which sum up what several devices push."""

from ..core.base.doors import facade
from . import base, kvstore, kvstore_server
from .base import KVStoreBase, create
from .kvstore import KVStore
from .kvstore_server import KVStoreServer

__all__ = [
    "KVStore",
    "KVStoreBase",
    "KVStoreServer",
    "base",
    "create",
    "kvstore",
    "kvstore_server",
]


facade(__name__)
