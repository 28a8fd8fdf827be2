# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.rnn import encode_sentences

SENTENCES = [["a", "b"], ["b", "c", "a"]]


@pytest.mark.parametrize(
    "kwargs, numbers, vocab",
    [
        ({}, [[0, 1], [1, 2, 0]], {"\n": -1, "a": 0, "b": 1, "c": 2}),
        (
            {"invalid_label": 0, "invalid_key": "<p>", "start_label": 0},
            [[1, 2], [2, 3, 1]],
            {"<p>": 0, "a": 1, "b": 2, "c": 3},
        ),
        (
            {"invalid_label": 1},
            [[0, 2], [2, 3, 0]],
            {"\n": 1, "a": 0, "b": 2, "c": 3},
        ),
        ({"vocab": {"a": 3, "b": 5}, "unknown_token": "b"}, [[3, 5], [5, 5, 3]], {"a": 3, "b": 5}),
        (
            {"vocab": {"a": 1, "b": 2}, "unknown_token": "?"},
            [[1, 2], [2, 0, 1]],
            {"a": 1, "b": 2, "?": 0},
        ),
        ({"unknown_token": "?"}, [[0, 1], [1, 2, 0]], {"\n": -1, "a": 0, "b": 1, "c": 2}),
    ],
)
def test_tokens_get_numbers(kwargs, numbers, vocab):
    assert encode_sentences(SENTENCES, **kwargs) == (numbers, vocab)


def test_unknown_tokens_are_errors():
    with pytest.raises(AssertionError, match="'c' is not in vocab"):
        encode_sentences(SENTENCES, {"a": 0, "b": 1})
