# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.nn.convolution  # noqa: F401
from mxnova.core.base.errors import ArgumentError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample
from tests.unit.op.windows import convolved, places

_ = UNKNOWN


def conv(stride, pad, dilate, groups=1):
    return lambda x, w, b=0.0: convolved(x, w, b, stride, pad, dilate, groups)


def spread(size, stride, pad, dilate, groups=1):
    """Transposed convolution: each item adds its multiple of the kernels to an output of `size`."""

    def function(x, w, b=0.0):
        n, channels, filters = len(x), x.shape[1] // groups, w.shape[1]
        out = np.zeros((n, groups * filters, *size))
        for place, positions in places(size, w.shape[2:], stride, pad, dilate):
            if any(i >= m for i, m in zip(place, x.shape[2:], strict=True)):
                continue
            for item in np.ndindex(*w.shape[2:]):
                at = tuple(p[i] for p, i in zip(positions, item, strict=True))
                if all(0 <= i < m for i, m in zip(at, size, strict=True)):
                    source = x[(..., *place)].reshape(n, groups, channels)
                    kernels = w[(..., *item)].reshape(groups, channels, filters)
                    out[(..., *at)] += np.einsum("ngc,gcf->ngf", source, kernels).reshape(n, -1)
        return out + np.reshape(b, (-1, *(1,) * len(size)))

    return function


def channels_last(function):
    """`function` for arrays whose channels are their last axis."""
    first = lambda x: np.moveaxis(x, -1, 1)  # noqa: E731
    return lambda x, w, *b: np.moveaxis(function(first(x), first(w), *b), 1, -1)


# fmt: off
SAMPLES = [
    Sample("Convolution", [(2, 3, 7), (4, 3, 3), (4,)], {"kernel": 3, "num_filter": 4}, conv((1,), (0,), (1,))),
    Sample("Convolution", [(2, 4, 6, 5), (6, 2, 3, 2), (6,)], {"kernel": "(3, 2)", "num_filter": 6, "num_group": 2, "stride": "(2, 1)", "pad": "(1, 0)", "dilate": "(1, 2)"}, conv((2, 1), (1, 0), (1, 2), 2)),
    Sample("Convolution", [(1, 2, 3, 4, 3), (2, 2, 2, 2, 2)], {"kernel": "(2, 2, 2)", "num_filter": 2, "no_bias": True}, conv((1, 1, 1), (0, 0, 0), (1, 1, 1))),
    Sample("Convolution", [(2, 2, 5), (3, 2, 2), (3,)], {"kernel": 2, "num_filter": 3, "layout": "NCW"}, conv((1,), (0,), (1,))),
    Sample("Convolution", [(1, 4, 5, 2), (3, 2, 2, 2), (3,)], {"kernel": "(2, 2)", "num_filter": 3, "layout": "NHWC"}, channels_last(conv((1, 1), (0, 0), (1, 1)))),
    Sample("Convolution", [(1, 3, 3, 3, 2), (2, 2, 2, 2, 1)], {"kernel": "(2, 2, 2)", "num_filter": 2, "num_group": 2, "no_bias": 1, "layout": "NDHWC"}, channels_last(conv((1, 1, 1), (0, 0, 0), (1, 1, 1), 2))),
    Sample("Convolution_v1", [(1, 2, 5, 5), (4, 1, 3, 3), (4,)], {"kernel": "(3, 3)", "num_filter": 4, "num_group": 2, "pad": "(1, 1)"}, conv((1, 1), (1, 1), (1, 1), 2)),
    Sample("Deconvolution", [(2, 3, 4), (3, 2, 3)], {"kernel": 3, "num_filter": 2, "stride": 2}, spread((9,), (2,), (0,), (1,))),
    Sample("Deconvolution", [(1, 4, 3, 2), (4, 1, 3, 3), (2,)], {"kernel": "(3, 3)", "num_filter": 2, "num_group": 2, "stride": "(2, 2)", "pad": "(1, 0)", "adj": "(1, 1)", "no_bias": False}, spread((6, 6), (2, 2), (1, 0), (1, 1), 2)),
    Sample("Deconvolution", [(1, 2, 3, 3), (2, 1, 2, 2)], {"kernel": "(2, 2)", "num_filter": 1, "dilate": "(2, 2)"}, spread((5, 5), (1, 1), (0, 0), (2, 2))),
    Sample("Deconvolution", [(1, 2, 3, 3), (2, 1, 3, 3)], {"kernel": "(3, 3)", "num_filter": 1, "stride": "(2, 2)", "target_shape": "(6, 5)"}, spread((6, 5), (2, 2), (1, 1), (1, 1))),
    Sample("Deconvolution", [(1, 3, 2, 2), (2, 2, 2, 3)], {"kernel": "(2, 2)", "num_filter": 3, "layout": "NHWC"}, channels_last(spread((4, 3), (1, 1), (0, 0), (1, 1)))),
]

K = {"kernel": "(3, 3)", "num_filter": 4}
INFERRED = [
    ("Convolution", K, [(_, _, 8, 8), None, None], None, "[?,?,8,8], [4,?,3,3], [4] -> [?,4,6,6]"),
    ("Convolution", K, [(_, 3, _, _), None, None], (2, 4, 6, 5), "[2,3,8,7], [4,3,3,3], [4] -> [2,4,6,5]"),
    ("Convolution", {**K, "stride": (2, 1)}, [(_, 3, _, _), None, None], (2, 4, 6, 5), "[2,3,?,7], [4,3,3,3], [4] -> [2,4,6,5]"),
    ("Convolution", K, [None, (4, 3, 3, 3), None], None, "unknown, [4,3,3,3], unknown -> unknown"),
    ("Deconvolution", K, [(_, 3, _, 8), None], None, "[?,3,?,8], [3,4,3,3] -> [?,4,?,10]"),
    ("Deconvolution", K, [(_, 3, _, _), None], (2, 4, 6, 6), "[?,3,?,?], [3,4,3,3] -> [2,4,6,6]"),
]

REFUSED = [
    ("Convolution", {**K, "kernel": "(9, 9)"}, [(1, 3, 8, 8)], "kernel=(9, 9)", "only 8"),
    ("Convolution", {**K, "kernel": "(9, 9)"}, [(1, 3)], "kernel=(9, 9): data has shape [1,3]"),
    ("Convolution", {**K, "kernel": "()"}, [(1, 3)], "kernel=(): it must have 1, 2 or 3 items"),
    ("Convolution", {**K, "kernel": "(0, 3)"}, [(1, 3, 8, 8)], "kernel=(0, 3): every item must be >= 1"),
    ("Convolution", {**K, "stride": "(2,)"}, [(1, 3, 8, 8)], "stride=(2,): it must have as many items as kernel"),
    ("Convolution", {**K, "pad": "(-1, 0)"}, [(1, 3, 8, 8)], "pad=(-1, 0): every item must be >= 0"),
    ("Convolution", {**K, "num_group": 2}, [(1, 3, 8, 8)], "num_group=2: data has channels=3"),
    ("Convolution", {**K, "num_group": 3}, [(1, 3, 8, 8)], "num_group=3: num_filter is=4"),
    ("Convolution", {**K, "layout": "NCW"}, [(1, 3, 8, 8)], "layout=NCW: kernel=(3, 3) needs NCHW or NHWC"),
    ("Convolution_v1", {"kernel": "(3,)", "num_filter": 1}, [(1, 3, 8)], "kernel=(3,): it must have 2 or 3"),
    ("Deconvolution", {**K, "adj": "(0, 1)"}, [(1, 3, 8, 8)], "adj=1 at axis 1: it must be less than stride=1"),
    ("Deconvolution", {**K, "adj": "(0,)"}, [(1, 3, 8, 8)], "adj=(0,): it must have as many items"),
    ("Deconvolution", {**K, "pad": "(5, 0)"}, [(1, 3, 8, 8)], "pad=5 at axis 0"),
    ("Deconvolution", {**K, "target_shape": "(11, 9)"}, [(1, 3, 8, 8)], "target_shape=(11, 9): axis 0 has 1 to 10"),
]
# fmt: on


def test_types_follow_the_data_and_the_output_not_the_weight():
    f16 = torch.float16
    assert (
        inferred_dtypes("Convolution", K, [f16, None, None])
        == "float16, float16, float16 -> float16"
    )
    assert inferred_dtypes("Convolution", K, [None, None, None], f16).startswith("float16, float16")
    assert inferred_dtypes("Deconvolution", K, [None, f16]) == "unknown, float16 -> unknown"


@pytest.mark.parametrize("name", ["num_filter", "num_group"])
def test_counts_are_positive(name):
    with pytest.raises(ArgumentError, match=f"{name}='0': must be >= 1"):
        find("Convolution").of({**K, name: "0"})
