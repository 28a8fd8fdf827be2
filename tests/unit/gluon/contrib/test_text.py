# SPDX-License-Identifier: Apache-2.0
"""WikiText from local files: numbers that MXNet 1.9.1 gives for the same ones."""

from __future__ import annotations

import zipfile

import pytest

import mxnova as mx
from mxnova.gluon.contrib.data import text

FILES = {
    "wiki.train.tokens": " \n = Title = \n \n a b c a <unk> b \n the a . \n \n",
    "wiki.valid.tokens": " \n a b \n c . \n",
    "wiki.test.tokens": " c c \n",
}
TOKENS = ["<unk>", "<eos>", "a", "=", "b", ".", "Title", "c", "the"]


@pytest.fixture(params=["files", "archive"])
def folder(request, tmp_path, monkeypatch):
    monkeypatch.setattr("mxnova.gluon.utils.check_sha1", lambda *_: True)
    if request.param == "files":
        for name, content in FILES.items():
            (tmp_path / name).write_text(content)
    else:
        with zipfile.ZipFile(tmp_path / "wikitext-2-v1.zip", "w") as archive:
            for name, content in FILES.items():
                archive.writestr(f"wikitext-2/{name}", content)
    return str(tmp_path)


def sequences(dataset):
    return [[part.asnumpy().tolist() for part in pair] for pair in dataset]


def test_sequences_and_those_one_later(folder):
    data = text.WikiText2(folder, "train", seq_len=3)
    assert data.vocabulary.idx_to_token == TOKENS
    assert data.frequencies == {"a": 3, "=": 2, "b": 2, "Title": 1, "c": 1, "<unk>": 1, "the": 1, ".": 1}  # fmt: skip
    assert sequences(data) == [
        [[3, 6, 3], [6, 3, 1]],
        [[1, 2, 4], [2, 4, 7]],
        [[7, 2, 0], [2, 0, 4]],
        [[4, 1, 8], [1, 8, 2]],
    ]
    assert data[0][0].dtype is mx.nd.zeros(1, dtype="int32").dtype
    other = text.WikiText2(folder, "validation", data.vocabulary, 2)
    assert sequences(other) == [[[2, 4], [4, 1]], [[1, 7], [7, 5]]]
    assert other.frequencies == {"a": 1, "b": 1, "c": 1, ".": 1}
    assert sequences(text.WikiText2(folder, "test", data.vocabulary, 1)) == [[[7], [7]], [[7], [1]]]


def test_batches_of_a_loader(folder):
    data = text.WikiText2(folder, "train", seq_len=3)
    loader = mx.gluon.data.DataLoader(data, 2, last_batch="discard")
    assert [batch.shape for batch, _ in loader] == [(2, 3), (2, 3)]


def test_refused(folder):
    with pytest.raises(KeyError, match="segment='other'"):
        text.WikiText2(folder, "other")
    with pytest.raises(ValueError, match="seq_len=0"):
        text.WikiText2(folder, seq_len=0)
    with pytest.raises(ValueError, match="3 tokens are not enough"):
        text.WikiText2(folder, "test", seq_len=50)


@pytest.mark.parametrize("kind", [text.WikiText2, text.WikiText103])
def test_missing_files_are_told(kind, tmp_path, monkeypatch):
    def download(*args, **kwargs):
        raise mx.MXNetError("no network")

    monkeypatch.setattr("mxnova.gluon.places.download", download)
    with pytest.raises(FileNotFoundError) as caught:
        kind(str(tmp_path))
    told = str(caught.value)
    assert told.startswith(str(tmp_path / "wiki.train.tokens"))
    assert kind._archive_file[0] in told
    assert kind._archive_file[1] in told
    assert "no network" in told


def test_archives_that_are_none(tmp_path, monkeypatch):
    monkeypatch.setattr("mxnova.gluon.utils.check_sha1", lambda *_: True)
    path = tmp_path / "wikitext-2-v1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../wiki.other.tokens", "")
    with pytest.raises(mx.MXNetError, match=r"has no wiki\.train\.tokens"):
        text.WikiText2(str(tmp_path))
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(mx.MXNetError, match="zip"):
        text.WikiText2(str(tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
