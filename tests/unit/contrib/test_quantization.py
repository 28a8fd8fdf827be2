# SPDX-License-Identifier: Apache-2.0
"""Networks on 8-bit integers compute nearly what they do on real numbers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import NDArrayHandle, py_str
from mxnova.contrib import quantization

IMAGES = mx.nd.array(np.random.RandomState(0).uniform(-1, 1, (24, 3, 10, 10)))


@pytest.fixture(scope="module")
def network():
    mx.random.seed(1)
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D())
    net.add(nn.Conv2D(8, 3, activation="relu"), nn.Flatten(), nn.Dense(5))
    net.initialize(mx.init.Xavier())
    net(IMAGES)
    return net


def loader():
    labels = mx.nd.zeros(len(IMAGES))
    return mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(IMAGES, labels), batch_size=8)


class Ends:
    """A user's collector, as MXNet calls it."""

    include_layer = None

    def __init__(self):
        self.min_max_dict = {}

    def collect(self, name, arr):
        array = mx.nd.NDArray(ctypes.cast(arr, NDArrayHandle), writable=False)
        low, high = self.min_max_dict.get(py_str(name), (0, 0))
        ends = min(low, array.min().asscalar()), max(high, array.max().asscalar())
        self.min_max_dict[py_str(name)] = ends


@pytest.mark.parametrize("mode", ["full", "smart"])
@pytest.mark.parametrize("dtype", ["int8", "auto"])
@pytest.mark.parametrize(
    "given",
    [
        lambda: {"data_shapes": [(2, 3, 10, 10)]},
        lambda: {"calib_mode": "naive", "calib_data": loader()},
        lambda: {"calib_mode": "naive", "calib_data": IMAGES},
        lambda: {
            "calib_mode": "customize",
            "calib_data": mx.io.NDArrayIter(IMAGES, batch_size=8),
            "LayerOutputCollector": Ends(),
        },
    ],
)
def test_networks(network, given, dtype, mode):
    made = quantization.quantize_net_v2(network, dtype, mode, **given())
    expected = network(IMAGES).asnumpy()
    got = made(IMAGES).asnumpy()
    assert np.abs(got - expected).max() < 0.04 * np.abs(expected).max()
    assert (got.argmax(1) == expected.argmax(1)).all()
    assert {p.dtype for p in made.collect_params().values()} == {np.int8, np.float32}


def test_entropy_clips_what_is_rare():
    random = np.random.RandomState(0)
    values = np.concatenate([random.normal(0, 1, 5000), random.normal(0, 9, 5)])
    collector = quantization._LayerHistogramCollector(num_bins=1001, include_layer=["a_output"])
    for part in np.split(values[:5004], 4):
        collector.collect("a_output", mx.nd.array(part))
        collector.collect("b_output", mx.nd.array(part))
    ((name, (low, high)),) = collector.ranges("int8").items()
    assert name == "a_output"
    assert -low == high
    assert 2.5 < high < np.abs(values[:5004]).max()
    made, _, _ = quantization.calib_graph(
        quantization.quantize_graph(
            mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="a"), {}, {}
        )[0],
        {},
        {},
        collector,
    )
    assert made.attr_dict()["requantize_a"]["max_calib_range"] == f"{high:f}"


@pytest.mark.parametrize("already", [False, True])
def test_calibrated_graphs_come_with_their_parameters(already):
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="a")
    reals = {"a_weight": mx.nd.array([[1, 2], [3, 4]]), "a_bias": mx.nd.zeros(2)}
    made, integers, _, collector = quantization.quantize_graph(layer, reals, {}, calib_mode="naive")
    collector.collect("a_output", mx.nd.array([-1, 2]))
    given = integers if already else reals
    made, args, _ = quantization.calib_graph(made, given, {}, collector, calib_mode="naive")
    assert set(args) == set(made.list_arguments()) - {"data"}
    assert args["a_weight_quantize"].dtype == np.int8


@pytest.mark.parametrize(
    "excluded, left",
    [
        (
            {"exclude_operators": ["Convolution", "FullyConnected"]},
            {"Convolution", "FullyConnected"},
        ),
        ({"exclude_layers_match": ["dense"]}, {"FullyConnected"}),
        ({}, set()),
    ],
)
def test_layers_that_stay(network, excluded, left):
    made = quantization.quantize_net(network, data_shapes=[(2, 3, 10, 10)], **excluded)
    layers = [n for n in made._cached_graph[1].nodes if n.subgraphs]
    assert {n.op.chain.product.op.name for n in layers if not n.op.quantized} == left
    assert len(layers) == 3


def test_parameters_of_integers_take_a_quarter_of_the_file(tmp_path):
    image = mx.sym.Convolution(mx.sym.var("data"), num_filter=64, kernel=(5, 5), name="conv")
    net = mx.sym.FullyConnected(image, num_hidden=64, name="fc")
    shapes = zip(net.list_arguments(), net.infer_shape(data=IMAGES.shape)[0], strict=True)
    params = {n: mx.nd.random.uniform(-0.3, 0.3, s) for n, s in shapes if n != "data"}
    symbol, args, _ = quantization.quantize_model(net, params, {}, calib_mode="none")
    plain, integers = tmp_path / "plain.params", tmp_path / "int8.params"
    mx.nd.save(str(plain), params)
    mx.nd.save(str(integers), args)
    assert integers.stat().st_size < 0.26 * plain.stat().st_size
    loaded = mx.nd.load(str(integers))
    assert {n: a.dtype for n, a in loaded.items()} == {n: a.dtype for n, a in args.items()}
    got = symbol.bind(mx.cpu(), {**loaded, "data": IMAGES}).forward()[0].asnumpy()
    wanted = net.bind(mx.cpu(), {**params, "data": IMAGES}).forward()[0].asnumpy()
    assert np.corrcoef(got.ravel(), wanted.ravel())[0, 1] > 0.99


def test_models_in_files(network, tmp_path):
    prefix = str(tmp_path / "net")
    network.export(prefix)
    symbol, args, aux = quantization.quantize_model(
        f"{prefix}-symbol.json",
        f"{prefix}-0000.params",
        None,
        calib_mode="naive",
        calib_data=mx.io.NDArrayIter(IMAGES, batch_size=8),
    )
    mx.model.save_checkpoint(str(tmp_path / "int8"), 0, symbol, args, aux)
    symbol, args, aux = mx.model.load_checkpoint(str(tmp_path / "int8"), 0)
    run = symbol.bind(mx.cpu(), {**args, "data": IMAGES}, aux_states=aux)
    got = run.forward()[0].asnumpy()
    assert (got.argmax(1) == network(IMAGES).asnumpy().argmax(1)).all()


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"calib_mode": "nope"}, "calib_mode='nope'"),
        ({"calib_mode": "naive"}, "calib_data=None"),
        ({"calib_mode": "naive", "calib_data": 3}, "calib_data=3"),
        ({"quantized_dtype": "int4"}, "quantized_dtype='int4'"),
        ({"excluded_sym_names": "f"}, "excluded_sym_names='f'"),
        ({"quantize_mode": "x"}, "quantize_mode='x'"),
        ({"quantize_granularity": "x"}, "quantize_granularity='x'"),
        ({"ctx": "cpu"}, "ctx='cpu'"),
        ({"sym": 3}, "sym=3"),
    ],
)
def test_refusals(arguments, text):
    given = {"sym": mx.sym.var("data"), "arg_params": {}, "aux_params": {}, "calib_mode": "none"}
    with pytest.raises(ValueError, match=text):
        quantization.quantize_model(**{**given, **arguments})


def test_the_steps_one_by_one_make_what_quantize_model_makes():
    image = mx.sym.Convolution(mx.sym.var("data"), num_filter=2, kernel=(3, 3), name="conv")
    net = mx.sym.FullyConnected(mx.sym.relu(image), num_hidden=3, name="fc")
    shapes = zip(net.list_arguments(), net.infer_shape(data=IMAGES.shape)[0], strict=True)
    draw = np.random.RandomState(0).uniform
    params = {name: mx.nd.array(draw(-0.3, 0.3, shape)) for name, shape in shapes if name != "data"}
    made, layers = quantization._quantize_symbol(net, mx.cpu(), offline_params=list(params))
    assert layers[0] == "data"
    assert {"conv_output", "fc_output"} < set(layers)
    ranges = {"data": (-1, 1), "conv_output": (-4, 4), "fc_output": (-8, 8)}
    made = quantization._calibrate_quantized_sym(made, ranges)
    assert made.attr_dict()["requantize_fc"]["max_calib_range"] == "8.000000"
    integers = quantization._quantize_params(made, params, ranges)
    assert set(integers) == set(made.list_arguments()) - {"data"}
    got = made.bind(mx.cpu(), {**integers, "data": IMAGES}).forward()[0].asnumpy()
    wanted = net.bind(mx.cpu(), {**params, "data": IMAGES}).forward()[0].asnumpy()
    assert np.corrcoef(got.ravel(), wanted.ravel())[0, 1] > 0.99


def test_thresholds_of_evenly_spread_numbers_are_their_ends():
    values = np.linspace(-10.5, 9, 50_000)
    counts, borders = np.histogram(values, bins=2001, range=(-10.5, 10.5))
    found = quantization._get_optimal_thresholds({"a": (counts, borders, -10.5, 9, 10.5)}, "int8")
    np.testing.assert_allclose(found["a"], (-10.5, 10.5), rtol=0.02)
    assert quantization._calibrate_quantized_sym(net := mx.sym.var("a"), {}) is net


def test_steps_refuse_other_types_of_integers():
    with pytest.raises(mx.MXNetError, match="quantized_dtype='int4'"):
        quantization._quantize_symbol(mx.sym.var("data"), mx.cpu(), quantized_dtype="int4")


def test_a_star_gives_the_names_that_scripts_take_from_here():
    names = {}
    exec("from mxnova.contrib.quantization import *", names)
    assert names["cpu"]() == names["Context"]("cpu", 0)
    assert names["Module"] is mx.mod.Module
    assert names["DataBatch"] is mx.io.DataBatch
