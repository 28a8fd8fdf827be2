# SPDX-License-Identifier: Apache-2.0
"""Addresses of this machine, and sockets that listen at one of them."""

from __future__ import annotations

import os
import socket
import struct

__all__ = ["address_of_interface", "address_toward", "listen", "own_address"]

# Nobody's: the way to it is the one that leads out of this machine. Nothing is sent there.
_ELSEWHERE = "10.255.255.255"
_SIOCGIFADDR = 0x8915  # of Linux: the address of an interface


def listen(address: str, port: int = 0) -> socket.socket:
    """A socket that listens at one address of this machine only.

    Args:
        address: name or number.
        port: 0: one that is free.

    Raises:
        OSError: it is not an address of this machine, or the port is taken.
    """
    family, _, _, _, place = _resolved(address, port)
    return socket.create_server(place[:2], family=family, backlog=4096)


def address_toward(other: str) -> str:
    """By which a machine reaches this one: that of the way to it, along which nothing is sent.

    Raises:
        OSError: there is no such way.
    """
    family, _, _, _, place = _resolved(other, 9)
    with socket.socket(family, socket.SOCK_DGRAM) as way:
        way.connect(place)
        return str(way.getsockname()[0])


def own_address() -> str:
    """By which other machines reach this one; 127.0.0.1 on one without a network."""
    try:
        return address_toward(_ELSEWHERE)
    except OSError:
        return "127.0.0.1"


def address_of_interface(name: str) -> str:
    """The IPv4 address of a network interface, as Linux tells it.

    Raises:
        OSError: there is none of that name, or it has no address.
        ImportError: this system does not tell.
    """
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("256s", os.fsencode(name)[:15])
        answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, request)
    return socket.inet_ntoa(answer[20:24])


def _resolved(address: str, port: int) -> tuple[int, int, int, str, tuple[str, int]]:
    found: list[tuple[int, int, int, str, tuple[str, int]]] = socket.getaddrinfo(  # type: ignore[assignment]
        address, port, type=socket.SOCK_STREAM
    )
    return found[0]
