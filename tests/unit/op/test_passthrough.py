# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.families.passthrough  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample


def same(x, *_):
    return x


def filled(value):
    return lambda d, x: np.full_like(x, value)


HALVES = np.array([-2.5, -0.3, 0.0, 0.5, 1.2], "float32")

# fmt: off
SAMPLES = [
    Sample("_copy", expected=same),
    Sample("_copy", [np.array([True, False])], expected=same, gradient=False, note="bool"),
    Sample("_copyto", expected=same),
    Sample("_CrossDeviceCopy", expected=same),
    Sample("BlockGrad", expected=same),
    Sample("make_loss", expected=same, d_expected=filled(1)),
    Sample("MakeLoss", [(4, 2)], {"grad_scale": 3}, same, d_expected=filled(3)),
    Sample("MakeLoss", [(4, 2)], {"grad_scale": 3, "normalization": "batch"}, same, d_expected=filled(0.75)),
    Sample("MakeLoss", [(4,)], {"normalization": "batch"}, same, d_expected=filled(1), note="vector"),
    Sample("MakeLoss", [HALVES], {"normalization": "valid", "valid_thresh": 0.4}, same, d_expected=filled(0.5)),
    Sample("MakeLoss", [HALVES], {"normalization": "valid", "valid_thresh": 9}, same, d_expected=filled(1), note="none valid"),
    Sample("_contrib_round_ste", [HALVES], expected=lambda x: np.array([-3, 0, 0, 1, 1.0]), d_expected=lambda d, x: d),
    Sample("_contrib_sign_ste", [HALVES], expected=np.sign, d_expected=lambda d, x: d),
    Sample("_contrib_gradientmultiplier", [(3,)], {"scalar": -0.5}, same, d_expected=lambda d, x: -0.5 * d),
    Sample("_identity_with_attr_like_rhs", [(2, 3), (2, 3)], expected=same, d_expected=lambda d, x, y: (d, None)),
]
# fmt: on


def test_block_grad_lets_nothing_through():
    x = torch.ones(3, requires_grad=True)
    assert not recorded(find("BlockGrad").of({}))(x).requires_grad


@pytest.mark.parametrize("op", ["_copy", "BlockGrad", "make_loss", "_contrib_gradientmultiplier"])
def test_output_is_not_the_input(op):
    x = torch.ones(3)
    find(op).of({}).forward(x).zero_()
    assert x.tolist() == [1, 1, 1]


def test_copyto_casts_to_a_given_output():
    out = torch.zeros(2, dtype=torch.int32)
    result = find("_copyto").of({}).forward(torch.tensor([1.7, -2.7]), out=(out,))
    assert result is out
    assert out.tolist() == [1, -2]


def test_copyto_leaves_the_type_of_the_output_open():
    assert inferred_dtypes("_copyto", {}, [torch.float32], torch.int8) == "float32 -> int8"
    assert inferred_dtypes("_copyto", {}, [torch.float32]) == "float32 -> float32"


def test_identity_learns_from_rhs():
    op = "_identity_with_attr_like_rhs"
    assert inferred_shapes(op, {}, [None, (2, 3)]) == "[2,3], [2,3] -> [2,3]"


def test_losses_are_floating_point():
    with pytest.raises(MXNetError, match="MakeLoss: data has type int64"):
        inferred_dtypes("MakeLoss", {}, [torch.int64])
