# SPDX-License-Identifier: Apache-2.0
"""Seeds and streams, and whether numbers are distributed as they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mxnova as mx

N = 20000


def drawn(ctx, n=8):
    return mx.nd.random.uniform(shape=(n,), ctx=ctx).asnumpy().tolist()


def test_a_seed_repeats_a_sequence():
    mx.random.seed(7)
    first = drawn(mx.cpu()), drawn(mx.cpu())
    mx.random.seed(7)
    assert (drawn(mx.cpu()), drawn(mx.cpu())) == first
    assert first[0] != first[1]
    mx.random.seed(8)
    assert drawn(mx.cpu()) != first[0]


def test_contexts_have_streams_of_their_own():
    mx.random.seed(7)
    zero, one = drawn(mx.cpu(0)), drawn(mx.cpu(1))
    assert zero != one


def test_seeding_one_context_leaves_the_others_alone():
    mx.random.seed(7)
    drawn(mx.cpu(0)), drawn(mx.cpu(1))
    going_on = drawn(mx.cpu(1))
    mx.random.seed(7)
    start, _ = drawn(mx.cpu(0)), drawn(mx.cpu(1))
    mx.random.seed(7, mx.cpu(0))
    assert drawn(mx.cpu(1)) == going_on
    mx.random.seed(7, mx.cpu(0))
    assert drawn(mx.cpu(0)) != going_on
    assert len(start) == 8


def test_the_current_context_tells_where_to_draw():
    with mx.cpu(1):
        assert mx.nd.random.normal(shape=2).context == mx.cpu(1)
    assert mx.nd.random.normal(mx.nd.zeros(2, mx.cpu(1)), mx.nd.ones(2, mx.cpu(1))).context == (
        mx.cpu(1)
    )


# Name, parameters, mean and variance that they stand for.
MOMENTS = [
    ("uniform", (-1.0, 3.0), 1.0, 16 / 12),
    ("normal", (2.0, 3.0), 2.0, 9.0),
    ("poisson", (4.0,), 4.0, 4.0),
    ("exponential", (0.5,), 0.5, 0.25),
    ("gamma", (3.0, 2.0), 6.0, 12.0),
    ("negative_binomial", (4, 0.4), 6.0, 15.0),
    ("generalized_negative_binomial", (3.0, 0.5), 3.0, 7.5),
]


@pytest.mark.parametrize("name, parameters, mean, variance", MOMENTS)
def test_moments(name, parameters, mean, variance):
    mx.random.seed(1)
    values = getattr(mx.nd.random, name)(*parameters, shape=N).asnumpy()
    check_moments(values, mean, variance)


@pytest.mark.parametrize("name, parameters, mean, variance", MOMENTS)
def test_moments_of_each_element(name, parameters, mean, variance):
    mx.random.seed(1)
    arrays = [mx.nd.full((2,), p) for p in parameters]
    values = getattr(mx.nd.random, name)(*arrays, shape=N).asnumpy()
    assert values.shape == (2, N)
    check_moments(values[0], mean, variance)
    check_moments(values[1], mean, variance)
    assert (values[0] != values[1]).any()


@pytest.mark.parametrize("name, parameters, mean, variance", MOMENTS)
def test_moments_of_symbols(name, parameters, mean, variance):
    mx.random.seed(1)
    (values,) = getattr(mx.sym.random, name)(*parameters, shape=(N,)).eval()
    check_moments(values.asnumpy(), mean, variance)


def check_moments(values, mean, variance):
    """Within five standard errors; that of a variance is estimated from the values."""
    assert abs(values.mean() - mean) < 5 * math.sqrt(variance / N)
    fourth = ((values - mean) ** 4).mean()
    assert abs(values.var() - variance) < 5 * math.sqrt((fourth - variance**2) / N)


def test_randint_has_every_value_of_its_range():
    values = mx.nd.random.randint(-2, 3, 1000).asnumpy()
    assert sorted(set(values.tolist())) == [-2, -1, 0, 1, 2]
    assert mx.nd.random.randint(5, 6, 4).asnumpy().tolist() == [5] * 4


def test_randn_is_normal_with_separate_sizes():
    mx.random.seed(3)
    first = mx.nd.random.randn(2, 3).asnumpy()
    mx.random.seed(3)
    assert (mx.nd.random.normal(shape=(2, 3)).asnumpy() == first).all()


def test_multinomial_draws_by_probability():
    p = mx.nd.array([[0.1, 0.0, 0.9], [0.0, 1.0, 0.0]])
    draws, log_p = mx.nd.random.multinomial(p, N, get_prob=True)
    share = (draws.asnumpy()[0] == 2).mean()
    assert abs(share - 0.9) < 5 * math.sqrt(0.09 / N)
    assert set(draws.asnumpy()[0].tolist()) == {0, 2}
    assert set(draws.asnumpy()[1].tolist()) == {1}
    expected = np.log(np.where(draws.asnumpy()[0] == 2, 0.9, 0.1))
    np.testing.assert_allclose(log_p.asnumpy()[0], expected, rtol=1e-5)


def test_shuffle_moves_rows():
    x = mx.nd.arange(200).reshape((100, 2))
    shuffled = mx.nd.random.shuffle(x).asnumpy()
    assert (shuffled[:, 1] - shuffled[:, 0] == 1).all()
    assert sorted(shuffled[:, 0].tolist()) == x.asnumpy()[:, 0].tolist()
    assert (shuffled != x.asnumpy()).any()


def test_zipfian_expectations():
    mx.random.seed(5)
    classes, of_true, of_drawn = mx.nd.contrib.rand_zipfian(mx.nd.array([0, 3]), N, 5)
    p = np.log((np.arange(5) + 2) / (np.arange(5) + 1)) / np.log(6)
    counts = np.bincount(classes.asnumpy(), minlength=5)
    assert (abs(counts - p * N) < 5 * np.sqrt(p * N)).all()
    np.testing.assert_allclose(of_true.asnumpy(), p[[0, 3]] * N)
    np.testing.assert_allclose(of_drawn.asnumpy(), p[classes.asnumpy()] * N)


@pytest.mark.parametrize("parameters", [(0, 1), (mx.nd.zeros((2,)), mx.nd.ones((2,)))])
def test_no_context_is_the_current_one(parameters):
    with mx.cpu(1):
        result = mx.nd.random.normal(*parameters, shape=(3,), ctx=None)
    assert result.context == (mx.cpu(1) if isinstance(parameters[0], int) else mx.cpu(0))


def test_out_tells_where_to_draw_whatever_ctx_says():
    mx.random.seed(3)
    expected = drawn(mx.cpu(1))
    mx.random.seed(3)
    out = mx.nd.zeros((8,), ctx=mx.cpu(1))
    mx.nd.random.uniform(out=out, ctx=mx.cpu(0))
    assert out.asnumpy().tolist() == expected


def test_out_tells_shape_and_receives():
    out = mx.nd.zeros((3, 2), dtype="float64")
    assert mx.nd.random.uniform(1, 2, out=out) is out
    assert (out.asnumpy() >= 1).all()
    with pytest.raises(mx.MXNetError, match=r"output has shape \[3,2\], .* needs \[4\]"):
        mx.nd.random.uniform(1, 2, shape=4, out=out)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: mx.nd.random.uniform("0", mx.nd.ones(1)), ValueError, "neither a number nor"),
        (lambda: mx.nd.random.uniform(mx.nd.ones(1), None), TypeError, "numbers or NDArrays"),
        (lambda: mx.nd.random.exponential(0), ValueError, "scale=0: must be > 0"),
        (lambda: mx.sym.random.normal("a"), ValueError, "a str, int is neither a number nor"),
        (lambda: mx.nd.random.randint(0), TypeError, "missing a required argument: 'high'"),
        (lambda: mx.nd.random.randint(mx.nd.ones(1), 3), TypeError, "must be numbers"),
        (lambda: mx.nd.random.normal(0, loc=1), TypeError, "multiple values"),
        (lambda: mx.nd.random.normal(0, 1, 2, "float32", None, None, 7), TypeError, "too many"),
        (lambda: mx.random.seed("a"), ValueError, "seed_state='a'"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("world", ["nd", "sym"])
def test_numbers_beside_arrays_are_the_same_for_all(world):
    array = mx.nd.array([0.0, 100.0, 200.0])
    given = array if world == "nd" else mx.sym.var("x")
    draw = getattr(mx, world).random

    def drawn(made):
        made = made if world == "nd" else made.eval(x=array)[0]
        return made.asnumpy()

    means = drawn(draw.normal(given, 0.5, shape=200)).mean(1)
    np.testing.assert_allclose(means, [0, 100, 200], atol=0.3)
    low = drawn(draw.uniform(-1, given + 1, shape=200))
    assert (low >= -1).all()
    assert (low.max(1) > [0.5, 50, 100]).all()
    assert drawn(draw.exponential(given + 1, shape=2)).shape == (3, 2)
    assert drawn(draw.normal(given)).shape == (3,)
