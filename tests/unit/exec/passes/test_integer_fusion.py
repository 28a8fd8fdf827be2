# SPDX-License-Identifier: Apache-2.0
"""int8 layers on oneDNN's kernels give MXNet's integers to the step; what they take over."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.context import Context
from mxnova.contrib import quantization
from mxnova.core.exec.backends import aten
from mxnova.core.exec.passes import integer_fusion, integer_lowering, pipeline
from mxnova.core.exec.program.program import INFERENCE, ArrayFacts, Facts, Program, execute
from mxnova.core.runtime import torch_integers

from .quantized_models import assert_within_a_step, cases

pytestmark = pytest.mark.skipif(
    not torch_integers.has_integer_kernels(), reason="no exact int8 kernels here"
)
SHAPE = (2, 3, 12, 12)
LAYERS = ("_IntegerConvolution", "_IntegerLinear")
RANDOM = np.random.default_rng(2)


def compiled(symbol, arrays, parameters):
    """A program of a symbol, and the symbol after the passes."""
    facts = {n: ArrayFacts(tuple(a.shape), torch.from_numpy(a).dtype) for n, a in arrays.items()}
    program = Program(symbol, Facts(facts, Context("cpu", 0)))
    return program, aten.Aten().compile(program, parameters)


def run(program, symbol, arrays):
    tensors = {n: torch.from_numpy(a.copy()) for n, a in arrays.items()}
    given = [tensors[v.name] for v in program.variables]
    return [t.numpy() for t in execute(program.lower(symbol, INFERENCE), given)]


def operators(symbol):
    return [n.op.name for n in symbol.nodes if n.op is not None]


@pytest.mark.parametrize("is_calibrated", [True, False])
@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.name)
def test_operators_give_the_same_to_the_step(case, is_calibrated):
    program, made = compiled(case.symbol, case.arrays, case.parameters(is_calibrated))
    if case.name.startswith(("conv", "sum")) and "None" not in case.name:
        assert is_calibrated == bool(set(LAYERS) & set(operators(made)))
    for found, wanted in zip(run(program, made, case.arrays), case.outputs, strict=True):
        assert_within_a_step(found, wanted, case.name)


# Chains that MXNet quantizes without fused layers -------------------------------------------------


class Chain:
    """A graph on integers and its parameters."""

    def __init__(self, low=-2):
        self.arrays = {}
        self.value = mx.sym.contrib.quantize_v2(
            mx.sym.var("data"), min_calib_range=low, max_calib_range=2, out_type="auto", name="q"
        )

    def _parameter(self, name, array):
        self.arrays[name] = array
        return mx.sym.var(name)

    def product(self, name, operator, shape, data=None, **attrs):
        """A product without a bias, and the range of what it gives."""
        weight = RANDOM.integers(-127, 128, shape).astype("int8")
        ends = [np.array([x], "float32") for x in (-0.2, 0.2)]
        given = [
            self._parameter(f"{name}_{part}", array)
            for part, array in zip(("weight", "min_weight", "max_weight"), (weight, *ends))
        ]
        data = self.value if data is None else data
        kind = getattr(mx.sym.contrib, operator)
        names = ("data", "weight", "min_data", "max_data", "min_weight", "max_weight")
        read = dict(zip(names, (data[0], given[0], data[1], data[2], *given[1:])))
        sums = kind(**read, no_bias=True, name=name, **attrs)
        return mx.sym.contrib.requantize(
            *sums, min_calib_range=-9, max_calib_range=9, name=f"{name}_narrow"
        )

    def convolution(self, name, channels=4, data=None, inputs=4, **attrs):
        shape = (channels, inputs, 3, 3)
        attrs = {"kernel": (3, 3), "pad": (1, 1), "num_filter": channels, **attrs}
        return self.product(name, "quantized_conv", shape, data, **attrs)


def convolution(chain):
    return mx.sym.contrib.dequantize(*chain.convolution("c", inputs=3))


def rectified(chain):
    narrow = chain.convolution("c", inputs=3, stride=(2, 2))
    return mx.sym.contrib.dequantize(*mx.sym.contrib.quantized_act(*narrow, act_type="relu"))


def pooled(chain):
    narrow = chain.convolution("c", inputs=3)
    narrow = mx.sym.contrib.quantized_pooling(
        *narrow, kernel=(3, 3), stride=(2, 2), pool_type="max", pooling_convention="full"
    )
    return mx.sym.contrib.dequantize(*chain.convolution("d", data=narrow))


def joined(chain):
    parts = [chain.convolution(name, inputs=3) for name in "ab"]
    flat = [p[i] for i in range(3) for p in parts]
    ends = [flat[2], flat[4], flat[3], flat[5]]
    both = mx.sym.contrib.quantized_concat(*flat[:2], *ends, num_args=2, dim=1)
    return mx.sym.contrib.dequantize(*chain.convolution("d", data=both, inputs=8))


def added(chain):
    one, other = (chain.convolution(name, inputs=3) for name in "ab")
    total = mx.sym.contrib.quantized_elemwise_add(
        one[0], other[0], one[1], one[2], other[1], other[2], min_calib_range=-9, max_calib_range=9
    )
    return mx.sym.contrib.dequantize(*total)


def flattened(chain):
    flat = mx.sym.contrib.quantized_flatten(*chain.convolution("c", inputs=3))
    made = chain.product("fc", "quantized_fully_connected", (5, 4 * 144), flat, num_hidden=5)
    return mx.sym.contrib.dequantize(*made)


@pytest.mark.parametrize("low", [-2, 0])
@pytest.mark.parametrize(
    "build, kept",
    [
        (convolution, {"_IntegerConvolution": 1, "_Quantized": 1, "_Dequantized": 1}),
        (rectified, {"_IntegerConvolution": 1, "_Quantized": 1, "_Dequantized": 1}),
        (pooled, {"_IntegerConvolution": 2, "_IntegerMaxPooling": 1, "_Quantized": 1}),
        (joined, {"_IntegerConvolution": 3, "Concat": 1, "_Quantized": 1, "_Dequantized": 1}),
        (added, {"_IntegerConvolution": 2, "elemwise_add": 1}),
        (flattened, {"_IntegerConvolution": 1, "_IntegerLinear": 1, "_Quantized": 1}),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_chains(build, kept, low):
    chain = Chain(low)
    symbol = build(chain)
    data = RANDOM.uniform(low, 2, SHAPE).astype("float32")
    arrays = {**chain.arrays, "data": data}
    parameters = {n: torch.from_numpy(a) for n, a in chain.arrays.items()}
    program, made = compiled(symbol, arrays, parameters)
    found = operators(made)
    assert {name: found.count(name) for name in kept} == kept
    assert not {name for name in found if name.startswith("_contrib")}
    (wanted,) = run(program, program.symbol, arrays)
    (got,) = run(program, made, arrays)
    step = 9 / 127
    assert (
        np.abs(got - wanted).max() <= (1.01 if build in (convolution, rectified) else 3.01) * step
    )
    assert (np.abs(got - wanted) > step / 2).mean() < 0.02


# Networks -----------------------------------------------------------------------------------------


def layer(x, name, kernel, stride=1, act=True):
    window = {"kernel": (kernel,) * 2, "stride": (stride,) * 2, "pad": (kernel // 2,) * 2}
    x = mx.sym.Convolution(x, name=name, num_filter=8, **window)
    x = mx.sym.BatchNorm(x, name=f"{name}_norm", fix_gamma=False)
    return rectifier(x) if act else x


def rectifier(x):
    return mx.sym.Activation(x, act_type="relu")


def residual_network():
    """A block whose shortcut is a convolution, one whose shortcut is none, pooling and a layer."""
    x = layer(mx.sym.var("data"), "stem", 3)
    inner = layer(layer(x, "narrow", 1, stride=2), "wide", 3, act=False)
    x = rectifier(inner + layer(x, "shortcut", 1, 2, act=False))
    x = rectifier(layer(layer(x, "again", 3), "last", 3, act=False) + x)
    pooled = mx.sym.Pooling(x, global_pool=True, kernel=(1, 1), pool_type="avg")
    return mx.sym.FullyConnected(mx.sym.Flatten(pooled), num_hidden=5, name="dense")


def strided_network():
    """A block whose result is read by 1 x 1 convolutions alone, which skip positions."""
    x = layer(mx.sym.var("data"), "stem", 3)
    inner = layer(layer(layer(x, "a", 1), "b", 3), "c", 1, act=False)
    x = rectifier(inner + x)
    return rectifier(layer(x, "d", 1, 2, act=False) + layer(x, "e", 1, 2, act=False))


def quantized(symbol):
    """A network that was quantized as MXNet does, its parameters, and images."""
    rng = np.random.default_rng(1)
    shapes, _, states = symbol.infer_shape(data=SHAPE)
    args = {n: mx.nd.array(rng.normal(size=s) * 0.3) for n, s in
            zip(symbol.list_arguments(), shapes, strict=True) if n != "data"}  # fmt: skip
    aux = {n: mx.nd.array(rng.uniform(0.5, 1, s)) for n, s in
           zip(symbol.list_auxiliary_states(), states, strict=True)}  # fmt: skip
    images = rng.normal(size=SHAPE).astype("float32")
    made, args, aux = quantization.quantize_model_mkldnn(
        symbol, args, aux, calib_mode="naive", quantized_dtype="auto",
        calib_data=mx.io.NDArrayIter(mx.nd.array(images), batch_size=2),
    )  # fmt: skip
    given = {f"arg:{n}": a for n, a in args.items()} | {f"aux:{n}": a for n, a in aux.items()}
    return made, given, images


@pytest.fixture(scope="module")
def int8():
    """One of residual blocks."""
    return quantized(residual_network())


def predicted(int8, images=None, monkeypatch=None):
    symbol, given, own = int8
    if monkeypatch is not None:
        monkeypatch.setenv("MXNOVA_PASSES", "-integer_lowering")
    predictor = mx.Predictor(symbol, given, {"data": SHAPE}, backend="aten")
    return predictor, predictor.predict(data=own if images is None else images)[0]


def test_networks_stay_on_integers(int8, monkeypatch):
    predictor, found = predicted(int8)
    reasons = {row.node: row.reason for row in predictor.explain()}
    layers = [name for name in reasons if name.startswith("quantized_sg_mkldnn")]
    assert len(layers) == 7
    assert {reasons[n].split()[1] for n in layers} == {"IntegerConvolution", "IntegerLinear"}
    _, wanted = predicted(int8, monkeypatch=monkeypatch)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=np.abs(wanted).max() * 0.02)


def test_sums_are_added_in_place(int8):
    symbol, given, images = int8
    arrays = {n.partition(":")[2]: a.asnumpy() for n, a in given.items()} | {"data": images}
    parameters = {n: torch.from_numpy(a) for n, a in arrays.items() if n != "data"}
    _, made = compiled(symbol, arrays, parameters)
    sums = [n.op for n in made.nodes if n.op is not None and getattr(n.op, "with_sum", False)]
    assert [op.in_place for op in sums] == [True, True]
    assert operators(made).count("_Shifted") == 2  # the images, the first shortcut
    assert operators(made).count("_Quantized") <= 2


def test_positions_that_nobody_reads_are_skipped_by_integer_layers(monkeypatch):
    symbol, given, images = quantized(strided_network())
    arrays = {n.partition(":")[2]: a.asnumpy() for n, a in given.items()} | {"data": images}
    parameters = {n: torch.from_numpy(a) for n, a in arrays.items() if n != "data"}
    program, made = compiled(symbol, arrays, parameters)
    strides = [n.op.geometry.stride for n in made.nodes if hasattr(n.op, "geometry")]
    assert sorted(strides) == [[1, 1]] * 5 + [[2, 2]]
    assert operators(made).count("_Subsampled") == 1
    monkeypatch.setenv("MXNOVA_PASSES", "-stride_hoisting")
    other, plain = compiled(symbol, arrays, parameters)
    assert operators(plain).count("_Subsampled") == 0
    np.testing.assert_array_equal(run(program, made, arrays)[0], run(other, plain, arrays)[0])


@pytest.mark.parametrize("shape", [(1, 3, 12, 12), (5, 3, 12, 12), (2, 3, 20, 15)])
def test_other_sizes(int8, shape, monkeypatch):
    images = np.random.default_rng(3).normal(size=shape).astype("float32")
    _, found = predicted(int8, images)
    _, wanted = predicted(int8, images, monkeypatch)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=np.abs(wanted).max() * 0.02)


def test_batches_are_shared_out(int8, monkeypatch):
    monkeypatch.setattr("mxnova.core.exec.passes.batch_split.images_at_once", lambda *_: 1)
    predictor, found = predicted(int8)
    assert any("a thread's share" in row.reason for row in predictor.explain())
    monkeypatch.undo()
    np.testing.assert_array_equal(found, predicted(int8)[1])


@pytest.mark.parametrize("module", [integer_lowering, integer_fusion])
def test_without_exact_kernels_nothing_changes(int8, module, monkeypatch):
    """Without those of fusion, what was lowered is computed in real numbers."""
    _, wanted = predicted(int8)
    monkeypatch.setattr(module, "has_integer_kernels", lambda: False)
    predictor, found = predicted(int8)
    assert not any("Integer" in row.reason for row in predictor.explain())
    np.testing.assert_allclose(found, wanted, rtol=0, atol=np.abs(wanted).max() * 0.02)


def test_graphs_on_real_numbers_stay():
    symbol = residual_network()
    shapes, _, states = symbol.infer_shape(data=SHAPE)
    facts = {n: ArrayFacts(s, torch.float32) for n, s in
             zip(symbol.list_inputs(), (*shapes, *states), strict=False)}  # fmt: skip
    target = pipeline.Target(Facts(facts, Context("cpu", 0)), frozenset(pipeline.NAMES))
    for each in (integer_lowering.PASS, integer_fusion.PASS):
        assert each.apply(symbol, target) is symbol
