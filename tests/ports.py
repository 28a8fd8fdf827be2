# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that are started by number, in processes that run beside other tests."""

from __future__ import annotations

import socket
from collections import deque

# A port that a socket is bound to is given to nobody who asks for any; who asks for this one gets
# it, as long as both want to share the address and only one listens.
_reserved: deque[socket.socket] = deque(maxlen=64)


def free_port() -> int:
    """A port of this machine that nobody has, nor gets by chance until many more were asked for."""
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind(("127.0.0.1", 0))
    if len(_reserved) == _reserved.maxlen:
        _reserved.popleft().close()
    _reserved.append(taken)
    port: int = taken.getsockname()[1]
    return port
