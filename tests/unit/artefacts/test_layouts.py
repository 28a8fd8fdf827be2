# SPDX-License-Identifier: Apache-2.0
"""What a layout does not tell is said, with what was found."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import FormatError

from . import made


def opened(tmp_path, content, name="model.tar.gz"):
    path = tmp_path / name
    path.write_bytes(content)
    return mx.open_model(path)


def refusal(model):
    with pytest.raises(mx.MXNetError) as caught:
        model.predictor()
    return str(caught.value)


def test_semantic_segmentation(tmp_path):
    model = opened(tmp_path, made.semantic_segmentation())
    assert model.layout == "SageMaker semantic segmentation"
    assert model.symbol is None
    assert list(model.params) == ["arg:conv1.weight"]
    assert model.preprocessing.mean == pytest.approx((123.675, 116.28, 103.53))
    assert model.preprocessing.scale == pytest.approx((0.017125, 0.017507, 0.017429), rel=1e-4)
    text = refusal(model)
    assert "GluonCV's fcn on resnet-50, 21 classes" in text
    assert "crop_size=240" in text


def test_arrays_of_pca(tmp_path):
    values = {"mean": np.ones((1, 4)), "v": np.ones((4, 2)), "s": np.ones(2)}
    model = opened(tmp_path, made.tar_gz({"model_algo-1": made.arrays(**values)}))
    assert model.layout == "SageMaker arrays"
    assert {name: array.shape for name, array in model.params.items()} == {
        "arg:mean": (1, 4), "arg:v": (4, 2), "arg:s": (2,),
    }  # fmt: skip
    assert "holds no network" in refusal(model)


def test_an_array_without_a_name(tmp_path):
    """As k-means leaves its centers."""
    from mxnova.core.nd.files import record_of_array
    from mxnova.formats import params

    content = params.dumps([record_of_array(mx.nd.ones((10, 4)))])
    model = opened(tmp_path, made.tar_gz({"model_algo-1": content}))
    assert {name: array.shape for name, array in model.params.items()} == {"arg:0": (10, 4)}


def test_deepar(tmp_path):
    files = {
        "prediction_net-0000.params": made.arrays(w=np.ones(2)),
        "prediction_net-network.json": made.text({"__kind__": "instance"}),
        "parameters.json": made.text({"kwargs": {"freq": "H", "prediction_length": 24}}),
        "input_transform.json": made.text({}), "type.txt": b"x", "version.json": made.text({}),
    }  # fmt: skip
    text = refusal(opened(tmp_path, made.tar_gz(files)))
    assert "GluonTS predictor, as DeepAR's" in text
    assert "freq=H, prediction_length=24" in text
    assert "what a series becomes" in text


@pytest.mark.parametrize(
    "content, name, text",
    [
        (made.tar_gz({}), "m.tar.gz", "it has no files"),
        (gzip.compress(bytes(20_000)), "m.tar.gz", "it has no files"),
        (made.zipped({}), "m.zip", "it has no files"),
        (bytes(10_240), "m.tar", "its files are m.tar"),
        (made.zipped({"readme.txt": b"x"}), "m.zip", "its files are readme.txt"),
        (made.zipped({f"{i}.txt": b"x" for i in range(9)}), "m.zip", "4.txt and 4 more"),
        (
            made.tar_gz({"code/inference.py": b"x"}),
            "m.tar.gz",
            "its files are code/inference.py; programs were found",
        ),
        (
            made.tar_gz({"model.joblib": b"x", "a/b.onnx": b"y"}),
            "m.tar.gz",
            "a/b.onnx is a ONNX file, which is left alone; model.joblib is a pickle file",
        ),
        (
            made.zipped({"MANIFEST.json": made.text({"model": {"modelName": "net"}})}),
            "m.mar",
            "its files are MANIFEST.json; manifest: modelName=net",
        ),
        (made.zipped({"hyperparams.json": made.text({"backbone": "x"})}), "m.zip", "GluonCV's fcn"),
        (made.zipped({"net.params": made.arrays()}), "m.zip", "net.params contains no arrays"),
        (
            made.zipped({f"{name}.tar.gz": made.script_mode() for name in "ab"}),
            "m.zip",
            "its files are a.tar.gz, b.tar.gz",
        ),
    ],
)
def test_open_model_of_files_without_model_raises(tmp_path, content, name, text):
    with pytest.raises(FormatError) as error:
        opened(tmp_path, content, name)
    assert f"{name}: contains no model: " in str(error.value)
    assert text in str(error.value)


@pytest.mark.parametrize("names", [[], ["readme.txt"]])
def test_open_model_of_folder_without_model_raises(tmp_path, names):
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(FormatError, match="contains no model: it"):
        mx.open_model(tmp_path)


def test_litter_of_macos_is_no_file(tmp_path):
    files = made.checkpoint(made.linear_network(), data=(1, 2))
    files |= {"._model-symbol.json": b"x", "__MACOSX/model-0001.params": b"x"}
    model = opened(tmp_path, made.zipped(files), "m.zip")
    assert sorted(model.files) == ["model-0000.params", "model-symbol.json"]


@pytest.mark.parametrize(
    "settings, size",
    [
        ({"image_shape": "3,24,32", "num_layers": "18"}, (24, 32)),
        ({"image_shape": 48}, (48, 48)),
        ({"image_shape": "x"}, None),
        ({"image_shape": "9" * 500}, None),
    ],
)
def test_settings_tell_the_size_of_images(tmp_path, settings, size):
    files = made.checkpoint(made.small_images(), "model_algo_1", data=(1, 3, 24, 32))
    model = opened(tmp_path, made.tar_gz({"hyperparams.json": made.text(settings), **files}))
    assert model.layout == "SageMaker image classification"
    assert (model.preprocessing and model.preprocessing.size) == size


BROKEN = [
    ("model-shapes.json", b"{", "model-shapes.json: line 1"),
    ("model-shapes.json", b"3", "expected a list of inputs"),
    ("model-shapes.json", b'[{"name": "data"}]', "expected name and shape"),
    ("model-shapes.json", b'[{"name": "data", "shape": [1, -2]}]', "sizes are integers"),
    ("signature.json", b'{"inputs": [{"data_name": 3, "data_shape": []}]}', "expected data_name"),
    ("hyperparams.json", b"[]", "hyperparams.json: expected an object"),
    ("MAR-INF/MANIFEST.json", b"{}", "says nothing of a model"),
    ("labels.json", b'{"1": "a"}', "expected a list of labels"),
    ("model-preprocessing.json", b'{"sizes": 3}', "'sizes'"),
    ("model-preprocessing.json", b"[]", "model-preprocessing.json"),
    ("model-preprocessing.json", b'{"size": 3}', "model-preprocessing.json"),
    ("model-preprocessing.json", b'{"mean": [[1], [1, 2]]}', "--mean"),
    ("model-preprocessing.json", b'{"interpolation": []}', "interpolation"),
    ("synset.txt", b"x" * (2 << 20), "bytes of text"),
]


@pytest.mark.parametrize("name, content, text", BROKEN)
def test_side_files_that_are_broken(tmp_path, name, content, text):
    files = made.checkpoint(made.linear_network(), data=(1, 2))
    with pytest.raises(mx.MXNetError) as caught:
        opened(tmp_path, made.zipped({**files, name: content}), "m.zip")
    assert text in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_labels_by_number(tmp_path):
    files = made.checkpoint(made.linear_network(), data=(1, 2))
    for told in ({"0": "cat", "1": "dog"}, {"cat": 0, "dog": 1}, ["cat", "dog"]):
        model = opened(tmp_path, made.zipped({**files, "labels.json": made.text(told)}), "m.zip")
        assert model.labels == ["cat", "dog"]


def test_topics(tmp_path):
    weights = made.arrays(**{"arg:projection_weight": np.ones((9, 3))})
    inner = {"params": weights, "meta.json": made.text({"num_topics": 3})}
    for files in (inner, {**inner, "symbol.json": made.linear_network().tojson().encode()}):
        archives = {f"model_algo-{host}": made.zipped(files) for host in (1, 2)}
        model = opened(tmp_path, made.tar_gz(archives))
        assert model.layout.startswith("SageMaker Neural Topic Model")
        assert "meta.json: num_topics=3" in model.notes
        assert model.params["arg:projection_weight"].shape == (9, 3)
        assert (model.symbol is None) == ("symbol.json" not in files)


def test_detector_is_recognized_by_its_graph(tmp_path):
    files = made.checkpoint(made.detector(), "ssd", data=(1, 3, 32, 32), label=(1, 5, 5))
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    archive = tmp_path / "ssd.tar.gz"
    archive.write_bytes(made.tar_gz(files))
    for path in (tmp_path / "ssd", archive):
        model = mx.open_model(path)
        assert model.input_names == ["data", "cls_prob_label"]
        assert any(note.startswith("outputs: rows (class, score") for note in model.notes)
        (rows,) = model.predictor({"data": (1, 3, 32, 32)}).predict(data=np.zeros((1, 3, 32, 32)))
        assert rows.shape[2] == 6


@pytest.mark.parametrize("name", ["params.best", "model_algo-1", "params.00012"])
@pytest.mark.parametrize("kind", ["file", "folder", "archive"])
def test_parameters_are_recognized_by_content(name, kind, tmp_path):
    content = made.arrays(w=np.ones((2, 2)))
    path = tmp_path / ("model.tar.gz" if kind == "archive" else name)
    path.write_bytes(made.tar_gz({name: content}) if kind == "archive" else content)
    model = mx.open_model(tmp_path if kind == "folder" else path)
    assert list(model.arrays) == ["w"]
