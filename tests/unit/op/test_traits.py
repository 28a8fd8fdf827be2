# SPDX-License-Identifier: Apache-2.0
"""What operators say they are: traits of families, and of operators that have parameters."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import mxnova.core.op.library  # noqa: F401 - registers operators
from mxnova.core.op.schema import REGISTRY, find
from mxnova.core.op.traits import RELU, Activation, Arithmetic, Form

TYPES = {REGISTRY[name].name: REGISTRY[name] for name in REGISTRY}
ARITHMETIC = {n: t.make.arithmetic for n, t in TYPES.items() if t.make.arithmetic}
NUMPY_FUNCTIONS = {"modulo": np.mod}


def of_numpy(function, lhs, rhs):
    made = NUMPY_FUNCTIONS.get(function) or getattr(np, function)
    return made(lhs, rhs).astype(np.float64)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_is_what_it_is_called(name):
    function, form = ARITHMETIC[name]
    lhs, rhs = np.array([1.0, 2.0, 3.0, 0.5]), np.array([2.0, 2.0, 2.0, 2.0])
    arrays = [torch.from_numpy(lhs)]
    if form.has_two_arrays:
        given = find(name).plain.forward(*arrays, torch.from_numpy(rhs))
        wanted = of_numpy(function, lhs, rhs)
    else:
        given = find(name).of({"scalar": 2.0}).forward(*arrays)
        wanted = of_numpy(function, *((rhs, lhs) if form.is_reflected else (lhs, rhs)))
    np.testing.assert_allclose(given.double().numpy(), wanted)


def test_one_operator_stands_for_a_function_and_a_form():
    of_gradients = {"_grad_add"}
    meanings = [m for n, m in ARITHMETIC.items() if n not in of_gradients]
    assert len(set(meanings)) == len(meanings)
    functions = {m.function for m in meanings}
    for form in (Form.ELEMENTWISE, Form.BROADCAST, Form.SCALAR):
        assert {m.function for m in meanings if m.form is form} == functions


ACTIVATIONS = [
    ("relu", {}, RELU),
    ("_npx_relu", {}, RELU),
    ("Activation", {"act_type": "relu"}, RELU),
    ("Activation", {"act_type": "softrelu"}, Activation("softrelu")),
    ("sigmoid", {}, Activation("sigmoid")),
    ("_npx_sigmoid", {}, Activation("sigmoid")),
    ("tanh", {}, Activation("tanh")),
    ("_npi_tanh", {}, Activation("tanh")),
    ("softsign", {}, Activation("softsign")),
    ("LeakyReLU", {"act_type": "leaky", "slope": 0.5}, Activation("leaky", (0.5,))),
    ("LeakyReLU", {"act_type": "gelu"}, Activation("gelu")),
    ("LeakyReLU", {"act_type": "prelu"}, None),
    ("LeakyReLU", {"act_type": "rrelu"}, None),
    ("exp", {}, None),
]


@pytest.mark.parametrize(("name", "attrs", "wanted"), ACTIVATIONS)
def test_activations(name, attrs, wanted):
    assert find(name).of(attrs).activation == wanted


CONVOLUTION = {"kernel": (3, 3), "num_filter": 4}
# operator, attributes, axes of items of the inputs, shapes of these, axis of items of the output
ITEMS = [
    ("relu", {}, [2], [(2, 2, 2)], 2),
    ("clip", {"a_min": 0, "a_max": 1}, [0], [None], 0),
    ("broadcast_add", {}, [0, 0], [(2, 2, 2, 2), (2, 2, 2, 2)], 0),
    ("broadcast_add", {}, [0, 0], [(2, 2, 2, 2), (2, 2, 2)], None),
    ("_npi_add", {}, [0, 0], [None, None], None),
    ("_npi_add", {}, [0, None], [(2, 2, 2, 2), (2, 2, 2, 2)], None),
    ("_npi_add", {}, [0, 0], [(4, 3), (1, 3)], None),
    ("_npi_add", {}, [0, 0], [(4, 3), (4, 1)], 0),
    ("_npi_add", {}, [0, 1], [(2, 2, 2, 2), (2, 2, 2, 2)], None),
    ("add_n", {"num_args": 2}, [1, 1], [(2, 2, 2, 2), (2, 2, 2, 2)], 1),
    ("Convolution", CONVOLUTION, [0, None, None], [(2, 2, 2, 2), (2, 2, 2, 2), (2,)], 0),
    ("Convolution_v1", CONVOLUTION, [0, None, None], [(2, 2, 2, 2), (2, 2, 2, 2), (2,)], 0),
    ("Convolution", CONVOLUTION, [0, 0, None], [(2, 2, 2, 2), (2, 2, 2, 2), (2,)], None),
    ("Pooling_v1", {"kernel": (2, 2)}, [0], [(2, 2, 2, 2)], 0),
    ("Pooling", {"kernel": (2, 2)}, [1], [(2, 2, 2, 2)], None),
    ("BatchNorm", {}, [0, None, None, None, None], [(2, 2, 2, 2), (2,), (2,), (2,), (2,)], 0),
    (
        "BatchNorm",
        {"axis": 0},
        [0, None, None, None, None],
        [(2, 2, 2, 2), (2,), (2,), (2,), (2,)],
        None,
    ),
    ("FullyConnected", {"num_hidden": 2}, [0, None, None], [(2, 2, 2), (2, 2), (2,)], 0),
    (
        "FullyConnected",
        {"num_hidden": 2, "flatten": False},
        [1, None, None],
        [(2, 2, 2), (2, 2), (2,)],
        1,
    ),
    (
        "FullyConnected",
        {"num_hidden": 2, "flatten": False},
        [2, None, None],
        [(2, 2, 2), (2, 2), (2,)],
        None,
    ),
    ("LayerNorm", {}, [1, None, None], [(2, 2, 2), (2,), (2,)], 1),
    ("LayerNorm", {}, [2, None, None], [(2, 2, 2), (2,), (2,)], None),
    ("Dropout", {}, [1], [(2, 2, 2)], 1),
    ("Dropout", {"mode": "always"}, [0], [(2, 2, 2)], None),
    ("SwapAxis", {"dim1": 0, "dim2": -1}, [0], [(2, 2, 2)], 2),
    ("SwapAxis", {"dim1": 0, "dim2": 2}, [1], [(2, 2, 2)], 1),
    ("Concat", {"num_args": 2, "dim": 1}, [0, 0], [(2, 2, 2), (2, 2, 2)], 0),
    ("Concat", {"num_args": 2, "dim": -3}, [0, 0], [(2, 2, 2), (2, 2, 2)], None),
    (
        "UpSampling",
        {"scale": 2, "sample_type": "nearest", "num_args": 2},
        [0, 0],
        [(2, 2, 2, 2), (2, 2, 2, 2)],
        0,
    ),
    ("transpose", {}, [0], [(2, 2)], None),
    ("softmax", {}, [0], [(2, 2)], None),
]


@pytest.mark.parametrize(("name", "attrs", "axes", "shapes", "wanted"), ITEMS)
def test_the_axis_of_items(name, attrs, axes, shapes, wanted):
    assert find(name).of(attrs).item_axis(axes, shapes) == wanted


def test_pointwise_operators_take_any_part_of_their_elements():
    rng = np.random.default_rng(1)
    data = torch.from_numpy(rng.uniform(0.1, 0.9, (3, 4)))
    count = 0
    for type_ in TYPES.values():
        if not type_.make.pointwise or type_.numbers or type_.fields or type_.signature.facts:
            continue
        arrays = [data + i for i in range(len(type_.signature.inputs))]
        try:
            whole = type_.plain.forward(*arrays)
        except RuntimeError:  # for integers only
            continue
        part = type_.plain.forward(*(a[:, 1:3].clone() for a in arrays))
        np.testing.assert_allclose(whole[:, 1:3].numpy(), part.numpy(), err_msg=type_.name)
        count += 1
    assert count > 100


def test_slopes_of_integers_are_not_cut_where_mxnet_divides():
    assert find("_mul_scalar").plain.cuts_slopes and not find("_div_scalar").plain.cuts_slopes
    assert find("_div_scalar").plain.arithmetic == Arithmetic("divide", Form.SCALAR)


FRESH = [n for n, t in TYPES.items() if t.make.pointwise is True and not t.signature.facts]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
@pytest.mark.parametrize("name", FRESH)
def test_results_of_pointwise_operators_have_memory_of_their_own(name, dtype):
    type_ = find(name)
    given = {"num_args": 1, "act_type": "relu", "a_min": -9, "a_max": 9, "scalar": 1}
    op = type_.of({f.name: given[f.name] for f in type_.fields if f.name in given})
    arrays = [torch.ones(3, dtype=dtype) for _ in op.inputs()]
    try:
        result = op.forward(*arrays)
    except (RuntimeError, TypeError) as error:  # an operator on the other kind of numbers
        pytest.skip(str(error))
    assert op.is_fresh
    assert all(result.data_ptr() != a.data_ptr() for a in arrays)
