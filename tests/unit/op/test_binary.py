# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.families.binary  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
LEFT = np.repeat(np.array([-7, -3, 0, 1, 5, 100], "int32"), 5)
RIGHT = np.tile(np.array([-3, -1, 1, 2, 7], "int32"), 6)
FLAGS = [np.array([0, 0, 2, 2], "float32"), np.array([0, 3, 0, 3], "float32")]
PAIRS = [np.array([1, 2, 3], "int32"), np.array([2, 2, 2], "int32")]


def both(elemwise, broadcast, expected, **options):
    """The rows of both forms: equal shapes, and axes of length 1 that repeat."""
    return [
        Sample(elemwise, [(2, 3), (2, 3)], expected=expected, **options),
        Sample(broadcast, [(2, 1, 3), (4, 1)], expected=expected, **options),
    ]


def of_integers(op, expected, left=LEFT, right=RIGHT):
    return Sample(op, [left, right], expected=expected, gradient=False, note="integers")


def truth(name, expected, arrays=PAIRS):
    wanted = expected(*arrays).astype(arrays[0].dtype)
    return [
        Sample(f"_{name}", arrays, expected=wanted, gradient=False),
        Sample(f"broadcast_{name}", arrays, expected=wanted, gradient=False),
    ]


def truncated(x, y):
    return (np.sign(x) * np.sign(y) * (abs(x) // abs(y))).astype(x.dtype)


# fmt: off
SAMPLES = [
    *both("elemwise_add", "broadcast_add", np.add),
    *both("elemwise_sub", "broadcast_sub", np.subtract),
    *both("elemwise_mul", "broadcast_mul", np.multiply),
    *both("elemwise_div", "broadcast_div", np.divide, low=0.5, high=2.0),
    *both("_mod", "broadcast_mod", np.mod, low=0.5, high=2.0, d_expected=None),
    *both("_power", "broadcast_power", np.power, low=0.5, high=2.0),
    *both("_hypot", "broadcast_hypot", np.hypot),
    *both("_maximum", "broadcast_maximum", np.maximum),
    *both("_minimum", "broadcast_minimum", np.minimum),
    Sample("_grad_add", [(2, 3), (2, 3)], expected=np.add),
    Sample("_scatter_elemwise_div", [(2, 3), (2, 3)], expected=np.divide, low=0.5, high=2.0),
    Sample("broadcast_add", [(1, 3), (2, 1, 1, 1)], expected=np.add, note="more axes"),

    *truth("equal", np.equal),
    *truth("not_equal", np.not_equal),
    *truth("greater", np.greater),
    *truth("greater_equal", np.greater_equal),
    *truth("lesser", np.less),
    *truth("lesser_equal", np.less_equal),
    *truth("logical_and", np.logical_and, FLAGS),
    *truth("logical_or", np.logical_or, FLAGS),
    *truth("logical_xor", np.logical_xor, FLAGS),

    of_integers("elemwise_div", truncated),
    of_integers("_mod", lambda x, y: x - y * np.floor(x / y).astype("int32")),
    of_integers("_power", np.array([8, 0, 81, 243], "int32"), np.array([2, 2, 3, 3], "int32"), np.array([3, -1, 4, 5], "int32")),
    of_integers("_hypot", np.array([5, 9], "int32"), np.array([3, 7], "int32"), np.array([4, 7], "int32")),
    of_integers("elemwise_mul", np.array([200 * 2 % 256], "uint8"), np.array([200], "uint8"), np.array([2], "uint8")),
    of_integers("elemwise_div", np.array([0, 255], "uint8"), np.array([3, 255], "uint8"), np.array([255, 1], "uint8")),

    Sample("add_n", [(2, 3)] * 3, {"num_args": 3}, lambda x, y, z: x + y + z),
    Sample("add_n", [(2, 3)], {"num_args": 1}, lambda x: x),
]
# fmt: on


def gradients_of(op, lhs, rhs):
    arrays = [torch.tensor(x, requires_grad=True) for x in (lhs, rhs)]
    recorded(find(op).of({}))(*arrays).sum().backward()
    return [a.grad.tolist() for a in arrays]


def test_ties_give_all_gradient_to_the_first():
    assert gradients_of("_maximum", [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]) == [[0, 1, 1], [1, 0, 0]]
    assert gradients_of("broadcast_minimum", [1.0, 2.0, 3.0], [2.0]) == [[1, 1, 0], [1]]


def test_remainder_of_a_division_by_zero_is_zero():
    mod = find("_mod").of({}).forward
    assert mod(torch.tensor([5.0, -5.0]), torch.tensor([0.0, 0.0])).tolist() == [0, 0]
    assert mod(torch.tensor([5, -5]), torch.tensor([0, 0])).tolist() == [0, 0]
    assert mod(torch.tensor([5, -5]), torch.tensor([3, 3])).tolist() == [2, 1]


def test_gradient_of_the_remainder():
    assert gradients_of("_mod", [7.0, -7.0], [2.0, 2.0]) == [[1, 1], [-3, 4]]


def test_lowest_integer_divided_by_minus_one_wraps():
    lowest = torch.tensor([-(2**31), 7], dtype=torch.int32)
    minus_one = torch.tensor([-1, -1], dtype=torch.int32)
    divide, mod = find("elemwise_div").of({}), find("_mod").of({})
    assert divide.forward(lowest, minus_one).tolist() == [-(2**31), -7]
    assert mod.forward(lowest, minus_one).tolist() == [0, 0]


def test_strict_form_learns_shapes_both_ways():
    assert inferred_shapes("elemwise_add", {}, [(2, _), (_, 3)]) == "[2,3], [2,3] -> [2,3]"
    assert inferred_shapes("_maximum", {}, [None, None], (4,)) == "[4], [4] -> [4]"
    assert inferred_shapes("add_n", {"num_args": 2}, [None, (4,)]) == "[4], [4] -> [4]"


def test_broadcasting_form_infers_forward():
    assert inferred_shapes("broadcast_add", {}, [(2, 1), (_, 3)]) == "[2,1], [?,3] -> [?,3]"
    assert inferred_shapes("broadcast_add", {}, [(2, 1, 4), (3, 1)]) == "[2,1,4], [3,1] -> [2,3,4]"
    assert inferred_shapes("broadcast_add", {}, [(2, 3), None]) == "[2,3], unknown -> unknown"


def test_types_are_learnt_both_ways():
    assert inferred_dtypes("broadcast_mul", {}, [None, torch.int8]) == "int8, int8 -> int8"
    assert inferred_dtypes("_lesser", {}, [None, None], torch.int8) == "int8, int8 -> int8"


@pytest.mark.parametrize(
    "op, shapes, facts",
    [
        ("elemwise_add", [(2, 3), (3, 2)], [r"\[2,3\]", r"\[3,2\]"]),
        ("broadcast_add", [(2, 3), (4, 3)], ["broadcast", r"\[2,3\]", r"\[4,3\]"]),
    ],
)
def test_shapes_that_do_not_fit_are_refused(op, shapes, facts):
    for fact in facts:
        with pytest.raises(MXNetError, match=fact):
            inferred_shapes(op, {}, shapes)


def test_types_that_do_not_fit_are_refused():
    with pytest.raises(MXNetError, match=r"float32.*float64|float64.*float32"):
        inferred_dtypes("elemwise_add", {}, [torch.float32, torch.float64])
    with pytest.raises(MXNetError, match="lhs has type bool"):
        inferred_dtypes("broadcast_equal", {}, [torch.bool, torch.bool])
