# SPDX-License-Identifier: Apache-2.0
import json
import shutil

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert
from mxnova.convert.proof import verify
from mxnova.convert.proof.comparison import difference
from mxnova.convert.proof.conversions import _saturates
from mxnova.convert.proof.runner import Runner
from mxnova.convert.proof.verification import compared
from mxnova.core.base.errors import MXNetError

from ..conftest import SHAPES

CONV, UNIT = "net_conv0", "net_stage1_unit1"


def attribute(node, **values):
    """Sets attributes of a node."""

    def plant(graph, arrays):
        found(graph, node)["attrs"].update({k: str(v) for k, v in values.items()})

    return plant, node


def array(name, node, change):
    """Changes the values of an array."""

    def plant(graph, arrays):
        key = next(k for k in arrays if k.endswith(f":{name}"))
        arrays[key] = mx.nd.array(change(arrays[key].asnumpy()))

    return plant, node


def operator(node, op, **attrs):
    """Makes a node another operator of the same inputs."""

    def plant(graph, arrays):
        found(graph, node).update(op=op, attrs={k: str(v) for k, v in attrs.items()})

    return plant, node


def inputs(node, order):
    """Another order of a node's inputs."""

    def plant(graph, arrays):
        entry = found(graph, node)
        entry["inputs"] = [entry["inputs"][i] for i in order]

    return plant, node


def found(graph, name):
    return next(n for n in graph["nodes"] if n["name"] == name)


def swapped(values):
    values = values.copy()
    values[[0, 1]] = values[[1, 0]]
    return values


FAULTS = {
    "eps of a BatchNorm": attribute("net_bn0", eps=1e-5),
    "another small eps": attribute(f"{UNIT}_bn1", eps=1e-3),
    "gamma fixed": attribute("net_bn0", fix_gamma=True),
    "eps of a LayerNorm": attribute("net_ln0", eps=1e-1),
    "transposed weight": array("net_fc0_weight", "net_fc0", lambda w: w.T),
    "transposed kernel": array("net_conv0_weight", CONV, lambda w: w.transpose(0, 1, 3, 2)),
    "flipped kernel": array("net_conv0_weight", CONV, lambda w: w[:, :, ::-1, ::-1]),
    "channels of the input swapped": array("net_conv0_weight", CONV, lambda w: w[:, ::-1]),
    "channels of the output swapped": array(f"{UNIT}_conv2_weight", f"{UNIT}_conv2", swapped),
    "bias forgotten": array("net_conv0_bias", CONV, lambda b: b * 0),
    "mean and variance exchanged": inputs("net_bn0", [0, 1, 2, 4, 3]),
    "gamma and beta exchanged": inputs("net_bn0", [0, 2, 1, 3, 4]),
    "missing ReLU": operator("net_relu0", "identity"),
    "another activation": operator("net_relu0", "Activation", act_type="softrelu"),
    "another slope": attribute(f"{UNIT}_act1", slope=0.2),
    "mean for maximum": attribute("net_pool0", pool_type="avg"),
    "maximum for mean": attribute("net_pool1", pool_type="max"),
    "weights in float16": array("net_fc1_weight", "net_fc1", lambda w: w.astype("e").astype("f")),
    "difference for sum": operator(f"{UNIT}_plus", "elemwise_sub"),
    "running mean of another epoch": array(
        f"{UNIT}_bn1_moving_mean", f"{UNIT}_bn1", lambda m: m * 1.01
    ),
    "one element": array(
        "net_fc0_weight", "net_fc0", lambda w: w + np.eye(8, dtype="f") * (np.arange(8) == 3) * 1e-2
    ),
    "padding of another size": attribute("net_pool0", pad="(0, 0)", kernel="(2, 2)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found_and_named(checkpoint, tmp_path, fault):
    plant, node = FAULTS[fault]
    with open(f"{checkpoint}-symbol.json") as file:
        graph = json.load(file)
    arrays = mx.nd.load(f"{checkpoint}-0007.params")
    for entry in graph["nodes"]:
        entry.setdefault("attrs", {})
    plant(graph, arrays)
    (tmp_path / "bad-symbol.json").write_text(json.dumps(graph))
    mx.nd.save(str(tmp_path / "bad-0007.params"), arrays)
    result = verify(checkpoint, tmp_path / "bad", shapes=SHAPES)
    assert not result.is_equal
    assert result.first.name == node
    assert f"first above tolerance: {node} (" in result.line


@pytest.mark.parametrize("ending", [".onnx", ".py"])
def test_the_same_model_is_equal_as_any_file(checkpoint, tmp_path, ending):
    pytest.importorskip("onnxruntime" if ending == ".onnx" else "safetensors")
    target = tmp_path / f"x{ending}"
    convert(checkpoint, target, shapes=SHAPES, prove=False)
    result = verify(checkpoint, target, shapes=SHAPES)
    assert result.is_equal
    assert result.first is None
    assert result.has_reference
    assert len(result.nodes) >= 15
    assert len(result.outputs) == 2  # batches of 1 and 3


@pytest.mark.parametrize("ending", [".onnx", ".py"])
def test_faults_in_other_files_are_named_too(checkpoint, tmp_path, ending):
    pytest.importorskip("onnxruntime" if ending == ".onnx" else "safetensors")
    arrays = mx.nd.load(f"{checkpoint}-0007.params")
    arrays[f"arg:{UNIT}_conv2_bias"][2] += 0.125
    shutil.copy(f"{checkpoint}-symbol.json", tmp_path / "bad-symbol.json")
    mx.nd.save(str(tmp_path / "bad-0007.params"), arrays)
    convert(tmp_path / "bad", tmp_path / f"x{ending}", shapes=SHAPES, prove=False)
    result = verify(checkpoint, tmp_path / f"x{ending}", shapes=SHAPES)
    assert result.first.name in (f"{UNIT}_conv2", f"{UNIT}_plus")
    assert result.first.max_abs == pytest.approx(0.125, rel=1e-3)


def test_inputs_may_be_given(checkpoint):
    feed = {"data": np.full((1, 3, 16, 16), 255, "f")}
    assert verify(checkpoint, checkpoint, inputs=feed).is_equal


def test_rows_of_tables_are_picked_by_numbers_that_they_have(tmp_path):
    symbol = mx.sym.Embedding(mx.sym.var("ids"), input_dim=5, output_dim=3, name="e")
    arrays = {"e_weight": mx.nd.random.normal(shape=(5, 3))}
    mx.model.save_checkpoint(str(tmp_path / "e"), 0, symbol, arrays, {})
    assert verify(tmp_path / "e", tmp_path / "e", shapes={"ids": ("N", 4)}).is_equal


@pytest.mark.parametrize(
    "more, text",
    [
        ({}, "which shape has data"),
        ({"shapes": SHAPES, "ranges": {"dta": (0, 1, False)}}, "no input 'dta'"),
    ],
)
def test_what_is_missing_is_asked_for(checkpoint, more, text):
    with pytest.raises(MXNetError, match=text):
        verify(checkpoint, checkpoint, **more)


def test_models_with_other_outputs_cannot_be_compared(checkpoint, tmp_path):
    symbol = mx.sym.load(f"{checkpoint}-symbol.json")
    group = mx.sym.Group([symbol, symbol.get_internals()["net_fc0_output"]])
    group.save(str(tmp_path / "two-symbol.json"))
    mx.nd.save(str(tmp_path / "two-0007.params"), mx.nd.load(f"{checkpoint}-0007.params"))
    with pytest.raises(MXNetError, match="1 outputs, and 2"):
        verify(checkpoint, tmp_path / "two", shapes=SHAPES)


NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    "a, b, reference, far, is_equal",
    [
        ([1, 2], [1, 2], None, 0, True),
        ([NAN, INF], [NAN, INF], None, 0, True),
        ([NAN, 1], [1, 1], None, INF, False),
        ([INF, 1], [-INF, 1], None, INF, False),
        ([1, 100], [1, 100.0005], None, 0.0005, True),
        ([1, 1], [1, 1.0005], None, 0.0005, False),
        ([1, 1], [1, 1.0005], [1, 1.0001], 0.0005, True),  # the first model rounds as much
        ([1, 1], [1, 1.05], [1, 1.01], 0.05, False),  # that is no rounding
        ([1, 1], [1], None, INF, False),
        ([], [], None, 0, True),
        ([0, 0], [0, 1e-3], None, 1e-3, False),
    ],
)
def test_differences(a, b, reference, far, is_equal):
    reference = None if reference is None else np.float64(reference)
    row = difference("x", np.float64(a), np.float64(b), reference, 1e-5)
    assert row.max_abs == pytest.approx(far)
    assert row.is_equal is is_equal


class _Doubling(Runner):
    """A model whose runtime rounds to another precision by default."""

    path = "net.xml"

    def __init__(self, error=None):
        self.error = error

    def outputs(self, feed):
        return [feed["data"] * 2]

    def default_outputs(self, feed):
        return None if self.error is None else [feed["data"] * 2 + self.error]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (None, "none"),
        (0.01, "none; in the runtime's default precision: 5.0e-03 of the largest output"),
        (0.5, "none; not proved in the runtime's default precision: 2.5e-01 of the largest output"),
    ],
)
def test_compared_reports_the_default_precision_of_the_runtime(error, text):
    feed = {"data": np.ones((1, 2), "float32")}
    found = compared(_Doubling(), _Doubling(error), [feed], None)
    assert found.is_equal
    assert found.line.endswith(f"first above tolerance: {text}")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("net.xml", b'<layer type="FakeQuantize">\n', True),
        ("net.xml", b'<layer type="Convolution">\n', False),
        ("net.onnx", b'type="FakeQuantize"', False),
    ],
)
def test_saturates_finds_models_of_openvino_on_integers(name, content, expected, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert _saturates(str(tmp_path / name)) is expected
