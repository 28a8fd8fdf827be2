# SPDX-License-Identifier: Apache-2.0
"""A stranger on the same machine, who knows all ports but not the secret, attacks a running job."""

import hmac
import json
import socket
import struct
import threading
import time
from contextlib import suppress

import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore.distributed import handshake, stores
from tests.ports import free_port
from tests.waiting import wait_until

from .workers import run

SECRET = "known to the workers"
STEPS = 25


def _attacked(rank, folder):
    """Weights after some steps, in whose midst the store is spoiled.

    The second worker lets the port of the first one stay open until the stranger has knocked.
    """

    def late(*args):
        if rank:
            wait_until((folder / "knocked").exists)
        return handshake.connected(*args)

    stores.connected = late
    return _trained(mx.kv.create("dist_sync"), [rank], folder / "spoiled")


def _trained(kv, ranks, has_happened=None):
    kv.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9))
    kv.init(["a", "table"], [mx.nd.ones((300,)), mx.nd.ones((20, 3)).tostype("row_sparse")])
    out, rows = mx.nd.zeros((300,)), mx.nd.zeros((20, 3), stype="row_sparse")
    for step in range(STEPS):
        kv.push("a", mx.nd.array([sum(rank + step / 8 for rank in ranks)] * 300))
        kv.pull("a", out)
        rows_of = mx.nd.ones((20, 3)) * sum(rank + 1 for rank in ranks)
        kv.push("table", rows_of.tostype("row_sparse"))
        kv.row_sparse_pull("table", rows, row_ids=mx.nd.arange(20))
        out.wait_to_read()
        if step == STEPS // 2 and has_happened is not None:
            wait_until(has_happened.exists)
    kv._barrier()
    return out.asnumpy().tolist(), rows.asnumpy().tolist()


class _Stranger(threading.Thread):
    """Reads the store, knocks at the first worker's port, then spoils the store until it ends."""

    def __init__(self, port, folder):
        super().__init__(daemon=True)
        self.folder = folder
        self.port, self.heard, self.spoiled, self.refused = port, [], 0, 0

    def run(self):
        with suppress(RuntimeError):  # the job, and the store with it, has ended
            self._attack()

    def _attack(self):
        while not self._reaches(json.dumps(["127.0.0.1", self.port])):
            time.sleep(0.05)
        store = torch.distributed.TCPStore("127.0.0.1", self.port, is_master=False)
        prefix = "mxnova/0/store/1"
        address, token = store.get(f"{prefix}/address/0"), store.get(f"{prefix}/token")
        mine = struct.pack("<I32s", 1, bytes(32))
        key = b"\0".join([b"", token, address])
        for said in (
            lambda _: b"",
            lambda _: b"GET / HTTP/1.1\r\n\r\n" + bytes(100),
            lambda theirs: theirs + bytes(32),  # what the worker has said itself
            lambda theirs: mine + hmac.digest(key, mine + theirs, "sha256"),  # without the secret
        ):
            self._knock(address, said)
        (self.folder / "knocked").touch()
        while self._reaches(address):  # until all workers are connected
            time.sleep(0.05)
        while True:
            for rank in (0, 1):
                for name in ("address", "here/worker", "claimed/worker", "beat"):
                    store.set(f"{prefix}/{name}/{rank}", "[]")
                    store.set(f"mxnova/0/{name}/{rank}", "left")
                    store.delete_key(f"mxnova/0/{name}/{rank}")
            store.delete_key(f"{prefix}/token")
            self.spoiled += 1
            self.refused += not self._reaches(address)
            with socket.create_connection(("127.0.0.1", self.port)) as raw:
                raw.sendall(b"no message of the store's")
            if self.spoiled == 6:
                (self.folder / "spoiled").touch()
            time.sleep(0.05)

    @staticmethod
    def _reaches(address):
        with socket.socket() as sock:
            return sock.connect_ex(tuple(json.loads(address))) == 0

    def _knock(self, address, said):
        with socket.create_connection(json.loads(address), timeout=60) as sock:
            theirs = sock.recv(36)
            with suppress(OSError):
                sock.sendall(said(theirs))
                sock.shutdown(socket.SHUT_WR)
            heard = theirs
            with suppress(ConnectionError):
                while more := sock.recv(1 << 16):
                    heard += more
            self.heard.append(heard)


def test_a_stranger_changes_nothing_and_gets_no_byte_of_the_model(tmp_path):
    port = free_port()
    stranger = _Stranger(port, tmp_path)
    stranger.start()
    weights = run(2, _attacked, tmp_path, MXNOVA_JOB_SECRET=SECRET, MASTER_PORT=str(port))
    stranger.join(60)
    assert weights == [_trained(mx.kv.create("local"), [0, 1])] * 2
    assert [len(heard) for heard in stranger.heard] == [36] * 4  # a rank, and what it has drawn
    assert stranger.spoiled > 5
    assert stranger.refused == stranger.spoiled  # the port of the worker is closed


def test_a_secret_that_differs_is_told():
    """A worker that was given another one does not get in."""
    results = run(2, _with_secret_of_its_own, MXNOVA_DIST_TIMEOUT="1.5")
    assert all("could not reach all of the 2 workers" in text for text in results)


def _with_secret_of_its_own(rank):
    import os

    os.environ["MXNOVA_JOB_SECRET"] = f"of {rank}"
    try:
        mx.kv.create("dist_sync")
    except MXNetError as error:
        return str(error)
    return "it was let in"
