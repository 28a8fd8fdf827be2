# SPDX-License-Identifier: Apache-2.0
"""Files of later opsets than the default: over the operators' tables, valid, and equal in ONNX Runtime and read back."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.onnx.opsets import DEFAULT, OPSETS
from tests.unit.op.samples import Sample

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from .importer.running import run  # noqa: E402 - needs onnx
from .operator_models import TOLERANCE, can_be_compared, expected, exported, tables  # noqa: E402

IMAGE = np.random.default_rng(0).normal(size=(2, 6, 5, 4)).astype("float32")
VECTORS = [np.random.default_rng(i).normal(size=3).astype("float32") for i in (1, 2)]
LAST = [np.random.default_rng(i).normal(size=4).astype("float32") for i in (1, 2)]
NEW = {  # what an operator is from an opset on
    "LayerNormalization": (17, Sample("LayerNorm", [IMAGE, *LAST])),
    "GroupNormalization": (21, Sample("GroupNorm", [IMAGE, *VECTORS], {"num_groups": 3})),
    "Gelu": (20, Sample("LeakyReLU", [IMAGE], {"act_type": "gelu"})),
    "GridSample": (16, Sample("BilinearSampler", [IMAGE, np.tanh(IMAGE[:, :2])])),
}


def kinds(model):
    return {node.op_type for node in model.graph.node}


@pytest.fixture(scope="module")
def rows():
    """Samples, each with its nodes in the default opset; None where it is refused there."""
    samples = [*filter(can_be_compared, tables())]
    return [(sample, said(sample, DEFAULT)[0]) for sample in samples]


def said(sample, opset):
    """(nodes, model, inputs), None each where a sample is refused."""
    try:
        model, inputs = exported(sample, opset)
    except MXNetError:
        return None, None, None
    return [node.SerializeToString() for node in model.graph.node], model, inputs


@pytest.mark.parametrize("opset", [16, 17, 18, 20, 21])
def test_every_row_is_valid_and_what_differs_from_the_default_gives_the_same(opset, rows, tmp_path):
    differ = 0
    for sample, default in rows:
        nodes, model, inputs = said(sample, opset)
        assert nodes or not default
        if nodes:
            onnx.checker.check_model(model, full_check=True)
        if nodes != default:
            differ += 1
            check_values(sample, model, inputs, tmp_path)
    assert 0 < differ < len(rows) / 10


def check_values(sample, model, inputs, folder):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    results = session.run(None, {i.name: inputs[i.name] for i in session.get_inputs()})
    is_read = "NonMaxSuppression" not in kinds(model)  # whose result has no known size
    again = run(model, inputs, folder=folder) if is_read else results
    for wanted, *found in zip(expected(sample), results, again, strict=True):
        tolerance = TOLERANCE.get(str(wanted.dtype), 0)
        for values in found:
            assert values.dtype == wanted.dtype, sample
            values = values.reshape(wanted.shape)
            np.testing.assert_allclose(
                values, wanted, rtol=tolerance, atol=tolerance / 10, err_msg=str(sample)
            )


@pytest.mark.parametrize("kind", NEW)
def test_operators_are_those_of_the_opset(kind, tmp_path):
    since, sample = NEW[kind]
    for opset in OPSETS:
        if opset < since and kind == "GridSample":
            with pytest.raises(MXNetError, match="no converter before opset 16"):
                exported(sample, opset)
            continue
        model, inputs = exported(sample, opset)
        assert (kind in kinds(model)) == (opset >= since)
    check_values(sample, model, inputs, tmp_path)


@pytest.mark.parametrize("kind", ["LayerNormalization", "GroupNormalization"])
def test_float64_is_not_normalized_in_float32(kind):
    _, sample = NEW[kind]
    wide = Sample(sample.op, [a.astype("float64") for a in sample.arrays()], sample.attrs)
    model, _ = exported(wide, 21)
    assert kind not in kinds(model)


@pytest.mark.parametrize("opset", [12, 22, "17", True])
def test_other_opsets_are_refused(opset, tmp_path):
    x = mx.sym.var("x")
    with pytest.raises(MXNetError, match="export_model: opset_version=.*: must be 13 to 21"):
        mx.onnx.export_model(
            x + 1, {}, [(2,)], onnx_file_path=str(tmp_path / "x.onnx"), opset_version=opset
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("opset, ir", [(13, 8), (18, 8), (19, 9), (21, 10)])
def test_files_say_their_opset(opset, ir, tmp_path):
    path = str(tmp_path / "x.onnx")
    mx.onnx.export_model(mx.sym.var("x") + 1, {}, [(2,)], onnx_file_path=path, opset_version=opset)
    model = onnx.load(path)
    assert [(i.domain, i.version) for i in model.opset_import] == [("", opset)]
    assert model.ir_version == ir


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize(
    "attrs", [{"op": "norm", "axis": 1}, {"op": "_npi_norm", "axis": 1, "ord": 3}]
)
def test_exported_norm_of_extreme_numbers_is_exact(attrs, size, tmp_path):
    op = attrs["op"]
    rest = {k: v for k, v in attrs.items() if k != "op"}
    data = (np.random.default_rng(0).normal(size=(3, 4)) * size).astype("float32")
    model, inputs = exported(Sample(op, [data], rest), 17)
    check_values(Sample(op, [data], rest), model, inputs, tmp_path)
