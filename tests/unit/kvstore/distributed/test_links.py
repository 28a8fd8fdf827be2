# SPDX-License-Identifier: Apache-2.0
"""What ranks tell each other: differences in words, messages that are none."""

import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore.distributed.agreement import difference

from .workers import run

A = ["push", [["a", [2], "float32", "default"], "updater: SGD"]]


@pytest.mark.parametrize(
    "odd, words",
    [
        (["push", [["b", [2], "float32", "default"], "updater: SGD"]], ['"b"', '"a"']),
        (["push", [["a", [3], "float32", "default"], "updater: SGD"]], ["[3]", "[2]"]),
        (["push", [["a", [2], "float32", "default"], "updater: Adam"]], ["Adam", "SGD"]),
        (["push", [*A[1][:1], *A[1]]], ["workers differ"]),
        (["pull", []], ['"pull"', '"push"']),
        (["error", "it is tired"], ["it is tired"]),
    ],
)
@pytest.mark.parametrize("where", [0, 1, 2])
def test_who_differs_is_named_with_what(odd, words, where):
    calls = [A, A, A]
    calls[where] = odd
    text = difference(calls)
    assert f"worker {where}" in text
    for word in words:
        assert word in text


def _babbling(rank, messages):
    kv = mx.kv.create("dist_async")
    kv.init("a", mx.nd.zeros((4,)))
    if rank == 1:
        kv.set_optimizer(mx.optimizer.create("test"))
        links = kv.handle.requests._links
        tensors = [torch.tensor(m) if isinstance(m, list) else _bytes(m) for m in messages]
        kept = links.post("", 1, {0: tensors}, {})  # noqa: F841 - until it is sent
    try:
        if rank == 0:  # who may be told already while it waits for the other's optimizer
            kv.set_optimizer(mx.optimizer.create("test"))
        for _ in range(10**6):
            kv.push("a", mx.nd.ones((4,)))
            mx.nd.waitall()
    except MXNetError as error:
        return str(error)
    return "nothing was refused"


def _bytes(text):
    return torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)


def _text(text):
    return [16, len(text)], text


MESSAGES = {
    "too long": [[16, 1 << 40]],
    "a bad tag": [[-5, 10]],
    "no JSON": _text("{{{{{{{{{"),
    "no dictionary": _text("[1]"),
    "no question": _text('{"op": "eval"}'),
    "too many rows": _text('{"op": "rows", "after": 0, "key": "a", "n": 1e9}'),
    "an unknown key": _text('{"op": "rows", "after": 0, "key": "z", "n": 10}'),
    "deep JSON": _text("[" * 100_000),
}


@pytest.mark.parametrize("messages", MESSAGES.values(), ids=MESSAGES)
def test_what_is_no_request_ends_the_store(messages):
    assert all(
        "worker 1" in text or "worker 0" in text for text in run(2, _babbling, messages, timeout=20)
    )
