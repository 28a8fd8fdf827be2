# SPDX-License-Identifier: Apache-2.0
"""Each layout opens to a network that computes what the same network computes elsewhere."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx
from mxnova.artefacts import is_artefact

from . import made

# layout, prefix, epoch, shape of the input, handlers
EXPECTED = {
    "linear/model.tar.gz": ("SageMaker Linear Learner", "mx-mod", 0, ("N", 13), []),
    "fm/model.tar.gz": ("SageMaker Factorization Machines", "mx-mod", 0, ("N", 20), []),
    "images/model.tar.gz": (
        "SageMaker image classification", "image-classification", 10, ("N", 3, 24, 32), [],
    ),
    "objects/model.tar.gz": (
        "SageMaker object detection", "model_algo_1", 0, ("N", 3, 32, 32), [],
    ),
    "script/model.tar.gz": (
        "SageMaker script mode", "model", 0, ("N", 13), ["code/inference.py"],
    ),
    "squeeze.mar": (
        "archive of Multi Model Server", "squeeze", 0, ("N", 3, 24, 32),
        ["mxnet_vision_service.py"],
    ),
    "old.model": ("archive of Multi Model Server", "a", 0, ("N", 3, 24, 32), []),
}  # fmt: skip


@pytest.mark.parametrize("name", made.NETWORKS)
def test_what_is_inside(artefacts, name):
    opened = mx.open_model(artefacts / name)
    layout, prefix, epoch, shape, handlers = EXPECTED[name]
    assert opened.layout.startswith(layout)
    assert (opened.prefix, opened.epoch, opened.handlers) == (prefix, epoch, handlers)
    assert opened.input_shapes == {"data": shape}
    assert bool(handlers) == any("not run" in note for note in opened.notes)


@pytest.mark.parametrize("name", made.NETWORKS)
def test_a_predictor_takes_any_batch(artefacts, name):
    opened = mx.open_model(artefacts / name)
    sizes = opened.input_shapes["data"][1:]
    values = np.random.default_rng(0).random((3, *sizes), np.float32)
    predictor = opened.predictor()
    (three,) = predictor.predict(data=values)
    (one,) = predictor.predict(data=values[1:2])
    np.testing.assert_allclose(three[1:2], one, rtol=1e-5, atol=1e-5)


def test_it_computes_what_the_checkpoint_computes(artefacts, tmp_path):
    for name, content in made.checkpoint(made.small_images(), data=(1, 3, 24, 32)).items():
        (tmp_path / name).write_bytes(content)
    values = np.random.default_rng(0).random((2, 3, 24, 32), np.float32)
    shapes = {"data": values.shape}
    wanted = mx.Predictor.from_checkpoint(str(tmp_path / "model"), 0, shapes).predict(data=values)
    for name in ("images/model.tar.gz", "squeeze.mar", "old.model"):
        found = mx.open_model(artefacts / name).predictor().predict(data=values)
        np.testing.assert_array_equal(found[0], wanted[0])


def test_detections_are_those_of_the_trained_graph(artefacts):
    """As when the whole graph runs, losses and targets included."""
    symbol = made.detector()
    opened = mx.open_model(artefacts / "objects/model.tar.gz")
    values = np.random.default_rng(0).random((2, 3, 32, 32), np.float32)
    arguments = {n[4:]: array for n, array in opened.params.items()}
    arguments |= {"data": mx.nd.array(values), "label": -mx.nd.ones((2, 5, 5))}
    wanted = symbol.bind(mx.cpu(), arguments).forward(is_train=False)[-1].asnumpy()
    (found,) = opened.predictor().predict(data=values)
    assert (wanted[..., 0] >= 0).sum() > 10
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert opened.symbol.list_outputs() == ["det_out_output"]
    assert "label" not in opened.symbol.list_inputs()


def test_preprocessing_and_labels(artefacts):
    server = mx.open_model(artefacts / "squeeze.mar")
    assert server.labels == made.SYNSET.decode().splitlines()
    assert (server.preprocessing.size, server.preprocessing.interpolation) == ((24, 32), "cubic")
    images = mx.open_model(artefacts / "images/model.tar.gz")
    assert images.labels is None
    assert images.preprocessing.size == (24, 32)
    assert images.preprocessing.mean == (0.0,)
    assert mx.open_model(artefacts / "linear/model.tar.gz").preprocessing is None


def test_an_image_becomes_an_input(artefacts):
    cv2 = pytest.importorskip("cv2")
    red = np.zeros((48, 64, 3), np.uint8)
    red[:, :, 2] = 200  # OpenCV's order is blue, green, red
    encoded = cv2.imencode(".png", red)[1].tobytes()
    values = mx.open_model(artefacts / "squeeze.mar").preprocessing.decode("x", encoded)
    assert values.shape == (1, 3, 24, 32)
    assert values[0, :, 0, 0].tolist() == [200, 0, 0]


def test_folders_prefixes_and_inner_archives_open_alike(artefacts, tmp_path):
    files = made.checkpoint(made.linear_network(), data=(1, 13))
    files["model-shapes.json"] = made.text([{"name": "data", "shape": [1, 13]}])
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    values = np.ones((1, 13), np.float32)
    found = [
        mx.open_model(path).predictor().predict(data=values)[0]
        for path in (tmp_path, tmp_path / "model", artefacts / "script/model.tar.gz",
                     artefacts / "script", artefacts / "linear")
    ]  # fmt: skip
    assert all((values == found[0]).all() for values in found)


def test_epochs(tmp_path):
    for epoch in (1, 12):
        for name, content in made.checkpoint(
            made.linear_network(), "net", epoch, data=(1, 2)
        ).items():
            (tmp_path / name).write_bytes(content)
    with pytest.raises(mx.MXNetError, match="which epoch of net\\? There are 1, 12"):
        mx.open_model(tmp_path)
    with pytest.raises(mx.MXNetError, match="there is no epoch 3 of net, but 1, 12"):
        mx.open_model(tmp_path, 3)
    assert mx.open_model(tmp_path / "net", 12).epoch == 12


def test_several_networks(tmp_path):
    for prefix in ("a", "b"):
        for name, content in made.checkpoint(made.linear_network(), prefix, data=(1, 2)).items():
            (tmp_path / name).write_bytes(content)
    with pytest.raises(mx.MXNetError, match="several networks: a, b"):
        mx.open_model(tmp_path)
    assert mx.open_model(tmp_path / "b").prefix == "b"
    for name, content in made.checkpoint(made.linear_network(), "b-q", data=(1, 2)).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "b-labels.txt").write_text("x\n")
    (tmp_path / "b-q-labels.txt").write_text("y\n")
    assert (mx.open_model(tmp_path / "b").prefix, mx.open_model(tmp_path / "b").labels) == (
        "b",
        ["x"],
    )
    assert mx.open_model(tmp_path / "b-q").labels == ["y"]


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        mx.open_model(tmp_path / "nothing")
    with pytest.raises(TypeError, match="path=3"):
        mx.open_model(3)


def test_which_paths_need_it(artefacts, tmp_path):
    assert is_artefact(artefacts)
    assert is_artefact(artefacts / "old.model")
    (tmp_path / "x.params").write_bytes(b"\x12")
    assert not is_artefact(tmp_path / "x.params")
    assert not is_artefact(tmp_path / "none")


def test_opening_does_not_import_torch(artefacts):
    code = (
        "import sys, mxnova\n"
        "opened = mxnova.open_model(sys.argv[1])\n"
        "assert opened.input_shapes and opened.graph and opened.arrays\n"
        "assert 'torch' not in sys.modules"
    )
    path = artefacts / "objects/model.tar.gz"
    subprocess.run([sys.executable, "-c", code, path], check=True)
