# SPDX-License-Identifier: Apache-2.0
"""Vocabularies and counted tokens, as MXNet 1.9.1 has them."""

from __future__ import annotations

import json
from collections import Counter
from typing import ClassVar

import pytest

import mxnova as mx
from mxnova import registry
from mxnova.contrib.text import embedding, utils, vocab

COUNTS = Counter({"a": 3, "b": 3, "c": 1, "d": 2})


@pytest.mark.parametrize(
    "kwargs, tokens",
    [
        ({}, ["<unk>", "a", "b", "d", "c"]),
        ({"most_freq_count": 2}, ["<unk>", "a", "b"]),
        ({"min_freq": 2, "unknown_token": "?"}, ["?", "a", "b", "d"]),
        (
            {"most_freq_count": 3, "min_freq": 2, "reserved_tokens": ["<eos>", "a"]},
            ["<unk>", "<eos>", "a", "b", "d"],
        ),
    ],
)
def test_numbers(kwargs, tokens):
    made = vocab.Vocabulary(COUNTS, **kwargs)
    assert made.idx_to_token == tokens
    assert made.token_to_idx == {token: index for index, token in enumerate(tokens)}
    assert len(made) == len(tokens)
    assert made.reserved_tokens == kwargs.get("reserved_tokens")
    assert made.to_tokens(made.to_indices(tokens)) == tokens
    assert made.to_indices("anything") == 0
    assert made.to_tokens(0) == made.unknown_token


def test_without_counts():
    assert vocab.Vocabulary().idx_to_token == ["<unk>"]


@pytest.mark.parametrize(
    "args, kwargs, text",
    [
        ((COUNTS,), {"min_freq": 0}, "min_freq=0"),
        ((COUNTS,), {"reserved_tokens": ["x", "x"]}, "must differ"),
        ((COUNTS,), {"reserved_tokens": ["<unk>"]}, "must differ"),
        (({"a": 1},), {}, "must be a collections.Counter"),
    ],
)
def test_refused(args, kwargs, text):
    with pytest.raises(AssertionError, match=text):
        vocab.Vocabulary(*args, **kwargs)


@pytest.mark.parametrize("index", [5, -1])
def test_numbers_of_nothing(index):
    with pytest.raises(ValueError, match=f"indices={index}: must be from 0 to 4"):
        vocab.Vocabulary(COUNTS).to_tokens([0, index])


@pytest.mark.parametrize("most", [None, -1, -2])
def test_no_limit_of_tokens(most):
    assert len(vocab.Vocabulary(COUNTS, most)) == 5


@pytest.mark.parametrize(
    "text, delimiters, counts",
    [
        ("aXbXCXa", ("X",), {"a": 2, "b": 1, "c": 1}),
        ("a<TD>b<SD>A", ("<TD>", "<SD>"), {"a": 2, "b": 1}),
        ("aTbtC", ("[A-Z]",), {"a": 1, "bt": 1}),
        ("aXb", ("x",), {"axb": 1}),
    ],
)
def test_delimiters_with_capitals(text, delimiters, counts):
    assert utils.count_tokens_from_str(text, *delimiters, to_lower=True) == counts


def test_counting():
    text = " Life is great ! \n life is good . \n"
    counter = utils.count_tokens_from_str(text, to_lower=True)
    assert counter == {"life": 2, "is": 2, "great": 1, "!": 1, "good": 1, ".": 1}
    again = utils.count_tokens_from_str("a||is|c", r"\|", counter_to_update=counter)
    assert again is counter
    assert (counter["a"], counter["is"]) == (1, 3)


class Triples(embedding._TokenEmbedding):
    """An embedding as programs write their own."""

    pretrained_file_name_sha1: ClassVar = {"triples.txt": None}

    def __init__(self, root, vocabulary=None, **kwargs):
        Triples._check_pretrained_file_names("triples.txt")
        super().__init__(**kwargs)
        path = Triples._get_pretrained_file(root, "triples.txt")
        self._load_embedding(path, " ", mx.nd.ones)
        self._build_embedding_for_vocabulary(vocabulary)


def test_programs_register_embeddings_of_their_own(tmp_path, monkeypatch):
    classes = registry._REGISTRY[embedding._TokenEmbedding]
    monkeypatch.setitem(classes, "triples", None)  # afterwards it is as it was
    del classes["triples"]
    embedding.register(Triples)
    (tmp_path / "triples").mkdir()
    (tmp_path / "triples" / "triples.txt").write_text("a 1 2 3\nb 4 5 6\n")
    whole = embedding.create("triples", root=str(tmp_path))
    assert whole.idx_to_token == ["<unk>", "a", "b"]
    assert whole.idx_to_vec.asnumpy().tolist() == [[1, 1, 1], [1, 2, 3], [4, 5, 6]]
    part = embedding.create("triples", root=str(tmp_path), vocabulary=vocab.Vocabulary(COUNTS))
    assert part.get_vecs_by_tokens(["b", "d"]).asnumpy().tolist() == [[4, 5, 6], [1, 1, 1]]
    with pytest.raises(KeyError, match=r"triples\.txt"):
        Triples._check_pretrained_file_names("triple.txt")
    described = embedding.create(json.dumps(["triples", {"root": str(tmp_path)}]))
    assert described.idx_to_token == whole.idx_to_token


def test_embeddings_that_nobody_registered():
    with pytest.raises(AssertionError, match="glofe.*glove"):
        embedding.create("glofe")
    with pytest.raises(KeyError, match="glofe.*glove"):
        embedding.get_pretrained_file_names("glofe")


@pytest.mark.parametrize(
    ("encoding", "text"), [("utf8", "vectors.txt: no text in utf8"), ("morse", "encoding='morse'")]
)
def test_vectors_that_are_no_text(tmp_path, encoding, text):
    (tmp_path / "vectors.txt").write_bytes(b"a 1 2\n\xff 3 4\n")
    with pytest.raises(mx.MXNetError, match=text):
        embedding.CustomEmbedding(str(tmp_path / "vectors.txt"), encoding=encoding)


def custom(folder, text, **kwargs):
    (folder / "vectors.txt").write_text(text)
    return embedding.CustomEmbedding(str(folder / "vectors.txt"), **kwargs)


@pytest.mark.parametrize(
    "text, message",
    [
        ("a 1 2\nb 3 4 5\n", "line 2: token 'b' has 3 numbers, tokens before have 2"),
        ("a 1 2 3\nb 3 4\n", "line 2: token 'b' has 2 numbers, tokens before have 3"),
        ("<unk> 9 9 9\na 1 2\n", "line 2: token 'a' has 2 numbers, tokens before have 3"),
        ("a 1 2\n<unk> 9 9 9\n", "line 2: token '<unk>' has 3 numbers"),
        ("a 1 2\n\nb 3 4\n", "line 2: neither token nor numbers"),
    ],
)
def test_no_row_is_lost(tmp_path, text, message):
    with pytest.raises(AssertionError, match=rf"vectors\.txt, {message}"):
        custom(tmp_path, text)


@pytest.mark.parametrize(
    "text, message, rows",
    [
        ("2 2\na 1 2\nb 3 4\n", "line 1: '2' with one number is likely a header", [[1, 2], [3, 4]]),
        ("a 1 2\na 3 4\n", "line 2: 'a' has several vectors", [[1, 2]]),
        ("a 1 2\na 3 4 5\n", "line 2: 'a' has several vectors", [[1, 2]]),
    ],
)
def test_rows_that_are_skipped_with_a_warning(tmp_path, text, message, rows):
    with pytest.warns(UserWarning, match=message):
        made = custom(tmp_path, text)
    assert made.idx_to_vec.asnumpy().tolist() == [[0, 0], *rows]


def test_reserved_tokens_have_rows_of_their_own(tmp_path):
    made = custom(tmp_path, "a 1 2\nb 3 4\n", reserved_tokens=["<pad>"])
    assert made.get_vecs_by_tokens(["<pad>", "a", "b"]).asnumpy().tolist() == [
        [0, 0],
        [1, 2],
        [3, 4],
    ]


@pytest.mark.parametrize("made", ["composite", "custom"])
def test_the_unknown_token_of_a_vocabulary_has_the_vector_of_unknown_tokens(tmp_path, made):
    path = tmp_path / "vectors.txt"
    path.write_text("a 1 2\nb 3 4\n")
    words = vocab.Vocabulary(Counter("b"), unknown_token="a")
    known = embedding.CustomEmbedding(str(path), " ", init_unknown_vec=mx.nd.ones)
    if made == "composite":
        taken = embedding.CompositeEmbedding(words, [known, known])
    else:
        taken = embedding.CustomEmbedding(str(path), " ", init_unknown_vec=mx.nd.ones,
                                          vocabulary=words)  # fmt: skip
    times = 2 if made == "composite" else 1
    assert taken.idx_to_vec.asnumpy().tolist() == [[1, 1] * times, [3, 4] * times]
