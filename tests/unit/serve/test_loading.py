# SPDX-License-Identifier: Apache-2.0
import json
import os

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.serve import ModelSource
from mxnova.serve.loading import load

from ..artefacts import made
from .conftest import save

DENSE = {"data": ("N", 4)}


def source(models, name="dense", shapes=DENSE, **told):
    return ModelSource(str(models / name), shapes, **told)


def test_open_sizes_of_a_checkpoint_are_open(models):
    model = load(source(models))
    (data,), (output,) = model.inputs, model.outputs
    assert (data.name, data.shape, data.dtype) == ("data", (-1, 4), np.float32)
    assert (output.name, output.shape) == ("softmax_output", (-1, 3))
    assert model.is_batched
    assert model.picture is None


def test_load_uses_the_dtypes_that_options_state(tmp_path):
    data = mx.sym.Cast(mx.sym.var("data"), dtype="float32")
    save(tmp_path / "net", mx.sym.FullyConnected(data, num_hidden=2, name="fc"), {"data": (1, 4)})
    model = load(source(tmp_path, "net", types={"data": "uint8"}))
    assert model.inputs[0].dtype == np.uint8


def test_closed_sizes_are_closed(models):
    model = load(source(models, shapes={"data": (2, 4)}))
    assert model.inputs[0].shape == (2, 4)
    assert model.outputs[0].shape == (2, 3)
    assert not model.is_batched


def test_models_whose_outputs_are_of_the_whole_batch_do_not_share_runs(tmp_path):
    total = mx.sym.sum(mx.sym.var("data") * mx.sym.var("scale"), axis=0, name="total")
    save(tmp_path / "net", total, {"data": (1, 4)})
    model = load(source(tmp_path, "net"))
    assert model.outputs[0].shape == (4,)
    assert not model.is_batched


def test_other_open_sizes_leave_outputs_open(models):
    model = load(source(models, "image", {"data": ("N", 3, "H", "W")}))
    assert model.is_batched
    assert model.inputs[0].shape == (-1, 3, -1, -1)
    assert model.outputs[0].shape == (-1, -1)
    assert model.picture.size is None


def test_the_highest_epoch_is_taken(models, tmp_path):
    for epoch in (1, 2, 10):
        os.link(models / "dense-0001.params", tmp_path / f"dense-{epoch:04d}.params")
    os.link(models / "dense-symbol.json", tmp_path / "dense-symbol.json")
    (tmp_path / "dense-0010.params").unlink()
    (tmp_path / "dense-0010.params").write_bytes(b"damaged")
    with pytest.raises(MXNetError, match="dense-0010"):
        load(source(tmp_path))
    assert load(source(tmp_path, epoch=2)).is_batched


def test_shapes_may_be_noted_beside_the_symbol(models, tmp_path):
    for ending in ("symbol.json", "0001.params"):
        os.link(models / f"image-{ending}", tmp_path / f"image-{ending}")
    noted = [{"name": "data", "shape": [7, 3, 8, 8]}]
    (tmp_path / "image-shapes.json").write_text(json.dumps(noted))
    model = load(ModelSource(str(tmp_path)))  # the folder
    assert model.inputs[0].shape == (-1, 3, 8, 8)
    assert model.picture.size == (8, 8)


@pytest.mark.parametrize("noted", ["", "7", "{}", "[7]", '[{"name": "data"}]', '[{"name": "data", "shape": []}]', '[{"name": "data", "shape": [-1]}]', '[{"name": "data", "shape": ["x"]}]'])  # fmt: skip
def test_notes_that_are_none(models, tmp_path, noted):
    for ending in ("symbol.json", "0001.params"):
        os.link(models / f"image-{ending}", tmp_path / f"image-{ending}")
    (tmp_path / "image-shapes.json").write_text(noted)
    with pytest.raises(MXNetError, match="shape"):
        load(ModelSource(str(tmp_path)))


def test_labels_are_read_and_pictures_described(models):
    told = {"labels": str(models / "labels.txt"), "preprocessing": {"mean": [1, 2, 3]}}
    model = load(source(models, "image", {"data": ("N", 3, 8, 8)}, **told))
    assert model.labels == ("cat", "dog", "bird", "ümlaut")
    assert model.picture.mean == (1, 2, 3)
    with pytest.raises(MXNetError, match="preprocessing: 'std'"):
        load(source(models, preprocessing={"std": 1}))


def test_compiled_models_bring_shapes_labels_and_preprocessing(models, tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from mxnova.predictor.building import write_compiled

    onnx_file = str(tmp_path / "net.onnx")
    symbol, arguments, _ = mx.model.load_checkpoint(str(models / "image"), 1)
    shape = [("N", 3, 8, 8)]
    mx.onnx.export_model(
        symbol, arguments, [(1, 3, 8, 8)], np.float32, onnx_file, dynamic=True,
        dynamic_input_shapes=shape,
    )  # fmt: skip
    notes = {"preprocessing": {"mean": "128", "scale": 0.01}, "labels": list("abcd")}
    write_compiled(
        onnx_file, tmp_path / "net.mxnova", "onnxruntime", symbol.list_outputs(), **notes
    )
    model = load(ModelSource(str(tmp_path / "net.mxnova")))
    assert model.inputs[0].shape == (-1, 3, 8, 8)
    assert model.outputs[0].shape == (-1, 4)
    assert model.is_batched
    assert model.labels == tuple("abcd")
    assert (model.picture.mean, model.picture.size) == ((128.0,), (8, 8))


@pytest.mark.parametrize(
    "path, shapes, reason",
    [
        ("image", {}, "which shapes do its inputs have.*data"),
        ("dense", {"data": ("N", 5)}, "dense|shape|weight"),
        ("dense", {"dta": ("N", 4)}, "did you mean 'data'"),
        ("other", DENSE, "none that begins so"),
        (".", DENSE, "expected one .mxnova file or symbol file, found dense, image, pair"),
        ("other.mxnova", {}, "other.mxnova"),
    ],
)
def test_models_that_cannot_be_loaded_say_why(models, path, shapes, reason):
    with pytest.raises(MXNetError, match=reason):
        load(ModelSource(str(models / path), shapes))


def test_archives_bring_shapes_labels_and_preprocessing(tmp_path):
    (tmp_path / "squeeze.mar").write_bytes(made.mar())
    model = load(ModelSource(str(tmp_path / "squeeze.mar")))
    assert model.inputs[0].shape == (-1, 3, 24, 32)
    assert model.labels[0] == "n01440764 tench, Tinca tinca"
    assert (model.picture.size, model.picture.interpolation) == ((24, 32), "cubic")
    assert model.is_batched


def test_parameters_alone_are_refused_with_what_was_found(tmp_path):
    (tmp_path / "model.tar.gz").write_bytes(made.semantic_segmentation())
    with pytest.raises(MXNetError, match="semantic segmentation.*GluonCV's fcn on resnet-50"):
        load(ModelSource(str(tmp_path / "model.tar.gz")))


def test_a_checkpoint_runs_where_it_is_told(models):
    with pytest.raises(MXNetError, match=r"gpu\(7\): this machine has"):
        load(source(models, ctx="gpu(7)"))
    assert load(source(models, ctx="cpu(1)")).is_batched


@pytest.mark.parametrize("name, value", {"ctx": "gpu", "backend": "aten", "epoch": 1}.items())
def test_compiled_models_refuse_what_is_for_checkpoints(tmp_path, name, value):
    with pytest.raises(MXNetError, match=f"--{name} is not for compiled models"):
        load(ModelSource(str(tmp_path / "net.mxnova"), **{name: value}))
