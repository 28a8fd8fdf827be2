# SPDX-License-Identifier: Apache-2.0
import gzip
import zlib

import pytest

pytest.importorskip("uvicorn")

from mxnova.serve.bodies import Call, Intake, Memory
from mxnova.serve.errors import Refused

LIMIT = 1 << 20


def call(memory, coding=""):
    headers = [(b"content-encoding", coding.encode())] if coding else []
    made = Call({"type": "http", "headers": headers}, None, memory)
    made.coding = made.coding_of_body()
    return made


def test_large_requests_are_refused_while_small_ones_are_taken():
    memory = Memory(LIMIT)
    large = call(memory)
    large.hold(LIMIT)
    with pytest.raises(Refused, match="too much memory") as caught:
        call(memory).hold(LIMIT // 2)
    assert caught.value.status == 503
    small = call(memory)
    small.hold(1000)
    large.release()
    small.release()


def test_a_request_that_has_ended_holds_nothing():
    memory = Memory(LIMIT)
    first = call(memory)
    first.hold(1000)
    first.release(has_ended=True)
    with pytest.raises(Refused):  # by work that goes on in another thread
        first.hold(1000)
    assert memory.held == 0


@pytest.mark.parametrize("coding, compress", [("gzip", gzip.compress), ("deflate", zlib.compress)])
@pytest.mark.parametrize("content", [b"", b"[1]", bytes(LIMIT), bytes(range(256)) * 4096])
def test_decompress_counts_what_it_returns(coding, compress, content):
    memory = Memory(LIMIT)
    asked = call(memory, coding)
    assert Intake.decompress(asked, compress(content), LIMIT) == content
    assert memory.held == len(content)


@pytest.mark.parametrize("level", [0, 9])
def test_decompress_stops_at_the_limit_and_at_the_memory_that_is_left(level):
    body = zlib.compress(bytes(8 * LIMIT), level)
    memory = Memory(LIMIT)
    with pytest.raises(Refused, match="more than 1,048,576 bytes"):
        Intake.decompress(call(memory, "deflate"), body, LIMIT)
    memory = Memory(LIMIT)
    with pytest.raises(Refused, match="too much memory"):
        Intake.decompress(call(memory, "deflate"), body, 8 * LIMIT)
    assert memory.held <= LIMIT + (256 << 10)  # a piece more


GOOD = gzip.compress(b"[1]", mtime=0)


@pytest.mark.parametrize(
    "body",
    [GOOD[:-1], GOOD + b"x", GOOD + bytes(LIMIT), GOOD + GOOD, b"", b"[1]", GOOD[:-5] + b"12345"],
)
def test_damaged_streams_are_refused(body):
    with pytest.raises(Refused, match="the body is not gzip"):
        Intake.decompress(call(Memory(LIMIT), "gzip"), body, LIMIT)


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "gzip,deflate", "identity, gzip"])
def test_unknown_codings_are_refused(coding):
    with pytest.raises(Refused, match="must be gzip or deflate"):
        call(Memory(LIMIT), coding)
