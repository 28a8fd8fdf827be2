# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.nn.pooling  # noqa: F401
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample
from tests.unit.op.windows import gathered, places, pooled, under

_ = UNKNOWN
LOWEST = np.finfo("float32").min


def highest(w):
    """The greatest item of each window; the lowest number where there is none."""
    return np.where(np.isnan(w), LOWEST, w).max(-1)


def pool(function, kernel, stride, pad, up=False):
    return lambda x: pooled(x, function, kernel, stride, pad, up)


def mean_with_margin(kernel, stride, pad, up=False):
    """Means over the padded data, beyond which a window does not count."""

    def function(x):
        sizes = x.shape[2:]
        found = {}
        for place, positions in places(sizes, kernel, stride, pad, up=up):
            within = [
                [i for i in p if i < n + m] for p, n, m in zip(positions, sizes, pad, strict=True)
            ]
            n_items = max(1, np.prod([len(w) for w in within]))
            found[place] = under(x, positions).reshape(*x.shape[:2], -1).sum(-1) / n_items
        return gathered(found)

    return function


def last(function):
    return lambda x: np.moveaxis(function(np.moveaxis(x, -1, 1)), 1, -1)


def norm(p):
    return lambda w: np.nansum(w**p, -1) ** (1 / p)


X, FULL = (2, 2, 7, 6), {"pooling_convention": "full"}
# fmt: off
SAMPLES = [
    Sample("Pooling", [X], {"kernel": "(3, 2)", "stride": "(2, 2)", "pad": "(1, 1)"}, pool(highest, (3, 2), (2, 2), (1, 1))),
    Sample("Pooling", [X], {"kernel": "(3, 3)", "stride": "(2, 2)", **FULL}, pool(highest, (3, 3), (2, 2), (0, 0), True)),
    Sample("Pooling", [X], {"kernel": "(3, 3)", "pad": "(2, 2)"}, pool(highest, (3, 3), (1, 1), (2, 2)), note=" much padded"),
    Sample("Pooling", [(1, 2, 8, 8)], {"kernel": "(2, 2)", "stride": "(5, 5)", "pad": "(1, 1)", **FULL}, pool(highest, (2, 2), (5, 5), (1, 1), True), gradient=False, note=" empty windows"),
    Sample("Pooling", [(2, 3, 8)], {"kernel": 3, "stride": 2, "pad": 1, "pool_type": "max"}, pool(highest, (3,), (2,), (1,))),
    Sample("Pooling", [(1, 2, 4, 5, 3)], {"kernel": "(2, 2, 2)", "stride": "(2, 2, 1)"}, pool(highest, (2, 2, 2), (2, 2, 1), (0, 0, 0))),
    Sample("Pooling", [X], {"kernel": "(3, 2)", "stride": "(2, 2)", "pad": "(1, 1)", "pool_type": "avg"}, mean_with_margin((3, 2), (2, 2), (1, 1))),
    Sample("Pooling", [X], {"kernel": "(3, 3)", "stride": "(2, 2)", "pad": "(1, 1)", "pool_type": "avg", **FULL}, mean_with_margin((3, 3), (2, 2), (1, 1), True)),
    Sample("Pooling", [X], {"kernel": "(3, 3)", "pad": "(2, 2)", "pool_type": "avg"}, mean_with_margin((3, 3), (1, 1), (2, 2))),
    Sample("Pooling", [X], {"kernel": "(3, 3)", "pad": "(2, 2)", "pool_type": "avg", "count_include_pad": False}, pool(lambda w: np.nanmean(w, -1), (3, 3), (1, 1), (2, 2))),
    Sample("Pooling", [X], {"kernel": "(3, 3)", "stride": "(2, 2)", "pad": "(1, 1)", "pool_type": "avg", "count_include_pad": False, **FULL}, pool(lambda w: np.nanmean(w, -1), (3, 3), (2, 2), (1, 1), True)),
    Sample("Pooling", [(2, 3, 8)], {"kernel": 3, "stride": 2, "pool_type": "avg", **FULL}, mean_with_margin((3,), (2,), (0,), True)),
    Sample("Pooling", [X], {"kernel": "(2, 3)", "stride": "(2, 1)", "pad": "(1, 1)", "pool_type": "sum"}, pool(lambda w: np.nansum(w, -1), (2, 3), (2, 1), (1, 1))),
    Sample("Pooling", [X], {"kernel": "(2, 3)", "pad": "(2, 2)", "pool_type": "sum"}, pool(lambda w: np.nansum(w, -1), (2, 3), (1, 1), (2, 2))),
    Sample("Pooling", [X], {"kernel": "(2, 2)", "pool_type": "lp", "p_value": 1}, pool(norm(1), (2, 2), (1, 1), (0, 0))),
    Sample("Pooling", [X], {"kernel": "(2, 2)", "pool_type": "lp", "p_value": 2}, pool(norm(2), (2, 2), (1, 1), (0, 0))),
    Sample("Pooling", [X], {"kernel": "(2, 2)", "pool_type": "lp", "p_value": 3}, pool(norm(3), (2, 2), (1, 1), (0, 0)), low=0.1),
    Sample("Pooling", [-np.ones((1, 1, 2, 2), "float32")], {"kernel": "(2, 2)", "pool_type": "lp", "p_value": 3}, np.full((1, 1, 1, 1), -(4 ** (1 / 3))), note=" negative"),
    Sample("Pooling", [X], {"global_pool": True}, lambda x: x.max((2, 3), keepdims=True)),
    Sample("Pooling", [X], {"global_pool": True, "pool_type": "avg", "kernel": "(2, 2)", "pad": "(1, 1)"}, lambda x: x.mean((2, 3), keepdims=True)),
    Sample("Pooling", [X], {"global_pool": True, "pool_type": "sum"}, lambda x: x.sum((2, 3), keepdims=True)),
    Sample("Pooling", [(2, 3, 8)], {"global_pool": True}, lambda x: x.max(2, keepdims=True)),
    Sample("Pooling", [(2, 7, 6, 2)], {"kernel": "(3, 2)", "stride": "(2, 2)", "layout": "NHWC"}, last(pool(highest, (3, 2), (2, 2), (0, 0)))),
    Sample("Pooling", [(2, 8, 3)], {"kernel": 2, "pool_type": "avg", "layout": "NWC"}, last(mean_with_margin((2,), (1,), (0,)))),
    Sample("Pooling", [(1, 3, 4, 3, 2)], {"global_pool": True, "pool_type": "avg", "layout": "NDHWC"}, lambda x: x.mean((1, 2, 3), keepdims=True)),
    Sample("Pooling", [np.arange(7, dtype="float32").reshape(1, 1, 7)], {"kernel": 3, "stride": 2, "pooling_convention": "same"}, np.array([[[2, 4, 6, 6]]])),
    Sample("Pooling_v1", [X], {"kernel": "(3, 2)", "stride": "(2, 2)", "pad": "(1, 1)"}, lambda x: pooled(np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]), highest, (3, 2), (2, 2), (0, 0))),
    Sample("Pooling_v1", [X], {"kernel": "(3, 2)", "stride": "(2, 2)", "pad": "(1, 1)", "pool_type": "avg", **FULL}, pool(lambda w: np.nansum(w, -1) / 6, (3, 2), (2, 2), (1, 1), True)),
    Sample("Pooling_v1", [X], {"kernel": "(3, 2)", "pool_type": "sum"}, pool(lambda w: np.nansum(w, -1), (3, 2), (1, 1), (0, 0))),
    Sample("Pooling_v1", [X], {"global_pool": True, "pad": "(1, 1)", "pool_type": "avg"}, lambda x: x.mean((2, 3), keepdims=True)),
    Sample("_contrib_AdaptiveAvgPooling2D", [(2, 3, 5, 4)], {}, lambda x: x.mean((2, 3), keepdims=True)),
    Sample("_contrib_AdaptiveAvgPooling2D", [(1, 2, 4, 4)], {"output_size": 2}, lambda x: x.reshape(1, 2, 2, 2, 2, 2).mean((3, 5))),
    Sample("_contrib_AdaptiveAvgPooling2D", [(1, 2, 5, 4)], {"output_size": "(2, 1)"}, lambda x: np.stack([x[:, :, :3].mean((2, 3)), x[:, :, 2:].mean((2, 3))], 2)[..., None]),
]

P = "Pooling"
INFERRED = [
    (P, {"kernel": "(3, 3)"}, [(_, 2, _, 8)], None, "[?,2,?,8] -> [?,2,?,6]"),
    (P, {"kernel": "(3, 3)"}, [None], (1, 2, 6, 6), "unknown -> [1,2,6,6]"),
    (P, {"global_pool": True}, [(_, _, _, _)], None, "[?,?,?,?] -> [?,?,1,1]"),
    (P, {"global_pool": True, "layout": "NHWC"}, [(1, 4, 4, 2)], None, "[1,4,4,2] -> [1,1,1,2]"),
    ("_contrib_AdaptiveAvgPooling2D", {"output_size": 3}, [(_, 2, 4, _)], None, "[?,2,4,?] -> [?,2,3,3]"),
]
REFUSED = [
    (P, {}, [(1, 2, 8, 8)], "kernel=(): it must have"),
    (P, {"kernel": "(9, 9)"}, [(1, 2, 8, 8)], "kernel=(9, 9): it reaches over 9 items"),
    (P, {"kernel": "(3, 3, 3)"}, [(1, 2, 8, 8)], "kernel=(3, 3, 3): data has shape [1,2,8,8]"),
    (P, {"global_pool": True}, [(2, 8)], "data has shape [2,8]: it must have 3 or 4 or 5"),
    (P, {"kernel": "(2, 2)", "pool_type": "lp"}, [(1, 2, 8, 8)], "p_value=None: pool_type=lp needs 1, 2 or 3"),
    (P, {"kernel": "(2, 2)", "pool_type": "lp", "p_value": 4}, [(1, 2, 8, 8)], "p_value=4"),
    (P, {"kernel": "(2, 2)", "pooling_convention": "same"}, [(1, 2, 8, 8)], "pooling_convention=same"),
    (P, {"kernel": "(2, 2)", "stride": "(0, 1)"}, [(1, 2, 8, 8)], "stride=(0, 1): every item must be >= 1"),
    ("_contrib_AdaptiveAvgPooling2D", {"output_size": "(1, 2, 3)"}, [(1, 2, 8, 8)], "output_size=(1, 2, 3)"),
]
# fmt: on


@pytest.mark.parametrize(
    "name, expected", [("Pooling", [1.0, 0.0, 0.0, 0.0]), ("Pooling_v1", [1.0, 1.0, 1.0, 1.0])]
)
def test_gradient_of_equal_maxima(name, expected):
    x = torch.zeros(1, 1, 2, 2, requires_grad=True)
    find(name).of({"kernel": "(2, 2)"}).forward(x).sum().backward()
    assert x.grad.flatten().tolist() == expected


def test_gradient_of_a_norm_at_zero_is_zero():
    x = torch.zeros(1, 1, 2, 2, requires_grad=True)
    op = find("Pooling").of({"kernel": "(2, 2)", "pool_type": "lp", "p_value": 2})
    op.forward(x).sum().backward()
    assert not x.grad.any()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize(
    "attrs", [{"pool_type": "sum"}, {"pool_type": "avg"}, {"pool_type": "lp", "p_value": 3}]
)
def test_half_precision_is_rounded_once(attrs, axes, dtype):
    op = find("Pooling").of({"kernel": (3,) * axes, "stride": (2,) * axes} | attrs)
    data = torch.randn((1, 2, *[9] * axes), generator=torch.Generator().manual_seed(1)).to(dtype)
    assert torch.equal(op.forward(data), op.forward(data.float()).to(dtype))


@pytest.mark.parametrize("convention", ["valid", "full"])
def test_means_of_halves_whose_sums_are_none(convention):
    """The sum of a window is beyond float16, also where the data is padded first."""
    given = {"kernel": (64, 64), "stride": (64, 64), "pad": (40, 40), "pool_type": "avg"}
    op = find("Pooling").of({**given, "pooling_convention": convention})
    data = torch.full((1, 1, 128, 128), 100.0)
    assert torch.equal(op.forward(data.half()), op.forward(data).half())
