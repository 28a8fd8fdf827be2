# SPDX-License-Identifier: Apache-2.0
"""LANS; tests/conformance/test_optimizers.py has LARS, LAMB and LBSGD."""

import numpy as np
import pytest

import mxnova as mx

from .formulas import BETA1, BETA2, EPSILON, RATES, check


def unit(x):
    return x / np.linalg.norm(x)


def lans(weight, mean, var, grad, t, low=0.0, high=np.inf):
    grad = unit(grad)
    mean += (1 - BETA1) * (grad - mean)
    var += (1 - BETA2) * (grad**2 - var)
    root, decay = np.sqrt(var / (1 - BETA2**t)) + EPSILON, RATES["wd"] * weight
    step = BETA1 * unit(mean / (1 - BETA1**t) / root + decay)
    step += (1 - BETA1) * unit(grad / root + decay)
    return weight - RATES["learning_rate"] * np.clip(np.linalg.norm(weight), low, high) * step


@pytest.mark.parametrize("way", ["dense", "sparse", "half"])
def test_paper(way):
    check("lans", lans, way)


@pytest.mark.parametrize(("low", "high"), [(9.0, 12.0), (0.1, 0.5)])
def test_bounds_of_norms(low, high):
    def bounded(*arguments):
        return lans(*arguments, low, high)

    check("lans", bounded, "dense", lower_bound=low, upper_bound=high)


def test_zeros_stay():
    weight = mx.nd.zeros((2, 3))
    mx.optimizer.get_updater(mx.optimizer.LANS(wd=0.1))(0, mx.nd.zeros((2, 3)), weight)
    assert (weight.asnumpy() == 0).all()
