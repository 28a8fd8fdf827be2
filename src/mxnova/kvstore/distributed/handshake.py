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
from ...core.base.errors import MXNetError
from .faults import Faults, first_line
from .rendezvous import listen

__all__ = ["connected"]

_HELLO = struct.Struct("<I32s")  # rank, proof
_N_NONCE = 32  # bytes
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
            host, port = listener.getsockname()[:2]
            if faults.rank == 0:
                store.set("token", secrets.token_hex(16))
            address_here = json.dumps([host, port]).encode()
            store.set(f"address/{faults.rank}", address_here)
            key = _joined(env.get("MXNOVA_JOB_SECRET").encode(), bytes(store.get("token")))
            below = {r: _called(store, r, faults, key) for r in range(faults.rank)}
            return below | _accepted(listener, faults, _joined(key, address_here))
    except MXNetError:
        raise
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        raise MXNetError(  # an address may have been overwritten
            f"KVStore: worker {faults.rank} could not reach all of the {faults.size} workers "
            f"within {faults.timeout:g} s (MXNOVA_DIST_TIMEOUT): {first_line(error)}"
        ) from None


def _called(store: Any, rank: int, faults: Faults, key: bytes) -> socket.socket:
    address = bytes(store.get(f"address/{rank}"))
    host, port = json.loads(address)
    key = _joined(key, address)
    sock = socket.create_connection((str(host), int(port)), timeout=faults.timeout)
    nonce = secrets.token_bytes(_N_NONCE)
    theirs = _received(sock, _N_NONCE)
    sock.sendall(_HELLO.pack(faults.rank, _proof(key, faults.rank, theirs)) + nonce)
    if not hmac.compare_digest(_received(sock, _N_NONCE), _proof(key, rank, nonce)):
        raise ConnectionError(f"who answers at {host}, port {port} is not worker {rank}")
    return _prepared(sock)


def _accepted(listener: socket.socket, faults: Faults, key: bytes) -> dict[int, socket.socket]:
    wanted = set(range(faults.rank + 1, faults.size))
    found: dict[int, socket.socket] = {}
    deadline = time.monotonic() + faults.timeout
    while wanted - found.keys():
        listener.settimeout(max(deadline - time.monotonic(), 0.001))
        sock, _ = listener.accept()
        rank = _greeted(sock, faults.rank, key)
        if rank in wanted - found.keys():
            found[rank] = _prepared(sock)
        else:  # a stranger
            sock.close()
    return found


def _greeted(sock: socket.socket, own_rank: int, key: bytes) -> int:
    """The rank that a visitor has shown to be; -1: it does not know the key."""
    sock.settimeout(_HELLO_TIMEOUT)
    nonce = secrets.token_bytes(_N_NONCE)
    try:
        sock.sendall(nonce)
        said = _received(sock, _HELLO.size + _N_NONCE)
        rank, proof = _HELLO.unpack_from(said)
        if not hmac.compare_digest(proof, _proof(key, rank, nonce)):
            return -1
        sock.sendall(_proof(key, own_rank, said[_HELLO.size :]))
    except OSError:
        return -1
    return int(rank)


def _joined(*parts: bytes) -> bytes:
    return b"\0".join(parts)


def _proof(key: bytes, rank: int, nonce: bytes) -> bytes:
    """That a rank knows the key; its own, so that no other one's can be sent back."""
    return hmac.digest(key, struct.pack("<I", rank) + nonce, "sha256")


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
