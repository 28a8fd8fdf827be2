# SPDX-License-Identifier: Apache-2.0
"""Sentences become numbers and batches, as in MXNet (recorded)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mxnova as mx
from mxnova.rnn import BucketSentenceIter, encode_sentences

from . import sentences

RECORDED = Path(__file__).parents[2] / "data" / "rnn" / "sentences.json"
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


@pytest.mark.parametrize("place", range(len(sentences.OPTIONS)))
def test_batches_are_those_of_mxnet(place):
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[place]
    assert sentences.facts_of(mx, sentences.OPTIONS[place]) == recorded


def test_long_sentences_are_left_out_with_a_warning(caplog):
    batches = BucketSentenceIter([[1, 2], [3, 4, 5]], 1, buckets=[2])
    assert [batch.data[0].asnumpy().tolist() for batch in batches] == [[[1, 2]]]
    assert "1 sentences are longer" in caplog.text


@pytest.mark.parametrize(
    "options, text",
    [
        ({"layout": "TT"}, "layout='TT'"),
        ({"buckets": [1]}, r"buckets=\[1\]: no sentence has place"),
        ({"batch_size": 3}, "no 3 of 2 sentences have the same length"),
    ],
)
def test_arguments_that_leave_no_batch_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        BucketSentenceIter([[1, 2], [3, 4]], **{"batch_size": 1, **options})
