# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet fuses for oneDNN: its own results, and what holds between forms of a layer."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError

DATA = Path(__file__).parents[3] / "data" / "onednn"
LAYERS = json.loads((DATA / "layers.json").read_text())
ARRAYS = np.load(DATA / "layers.npz")
X = mx.sym.var("data")


def bound(symbol, arrays):
    inputs = {name: mx.nd.array(array, dtype=array.dtype) for name, array in arrays.items()}
    args = {name: inputs[name] for name in symbol.list_arguments()}
    aux = {name: inputs[name] for name in symbol.list_auxiliary_states()}
    return symbol.bind(mx.cpu(), args, aux_states=aux, grad_req="null")


@pytest.mark.parametrize("number", range(len(LAYERS)), ids=[case["name"] for case in LAYERS])
def test_results_are_those_of_mxnet(number):
    """A few integers may differ by one: MXNet's kernels add in another order."""
    case = LAYERS[number]
    symbol = mx.sym.load_json(json.dumps(case["symbol"]))
    inputs = {name: ARRAYS[f"{number}.{name}"] for name in case["inputs"]}
    outputs = [ARRAYS[f"{number}.out{i}"] for i in range(case["outputs"])]
    types = {n: a.dtype for n, a in inputs.items() if n in symbol.list_arguments()}
    assert symbol.infer_type(**types)[1] == [o.dtype.type for o in outputs]
    executor = bound(symbol, inputs)
    for _ in range(3):  # plain, then prepared
        for got, expected in zip(executor.forward(), outputs, strict=True):
            got = got.asnumpy()
            assert got.dtype == expected.dtype
            if expected.dtype == np.float32:
                np.testing.assert_allclose(got, expected, 1e-5, 1e-5)
            else:
                difference = np.abs(got.astype(int) - expected)
                assert difference.max() <= 1
                assert difference.mean() < 0.05
    again = mx.sym.load_json(symbol.tojson())
    assert again.tojson() == symbol.tojson()


def real_layer(groups=1):
    made = mx.sym.Convolution(X, kernel=(3, 3), num_filter=8, num_group=groups, name="c")
    made = mx.sym.BatchNorm(made, fix_gamma=False, name="bn")
    return mx.sym.Activation(made + mx.sym.var("other"), act_type="relu", name="r")


def real_arrays(symbol):
    random = np.random.RandomState(0)
    args, (output,), aux = symbol.infer_shape(data=(2, 4, 8, 8))
    names = symbol.list_arguments() + symbol.list_auxiliary_states()
    shapes = dict(zip(names, args + aux, strict=True), other=output)
    return {n: random.uniform(0.1, 1, s).astype("float32") for n, s in shapes.items()}


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_real_layers_compute_what_their_operators_do(groups):
    plain = real_layer(groups)
    arrays = real_arrays(plain)
    expected = bound(plain, arrays).forward()[0].asnumpy()
    executor = bound(plain.get_backend_symbol("MKLDNN"), arrays)
    for _ in range(3):
        np.testing.assert_allclose(executor.forward()[0].asnumpy(), expected, 1e-4, 1e-4)


def test_prepared_layers_follow_their_parameters():
    number = next(i for i, case in enumerate(LAYERS) if case["name"] == "bnrelu uint8")
    case = LAYERS[number]
    symbol = mx.sym.load_json(json.dumps(case["symbol"]))
    executor = bound(symbol, {name: ARRAYS[f"{number}.{name}"] for name in case["inputs"]})
    before = [executor.forward()[0].asnumpy() for _ in range(3)][-1]
    executor.arg_dict["bn_beta"][:] -= 100
    for _ in range(3):
        assert executor.forward()[0].asnumpy().max() == 0 < before.max()


def test_what_is_written_to_outputs_stays_there():
    case = LAYERS[0]
    symbol = mx.sym.load_json(json.dumps(case["symbol"]))
    executor = bound(symbol, {name: ARRAYS[f"0.{name}"] for name in case["inputs"]})
    for _ in range(3):
        _, low, high = executor.forward()
        assert (low.asscalar(), high.asscalar()) == (-3, 5)
        low[:] = high[:] = 7


def broken(change):
    graph = json.loads(real_layer().get_backend_symbol("MKLDNN").tojson())
    node = graph["nodes"][-1]
    change(node, node["subgraphs"])
    return json.dumps(graph)


def read_gamma(_node, subgraphs):
    inputs = next(n for n in subgraphs[0]["nodes"] if n["op"] == "BatchNorm")["inputs"]
    inputs[0], inputs[1] = inputs[1], inputs[0]


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda node, _: node.pop("subgraphs"), "has 0 subgraphs"),
        (lambda _, subgraphs: subgraphs.append(subgraphs[0]), "has 2 subgraphs"),
        (lambda node, _: node.update(op="_sg_mkldnn_fully_connected", attrs={}), "FullyConnected"),
        (
            lambda _, subgraphs: subgraphs[0]["heads"].append([3, 0, 0]),
            "has Convolution, BatchNorm",
        ),
        (lambda node, _: node["inputs"].pop(), "7 inputs are given"),
        (lambda node, _: node["attrs"].update(quantized="true"), "8 inputs are given"),
        (lambda node, _: node["attrs"].update(with_sums="true"), "with_sums"),
        (read_gamma, "each reading the one before it"),
    ],
)
def test_what_is_no_layer_is_refused(change, text):
    with pytest.raises(MXNetError, match=text):
        mx.sym.load_json(broken(change))


def test_types_that_are_refused():
    number = next(i for i, case in enumerate(LAYERS) if case["name"] == "conv uint8 None")
    symbol = mx.sym.load_json(json.dumps(LAYERS[number]["symbol"]))
    with pytest.raises(MXNetError, match="arg0 has type float32: it must be int8 or uint8"):
        symbol.infer_type(data="float32")
