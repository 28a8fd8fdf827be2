# SPDX-License-Identifier: Apache-2.0
"""AdamW and AdaBelief."""

import math

import numpy as np
import pytest

import mxnova as mx

from .formulas import BETA1, BETA2, EPSILON, RATES, check


def adamw(weight, mean, var, grad, t, corrects=True):
    mean += (1 - BETA1) * (grad - mean)
    var += (1 - BETA2) * (grad**2 - var)
    return decayed(weight, mean, var, t, corrects)


def adabelief(weight, mean, var, grad, t, corrects=True):
    mean += (1 - BETA1) * (grad - mean)
    var += (1 - BETA2) * ((grad - mean) ** 2 - var) + EPSILON
    return decayed(weight, mean, var, t, corrects)


def decayed(weight, mean, var, t, corrects):
    rate = math.sqrt(1 - BETA2**t) / (1 - BETA1**t) if corrects else 1.0
    step = rate * mean / (np.sqrt(var) + EPSILON) + RATES["wd"] * weight
    return weight - RATES["learning_rate"] * step


@pytest.mark.parametrize("corrects", [True, False])
@pytest.mark.parametrize("way", ["dense", "sparse", "half"])
@pytest.mark.parametrize("step", [adamw, adabelief])
def test_paper(step, way, corrects):
    def chosen(*arguments):
        return step(*arguments, corrects=corrects)

    check(step.__name__, chosen, way, correct_bias=corrects)


def test_overflown_scale_leaves_weights():
    weight, grad = mx.nd.ones((2, 2)), mx.nd.ones((2, 2))
    updater = mx.optimizer.get_updater(mx.optimizer.AdamW(wd=0.1, rescale_grad=math.inf))
    updater(0, grad, weight)
    assert (weight.asnumpy() == 1).all()
    assert (grad.asnumpy() == 1).all()
