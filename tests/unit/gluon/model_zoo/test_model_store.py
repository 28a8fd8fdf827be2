# SPDX-License-Identifier: Apache-2.0
"""Files of weights: found, checked, fetched, and what is said where that fails."""

from __future__ import annotations

import functools
import hashlib
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import mxnova as mx
from mxnova.gluon.model_zoo import model_store, vision


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def published(tmp_path, monkeypatch):
    """SqueezeNet's weights, of two classes, as if they had been published in a repository."""
    net = vision.squeezenet1_1(classes=2, prefix="net_")
    net.initialize()
    net(mx.nd.ones((1, 3, 224, 224)))
    file = tmp_path / "weights.params"
    net.save_parameters(str(file))
    sha1 = hashlib.sha1(file.read_bytes()).hexdigest()
    monkeypatch.setitem(model_store._model_sha1, "squeezenet1.1", sha1)
    handler = functools.partial(QuietHandler, directory=str(tmp_path / "repository"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setenv("MXNET_GLUON_REPO", f"http://127.0.0.1:{server.server_address[1]}/")
    yield net, file, f"squeezenet1.1-{sha1[:8]}"
    server.shutdown()
    thread.join()
    server.server_close()


def put_in_repository(tmp_path, name, content):
    folder = tmp_path / "repository" / "gluon" / "models"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        archive.writestr(f"{name}.params", content)


def same_output(a, b):
    x = mx.nd.ones((1, 3, 224, 224))
    return (a(x).asnumpy() == b(x).asnumpy()).all()


def test_from_a_folder(tmp_path, published):
    net, file, name = published
    file.rename(tmp_path / f"{name}.params")
    other = vision.get_model("SqueezeNet1.1", pretrained=True, root=str(tmp_path), classes=2)
    assert same_output(net, other)


def test_from_a_repository(tmp_path, published, caplog):
    net, file, name = published
    put_in_repository(tmp_path, name, file.read_bytes())
    root = tmp_path / "models"
    root.mkdir()
    (root / f"{name}.params").write_bytes(b"something else")
    other = vision.squeezenet1_1(pretrained=True, root=str(root), classes=2)
    assert "not the file that was published" in caplog.text
    assert same_output(net, other)
    assert [path.name for path in root.iterdir()] == [f"{name}.params"]


def test_where_to_put_what_cannot_be_fetched(tmp_path, published):
    _, _, name = published
    root = tmp_path / "models"
    with pytest.raises(FileNotFoundError) as caught:
        model_store.get_model_file("squeezenet1.1", root=str(root))
    text = str(caught.value)
    assert str(root / f"{name}.params") in text
    assert f"gluon/models/{name}.zip" in text
    assert model_store._model_sha1["squeezenet1.1"] in text
    assert [*root.iterdir()] == []


@pytest.mark.parametrize("content", [b"other weights", None])
def test_archives_that_are_wrong(tmp_path, published, content):
    _, _, name = published
    put_in_repository(tmp_path, name, content or b"")
    if content is None:
        (tmp_path / "repository" / "gluon" / "models" / f"{name}.zip").write_bytes(b"no archive")
    with pytest.raises(mx.MXNetError, match=rf"{name}\.(params|zip: damaged)"):
        model_store.get_model_file("squeezenet1.1", root=str(tmp_path / "models"))
    assert [*(tmp_path / "models").iterdir()] == []


def test_archives_do_not_fill_the_disk(tmp_path, published, monkeypatch):
    _, _, name = published
    monkeypatch.setattr(model_store, "_MOST_BYTES", 1000)
    put_in_repository(tmp_path, name, bytes(1001))
    with pytest.raises(mx.MXNetError, match="has 1001 bytes, more than 1000"):
        model_store.get_model_file("squeezenet1.1", root=str(tmp_path / "models"))
    assert list((tmp_path / "models").iterdir()) == []


def test_purge(tmp_path):
    for name in ("a.params", "b.params", "notes.txt"):
        (tmp_path / name).write_text("")
    model_store.purge(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_names():
    assert model_store.short_hash("resnet50_v1") == "0aee57f9"
    with pytest.raises(ValueError, match="did you mean .*'resnet50_v1'"):
        model_store.short_hash("resnet50_v")
    with pytest.raises(ValueError, match="did you mean .*'mobilenet1.0'"):
        vision.get_model("mobilenet1_0")
    assert vision.get_model("MobileNetV2_0.25", classes=3).prefix.startswith("mobilenetv2")
    assert vision.mobilenet_v2_0_25.__name__ == "mobilenet_v2_0_25"


@pytest.fixture
def small(monkeypatch):
    """Name and content of a file that stands for weights."""
    content = b"weights"
    sha1 = hashlib.sha1(content).hexdigest()
    monkeypatch.setitem(model_store._model_sha1, "squeezenet1.1", sha1)
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///nowhere")
    return f"squeezenet1.1-{sha1[:8]}", content


@pytest.mark.parametrize("layout", ["archive", "archive below gluon", "params"])
def test_from_a_mirror_that_is_a_folder(tmp_path, small, monkeypatch, layout):
    name, content = small
    put_in_repository(tmp_path, name, content)
    folder = tmp_path / "repository"
    if layout == "archive":
        folder = folder / "gluon" / "models"
    elif layout == "params":
        folder = tmp_path / "flat"
        folder.mkdir()
        (folder / f"{name}.params").write_bytes(content)
    monkeypatch.setenv("MXNOVA_MIRRORS", f"{tmp_path / 'nothing'} {folder}")
    path = model_store.get_model_file("squeezenet1.1", root=str(tmp_path / "models"))
    assert Path(path).read_bytes() == content


def test_a_mirror_with_another_file_is_passed_over(tmp_path, small, monkeypatch):
    name, content = small
    put_in_repository(tmp_path, name, content)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / f"{name}.params").write_bytes(b"other weights")
    monkeypatch.setenv("MXNOVA_MIRRORS", f"{tmp_path / 'bad'} {tmp_path / 'repository'}")
    path = model_store.get_model_file("squeezenet1.1", root=str(tmp_path / "models"))
    assert Path(path).read_bytes() == content
    monkeypatch.setenv("MXNOVA_MIRRORS", str(tmp_path / "bad"))
    with pytest.raises(FileNotFoundError, match="not the file that was published"):
        model_store.get_model_file("squeezenet1.1", root=str(tmp_path / "others"))
