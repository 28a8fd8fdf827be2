# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.families.reduce
import mxnova.core.op.families.summary  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample, check

_ = UNKNOWN
X = (2, 3, 4)
NAN = np.array([[1, np.nan, 3], [np.nan, np.nan, np.nan], [2, 2, 1]], "float32")
INTEGERS = np.array([[-7, 5, 100], [4, -6, 120]], "int8")


def moments(x, axes, keepdims=False):
    return x.mean(axes, keepdims=keepdims), x.var(axes, keepdims=keepdims)


def of_integers(op, attrs, expected, values=INTEGERS):
    return Sample(op, [values], attrs, expected, gradient=False, note=values.dtype.name)


# fmt: off
SAMPLES = [
    Sample("sum", [X], {}, lambda x: x.sum().reshape(1)),
    Sample("sum", [X], {"axis": 1}, lambda x: x.sum(1)),
    Sample("sum", [X], {"axis": "(-1, 0)"}, lambda x: x.sum((0, 2))),
    Sample("sum", [X], {"axis": "()"}, lambda x: x.sum().reshape(1)),
    Sample("sum", [X], {"axis": "(0, 1, 2)"}, lambda x: x.sum().reshape(1)),
    Sample("sum", [X], {"keepdims": True}, lambda x: x.sum(keepdims=True)),
    Sample("sum", [X], {"axis": 1, "exclude": True}, lambda x: x.sum((0, 2))),
    Sample("sum", [X], {"axis": "(0, 2)", "exclude": True, "keepdims": True}, lambda x: x.sum(1, keepdims=True)),
    Sample("sum", [X], {"axis": "(0, 1, 2)", "exclude": True}, lambda x: x),
    Sample("sum", [X], {"exclude": True}, lambda x: x.sum().reshape(1)),
    Sample("sum", [()], {}, lambda x: x.reshape(1), note="scalar"),
    Sample("mean", [X], {"axis": "(0, 2)"}, lambda x: x.mean((0, 2))),
    Sample("prod", [X], {"axis": "(0, 2)"}, lambda x: x.prod((0, 2))),
    Sample("prod", [X], {"keepdims": True}, lambda x: x.prod(keepdims=True)),
    Sample("nansum", [NAN], {"axis": 1}, lambda x: np.nansum(x, 1), gradient=False),
    Sample("nanprod", [NAN], {"axis": 1}, lambda x: np.nanprod(x, 1), gradient=False),
    Sample("nansum", [NAN], {"axis": "(0, 1)", "exclude": True}, np.nan_to_num, gradient=False),
    Sample("max", [X], {"axis": 1}, lambda x: x.max(1)),
    Sample("min", [X], {"axis": "(0, 2)", "keepdims": True}, lambda x: x.min((0, 2), keepdims=True)),
    Sample("_square_sum", [(4, 3)], {"axis": 1, "keepdims": True}, lambda x: (x * x).sum(1, keepdims=True)),

    Sample("norm", [X], {}, lambda x: np.sqrt((x * x).sum()).reshape(1)),
    Sample("norm", [X], {"axis": "(0, 2)"}, lambda x: np.sqrt((x * x).sum((0, 2)))),
    Sample("norm", [X], {"ord": 1, "axis": -1, "keepdims": True}, lambda x: abs(x).sum(-1, keepdims=True)),
    Sample("norm", [X], {"axis": 0, "out_dtype": "float64"}, lambda x: np.sqrt((x * x).sum(0)), tol=1e-6),
    Sample("moments", [X], {"axes": 1}, lambda x: moments(x, 1)),
    Sample("moments", [X], {"axes": "(-1, 0)", "keepdims": True}, lambda x: moments(x, (0, 2), True)),

    of_integers("sum", {"axis": 0}, np.array([-3, -1, 220 - 256], "int8")),
    of_integers("mean", {"axis": 1}, np.array([98 // 3, 118 // 3], "int8")),
    of_integers("mean", {"axis": 0}, np.array([-1, 0, -18], "int8")),
    of_integers("prod", {"axis": 0}, np.array([-28, -30, 100 * 120 % 256 - 256], "int8")),
    of_integers("max", {"axis": 1}, lambda x: x.max(1)),
    of_integers("norm", {}, np.array([5], "int32"), np.array([3, 4], "int32")),
    of_integers("sum", {}, np.array([True]), np.array([False, True])),
    of_integers("mean", {}, np.array([True]), np.array([False, True])),

    Sample("argmax", [X], {"axis": 1}, lambda x: x.argmax(1).astype("float32")),
    Sample("argmin", [X], {"axis": -1, "keepdims": True}, lambda x: x.argmin(-1)[..., None].astype("float32")),
    Sample("argmax", [X], {}, lambda x: x.argmax().reshape(1).astype("float32")),
    Sample("argmin", [X], {"keepdims": True}, lambda x: x.argmin().reshape(1, 1, 1).astype("float32")),
    Sample("argmax", [np.array([[1, 2, 2], [3, np.nan, 9]], "float32")], {"axis": 1}, np.array([1, 1], "float32"), note="ties"),
    Sample("argmax_channel", [X], {}, lambda x: x.argmax(1).astype("float32")),
    of_integers("argmax", {"axis": 0}, np.array([1, 0, 1], "int8")),
]
# fmt: on


def gradient_of(op, values, **attrs):
    x = torch.tensor(values, requires_grad=True)
    recorded(find(op).of(attrs))(x).sum().backward()
    return x.grad.tolist()


def test_every_extreme_element_gets_the_gradient():
    assert gradient_of("max", [[1.0, 3.0, 3.0]], axis=1) == [[0, 1, 1]]
    assert gradient_of("min", [[1.0, 1.0, 3.0]]) == [[1, 1, 0]]


def test_nan_gets_no_gradient_from_nansum():
    assert gradient_of("nansum", [1.0, float("nan")]) == [1, 0]


def test_norm_of_zeros_has_no_gradient_for_order_2():
    assert np.isnan(gradient_of("norm", [0.0, 0.0])).all()
    assert gradient_of("norm", [0.0, 2.0], ord=1) == [0, 1]


def test_partly_known_shapes():
    assert inferred_shapes("mean", {"axis": 1, "keepdims": 1}, [(_, 3, 2)]) == "[?,3,2] -> [?,1,2]"
    assert inferred_shapes("sum", {"axis": 1}, [(4, _)]) == "[4,?] -> [4]"
    assert inferred_shapes("sum", {}, [(_, 3)]) == "[?,3] -> [1]"
    assert inferred_shapes("argmax", {"axis": 1}, [(_, 3)]) == "[?,3] -> unknown"


@pytest.mark.parametrize(
    "op, attrs, fact",
    [
        ("sum", {"axis": 3}, "axis=3"),
        ("mean", {"axis": -4}, "axis=-4"),
        ("max", {"axis": "(1, -2)"}, "twice"),
        ("norm", {"ord": 3}, "ord=3"),
        ("moments", {}, "axes"),
        ("argmin", {"axis": 3}, "axis=3"),
    ],
)
def test_bad_parameters_are_refused(op, attrs, fact):
    with pytest.raises(MXNetError, match=fact):
        inferred_shapes(op, attrs, [X])


def test_extremes_of_nothing_are_refused():
    with pytest.raises(MXNetError, match=r"max: data \[3,0\] has no elements"):
        inferred_shapes("max", {}, [(3, 0)])
    with pytest.raises(MXNetError, match=r"argmax: data \[0,3\] has no elements along axis=0"):
        inferred_shapes("argmax", {"axis": 0}, [(0, 3)])


def test_types():
    assert inferred_dtypes("norm", {"out_dtype": "float64"}, [torch.float16]) == (
        "float16 -> float64"
    )
    assert inferred_dtypes("sum", {}, [None], torch.int8) == "int8 -> int8"


# Histogram and closeness --------------------------------------------------------------------------

VALUES = np.array([0, 0.1, 0.25, 0.5, 0.75, 1, 1.1, -0.1, 0.999, np.nan], "float32")
EDGES = np.array([0, 0.25, 0.5, 1], "float32")
SIXTIETHS = (np.arange(-5, 66) / 60).astype("float32")
TENTHS = (-0.3 + np.arange(8) * (2.2 / 7)).astype("float32")
AT_EDGES = np.concatenate(
    [TENTHS, np.nextafter(TENTHS, 9), np.nextafter(TENTHS, -9), [np.nan, np.inf, -np.inf]],
    dtype="float32",
)

# As MXNet 1.9.1 counts: float32's -0.3 is below the range.
INSIDE = np.histogram(AT_EDGES[:-3], TENTHS)[0] - np.eye(7, dtype="int64")[0]
SMALL = np.array([0, 1, 2, 200, 250, 3, 3], "uint8")
OF_UINT8 = [
    (3, "(-2, 4)", [0, 2, 3], [254, 0, 2, 4]),
    (1, "(-2, 4)", [0], [254, 4]),
    (10, "(0, 3)", [0, 1, 0, 0, 1, 0, 0, 1, 0, 2], [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3]),
    (3, "(1.5, 300)", [3, 0, 2], [1, 101, 200, 44]),
    (1, "(1.5, 300)", [5], [1, 44]),
    (3, "(0, 0)", [0, 0, 1], [0, 0, 0, 0]),
]
# fmt: off
SUMMARIES = [
    Sample("_histogram", [VALUES], {"bin_cnt": 4, "range": "(0, 1)"}, (np.array([2, 1, 1, 3]), np.linspace(0, 1, 5, dtype="float32"))),
    Sample("_histogram", [np.tile(VALUES, 500)], {"bin_cnt": 4, "range": "(0, 1)"}, (np.array([1000, 500, 500, 1500]), np.linspace(0, 1, 5, dtype="float32")), note="many"),
    Sample("_histogram", [np.tile(AT_EDGES, 500)], {"bin_cnt": 7, "range": "(-0.3, 1.9)"}, (INSIDE * 500, TENTHS), note="many at its edges"),
    Sample("_histogram", [np.append(SIXTIETHS, np.float32("nan")), SIXTIETHS[5:-5]], {}, (np.histogram(SIXTIETHS, SIXTIETHS[5:-5])[0], SIXTIETHS[5:-5]), note="many edges"),
    Sample("_histogram", [VALUES], {"bin_cnt": 4, "range": "(0, 0)"}, (np.array([0, 1, 2, 2]), np.linspace(-0.5, 0.5, 5, dtype="float32"))),
    Sample("_histogram", [VALUES, EDGES], {}, (np.array([2, 1, 4]), EDGES)),
    Sample("_histogram", [AT_EDGES], {"bin_cnt": 7, "range": "(-0.3, 1.9)"}, (INSIDE, TENTHS), note="at its edges"),
    Sample("_histogram", [np.array([1, 5, 9], "int32"), np.array([0, 5, 9], "int32")], {}, (np.array([1, 2]), np.array([0, 5, 9], "int32")), note="integers"),
    # MXNet 1.9.1 gave these: edges are cut to integers, or wrap around; numbers outside of the range, which rounded edges hold, do not count.
    *(Sample("_histogram", [SMALL], {"bin_cnt": count, "range": limits}, (np.array(counts), np.array(edges, "uint8")), note=f"of uint8 in {count} of {limits}") for count, limits, counts, edges in OF_UINT8),
    Sample("_histogram", [SMALL, np.array([253, 0, 3], "uint8")], {}, (np.array([0, 0]), np.array([253, 0, 3], "uint8")), note="edges that fall"),
    Sample("_histogram", [np.array([0.8, 1, 3], "float16")], {"bin_cnt": 2, "range": "(0.8, 3)"}, (np.array([1, 1]), np.array([0.8, 1.9, 3], "float16")), note="below the range"),
    Sample("_histogram", [np.array([0.9], "float64")], {"bin_cnt": 10, "range": "(0, 3)"}, (np.eye(10, dtype="int64")[3], np.arange(31)[::3] / 10), note="exact edges"),
    Sample("_contrib_allclose", [VALUES, VALUES], {}, np.array(1, "uint8")),
    Sample("_contrib_allclose", [VALUES, VALUES], {"equal_nan": False}, np.array(0, "uint8")),
    Sample("_contrib_allclose", [EDGES, EDGES * np.float32(1.05)], {}, np.array(0, "uint8"), note="apart"),
    Sample("_contrib_allclose", [EDGES, EDGES * np.float32(1.05)], {"rtol": 0.1}, np.array(1, "uint8"), note="apart"),
]
# fmt: on


@pytest.mark.parametrize("sample", SUMMARIES, ids=str)
def test_summary(sample):
    check(sample)


@pytest.mark.parametrize(
    "attrs, inputs, fact",
    [
        ({"bin_cnt": 4}, [(5,)], "bin_cnt=4, range=None"),
        ({"bin_cnt": 4, "range": "(1, 0)"}, [(5,)], "range"),
        ({"bin_cnt": 0, "range": "(0, 1)"}, [(5,)], "bin_cnt=0"),
        ({}, [(5,), (1,)], r"bins \[1\]"),
    ],
)
def test_bad_bins_are_refused(attrs, inputs, fact):
    with pytest.raises(MXNetError, match=fact):
        inferred_shapes("_histogram", attrs, inputs)


@pytest.mark.parametrize("name", ["sum", "prod", "nanprod", "norm", "max"])
def test_gradients_over_all_axes(name):
    """What autograd keeps of a result is not written to when the result gets its axis."""
    data = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    result = recorded(find(name).of({}))(data)
    result = result[0] if isinstance(result, tuple) else result
    assert result.shape == (1,)
    result.sum().backward()
    assert data.grad is not None
