# SPDX-License-Identifier: Apache-2.0
"""Calls that all workers make: differences in words."""

import pytest

from mxnova.kvstore.distributed.rounds import difference

A = ("init", [["a", [2], "float32", "default"], "updater: SGD"])


@pytest.mark.parametrize(
    "odd, words",
    [
        (("init", [["b", [2], "float32", "default"], "updater: SGD"]), ['"b"', '"a"']),
        (("init", [["a", [3], "float32", "default"], "updater: SGD"]), ["[3]", "[2]"]),
        (("init", [["a", [2], "float32", "default"], "updater: Adam"]), ["Adam", "SGD"]),
        (("init", [*A[1][:1], *A[1]]), ["workers differ"]),
        (("barrier", []), ['"barrier"', '"init"']),
        (("error", ["it is tired"]), ["it is tired"]),
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


def test_calls_that_are_alike():
    assert difference([A, A, A]) is None
