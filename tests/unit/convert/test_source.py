# SPDX-License-Identifier: Apache-2.0
"""Models as they are read: by their content, without what inference does not need."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert
from mxnova.convert.source import load
from mxnova.core.base.errors import ArgumentError, FormatError
from tests.unit.artefacts import made

FC = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")


@pytest.mark.parametrize("name", ["params.best", "model_algo-1", "weights", "net-0001.params.bak"])
def test_load_recognizes_parameters_by_content(name, tmp_path):
    mx.nd.save(str(tmp_path / name), {"arg:w": mx.nd.ones((2, 2))})
    assert load(tmp_path / name).shapes == {"w": (2, 2)}
    convert(tmp_path / name, tmp_path / "x.safetensors")
    convert(tmp_path / "x.safetensors", tmp_path / "x.params")
    assert (tmp_path / "x.params").read_bytes() == (tmp_path / name).read_bytes()


def test_load_rejects_files_of_other_content(tmp_path):
    np.save(tmp_path / "x.npy", np.ones(3))
    with pytest.raises(FormatError, match="not a model that can be read; it begins as an array"):
        load(tmp_path / "x.npy")


def test_convert_names_missing_parameters_and_their_file(tmp_path):
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, FC, {"fc_weight": mx.nd.ones((2, 4))}, {})
    with pytest.raises(ArgumentError, match=r"net-0000\.params lacks fc_bias, .*--shape") as caught:
        convert(tmp_path / "net", tmp_path / "x.onnx", shapes={"data": ("N", 4)})
    assert "224" not in str(caught.value)


def test_convert_names_missing_auxiliary_states(tmp_path):
    symbol = mx.sym.BatchNorm(mx.sym.var("data"), name="bn")
    arrays = {"bn_gamma": mx.nd.ones(4), "bn_beta": mx.nd.ones(4)}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, {})
    with pytest.raises(ArgumentError, match="lacks bn_moving_mean, bn_moving_var, which"):
        convert(tmp_path / "net", tmp_path / "x.onnx", shapes={"data": ("N", 4)})


def test_graph_of_a_training_detector_computes_detections(tmp_path):
    files = made.checkpoint(made.detector(), "ssd", data=(1, 3, 64, 64), label=(1, 2, 5))
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    model = load(tmp_path / "ssd")
    assert "label" in model.network.list_inputs()
    assert "label" not in model.inputs
    assert len(model.graph.list_outputs()) == 1
    assert "_contrib_MultiBoxDetection" in {n.op.name for n in model.graph.nodes if n.op}
