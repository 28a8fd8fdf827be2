# SPDX-License-Identifier: Apache-2.0
"""How ranks connect to each other, and turn strangers away.

Both ends show that they know a key, by HMACs of what the other one has drawn. The key is made of
the secret that the launcher gives to all processes of a job (MXNOVA_JOB_SECRET), where there is
one, of a token in the rendezvous store, and of the address that is called, so that nobody can pass
proofs on.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import struct
import time
from typing import Any

from ...core.base import env
from ...core.base.addresses import listen
from ...core.base.errors import MXNetError
from .faults import Faults, first_line

__all__ = ["connected"]

_HELLO = struct.Struct("<I32s")  # rank, and what it has drawn
_HELLO_TIMEOUT = 2.0  # seconds for a visitor to say who it is


def connected(store: Any, faults: Faults, address: str) -> dict[int, socket.socket]:
    """A socket for each other rank: ranks below are called, those above call.

    Args:
        store: where ranks tell their addresses.
        faults: tells the rank, and how many there are.
        address: of this machine, where it listens for ranks above its own.

    Raises:
        MXNetError: not all ranks came within the timeout.
    """
    if faults.size == 1:
        return {}
    try:
        with listen(address) as listener:
            if faults.rank == 0:
                store.set("token", secrets.token_hex(16))
            here = json.dumps(listener.getsockname()[:2]).encode()
            store.set(f"address/{faults.rank}", here)
            below = {rank: _called(store, rank, faults) for rank in range(faults.rank)}
            return below | _accepted(listener, faults, _key(store, here))
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        raise MXNetError(  # an address may have been overwritten
            f"KVStore: worker {faults.rank} could not reach all of the {faults.size} workers "
            f"within {faults.timeout:g} s (MXNOVA_DIST_TIMEOUT): {first_line(error)}"
        ) from None


def _key(store: Any, address: bytes) -> bytes:
    return b"\0".join([env.get("MXNOVA_JOB_SECRET").encode(), bytes(store.get("token")), address])


def _called(store: Any, rank: int, faults: Faults) -> socket.socket:
    address = bytes(store.get(f"address/{rank}"))
    host, port = json.loads(address)
    sock = socket.create_connection((str(host), int(port)), timeout=faults.timeout)
    if _known(sock, faults.rank, _key(store, address), proves_first=True) != rank:
        raise ConnectionError(f"who answers at {host}, port {port} is not worker {rank}")
    return _prepared(sock)


def _accepted(listener: socket.socket, faults: Faults, key: bytes) -> dict[int, socket.socket]:
    wanted = set(range(faults.rank + 1, faults.size))
    found: dict[int, socket.socket] = {}
    deadline = time.monotonic() + faults.timeout
    while wanted:
        listener.settimeout(max(deadline - time.monotonic(), 0.001))
        sock, _ = listener.accept()
        sock.settimeout(_HELLO_TIMEOUT)
        rank = _known(sock, faults.rank, key, proves_first=False)
        if rank in wanted:
            wanted.remove(rank)
            found[rank] = _prepared(sock)
        else:  # a stranger
            sock.close()
    return found


def _known(sock: socket.socket, own_rank: int, key: bytes, *, proves_first: bool) -> int:
    """The rank that the other end has shown to be; -1: it does not know the key.

    Who calls proves first, so that strangers who call get no proof that they could try keys on.
    """
    mine = _HELLO.pack(own_rank, secrets.token_bytes(32))
    try:
        sock.sendall(mine)
        theirs = _received(sock, _HELLO.size)
        if proves_first:
            sock.sendall(_proof(key, mine, theirs))
        if not hmac.compare_digest(_received(sock, 32), _proof(key, theirs, mine)):
            return -1
        if not proves_first:
            sock.sendall(_proof(key, mine, theirs))
    except OSError:
        return -1
    return int(_HELLO.unpack(theirs)[0])


def _proof(key: bytes, mine: bytes, theirs: bytes) -> bytes:
    """That a rank knows the key: it begins with who says so, and nobody else's can be sent back."""
    return hmac.digest(key, mine + theirs, "sha256")


def _received(sock: socket.socket, n_bytes: int) -> bytes:
    said = bytearray()
    while len(said) < n_bytes:
        got = sock.recv(n_bytes - len(said))
        if not got:
            raise ConnectionError("connection closed")
        said += got
    return bytes(said)


def _prepared(sock: socket.socket) -> socket.socket:
    sock.settimeout(None)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock
