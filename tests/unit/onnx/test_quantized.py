# SPDX-License-Identifier: Apache-2.0
"""Models on integers leave as QDQ: each operator gives in ONNX Runtime, and read back, what MXNet gives, to the step."""

import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.exec.passes.qdq import OPERATORS
from mxnova.onnx.files import model_proto
from mxnova.onnx.model import Exported
from tests.unit.exec.passes.quantized_models import assert_within_a_step, cases

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from .importer.running import run  # noqa: E402 - needs onnx

CASES = [*cases()]


def model_of(symbol, arrays, parameters, opset=13):
    facts = {
        n: (a.shape, torch.from_numpy(a).dtype) for n, a in arrays.items() if n not in parameters
    }
    return model_proto(Exported(symbol, parameters, facts, version=opset).ops)


def results(model, arrays, is_optimized=True):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if not is_optimized:
        level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {i.name: arrays[i.name] for i in session.get_inputs()})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_results_are_the_same_to_the_step(case, tmp_path):
    model = model_of(case.symbol, case.arrays, case.parameters(True))
    onnx.checker.check_model(model, full_check=True)
    fused = results(model, case.arrays)
    plain = results(model, case.arrays, is_optimized=False)
    inputs = {i.name: case.arrays[i.name] for i in model.graph.input}
    again = run(model, inputs, folder=tmp_path)
    for wanted, *found in zip(case.outputs, fused, plain, again, strict=True):
        for values in found:
            assert_within_a_step(values, wanted, case.name)


@pytest.mark.parametrize(
    "name", ["_contrib_quantize_v2()", "_contrib_quantized_concat(num_args=2)"]
)
def test_ranges_of_a_run_are_computed_in_the_model(name):
    case = next(c for c in CASES if c.name == name)
    model = model_of(case.symbol, case.arrays, {}, opset=21)
    onnx.checker.check_model(model, full_check=True)
    for wanted, found in zip(case.outputs, results(model, case.arrays), strict=True):
        assert_within_a_step(found, wanted, name)


def test_the_names_of_operators_on_integers_are_listed():
    assert set(mx.onnx.get_operator_support()) >= OPERATORS


def test_all_nodes_that_cannot_be_said_are_named(tmp_path):
    x, gamma = mx.sym.var("x"), mx.sym.var("gamma")
    attrs = {"min_calib_range": -1, "max_calib_range": 1}
    q = mx.sym.contrib.quantize_v2(x, name="q", **attrs)
    norm = mx.sym.contrib.quantized_batch_norm(
        data=q[0], gamma=gamma, min_data=q[1], max_data=q[2], name="norm", **attrs
    )
    odd = mx.sym.erfinv(mx.sym.contrib.dequantize(*norm, name="d"), name="odd")
    shapes = [(1, 2)] + [(2,)] * 4
    with pytest.raises(MXNetError) as error:
        mx.onnx.export_model(odd, {}, shapes, onnx_file_path=str(tmp_path / "x.onnx"))
    assert "node 'norm' (_contrib_quantized_batch_norm): its statistics are no" in str(error.value)
    assert "node 'odd' (erfinv): there is no converter" in str(error.value)
    assert not list(tmp_path.iterdir())
