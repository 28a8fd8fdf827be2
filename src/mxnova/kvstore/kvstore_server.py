# SPDX-License-Identifier: Apache-2.0
"""KVStoreServer: the process of a server, which stores have none of: workers own the values."""

from __future__ import annotations

from ..core.base.errors import MXNetError
from .kvstore import KVStore

__all__ = ["KVStoreServer"]


class KVStoreServer:
    """MXNet's server of a store for several machines.

    Args:
        kvstore: the store.

    Example:
        >>> server = mx.kvstore.KVStoreServer(mx.kv.create("local"))
        >>> try:
        ...     server.run()
        ... except mx.base.MXNetError as error:
        ...     print(str(error).partition(":")[0])
        KVStoreServer.run
    """

    def __init__(self, kvstore: KVStore) -> None:
        self.kvstore = kvstore

    def run(self) -> None:
        """Serves until the store ends.

        Raises:
            MXNetError: the store has no servers.
        """
        raise MXNetError(
            f"KVStoreServer.run: a store of type {self.kvstore.type!r} has no servers: workers own "
            "its values; a process with DMLC_ROLE=server ends when it imports mxnova"
        )
