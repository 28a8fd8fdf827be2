# SPDX-License-Identifier: Apache-2.0
"""Models may be named by a prefix or by any of their files; bad ones are refused without torch."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.cli.arguments import parse
from mxnova.cli.models import check_models, stem_of


@pytest.fixture(scope="module")
def models(folder, tmp_path_factory):
    """The model `net` as every kind of file."""
    place = tmp_path_factory.mktemp("models")
    for epoch in (1, 2):
        shutil.copy(folder / "net-0001.params", place / f"net-{epoch:04d}.params")
    shutil.copy(folder / "net-symbol.json", place)
    shutil.make_archive(str(place / "net"), "gztar", place, ".")
    np.save(place / "x.npy", np.array([[1, 5]], "f"))
    (place / "models").mkdir()
    for name in ("net-symbol.json", "net-0001.params"):
        shutil.copy(place / name, place / "models")
    return place


NAMES = {
    "net": 2,
    "net-symbol.json": 2,
    "net-0001.params": 1,
    "net.tar.gz": 2,
    "models": 1,
    "net.onnx": 0,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_model_has_many_names(models, name, monkeypatch, capsys):
    monkeypatch.chdir(models)
    if name == "net.onnx":
        pytest.importorskip("onnx")
        options = parse(["export-onnx", "net-symbol.json", "-s", "data=N,2"])
        options.act(options)
    assert mx.open_model(name).epoch == NAMES[name]
    for words in (["predict", name, "x.npy"], ["plot", name]):
        options = parse(words)
        assert not options.act(options)
    out = capsys.readouterr().out
    assert "x.npy: 2: 0.727475" in out
    assert "fc(FullyConnected)" in out


BAD = {
    "nett": "no nett-symbol.json or nett-0000.params; did you mean 'net'?",
    "nat.onnx": "there is no such file; did you mean",
    "bad-symbol.json": "is no symbol: it begins with",
    "bad.params": "is no file of arrays: it begins with",
    "bad.onnx": "bad.onnx: is empty",
    "bad.safetensors": "is no safetensors file",
    "bad": "bad-symbol.json: is no",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_models_are_told_without_torch(models, name, mxnova):
    for file in ("bad-symbol.json", "bad.params", "bad.safetensors", "bad.onnx"):
        (models / file).write_bytes(b"" if file == "bad.onnx" else b"nothing of the kind")
    mxnova.folder = models
    code = "import sys; sys.modules['torch'] = None; from mxnova.cli import main; main()"
    done = mxnova.python("-c", code, "convert", name, "out.onnx")
    assert done.returncode == 1
    assert BAD[name] in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_model_without_a_name():
    with pytest.raises(MXNetError, match="which model"):
        check_models(SimpleNamespace(model="", epoch=None), ["model"])


def test_an_epoch_that_is_not_there(models):
    check_models(SimpleNamespace(model=str(models / "net"), epoch=None), ["model"])
    with pytest.raises(MXNetError, match="no epoch 7 of net, but 1, 2"):
        check_models(SimpleNamespace(model=str(models / "net"), epoch=7), ["model"])


def test_inspect_names_the_command_for_archives(models):
    options = parse(["inspect", str(models / "net.tar.gz")])
    with pytest.raises(MXNetError, match="mxnova open .*net.tar.gz"):
        options.act(options)


def test_the_epoch_of_a_file_is_its_own(models, monkeypatch):
    monkeypatch.chdir(models)
    options = parse(["predict", "net-0001.params", "--epoch", "2", "x.npy"])
    with pytest.raises(MXNetError, match="no epoch 2 of net, but 1"):
        options.act(options)


def test_stems(models, monkeypatch):
    monkeypatch.chdir(models)
    names = ("net", "net-symbol.json", "net-0001.params", "a/b.onnx", "models/", "x.tar.gz")
    assert [*map(stem_of, names)] == ["net", "net", "net", "a/b", "models", "x.tar.gz"]
