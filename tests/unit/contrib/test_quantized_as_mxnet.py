# SPDX-License-Identifier: Apache-2.0
"""A residual network that MXNet 1.9.1 quantized: the same graph, parameters and results."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib import quantization

DATA = Path(__file__).parents[2] / "data" / "onednn"
OUTPUTS = np.load(DATA / "outputs.npz")
ENDS = ("min_calib_range", "max_calib_range")


def network(name):
    return mx.gluon.SymbolBlock.imports(
        str(DATA / f"{name}-symbol.json"), ["data"], str(DATA / f"{name}-0000.params")
    )


def quantized():
    images = mx.io.NDArrayIter(mx.nd.array(OUTPUTS["x"]), mx.nd.zeros(4), batch_size=2)
    return quantization.quantize_net_v2(
        network("real"), "auto", "smart", calib_mode="naive", calib_data=images
    )


def told(text):
    """Operators, names, parameters and inputs of a graph, ends of ranges rounded."""
    graph = json.loads(text)
    found = []
    for node in graph["nodes"]:
        attrs = {k: v for k, v in node.get("attrs", {}).items() if not k.startswith("__")}
        attrs.update({k: round(float(attrs[k]), 4) for k in ENDS if k in attrs})
        bodies = [[n["op"] for n in b["nodes"]] for b in node.get("subgraphs", ())]
        found.append((node["op"], node["name"], attrs, [i[:2] for i in node["inputs"]], bodies))
    return found


def test_graph_and_parameters_are_those_of_mxnet(tmp_path):
    quantized().export(str(tmp_path / "made"))
    made = (tmp_path / "made-symbol.json").read_text()
    assert told(made) == told((DATA / "quantized-symbol.json").read_text())
    expected = mx.nd.load(str(DATA / "quantized-0000.params"))
    got = mx.nd.load(str(tmp_path / "made-0000.params"))
    assert got.keys() == expected.keys()
    for name, array in expected.items():
        assert got[name].dtype == array.dtype
        is_zero = f"{name}_max" in expected and expected[f"{name}_max"].asscalar() == 0
        if not is_zero:  # MXNet makes 127 of zero by zero
            np.testing.assert_array_equal(got[name].asnumpy(), array.asnumpy())


def test_results_are_those_of_mxnet(tmp_path):
    """With ranges twice as wide, so that no kernel of MXNet's cuts sums to 16 bits."""
    graph = json.loads((DATA / "quantized-symbol.json").read_text())
    for attrs in (node["attrs"] for node in graph["nodes"] if "attrs" in node):
        attrs.update({k: str(2 * float(attrs[k])) for k in ENDS if k in attrs})
    (tmp_path / "wide-symbol.json").write_text(json.dumps(graph))
    files = str(tmp_path / "wide-symbol.json"), str(DATA / "quantized-0000.params")
    wide = mx.gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    wide.hybridize()
    for _ in range(3):
        got = wide(mx.nd.array(OUTPUTS["x"])).asnumpy()
        np.testing.assert_allclose(got, OUTPUTS["y"], 1e-4, 1e-5)
    predictor = mx.Predictor(mx.sym.load(files[0]), mx.nd.load(files[1]), {"data": (4, 3, 12, 12)})
    (got,) = predictor.predict(data=OUTPUTS["x"])
    np.testing.assert_allclose(got, OUTPUTS["y"], 1e-4, 1e-5)


@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_models_with_parameters_apart(granularity):
    symbol = mx.sym.load(str(DATA / "real-symbol.json"))
    arrays = mx.nd.load(str(DATA / "real-0000.params"))
    args, aux = (
        {n[4:]: a for n, a in arrays.items() if n.startswith(kind)} for kind in ("arg:", "aux:")
    )
    images = mx.io.NDArrayIter(mx.nd.array(OUTPUTS["x"]), batch_size=2)
    made, qargs, qaux = quantization.quantize_model_mkldnn(
        symbol, args, aux, calib_mode="naive", calib_data=images, quantized_dtype="auto",
        quantize_granularity=granularity,
    )  # fmt: skip
    images = mx.nd.array(OUTPUTS["x"])
    executor = made.bind(mx.cpu(), {"data": images, **qargs}, aux_states=qaux, grad_req="null")
    expected = network("real")(images).asnumpy()
    got = executor.forward()[0].asnumpy()
    assert np.abs(got - expected).max() < 0.05 * np.abs(expected).max()
    layers = [n.op for n in made.nodes if n.op is not None and n.op.name.endswith("connected")]
    assert {bool(op.channel_wise_quantize) for op in layers} == {granularity == "channel-wise"}


@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
@pytest.mark.parametrize("data, weight", [(1, 0), (0, 1), (0, 0), (1e-6, 1), (1, 1e-6), (1e-30, 1)])
def test_data_and_weights_of_zeros_leave_the_bias(data, weight, granularity):
    random = np.random.RandomState(0)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(6, 1), mx.gluon.nn.Dense(8, flatten=True))
    net.initialize()
    images = mx.nd.array(data * random.uniform(-1, 1, (4, 3, 5, 5)))
    net(images)
    for parameter in net.collect_params().values():
        scale = 1 if parameter.name.endswith("bias") else weight
        parameter.set_data(mx.nd.array(scale * random.uniform(-1, 1, parameter.shape)))
    expected = net(images).asnumpy()
    calibration = mx.io.NDArrayIter(images, mx.nd.zeros(4), batch_size=4)
    made = quantization.quantize_net_v2(
        net, "auto", "full", calib_mode="naive", calib_data=calibration,
        quantize_granularity=granularity,
    )  # fmt: skip
    np.testing.assert_allclose(made(images).asnumpy(), expected, 0.05, 0.05 * expected.max())
