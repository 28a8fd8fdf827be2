# SPDX-License-Identifier: Apache-2.0
"""What all workers bring: matched by name, differences in words."""

import pytest

from mxnova.kvstore.distributed.rounds import Rounds, difference

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


def test_what_ranks_bring_is_matched_by_name():
    rounds = Rounds(2, "{}: {}".format)
    assert rounds.add(1, {"a": "first", "b": "first"}) == []
    assert rounds.add(1, {"a": "second"}) == []
    assert rounds.add(0, {"b": "mine"}) == [{0: "mine", 1: "first"}]
    assert rounds.add(0, {"a": "mine"}) == [{0: "mine", 1: "first"}]
    assert rounds.incomplete(0) == [("a: second", [1])]
    assert rounds.incomplete(60) == []
    assert rounds.add(0, {"a": "mine"}) == [{0: "mine", 1: "second"}]
    assert rounds.incomplete(0) == []


def test_a_rank_is_not_let_far_ahead():
    rounds = Rounds(2, "{}: {}".format, limit=2)
    rounds.add(0, {"a": 1})
    rounds.add(0, {"a": 2})
    with pytest.raises(ValueError, match="a push of key 'a' before the last one was done"):
        rounds.add(0, {"a": 3})
    assert len(rounds.add(1, {"a": 1})) == 1
