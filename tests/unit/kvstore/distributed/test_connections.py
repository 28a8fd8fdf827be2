# SPDX-License-Identifier: Apache-2.0
"""Messages between ranks: strangers at the port, messages that are none, the order of sending."""

import hmac
import json
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore.distributed.connections import Connections
from mxnova.kvstore.distributed.faults import Faults
from mxnova.kvstore.distributed.handshake import connected

from .workers import run


def _connections(store, rank, timeout=60.0):
    faults = Faults(rank, 2, timeout)
    return Connections(connected(store, faults, "127.0.0.1"), faults)


def _pair(store, timeout=60.0):
    """Connections of two ranks, as two threads of this process."""
    made = {}

    def make(rank):
        made[rank] = _connections(store, rank, timeout)

    thread = threading.Thread(target=make, args=(1,))
    thread.start()
    make(0)
    thread.join()
    return made[0], made[1]


@pytest.fixture
def pair():
    first, second = _pair(torch.distributed.HashStore())
    yield first, second
    for each in (first, second):
        each.close(0)


class _Inbox:
    """A service that keeps what comes."""

    def __init__(self, connections, op, shape=(0,)):
        self.requests, self.came = [], threading.Semaphore(0)
        connections.serve(op, self._take, lambda rank, message: [torch.empty(shape)])
        connections.start()

    def _take(self, request):
        self.requests.append(request)
        self.came.release()


@pytest.mark.parametrize("n", [0, 3, 100_000, 3_000_000])
def test_tensors_arrive(pair, n):
    pair[0].start()
    inbox = _Inbox(pair[1], "numbers", (n,))
    numbers = torch.arange(n, dtype=torch.float32)
    pair[0].tell(1, {"op": "numbers", "why": "ä"}, [numbers])
    assert inbox.came.acquire(timeout=60)
    request = inbox.requests[0]
    assert (request.rank, request.message["why"]) == (0, "ä")
    assert torch.equal(request.tensors[0], numbers)
    assert pair[0].sent["numbers"] >= 4 * n


def test_what_waits_goes_by_priority(pair):
    pair[0].start()
    big = torch.zeros(4_000_000)  # more than the buffers of a socket take
    for number in range(6):  # nobody reads yet: the first fills the socket, the others wait
        pair[0].tell(1, {"op": "big", "number": number}, [big], priority=number)
    inbox = _Inbox(pair[1], "big", (4_000_000,))
    for _ in range(6):
        assert inbox.came.acquire(timeout=60)
    numbers = [request.message["number"] for request in inbox.requests]
    assert sorted(numbers) == [*range(6)]
    late = numbers[1:]  # one was under way already
    assert late == sorted(late, reverse=True)


@pytest.mark.parametrize("asked", [0, 1])
def test_requests_are_answered_when_there_is_an_answer(pair, asked):
    waiting = []
    pair[asked].serve("double", waiting.append, lambda *_: [torch.empty(3)])
    for each in pair:
        each.start()
    numbers = torch.arange(3.0)
    question = {"op": "double", "n": 3}
    future = pair[0].ask(asked, question, [numbers], lambda *_: [torch.empty(3)], "a doubling")
    while not waiting:
        time.sleep(0.01)
    assert [(rank, what) for rank, what, _ in pair[0].waiting()] == [(asked, "a doubling")]
    assert not future.done()
    waiting[0].answer({"by": 2}, [waiting[0].tensors[0] * 2])
    message, tensors = future.result(60)
    assert message["by"] == 2
    assert tensors[0].tolist() == [0, 2, 4]
    assert not pair[0].waiting()


def test_requests_are_refused(pair):
    def fail(request):
        with request.refusing(1):
            raise ZeroDivisionError("by me")

    pair[1].serve("fail", fail)
    for each in pair:
        each.start()
    with pytest.raises(MXNetError, match="on worker 1: ZeroDivisionError: by me"):
        pair[0].ask(1, {"op": "fail"}).result(60)


def test_who_waits_is_told_what_has_failed(pair):
    pair[1].serve("never", lambda request: None)
    for each in pair:
        each.start()
    futures = [pair[rank].ask(1, {"op": "never"}) for rank in (0, 1)]
    pair[1].faults.report("worker 1 is tired")
    for future in futures:
        with pytest.raises(MXNetError, match="worker 1 is tired"):
            future.result(60)
    with pytest.raises(MXNetError, match="worker 1 is tired"):
        pair[0].ask(1, {"op": "never"})


def test_strangers_are_turned_away():
    store = torch.distributed.HashStore()
    made = []

    def call_first():
        store.wait(["address/0"], timedelta(seconds=60))
        host, port = json.loads(store.get("address/0"))
        for said in (
            b"",
            b"GET / HTTP/1.1\r\n\r\n",
            struct.pack("<I32s", 1, b"0" * 32) + bytes(32),
        ):
            stranger = socket.create_connection((host, port))
            stranger.sendall(said)
            if not said:
                stranger.close()
            made.append(stranger)

    caller = threading.Thread(target=call_first)
    caller.start()
    first = threading.Thread(target=lambda: made.append(_connections(store, 0)))
    first.start()
    caller.join()
    second = _connections(store, 1)
    first.join()
    inbox = _Inbox(made[-1], "hello")
    second.tell(0, {"op": "hello"}, [torch.empty(0)])
    assert inbox.came.acquire(timeout=60)
    for each in (made[-1], second):
        each.close(0)
    for stranger in made[:3]:
        stranger.close()


@pytest.mark.parametrize(
    "secret, other_address, enters",
    [("", b"", True), ("known to the job", b"", False), ("", b'["127.0.0.1", 9]', False)],
)
def test_who_knows_the_key_enters(secret, other_address, enters, monkeypatch):
    """The visitor has read the store; proofs for other addresses may have been made for others."""
    monkeypatch.setenv("MXNOVA_JOB_SECRET", secret)
    store = torch.distributed.HashStore()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(_connections, store, 0, 60.0 if enters else 1.0)
        address = store.get("address/0")
        with socket.create_connection(json.loads(address)) as visitor:
            mine, theirs = struct.pack("<I32s", 1, bytes(32)), visitor.recv(36)
            key = b"\0".join([b"", store.get("token"), other_address or address])
            visitor.sendall(mine + hmac.digest(key, mine + theirs, "sha256"))
            assert visitor.recv(32) == (
                hmac.digest(key, theirs + mine, "sha256") if enters else b""
            )
            if enters:
                first.result().close(0)
    if not enters:
        with pytest.raises(MXNetError, match="could not reach all"):
            first.result()


@pytest.mark.parametrize(
    "address", [b"", b"[]", b'["127.0.0.1", "x"]', b'["127.0.0.1", 1]', b"\xff"]
)
def test_addresses_that_a_stranger_has_overwritten_are_told(address):
    store = torch.distributed.HashStore()
    store.set("token", "0" * 32)
    store.set("address/0", address)
    with pytest.raises(MXNetError, match="worker 1 could not reach all of the 2 workers"):
        _connections(store, 1, 1.0)


def test_a_worker_that_does_not_come_is_not_waited_for_without_end():
    store = torch.distributed.HashStore()
    with pytest.raises(MXNetError, match="worker 0 could not reach all of the 2 workers"):
        _connections(store, 0, 0.2)


def _message(text, n_bytes=0, length=None):
    data = text.encode()
    return struct.pack("<IQ", len(data) if length is None else length, n_bytes) + data


def _babbling(rank, message):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((4,)))
    kv.init("rows", mx.nd.zeros((4, 2), stype="row_sparse"))
    if rank == 1:
        kv.handle.connections._peers[0]._socket.sendall(message)
    try:
        for _ in range(10**6):
            kv.push("a", mx.nd.ones((4,)))
            mx.nd.waitall()
    except MXNetError as error:
        return str(error)
    return "nothing was refused"


def _pushed(*entry):
    return _message(json.dumps({"op": "push", "pull": [], "entries": [entry]}), 0)


MESSAGES = {
    "too long": _message("", length=1 << 30),
    "empty": _message(""),
    "no JSON": _message("{{{{{{{{{"),
    "no dictionary": _message("[1]"),
    "deep JSON": _message("[" * 100_000),
    "no kind of message": _message('{"op": "eval"}'),
    "a kind that is no text": _message('{"op": {}}'),
    "bytes that nobody wants": _message('{"op": "leave"}', 1 << 60),
    "too many rows": _message('{"op": "rows", "key": "rows", "n": 1000000000, "id": 0}'),
    "rows that are no number": _message('{"op": "rows", "key": "rows", "n": "1", "id": 0}'),
    "an unknown key": _message('{"op": "rows", "key": "z", "n": 10, "id": 0}'),
    "an answer to nothing": _message('{"op": "answer", "id": 7}'),
    "a call without a name": _message('{"op": "call"}'),
    "a fault without a text": _message('{"op": "fault", "rank": 0}'),
    "a push of a code without a threshold": _pushed("a", 0, 4, "", "2bit", 2, 0),
    "a pull of an unknown key": _message('{"op": "push", "pull": ["z"], "entries": []}'),
    "a push of an unknown key": _pushed("z", 0, 4, "", "default", 4, 0),
    "a push beyond the value": _pushed("a", 0, 8, "", "default", 8, 0),
    "a push of other elements": _pushed("a", 0, 4, "", "default", 1 << 50, 0),
    "a push of too many rows": _pushed("rows", 0, 8, "", "rows", 5, 0),
    "a push of an unknown storage": _pushed("a", 0, 4, "", "csr", 4, 0),
    "a push of four words": _pushed("a", 0, 4, ""),
    "a push that is no list": _message('{"op": "push", "entries": 5}'),
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_what_is_no_message_ends_the_store(message):
    first, second = run(2, _babbling, message)
    assert "worker 1 cannot be understood" in first
    assert "worker 1" in second or "worker 0" in second  # the first may be gone already
