# SPDX-License-Identifier: Apache-2.0
"""Graphs on integers and the same in QDQ give the same, to the step; which operators QDQ has."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.exec.passes.qdq import OPERATORS, with_qdq
from mxnova.core.graph.infer import infer_dtypes
from mxnova.core.op.schema import REGISTRY

from .quantized_models import assert_within_a_step, cases

CASES = [*cases()]
PLAIN = {"_QuantizeLinear", "_DequantizeLinear"}


def lowered(symbol, arrays, parameters):
    types = {n: torch.from_numpy(a).dtype for n, a in arrays.items()}
    return with_qdq(symbol, parameters, infer_dtypes(symbol.nodes, types))


def outputs(found, arrays):
    tensors = {n: torch.from_numpy(a) for n, a in arrays.items()} | found.constants
    given = {n: mx.nd.NDArray(tensors[n].clone()) for n in found.symbol.list_inputs()}
    states = {n: given[n] for n in found.symbol.list_auxiliary_states()}
    bound = found.symbol.bind(mx.cpu(), given, aux_states=states, grad_req="null")
    return [x.asnumpy() for x in bound.forward()]


def operators(symbol):
    return [n.op.name for n in symbol.nodes if n.op is not None]


@pytest.mark.parametrize("is_calibrated", [True, False])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_results_are_the_same_to_the_step(case, is_calibrated):
    before = case.symbol.tojson()
    found = lowered(case.symbol, case.arrays, case.parameters(is_calibrated))
    assert case.symbol.tojson() == before
    if found.refused:  # where a bias is rounded to steps that only a run tells
        assert not is_calibrated
        assert "calibrate" in "".join(found.refused.values())
        return
    assert not OPERATORS & set(operators(found.symbol))
    for got, wanted in zip(outputs(found, case.arrays), case.outputs, strict=True):
        assert_within_a_step(got, wanted, case.name)


def test_every_operator_on_integers_is_tried():
    tried = {n.op.name for case in CASES for n in case.symbol.nodes if n.op is not None}
    assert tried >= OPERATORS
    on_integers = {kind.name for kind in REGISTRY.values() if "_quantized_" in kind.name}
    assert len(on_integers) > 9
    assert on_integers <= OPERATORS


def layer():
    data = mx.sym.var("data")
    q = mx.sym.contrib.quantize_v2(data, min_calib_range=-1, max_calib_range=1, name="q")
    w = [mx.sym.var(n) for n in ("w", "wmin", "wmax")]
    conv = mx.sym.contrib.quantized_conv(
        data=q[0],
        weight=w[0],
        min_data=q[1],
        max_data=q[2],
        min_weight=w[1],
        max_weight=w[2],
        kernel=(1, 1),
        num_filter=2,
        no_bias=True,
        name="c",
    )
    narrow = mx.sym.contrib.requantize(*conv, min_calib_range=-2, max_calib_range=2, name="r")
    return mx.sym.contrib.dequantize(*narrow, name="d")


ARRAYS = {
    "data": np.linspace(-1, 1, 12, dtype="float32").reshape(1, 3, 2, 2),
    "w": np.arange(-3, 3, dtype="int8").reshape(2, 3, 1, 1),
    "wmin": np.array([-0.5], "float32"),
    "wmax": np.array([0.5], "float32"),
}


def test_sums_are_real_numbers_between_integers_of_8_bits():
    parameters = {n: torch.from_numpy(a) for n, a in ARRAYS.items() if n != "data"}
    found = lowered(layer(), ARRAYS, parameters)
    assert operators(found.symbol) == [
        "_QuantizeLinear", "_DequantizeLinear", "_DequantizeLinear", "Convolution",
        "_QuantizeLinear", "_DequantizeLinear",
    ]  # fmt: skip
    assert [n.name for n in found.symbol.nodes if n.op is not None and n.op.name in PLAIN] == [
        "q0", "q0_dequantized", "w_dequantized", "r0", "d",
    ]  # fmt: skip
    assert found.constants["w"].dtype is torch.int8


@pytest.mark.parametrize("ends", [{}, {"min_calib_range": -3, "max_calib_range": 4}])
@pytest.mark.parametrize("name", ["conv uint8 None", "fc uint8 None"])
def test_int32_sums_of_fused_layers_are_read_with_the_scale_of_their_range(name, ends):
    """MXNet's range of such sums is made of other levels than the sums: 0.8 % wider."""
    case = next(c for c in CASES if c.name == name)
    symbol = mx.sym.contrib.requantize(*case.symbol, name="r", **ends)
    wanted = symbol.eval(**{n: mx.nd.array(a, dtype=a.dtype) for n, a in case.arrays.items()})
    found = lowered(symbol, case.arrays, case.parameters(True))
    for got, right in zip(outputs(found, case.arrays), wanted, strict=True):
        assert_within_a_step(got, right.asnumpy())


def test_ranges_that_are_found_in_a_run_are_computed_in_the_graph():
    data = mx.sym.var("data")
    symbol = mx.sym.contrib.dequantize(*mx.sym.contrib.quantize_v2(data, name="q"))
    found = lowered(symbol, {"data": ARRAYS["data"]}, {})
    assert {"min", "max"} <= set(operators(found.symbol))
    for scale in (1, 7):
        data = ARRAYS["data"] * scale
        (got,) = outputs(found, {"data": data})
        np.testing.assert_allclose(got, data, atol=scale / 127)


def test_weights_that_are_quantized_in_the_graph_are_quantized_once():
    weight = mx.sym.var("weight")
    symbol = mx.sym.contrib.quantize_v2(weight, name="q")[0]
    values = torch.linspace(-1, 1, 6)
    found = lowered(symbol, {"weight": values.numpy()}, {"weight": values})
    assert operators(found.symbol) == []
    (name,) = found.symbol.list_inputs()
    assert found.constants[name].dtype is torch.int8


def test_all_that_cannot_be_said_is_told():
    x = mx.sym.var("data")
    vectors = [mx.sym.var(n) for n in ("gamma", "beta", "mean", "var")]
    ends = [mx.sym.var(n) for n in ("low", "high")]
    attrs = {"min_calib_range": -1, "max_calib_range": 1}
    made = [
        mx.sym.contrib.quantized_batch_norm(x, *vectors, *ends, name=name, **attrs)
        for name in ("a", "b")
    ]
    arrays = {"data": np.zeros((1, 2), "int8")} | dict.fromkeys(
        ("gamma", "beta", "mean", "var"), np.ones(2, "float32")
    )
    symbol = mx.sym.Group([m[0] for m in made])
    found = lowered(symbol, arrays, {})
    assert found.refused == dict.fromkeys("ab", "its statistics are no parameters")
    assert operators(found.symbol) == ["_contrib_quantized_batch_norm"] * 2


def test_graphs_without_integers_stay():
    symbol = mx.sym.relu(mx.sym.var("data"))
    assert lowered(symbol, {"data": ARRAYS["data"]}, {}).symbol is symbol
