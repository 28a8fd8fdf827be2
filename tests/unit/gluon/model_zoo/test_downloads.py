# SPDX-License-Identifier: Apache-2.0
"""Downloads by name: data sets and weights from a folder, and names that nothing has."""

from __future__ import annotations

import gzip
import hashlib
import struct

import pytest

import mxnova as mx
from mxnova.gluon.data import vision
from mxnova.gluon.model_zoo import downloads


def idx(shape):
    head = struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape)
    n_bytes = 1
    for size in shape:
        n_bytes *= size
    return gzip.compress(head + bytes(n_bytes), mtime=0)


@pytest.fixture
def small_mnist(tmp_path, monkeypatch):
    """A mirror with a MNIST of three images, whose hashes are taken for the published ones."""
    files = {
        "train-images-idx3-ubyte.gz": idx((3, 28, 28)),
        "train-labels-idx1-ubyte.gz": idx((3,)),
        "t10k-images-idx3-ubyte.gz": idx((2, 28, 28)),
        "t10k-labels-idx1-ubyte.gz": idx((2,)),
    }
    folder = tmp_path / "mirror" / "gluon" / "dataset" / "mnist"
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    made = vision.MNIST._path_of

    def path_of(self, name, sha1):
        return made(self, name, hashlib.sha1(files[name]).hexdigest())

    monkeypatch.setattr(vision.MNIST, "_path_of", path_of)
    monkeypatch.setenv("MXNOVA_MIRRORS", str(tmp_path / "mirror"))
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///nowhere")
    return folder, files


def test_a_data_set_from_a_folder(tmp_path, small_mnist):
    _, files = small_mnist
    paths = downloads.fetch("mnist", str(tmp_path / "mnist"))
    assert sorted(files) == sorted(path.rpartition("/")[2] for path in paths)
    assert len(vision.MNIST(root=str(tmp_path / "mnist"))) == 3


def test_a_data_set_with_another_file_is_refused(tmp_path, small_mnist):
    folder, _ = small_mnist
    (folder / "train-labels-idx1-ubyte.gz").write_bytes(b"something else")
    with pytest.raises(FileNotFoundError, match="is not the published file"):
        downloads.fetch("mnist", str(tmp_path / "mnist"))


def test_files_that_are_there_are_the_published_ones_or_refused(tmp_path, small_mnist):
    folder = tmp_path / "mnist"
    downloads.fetch("mnist", str(folder))
    (folder / "notes.txt").write_text("of somebody else")
    assert len(downloads.fetch("mnist", str(folder))) == 4
    (folder / "t10k-labels-idx1-ubyte.gz").write_bytes(idx((2,)) + b" ")
    with pytest.raises(mx.MXNetError, match="t10k-labels.*is not the published file: its SHA-1"):
        downloads.fetch("mnist", str(folder))
    assert len(vision.MNIST(root=str(folder))) == 3  # which only warns of others


def test_names():
    known = downloads.names()
    assert {"resnet50_v1", "mnist", "timm/resnet18.gluon_in1k"} <= known.keys()
    with pytest.raises(mx.MXNetError, match="there is none.*resnet50_v1"):
        downloads.fetch("resnet50")
