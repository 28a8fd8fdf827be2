# SPDX-License-Identifier: Apache-2.0
from math import erf

import numpy as np
import pytest
import torch

import mxnova.core.op.nn.activation  # noqa: F401
from mxnova.core.base.errors import ArgumentError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

_ = UNKNOWN
X = (2, 3, 4)
ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805


def selu(x):
    return SCALE * np.where(x > 0, x, ALPHA * np.expm1(x))


def d_selu(d_output, x):
    """MXNet's: below 0 scale times (alpha + y), y the output."""
    return d_output * SCALE * np.where(x > 0, 1, ALPHA + selu(x))


# fmt: off
SAMPLES = [
    Sample("Activation", [X], {"act_type": "relu"}, lambda x: np.maximum(x, 0)),
    Sample("Activation", [X], {"act_type": "sigmoid"}, lambda x: 1 / (1 + np.exp(-x))),
    Sample("Activation", [X], {"act_type": "softrelu"}, lambda x: np.log1p(np.exp(x))),
    Sample("Activation", [X], {"act_type": "softsign"}, lambda x: x / (1 + np.abs(x))),
    Sample("Activation", [X], {"act_type": "tanh"}, np.tanh),
    Sample("LeakyReLU", [X], {}, lambda x: np.where(x > 0, x, 0.25 * x)),
    Sample("LeakyReLU", [X], {"slope": 0.5, "act_type": "elu"}, lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
    Sample("LeakyReLU", [X], {"act_type": "selu"}, selu, d_expected=d_selu),
    Sample("LeakyReLU", [X], {"act_type": "gelu"}, lambda x: x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2),
    Sample("LeakyReLU", [X, (3,)], {"act_type": "prelu"}, lambda x, g: np.where(x > 0, x, x * g[:, None])),
    Sample("LeakyReLU", [X, (1,)], {"act_type": "prelu"}, lambda x, g: np.where(x > 0, x, x * g)),
    Sample("LeakyReLU", [X, (2, 3)], {"act_type": "prelu"}, lambda x, g: np.where(x > 0, x, x * g[..., None])),
    Sample("LeakyReLU", [X, (2,)], {"act_type": "prelu"}, lambda x, g: np.where(x > 0, x, x * g[:, None, None]), note=" of the first axis"),
    Sample("LeakyReLU", [(4,), (4,)], {"act_type": "prelu"}, lambda x, g: np.where(x > 0, x, x * g)),
    Sample("LeakyReLU", [X], {"act_type": "rrelu", "lower_bound": 0.25, "upper_bound": 0.75}, lambda x: (np.where(x > 0, x, 0.5 * x), 0 * x)),
]

PRELU = {"act_type": "prelu"}
INFERRED = [
    ("Activation", {"act_type": "relu"}, [(_, 3)], (2, _), "[2,3] -> [2,3]"),
    ("LeakyReLU", {}, [None], (2, 3), "unknown -> [2,3]"),
    ("LeakyReLU", {"act_type": "rrelu"}, [(_, 3)], None, "[?,3] -> [?,3], [?,3]"),
    ("LeakyReLU", PRELU, [(_, 3, 4), None], None, "[?,3,4], [3] -> [?,3,4]"),
    ("LeakyReLU", PRELU, [(2, 3, 4), (1,)], None, "[2,3,4], [1] -> [2,3,4]"),
]
REFUSED = [
    ("LeakyReLU", PRELU, [(3,), None], "data has shape [3]: it needs a channel axis"),
    ("LeakyReLU", PRELU, [(2, 3, 4), (4,)], "gamma has shape [4]", "data [2,3,4]"),
    ("LeakyReLU", PRELU, [(2, 3, 4), (3, 1)], "gamma has shape [3,1]"),
]
# fmt: on


def test_an_unknown_function():
    with pytest.raises(ArgumentError, match="Activation: act_type='swish': must be one of"):
        find("Activation").of({"act_type": "swish"})


@pytest.mark.parametrize(
    "act_type, slope", [("leaky", 0.25), ("elu", 0.25), ("selu", SCALE * ALPHA), ("gelu", 0.5)]
)
def test_the_slope_at_zero_is_that_below(act_type, slope):
    x = torch.zeros(1, requires_grad=True)
    op = find("LeakyReLU").of({"act_type": act_type})
    op.forward(x, train=True, rng=None).backward()
    assert x.grad.item() == pytest.approx(slope)


def test_random_slopes():
    op = find("LeakyReLU").of({"act_type": "rrelu", "lower_bound": 0.25, "upper_bound": 0.5})
    x = torch.linspace(-1, 1, 1000, dtype=torch.float64).requires_grad_()
    output, mask = op.forward(x, train=True, rng=torch.Generator().manual_seed(1))
    assert 0.25 <= mask.min() < 0.26
    assert 0.49 < mask.max() <= 0.5
    assert torch.equal(output, torch.where(x > 0, x, mask * x))
    output.sum().backward()
    assert torch.equal(x.grad, torch.where(x > 0, 1.0, mask))
