# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.families.parametric
import mxnova.core.op.families.unary
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -0.3, 0.7, 0.49999997, 8388609.0], "float32")
INTEGERS = np.array([-100, -3, -1, 0, 1, 2, 5, 100], "int32")


def vectorized(function):
    return lambda x: np.array([function(float(v)) for v in x.ravel()]).reshape(x.shape)


def of_integers(function):
    """`function` in float64, cut towards zero."""
    with np.errstate(all="ignore"):
        return lambda x: np.trunc(function(x.astype("float64"))).astype(x.dtype)


def positive(op, expected):
    return Sample(op, expected=expected, low=0.2, high=3.0)


def inner(op, expected):
    return Sample(op, expected=expected, low=-0.9, high=0.9)


def integers(op, values, attrs, expected):
    return Sample(op, [values], attrs, expected, gradient=False, note="integers")


# fmt: off
SAMPLES = [
    Sample("negative", expected=lambda x: -x),
    Sample("abs", expected=np.abs),
    Sample("sign", expected=np.sign),
    Sample("square", expected=lambda x: x * x),
    Sample("relu", expected=lambda x: np.maximum(x, 0)),
    Sample("round", [HALVES], expected=lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), gradient=False),
    Sample("rint", [HALVES], expected=lambda x: np.ceil(x - 0.5), gradient=False),
    Sample("ceil", [HALVES], expected=np.ceil, gradient=False),
    Sample("floor", [HALVES], expected=np.floor, gradient=False),
    Sample("trunc", [HALVES], expected=np.trunc, gradient=False),
    Sample("fix", [HALVES], expected=np.trunc, gradient=False),
    positive("sqrt", np.sqrt),
    positive("rsqrt", lambda x: 1 / np.sqrt(x)),
    Sample("cbrt", expected=np.cbrt),
    Sample("rcbrt", expected=lambda x: 1 / np.cbrt(x)),
    Sample("reciprocal", expected=lambda x: 1 / x),
    Sample("exp", expected=np.exp),
    Sample("expm1", expected=np.expm1),
    positive("log", np.log),
    positive("log10", np.log10),
    positive("log2", np.log2),
    positive("log1p", np.log1p),
    Sample("sin", expected=np.sin),
    Sample("cos", expected=np.cos),
    inner("tan", np.tan),
    inner("arcsin", np.arcsin),
    inner("arccos", np.arccos),
    Sample("arctan", expected=np.arctan),
    Sample("degrees", expected=np.degrees),
    Sample("radians", expected=np.radians),
    Sample("sinh", expected=np.sinh),
    Sample("cosh", expected=np.cosh),
    Sample("tanh", expected=np.tanh),
    Sample("arcsinh", expected=np.arcsinh),
    Sample("arccosh", expected=np.arccosh, low=1.2, high=3.0),
    inner("arctanh", np.arctanh),
    Sample("sigmoid", expected=lambda x: 1 / (1 + np.exp(-x))),
    Sample("softsign", expected=lambda x: x / (1 + np.abs(x))),
    Sample("erf", expected=vectorized(math.erf)),
    inner("erfinv", None),
    positive("gamma", vectorized(math.gamma)),
    Sample("gamma", [np.array([-3.7, -2.5, -1.5, -0.5, 5, 30], "float32")], expected=vectorized(math.gamma), note="negative"),
    positive("gammaln", vectorized(math.lgamma)),
    Sample("logical_not", [np.array([0, -0.0, 2, np.nan], "float32")], expected=lambda x: (x == 0).astype("float32")),

    Sample("hard_sigmoid", expected=lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    Sample("hard_sigmoid", [(5,)], {"alpha": 0.5, "beta": 0.25}, lambda x: np.clip(0.5 * x + 0.25, 0, 1)),
    Sample("_contrib_quadratic", [(5,)], {"a": 2, "b": -1.5, "c": 0.5}, lambda x: 2 * x * x - 1.5 * x + 0.5),
    Sample("clip", [(9,)], {"a_min": -0.75, "a_max": 0.5}, lambda x: np.clip(x, -0.75, 0.5)),
    Sample("clip", [np.array([0, 1.5, 2.5], "float32")], {"a_min": 2, "a_max": 1}, np.array([2, 1, 1], "float32"), gradient=False, note="bounds crossed"),
    Sample("_contrib_div_sqrt_dim", [(2, 4)], expected=lambda x: x / 2),
]
ON_INTEGERS = [
    integers("abs", INTEGERS, {}, np.abs),
    integers("round", INTEGERS, {}, lambda x: x),
    integers("exp", INTEGERS[1:-1], {}, of_integers(np.exp)),
    integers("cbrt", INTEGERS, {}, of_integers(lambda x: np.cbrt(x) + np.sign(x) * 1e-9)),
    integers("degrees", np.array([0, 1, 5], "uint8"), {}, np.array([0, 57, 286 % 256], "uint8")),
    integers("clip", INTEGERS, {"a_min": -1.5, "a_max": 2.5}, lambda x: np.clip(x, -1, 2)),
    integers("clip", np.array([0, 7, 255], "uint8"), {"a_min": -1, "a_max": 300}, lambda x: x),
    integers("_contrib_quadratic", INTEGERS, {"a": 2, "b": -1.5, "c": 0.5}, of_integers(lambda x: 2 * x * x - 1.5 * x + 0.5)),
    integers("_contrib_div_sqrt_dim", np.array([[5, -5, 9, 1]], "int64"), {}, lambda x: np.trunc(x / 2).astype("int64")),
]
# fmt: on


@pytest.mark.parametrize("sample", SAMPLES + ON_INTEGERS, ids=str)
def test_sample(sample, check_sample):
    check_sample(sample)


def gradient_of(op, values, **attrs):
    x = torch.tensor(values, requires_grad=True)
    forward = find(op).of(attrs)
    recorded(forward)(x).sum().backward()
    return x.grad.tolist()


def test_erfinv_inverts_erf():
    x = torch.linspace(-2, 2, 9)
    op = find("erfinv").of({})
    torch.testing.assert_close(op.forward(torch.erf(x)), x, rtol=1e-4, atol=1e-4)


def test_roots_at_zero_have_infinite_slope():
    assert gradient_of("cbrt", [0.0, 8.0]) == [math.inf, pytest.approx(1 / 12)]
    assert gradient_of("sqrt", [0.0, 4.0]) == [math.inf, 0.25]


def test_softsign_is_flat_at_infinity():
    assert gradient_of("softsign", [math.inf, -math.inf]) == [0.0, 0.0]


def test_gamma_has_poles():
    values = find("gamma").of({}).forward(torch.tensor([0.0, -0.0, -1.0, -2.0]))
    assert values[0] == math.inf
    assert values[1] == -math.inf
    assert values[2:].isnan().all()


def test_bounds_of_clip_and_hard_sigmoid():
    assert gradient_of("clip", [-2.0, -1.0, 0.0, 1.0, 2.0], a_min=-1, a_max=1) == [0, 1, 1, 1, 0]
    assert gradient_of("hard_sigmoid", [-2.5, 0.0, 2.5]) == [0, pytest.approx(0.2), 0]
    assert gradient_of("hard_sigmoid", [math.nan] * 33) == [0] * 33


@pytest.mark.parametrize("op", ["rint", "round", "ceil", "trunc", "fix"])
def test_zeros_keep_the_sign_of_what_is_rounded(op):
    rounded = find(op).of({}).forward(torch.tensor([-0.3, -0.0, 0.0]))
    assert rounded.signbit().tolist() == [True, True, False]


@pytest.mark.parametrize("op", ["exp", "abs", "logical_not"])
def test_bool_is_refused(op):
    with pytest.raises(MXNetError, match=f"{op}: data has type bool"):
        inferred_dtypes(op, {}, [torch.bool])


def test_hard_sigmoid_takes_floats_only():
    with pytest.raises(MXNetError, match="hard_sigmoid: data has type int32"):
        inferred_dtypes("hard_sigmoid", {}, [torch.int32])


def test_shape_and_type_are_learnt_from_the_output():
    assert inferred_shapes("exp", {}, [(2, _)], (_, 3)) == "[2,3] -> [2,3]"
    assert inferred_dtypes("exp", {}, [None], torch.float16) == "float16 -> float16"


def test_relu_goes_by_the_sign_of_an_output_that_was_written_to():
    executor = mx.sym.relu(mx.sym.var("data")).simple_bind(mx.cpu(), data=(3,))
    executor.forward(is_train=True, data=mx.nd.array([0.5, 1, 2]))
    executor.outputs[0][:] = mx.nd.array([-4, -0.5, 3])
    executor.backward(mx.nd.array([1, 2, 3]))
    np.testing.assert_array_equal(executor.grad_dict["data"].asnumpy(), [0, 0, 3])
