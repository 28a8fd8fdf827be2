# SPDX-License-Identifier: Apache-2.0
"""Sockets that listen at one address, and the addresses of ways."""

import socket
import sys

import pytest

from mxnova.core.base import addresses
from mxnova.core.base.addresses import address_of_interface, address_toward, listen


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_listens_at_one_address(address):
    with listen(address) as listener:
        host, port = listener.getsockname()[:2]
        assert host in ("127.0.0.1", "::1")
        socket.create_connection((host, port), timeout=5).close()
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.9", port), timeout=5)
        with pytest.raises(OSError, match="in use"):
            listen(address, port)


def test_addresses_of_others_are_refused():
    with pytest.raises(OSError):
        listen("192.0.2.1")


def test_a_machine_without_a_network(monkeypatch):
    def fails(other):
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(addresses, "address_toward", fails)
    assert addresses.own_address() == "127.0.0.1"


def test_the_way_to_this_machine():
    assert address_toward("127.0.0.1") == "127.0.0.1"
    with pytest.raises(OSError):
        address_toward("no-such-host.invalid")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's names and question")
def test_interfaces():
    assert address_of_interface("lo") == "127.0.0.1"
    with pytest.raises(OSError):
        address_of_interface("absent0")
