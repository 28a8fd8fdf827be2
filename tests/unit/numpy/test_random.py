# SPDX-License-Identifier: Apache-2.0
"""Distributions of mx.np.random and mx.npx.random have the shapes and moments that they say."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx

N = 20_000
random = mx.np.random

# fmt: off
MOMENTS = {  # -> draws of N numbers, mean, standard deviation
    "beta": (lambda: random.beta(2, 3, size=N), 0.4, 0.2),
    "lognormal": (lambda: random.lognormal(0, 0.5, size=N), 1.1331, 0.6039),
    "rand": (lambda: random.rand(N), 0.5, 0.2887),
    "randn": (lambda: random.randn(N), 0, 1),
    "randint": (lambda: random.randint(2, 6, size=N), 3.5, 1.118),
    "uniform_n": (lambda: mx.npx.random.uniform_n(1, 3, batch_shape=N), 2, 0.5774),
    "normal_n": (lambda: mx.npx.random.normal_n(1, 2, batch_shape=N), 1, 2),
}
# fmt: on


@pytest.fixture(autouse=True)
def seeded():
    mx.random.seed(30)


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    draw, mean, deviation = MOMENTS[name]
    drawn = draw().asnumpy().astype(np.float64)
    assert drawn.shape == (N,)
    assert drawn.mean() == pytest.approx(mean, abs=5 * deviation / N**0.5)
    assert drawn.std() == pytest.approx(deviation, rel=0.06)


def test_parameters_come_behind_the_shape_of_the_batch():
    means = mx.np.array([0.0, 100.0])
    drawn = mx.npx.random.normal_n(means, 1, batch_shape=(50,)).asnumpy()
    assert drawn.shape == (50, 2)
    assert (drawn[:, 1] - drawn[:, 0] > 80).all()


def test_covariances():
    covariance = np.array([[2.0, 0.6], [0.6, 1.0]], np.float32)
    drawn = random.multivariate_normal(mx.np.array([1.0, -1.0]), mx.np.array(covariance), size=(N,))
    assert drawn.shape == (N, 2)
    np.testing.assert_allclose(drawn.asnumpy().mean(0), [1, -1], atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.asnumpy().T), covariance, atol=0.12)


def test_shuffle_moves_rows_in_place():
    x = mx.np.arange(40).reshape(20, 2)
    random.shuffle(x)
    rows = x.asnumpy()
    assert (rows[:, 1] - rows[:, 0] == 1).all()
    assert sorted(rows[:, 0]) == list(range(0, 40, 2))
