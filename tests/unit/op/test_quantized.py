# SPDX-License-Identifier: Apache-2.0
"""8-bit integers with ranges: numbers worked out by hand, and agreement with the layers on floats."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.graph.infer import infer_dtypes
from mxnova.core.op.quantized.products import convolution
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample


def f(*numbers):
    return np.array(numbers, "float32")


def i8(*numbers):
    return np.array(numbers, "int8")


def u8(*numbers):
    return np.array(numbers, "uint8")


def i32(*numbers):
    return np.array(numbers, "int32")


QUANTIZE, V2, ASYM = (f"_contrib_quantize{suffix}" for suffix in ("", "_v2", "_asym"))
CONCAT, ADD, MUL = (f"_contrib_quantized_{n}" for n in ("concat", "elemwise_add", "elemwise_mul"))
# Steps of these ranges: 1 where levels reach to 127 or 255, 2 where they reach to 127.5 or 255.5.
ONE, WIDE = (f(-127), f(127)), (f(-255), f(255))
CALIBRATED = {"min_calib_range": -255, "max_calib_range": 255}

# fmt: off
SAMPLES = [
    Sample(QUANTIZE, [f(-3, -0.5, 0, 1.5, 2.5, 300), *ONE], {"out_type": "int8"}, (i8(-3, 0, 0, 2, 2, 127), *ONE)),
    Sample(QUANTIZE, [f(-1, 0, 100, 300), f(-10), f(255)], {}, (u8(0, 0, 100, 255), f(-10), f(255))),
    Sample(V2, [f(-255, -4, 0, 2, 3, 255)], {}, (i8(-128, -2, 0, 1, 2, 127), f(-255), f(255))),
    Sample(V2, [f(-999, 4, 999)], CALIBRATED, (i8(-128, 2, 127), f(-255), f(255))),
    Sample(V2, [f(0, 10, 999)], {"out_type": "auto", "min_calib_range": 0, "max_calib_range": 255.5}, (u8(0, 10, 255), f(0), f(255.5))),
    Sample(V2, [u8(0, 7, 255)], {"out_type": "uint8"}, (u8(0, 7, 255), f(0), f(255.5))),
    Sample(V2, [i8(-7, 7)], {}, (i8(-7, 7), f(-127.5), f(127.5))),
    Sample(ASYM, [f(-1, 0, 0.5, 2).reshape(1, 4, 1)], {}, (u8(0, 85, 128, 255).reshape(1, 4, 1), f(85), f(85))),
    Sample(ASYM, [f(-9, 0, 9).reshape(3, 1, 1)], {"min_calib_range": -1, "max_calib_range": 2}, (u8(0, 85, 255).reshape(3, 1, 1), f(85), f(85))),
    Sample("_contrib_dequantize", [i8(-128, 0, 1, 127), *WIDE], {}, f(-256, 0, 2, 254)),
    Sample("_contrib_dequantize", [u8(0, 1, 255), f(0), f(511)], {}, f(0, 2, 510)),
    Sample("_contrib_requantize", [i32(-200, 100, 1), f(-(2.0**31)), f(2.0**31)], {}, (i8(-127, 64, 1), f(-200), f(200))),
    Sample("_contrib_requantize", [i32(-200, 100, 1), f(-(2.0**31)), f(2.0**31)], {"min_calib_range": -127, "max_calib_range": 127}, (i8(-128, 100, 1), *ONE)),
    Sample("_contrib_requantize", [i32(-200, 100, 1), f(-(2.0**31)), f(2.0**31)], {"out_type": "uint8", "min_calib_range": -255, "max_calib_range": 9}, (u8(0, 100, 1), f(0), f(255))),
    Sample("_contrib_quantized_act", [i8(-3, 0, 3), *ONE], {"act_type": "relu"}, (i8(0, 0, 3), *ONE)),
    Sample("_contrib_quantized_flatten", [i8(*range(8)).reshape(2, 2, 2), *ONE], {}, (i8(*range(8)).reshape(2, 4), *ONE)),
    Sample("_contrib_quantized_embedding", [f(1, 0, 9), i8(1, 2, 3, 4).reshape(2, 2), *ONE], {"input_dim": 2, "output_dim": 2}, (i8(3, 4, 1, 2, 3, 4).reshape(3, 2), *ONE)),
    Sample(CONCAT, [i8(1, 2).reshape(1, 2), i8(10, 11).reshape(1, 2), f(-2), f(2), f(-1), f(1)], {"num_args": 2}, (i8(1, 2, 5, 6).reshape(1, 4), f(-2), f(2))),
    Sample(CONCAT, [u8(1, 2), u8(8), f(0), f(1), f(0), f(0.5)], {"num_args": 2, "dim": 0}, (u8(1, 2, 4), f(0), f(1))),
    Sample(ADD, [i8(1, 2, 100), i8(10, -4, 100), f(-1), f(1), f(-2), f(2)], {"min_calib_range": -1, "max_calib_range": 1}, (i8(21, -6, 127), f(-1), f(1))),
    Sample(ADD, [u8(1, 2, 200), u8(10, 4, 100), f(0), f(1), f(0), f(2)], {"min_calib_range": 0, "max_calib_range": 1}, (u8(21, 10, 255), f(0), f(1))),
    Sample(ADD, [i8(-100, 5), u8(255, 10), f(-1), f(1), f(0), f(2)], {"min_calib_range": -1, "max_calib_range": 1}, (i8(27, 15), f(-1), f(1)), note="of two types"),
    Sample(ADD, [u8(255, 10), i8(-100, 5), f(0), f(2), f(-1), f(1)], {"min_calib_range": -1, "max_calib_range": 1}, (i8(27, 15), f(-1), f(1)), note="of two types"),
    Sample(ADD, [i8(0), i8(0), f(-1), f(1), f(-2), f(2)], {}, (i32(0), f(-3), f(3))),
    Sample(MUL, [i8(3, -128), i8(5, -128), f(-127), f(127), f(-127), f(127)], {}, (i32(15, 16384), f(-(2.0**31)), f(2.0**31))),
    Sample(MUL, [i8(3, -4), i8(5, 6), *WIDE, *WIDE], {"enable_float_output": True}, f(60, -96)),
    Sample(MUL, [i8(3, -3), i8(5, 5), f(-127.5), f(127.5), f(-127.5), f(127.5)], CALIBRATED, (i8(7, -7), f(-255), f(255)), note="truncates"),
    Sample(MUL, [i8(3, 3, 20), i8(5, -5, 20), *WIDE, *WIDE], CALIBRATED, (i8(30, -30, 32), f(-255), f(255)), note="keeps 8 bits"),
]
# fmt: on


def test_numbers_survive_being_quantized_to_half_a_step():
    data = torch.linspace(-3, 2, 101)
    integers, low, high = find(V2).of({}).forward(data)
    back = find("_contrib_dequantize").of({}).forward(integers, low, high)
    assert (back - data).abs().max() <= 3 / 127.5 / 2 * 1.01


def test_the_sum_of_ranges_holds_every_sum():
    a, b = torch.tensor([127], dtype=torch.int8), torch.tensor([127], dtype=torch.int8)
    ends = [torch.tensor([x]) for x in (-1.0, 1.0, -2.0, 2.0)]
    total, low, high = find(ADD).of({}).forward(a, b, *ends)
    assert (total * high / 2**31).item() == pytest.approx(3 * 127 / 127.5, rel=1e-5)
    assert low == -high


@pytest.mark.parametrize("name", [V2, "_contrib_requantize"])
def test_the_sign_of_a_range_decides_the_type(name):
    """Of operators that differ in numbers only, types are inferred once."""
    ends = {"data": torch.int32, "min_range": torch.float32, "max_range": torch.float32}
    known = {"data": torch.float32} if name == V2 else ends
    for low, expected in ((-1, torch.int8), (0, torch.uint8), (-2, torch.int8)):
        data = mx.sym.var("data")
        given = [data] if name == V2 else [data, *map(mx.sym.var, ("min_range", "max_range"))]
        attrs = {"out_type": "auto", "min_calib_range": str(low), "max_calib_range": "1"}
        symbol = mx.sym.invoke(name, given, attrs)
        table = infer_dtypes(symbol.nodes, known)
        assert table[symbol.nodes[-1]][0] is expected


# Layers

BIAS = {"min_bias": torch.tensor([-1.93]), "max_bias": torch.tensor([1.9])}


def integers(rng, shape, dtype):
    info = torch.iinfo(dtype)
    return torch.from_numpy(rng.integers(info.min, info.max + 1, shape)).to(dtype)


def product(name, attrs, data, weight, bias=None):
    """What the layer gives, with ranges 1.5 for data and 0.5 for the weight."""
    ends = [torch.tensor([x]) for x in (-1.5, 1.0, -0.5, 0.5)]
    op = find(name).of({**attrs, "no_bias": bias is None})
    if bias is None:
        return op.forward(data, weight, *ends)
    return op.forward(data, weight, bias, *ends, *BIAS.values())


@pytest.mark.parametrize("dtype, levels", [(torch.int8, 127), (torch.uint8, 255)])
@pytest.mark.parametrize("flatten, features", [(True, 12), (False, 4)])
def test_fully_connected(dtype, levels, flatten, features):
    rng = np.random.default_rng(0)
    data, weight = integers(rng, (2, 3, 4), dtype), integers(rng, (5, features), torch.int8)
    attrs = {"num_hidden": 5, "flatten": flatten}
    total, low, high = product("_contrib_quantized_fully_connected", attrs, data, weight)
    plain = find("FullyConnected").of({**attrs, "no_bias": True})
    assert torch.equal(total, plain.forward(data.long(), weight.long()).int())
    step = 1.5 / levels * 0.5 / 127
    torch.testing.assert_close(high, torch.tensor([step * 2.0**31]))
    torch.testing.assert_close(low, -high)


@pytest.mark.parametrize("dtype, levels", [(torch.int8, 127.5), (torch.uint8, 255.5)])
def test_the_bias_of_fully_connected_is_brought_to_the_steps_of_the_result(dtype, levels):
    bias = torch.tensor([1, -7, 101, 99], dtype=torch.int8)
    data, weight = torch.zeros(1, 2, dtype=dtype), torch.zeros(4, 2, dtype=torch.int8)
    attrs = {"num_hidden": 4}
    total, *_ = product("_contrib_quantized_fully_connected", attrs, data, weight, bias)
    step = 1.5 / levels * 0.5 / 127.5
    expected = np.trunc(bias.numpy() * (1.93 / 127.5) / step)
    assert total[0].tolist() == expected.tolist()


def test_the_bias_of_a_convolution_of_int8_is_brought_to_the_steps_of_the_result():
    bias = torch.tensor([1, -7, 101], dtype=torch.int8)
    data, weight = torch.zeros(1, 2, 3, 3, dtype=torch.int8), torch.zeros(3, 2, 1, 1).char()
    attrs = {"kernel": (1, 1), "num_filter": 3}
    total, *_ = product("_contrib_quantized_conv", attrs, data, weight, bias)
    expected = (bias.numpy() * (1.93 / 127) / (1.5 / 127 * 0.5 / 127)).round()
    assert total[0, :, 0, 0].tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("stride, pad, dilate", [(1, 0, 1), (2, 1, 1), (1, 2, 2), (2, 0, 3)])
def test_integer_convolutions(dtype, n, stride, pad, dilate):
    rng = np.random.default_rng(0)
    data, weight = (
        integers(rng, (2, 3, *(9,) * n), dtype),
        integers(rng, (5, 3, *(2,) * n), torch.int8),
    )
    plain = (torch.conv1d, torch.conv2d, torch.conv3d)[n - 1]
    expected = plain(data.double(), weight.double(), None, stride, pad, dilate)
    found = convolution(data, weight, (stride,) * n, (pad,) * n, (dilate,) * n)
    assert torch.equal(found, expected.int())


@pytest.mark.parametrize(
    "kernel, more", [((3, 3), {"pad": (1, 1), "stride": (2, 2)}), ((1, 2, 2), {})]
)
def test_convolution(kernel, more):
    rng = np.random.default_rng(1)
    data = integers(rng, (2, 4, *(5,) * len(kernel)), torch.uint8)
    weight, bias = integers(rng, (3, 4, *kernel), torch.int8), integers(rng, (3,), torch.int8)
    attrs = {"kernel": kernel, "num_filter": 3, **more}
    total, low, high = product("_contrib_quantized_conv", attrs, data, weight, bias)
    plain = find("Convolution").of(attrs)
    expected = plain.forward(data.double(), weight.double(), bias.double(), inside=False)
    assert torch.equal(total, expected.int())
    torch.testing.assert_close(high, torch.tensor([1.5 / 127 * 0.5 / 127 * 2.0**31]))
    torch.testing.assert_close(low, -high)


# fmt: off
@pytest.mark.parametrize("attrs, expected", [
    ({"kernel": (2, 2), "stride": (2, 2)}, [[6, 8], [12, -1]]),
    ({"kernel": (2, 2), "stride": (2, 2), "pool_type": "avg"}, [[4, 6], [8, -2]]),  # 3.5, 5.5, 7.5, -1.5
    ({"global_pool": True, "pool_type": "avg"}, [[4]]),  # 3.75
    ({"kernel": (3, 3), "stride": (3, 3), "pool_type": "avg", "pooling_convention": "full"}, [[3, 1], [2, 0]]),
])
# fmt: on
def test_pooling(attrs, expected):
    data = [[1, 2, 3, 4], [5, 6, 7, 8], [3, 4, -1, -2], [11, 12, -1, -2]]
    data = torch.tensor(data, dtype=torch.int8)[None, None]
    op = find("_contrib_quantized_pooling").of(attrs)
    pooled, low, high = op.forward(data, torch.tensor([-3.0]), torch.tensor([4.0]))
    assert pooled.dtype == torch.int8
    assert pooled[0, 0].tolist() == expected
    assert (low.item(), high.item()) == (-3, 4)


@pytest.mark.parametrize("dtype, levels", [(torch.int8, 127.5), (torch.uint8, 255.0)])
def test_batch_norm(dtype, levels):
    rng = np.random.default_rng(2)
    data = integers(rng, (3, 4, 5), dtype)
    gamma, beta, mean, var = (torch.tensor(rng.random(4) + 0.5).float() for _ in range(4))
    attrs = {"min_calib_range": -3, "max_calib_range": 5, "eps": 0.2}
    op = find("_contrib_quantized_batch_norm").of(attrs)
    ends = torch.tensor([-2.0]), torch.tensor([1.0])
    result, low, high = op.forward(data, gamma, beta, mean, var, *ends)
    scale = gamma / (var + 0.2).sqrt()
    numbers = data * (2 / levels) / 1.2**0.5  # eps counts twice
    expected = numbers * scale[:, None] + (beta - mean * scale)[:, None]
    assert result.dtype == torch.int8
    assert (result * (5 / 127.5) - expected.clamp(-5, 5)).abs().max() < 0.03 + 2 / levels
    assert (low.item(), high.item()) == (-3, 5)


def test_lstm():
    rng = np.random.default_rng(3)
    attrs = {"mode": "lstm", "state_size": 3, "num_layers": 1, "state_outputs": True}
    data = integers(rng, (4, 2, 3), torch.uint8)
    parameters = torch.tensor(rng.normal(size=96)).float()
    states = torch.zeros(2, 1, 2, 3)
    scale, shift = torch.tensor([50.0]), torch.tensor([128.0])
    op = find("_contrib_quantized_rnn").of(attrs)
    found = op.forward(data, parameters, *states, scale, shift)
    plain = find("RNN").of(attrs)
    numbers = (data - 128.0) / 50
    expected = plain.forward(numbers, parameters, *states, train=False, rng=None)
    for got, want in zip(found, expected, strict=True):
        torch.testing.assert_close(got, want)


# Rules


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, expected", [
    (QUANTIZE, {}, [(2, 3), None, None], "[2,3], [1], [1] -> [2,3], [1], [1]"),
    ("_contrib_quantized_conv", {"kernel": (3, 3), "num_filter": 3, "no_bias": 1}, [(1, 4, 5, 5), *[None] * 5], "[1,4,5,5], [3,4,3,3], [1], [1], [1], [1] -> [1,3,3,3], [1], [1]"),
    ("_contrib_quantized_fully_connected", {"num_hidden": 3}, [(2, 6), *[None] * 8], "[2,6], [3,6], [3], [1], [1], [1], [1], [1], [1] -> [2,3], [1], [1]"),
    ("_contrib_quantized_pooling", {"kernel": (2, 2)}, [(1, 2, 6, 6), None, None], "[1,2,6,6], [1], [1] -> [1,2,5,5], [1], [1]"),
    (MUL, {"enable_float_output": 1}, [(2, 3), *[None] * 5], "[2,3], [2,3], [1], [1], [1], [1] -> [2,3]"),
    ("_contrib_quantized_batch_norm", CALIBRATED, [(1, 4, 3, 3), *[None] * 6], "[1,4,3,3], [4], [4], [4], [4], [1], [1] -> [1,4,3,3], [1], [1]"),
    ("_contrib_quantized_rnn", {"mode": "lstm", "state_size": 3, "num_layers": 1, "state_outputs": 1}, [(4, 2, 3), *[None] * 5], "[4,2,3], [96], [1,2,3], [1,2,3], [1], [1] -> [4,2,3], [1,2,3], [1,2,3]"),
])
# fmt: on
def test_shapes(name, attrs, inputs, expected):
    assert inferred_shapes(name, attrs, inputs) == expected


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, expected", [
    ("_contrib_quantized_conv", {"kernel": (3, 3), "num_filter": 3, "no_bias": 1}, [torch.uint8, *[None] * 5], "uint8, int8, float32, float32, float32, float32 -> int32, float32, float32"),
    (ADD, CALIBRATED, [torch.uint8, torch.uint8, *[None] * 4], "uint8, uint8, float32, float32, float32, float32 -> uint8, float32, float32"),
    (CONCAT, {"num_args": 2}, [torch.uint8, torch.int8, *[None] * 4], "uint8, int8, float32, float32, float32, float32 -> int8, float32, float32"),
])
# fmt: on
def test_types(name, attrs, inputs, expected):
    assert inferred_dtypes(name, attrs, inputs) == expected


# fmt: off
@pytest.mark.parametrize("name, attrs, rank, message", [
    ("_contrib_quantized_act", {"act_type": "tanh"}, 2, "act_type=tanh: must be relu"),
    ("_contrib_quantized_pooling", {"kernel": (2, 2), "pool_type": "sum"}, 4, "pool_type=sum"),
    ("_contrib_quantized_pooling", {"kernel": (2, 2), "layout": "NHWC"}, 4, "layout=NHWC"),
    ("_contrib_quantized_conv", {"kernel": (3,), "num_filter": 3, "no_bias": 1}, 3, r"kernel=\(3,\)"),
    ("_contrib_quantized_conv", {"kernel": (3, 3), "num_filter": 2, "num_group": 2, "no_bias": 1}, 4, "num_group=2"),
    ("_contrib_quantized_batch_norm", {}, 4, "min_calib_range and max_calib_range are missing"),
    ("_contrib_quantized_rnn", {"mode": "gru", "state_size": 3, "num_layers": 1}, 3, "mode=gru"),
])
# fmt: on
def test_bad_arguments_are_named(name, attrs, rank, message):
    inputs = find(name).of(attrs).inputs()
    with pytest.raises(MXNetError, match=message):
        inferred_shapes(name, attrs, [(4,) * rank, *[None] * (len(inputs) - 1)])


def test_bad_types_are_named():
    with pytest.raises(MXNetError, match="data has type int32: it must be int8 or uint8"):
        inferred_dtypes("_contrib_dequantize", {}, [torch.int32, None, None])


def test_pooling_of_real_numbers_is_refused():
    with pytest.raises(MXNetError, match="data has type float32: it must be int8 or uint8"):
        inferred_dtypes("_contrib_quantized_pooling", {"kernel": "(2,2)"}, [torch.float32] * 3)
