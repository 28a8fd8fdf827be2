# SPDX-License-Identifier: Apache-2.0
"""Weights in the hub's names: the network computes the same; the hub's files are checked."""

from __future__ import annotations

import functools
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import mxnova as mx
from mxnova.formats import params, safetensors
from mxnova.gluon.model_zoo import downloads, hub, model_store, vision

COMMIT = "1" * 40


@functools.cache
def timm_arrays(name):
    """Random arrays of timm's names and the shapes of the zoo's network."""
    net = vision.get_model(name)
    net.initialize()
    net(mx.nd.zeros((1, 3, 32, 32)))
    shapes = {key: p.shape for key, p in net._collect_params_with_prefix().items()}
    random = np.random.default_rng(0)
    arrays = {}
    for theirs, ours in hub.zoo_names(name):
        scale = 0.05 if ours.endswith("weight") else 0.2
        value = random.normal(0, scale, shapes[ours]).astype("float32")
        arrays[theirs] = (
            np.abs(value) + 0.5 if theirs.endswith(("running_var", "bn.weight")) else value
        )
    return arrays


def written(arrays):
    """The bytes of a safetensors file, with counters as PyTorch's BatchNorm has them."""
    records = {k: record(v) for k, v in arrays.items()}
    records["bn1.num_batches_tracked"] = record(np.zeros((), "int64"))
    return safetensors.dumps(records, {"format": "pt"})


def record(value):
    from mxnova.core.base.dtypes import dtype_of

    return params.ArrayRecord("default", value.shape, dtype_of(value.dtype.name), value)


def torch_resnet(a, x, stages):
    """A ResNet of basic blocks by timm's names."""
    a = {k: torch.from_numpy(v) for k, v in a.items()}

    def norm(x, name):
        stats = (a[f"{name}.{s}"] for s in ("running_mean", "running_var", "weight", "bias"))
        return F.batch_norm(x, *stats, eps=1e-5)

    x = norm(F.conv2d(x, a["conv1.weight"], stride=2, padding=3), "bn1").relu()
    x = F.max_pool2d(x, 3, 2, 1)
    for stage, blocks in enumerate(stages, 1):
        for b in range(blocks):
            name, stride = f"layer{stage}.{b}", 2 if stage > 1 and b == 0 else 1
            y = norm(F.conv2d(x, a[f"{name}.conv1.weight"], None, stride, 1), f"{name}.bn1").relu()
            y = norm(F.conv2d(y, a[f"{name}.conv2.weight"], None, 1, 1), f"{name}.bn2")
            if f"{name}.downsample.0.weight" in a:
                x = norm(
                    F.conv2d(x, a[f"{name}.downsample.0.weight"], None, stride),
                    f"{name}.downsample.1",
                )
            x = (x + y).relu()
    return F.linear(x.mean((2, 3)), a["fc.weight"], a["fc.bias"]).numpy()


def test_a_resnet_of_the_hub_computes_what_timms_computes(tmp_path):
    arrays = timm_arrays("resnet18_v1")
    (tmp_path / "model.safetensors").write_bytes(written(arrays))
    (tmp_path / "net.params").write_bytes(
        hub.converted("resnet18_v1", str(tmp_path / "model.safetensors"))
    )
    net = vision.resnet18_v1()
    net.load_parameters(str(tmp_path / "net.params"))
    x = np.random.default_rng(1).normal(size=(1, 3, 64, 64)).astype("float32")
    expected = torch_resnet(arrays, torch.from_numpy(x), (2, 2, 2, 2))
    found = net(mx.nd.array(x)).asnumpy()
    assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max()


@pytest.mark.parametrize("name", hub.REPOSITORIES)
def test_every_array_of_a_network_has_a_name(name):
    ours = [zoo for _, zoo in hub.zoo_names(name)]
    assert sorted(ours) == sorted(vision.get_model(name)._collect_params_with_prefix())
    assert len({theirs for theirs, _ in hub.zoo_names(name)}) == len(ours)


@pytest.mark.parametrize(
    "change, told", [("missing", "is missing"), ("more", "of another network")]
)
def test_files_of_other_networks_are_refused(tmp_path, change, told):
    arrays = {theirs: np.zeros(1, "float32") for theirs, _ in hub.zoo_names("resnet18_v1")}
    if change == "missing":
        del arrays["fc.bias"]
    else:
        arrays["layer5.weight"] = np.zeros(1, "float32")
    (tmp_path / "model.safetensors").write_bytes(written(arrays))
    with pytest.raises(mx.MXNetError, match=told):
        hub.converted("resnet18_v1", str(tmp_path / "model.safetensors"))


class FakeHub(BaseHTTPRequestHandler):
    """Answers as the hub does for a file in its large storage."""

    content, sha256, asked = b"", None, []

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        stated = self.sha256 or hashlib.sha256(self.content).hexdigest()
        self.send_header("ETag", f'"{stated}"')
        self.send_header("X-Linked-Etag", f'"{stated}"')
        self.send_header("X-Linked-Size", str(len(self.content)))
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        if body:
            self.wfile.write(self.content)

    def log_message(self, *_):
        pass


@pytest.fixture
def fake_hub(tmp_path, monkeypatch):
    constants = pytest.importorskip("huggingface_hub.constants")
    handler = type("Handler", (FakeHub,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MXNOVA_MIRRORS", "hf")
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///nowhere")
    yield handler
    server.shutdown()
    server.server_close()


def test_weights_of_the_hub_are_fetched_once_and_checked(tmp_path, fake_hub):
    fake_hub.content = written(timm_arrays("resnet18_v1"))
    root = str(tmp_path / "models")
    path = model_store.get_model_file("resnet18_v1", root=root)
    assert f"/timm/resnet18.gluon_in1k/resolve/{COMMIT}/model.safetensors" in fake_hub.asked
    net = vision.resnet18_v1(pretrained=True, root=root)
    assert net.output.bias.shape == (1000,)
    n_asked = len(fake_hub.asked)
    assert downloads.fetch("timm/resnet18.gluon_in1k", root) == [path]
    assert len(fake_hub.asked) == n_asked
    with open(path, "ab") as file:
        file.write(b"x")
    assert downloads.fetch("timm/resnet18.gluon_in1k", root) == [path]


def test_another_file_than_the_hub_states_is_refused(tmp_path, fake_hub):
    fake_hub.content, fake_hub.sha256 = b"something else", "a" * 64
    with pytest.raises(mx.MXNetError, match="SHA-256 aaaa"):
        downloads.fetch("timm/resnet18.gluon_in1k", str(tmp_path))
    assert not list(tmp_path.glob("*.params"))


def test_a_network_that_the_hub_does_not_have(tmp_path, monkeypatch):
    monkeypatch.setenv("MXNOVA_MIRRORS", "hf")
    monkeypatch.setenv("MXNET_GLUON_REPO", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no weights of 'resnet50_v1'"):
        downloads.fetch("resnet50_v1", str(tmp_path / "models"))
