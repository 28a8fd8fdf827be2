# SPDX-License-Identifier: Apache-2.0
"""KVStoreServer: the process of a server, which stores of one process have none of."""

from __future__ import annotations

from ..core.base.errors import MXNetError
from .kvstore import KVStore

__all__ = ["KVStoreServer"]


class KVStoreServer:
    """A server of a store for several machines.

    Args:
        kvstore: the store.
    """

    def __init__(self, kvstore: KVStore) -> None:
        self.kvstore = kvstore

    def run(self) -> None:
        """Serves until the store ends.

        Raises:
            MXNetError: the store has no servers.
        """
        raise MXNetError(
            f"KVStoreServer.run: a store of type {self.kvstore.type!r} lives in one process, and "
            "has no servers"
        )
