# SPDX-License-Identifier: Apache-2.0
"""Draws at a fixed seed against the distributions: moments, and the greatest distance of the
empirical distribution function from the true one (Kolmogorov and Smirnov).
"""

import math

import numpy as np
import pytest
import torch

import mxnova.core.op.random.density
import mxnova.core.op.random.discrete
import mxnova.core.op.random.distributions  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample, check

N = 20_000
# Exceeded once in 10,000 samples of this size if the distribution is right.
DISTANCE = 2.23 / math.sqrt(N)


def draw(name, seed=5, inputs=(), **attrs):
    op = find(name).of(attrs)
    return op.forward(*inputs, rng=torch.Generator().manual_seed(seed))


def poisson_cdf(k, mean):
    return torch.special.gammaincc(torch.floor(k) + 1, torch.full_like(k, mean))


def negative_binomial_cdf(k, successes, p):
    """By summing the probabilities."""
    counts = torch.arange(int(k.max()) + 1, dtype=torch.float64)
    ways = (counts + successes).lgamma() - (counts + 1).lgamma() - math.lgamma(successes)
    log = ways + successes * math.log(p) + counts * math.log(1 - p)
    return log.exp().cumsum(0)[k.long()]


# name, parameters, mean, variance, distribution function
# fmt: off
DISTRIBUTIONS = [
    ("uniform", {"low": -1, "high": 3}, 1, 16 / 12, lambda x: (x + 1) / 4),
    ("normal", {"loc": 1, "scale": 2}, 1, 4, lambda x: torch.special.ndtr((x - 1) / 2)),
    ("exponential", {"lam": 4}, 0.25, 1 / 16, lambda x: 1 - torch.exp(-4 * x)),
    ("gamma", {"alpha": 2.5, "beta": 0.5}, 1.25, 0.625, lambda x: torch.special.gammainc(torch.full_like(x, 2.5), x / 0.5)),
    ("gamma", {"alpha": 0.3, "beta": 1}, 0.3, 0.3, lambda x: torch.special.gammainc(torch.full_like(x, 0.3), x)),
    ("poisson", {"lam": 3.5}, 3.5, 3.5, lambda k: poisson_cdf(k, 3.5)),
    ("poisson", {"lam": 40}, 40, 40, lambda k: poisson_cdf(k, 40.0)),
    ("negative_binomial", {"k": 3, "p": 0.4}, 4.5, 11.25, lambda k: negative_binomial_cdf(k, 3, 0.4)),
    ("generalized_negative_binomial", {"mu": 2, "alpha": 0.3}, 2, 3.2, lambda k: negative_binomial_cdf(k, 1 / 0.3, 1 / 1.6)),
    ("generalized_negative_binomial", {"mu": 2, "alpha": 0}, 2, 2, lambda k: poisson_cdf(k, 2.0)),
]
# fmt: on
SAMPLED = {"loc": "mu", "scale": "sigma"}  # names of the arrays of _sample_normal


def distance(values, cdf):
    """Greatest distance of the distribution functions; counts make steps in both."""
    values = values.double().flatten().sort().values
    unique, counts = values.unique(return_counts=True)
    below = counts.cumsum(0) / len(values)
    gaps = [(below - cdf(unique)).abs().max()]
    if len(unique) > len(values) / 2:  # continuous: just before each value, too
        gaps.append((below - counts / len(values) - cdf(unique)).abs().max())
    return max(gaps).item()


@pytest.mark.parametrize("form", ["_random_{}", "_random_{}_like", "_sample_{}"])
@pytest.mark.parametrize("name, parameters, mean, variance, cdf", DISTRIBUTIONS)
def test_distribution(form, name, parameters, mean, variance, cdf):
    inputs, attrs = (), parameters
    if form == "_random_{}":
        attrs = {**attrs, "shape": (N,)}
    elif form == "_random_{}_like":
        inputs = (torch.empty(N // 2, 2),)
    else:
        inputs, attrs = [torch.tensor([float(v)]) for v in parameters.values()], {"shape": (N,)}
    values = draw(form.format(name), inputs=inputs, **attrs).double()
    assert values.numel() == N
    assert values.mean().item() == pytest.approx(mean, abs=4 * math.sqrt(variance / N))
    assert values.var().item() == pytest.approx(variance, rel=0.12)
    assert distance(values, cdf) < DISTANCE


@pytest.mark.parametrize("name, parameters", [row[:2] for row in DISTRIBUTIONS])
def test_the_random_stream_decides(name, parameters):
    a, b, c = (draw(f"_random_{name}", seed, shape=(50,), **parameters) for seed in (1, 1, 2))
    assert torch.equal(a, b)
    assert not torch.equal(a, c)


def test_arrays_of_parameters_have_draws_of_their_own():
    low = torch.tensor([[0.0, 10], [20, 30]])
    values = draw("_sample_uniform", inputs=(low, low + 1), shape=(3, 100))
    assert values.shape == (2, 2, 3, 100)
    assert ((values >= low[..., None, None]) & (values < low[..., None, None] + 1)).all()
    assert len(values.unique()) > 1100


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_types_of_draws(dtype):
    wanted = getattr(torch, dtype)
    assert draw("_random_normal", shape=(3,), dtype=dtype).dtype == wanted
    assert draw("_sample_poisson", inputs=(torch.ones(2),), dtype=dtype).dtype == wanted
    assert draw("_random_gamma_like", inputs=(torch.ones(2, dtype=wanted),)).dtype == wanted


def test_double_precision_is_used():
    values = draw("_random_uniform", shape=(100,), dtype="float64")
    assert (values.float().double() != values).any()


@pytest.mark.parametrize("dtype, low, high", [("int32", -3, 4), ("int64", 2**40, 2**40 + 7)])
def test_integers(dtype, low, high):
    values = draw("_random_randint", low=low, high=high, shape=(7000,), dtype=dtype)
    assert values.dtype == getattr(torch, dtype)
    counts = torch.bincount((values - low).long(), minlength=7)
    assert len(counts) == 7
    assert ((counts - 1000) ** 2 / 1000).sum() < 27.9  # chi-square, 6 degrees: p = 0.0001


def test_classes_follow_their_probabilities():
    data = torch.tensor([[0.1, 0, 0.6, 0.3], [0, 1, 0, 0]])
    values, log = draw("_sample_multinomial", inputs=(data,), shape=(10_000,), get_prob=True)
    assert values.dtype == torch.int32
    counts = torch.bincount(values[0], minlength=4)
    assert counts[1] == 0
    expected = data[0, [0, 2, 3]] * 10_000
    assert ((counts[[0, 2, 3]] - expected) ** 2 / expected).sum() < 18.4  # chi-square, p = 0.0001
    assert (values[1] == 1).all()
    torch.testing.assert_close(log[0], data[0].log()[values[0].long()])


def test_the_gradient_of_drawn_classes_is_that_of_their_log_probability():
    data = torch.tensor([0.2, 0.8], requires_grad=True)
    values, log = draw("_sample_multinomial", inputs=(data,), shape=(10,), get_prob=True)
    log.sum().backward()
    counts = torch.bincount(values, minlength=2)
    torch.testing.assert_close(data.grad, counts / data.detach())


def test_probabilities_that_do_not_reach_1_stay_within_the_classes():
    values = draw("_sample_multinomial", inputs=(torch.tensor([0.1, 0.1]),), shape=(100,))
    assert values.max() == 1


def test_unique_integers_follow_the_law_of_zipf():
    values, tries = draw("_sample_unique_zipfian", range_max=50, shape=(4000, 5))
    assert values.shape == (4000, 5)
    assert tries.shape == (4000,)
    ordered = values.sort(1).values
    assert (ordered[:, 1:] > ordered[:, :-1]).all()
    assert ((values >= 0) & (values < 50)).all()
    assert (tries >= 5).all()
    first = values[:, 0].double()  # not touched by the demand to differ
    for k in (0, 3, 12, 30):
        expected = math.log(k + 2) / math.log(51)
        share = (first <= k).double().mean().item()
        assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 4000))


def test_all_integers_can_be_asked_for():
    values, tries = draw("_sample_unique_zipfian", range_max=20, shape=(10, 20))
    assert (values.sort(1).values == torch.arange(20)).all()
    assert tries.max() > 20


def test_shuffling_moves_whole_rows():
    data = torch.arange(40).reshape(20, 2)
    found = draw("_shuffle", inputs=(data,))
    assert torch.equal(found.sort(0).values, data)
    assert torch.equal(found[:, 1], found[:, 0] + 1)
    assert not torch.equal(found, data)


# Densities


def log_factorial(x):
    return np.array([math.lgamma(v + 1) for v in np.ravel(x)]).reshape(np.shape(x))


def lgamma(x):
    return log_factorial(x - 1)


def rows(parameter):
    return parameter[:, None]


def log_normal(x, mu, sigma):
    return -(((x - rows(mu)) / rows(sigma)) ** 2) / 2 - np.log(rows(sigma) * np.sqrt(2 * np.pi))


def log_gamma(x, a, b):
    a, b = rows(a), rows(b)
    return a * np.log(b) + (a - 1) * np.log(x) - b * x - lgamma(a)


def log_poisson(x, lam):
    return x * np.log(rows(lam)) - rows(lam) - log_factorial(x)


def log_negative_binomial(x, k, p):
    k, p = rows(k), rows(p)
    return lgamma(x + k) - log_factorial(x) - lgamma(k) + k * np.log(p) + x * np.log(1 - p)


def log_dirichlet(x, alpha):
    return ((alpha - 1) * np.log(x)).sum(-1) + lgamma(alpha.sum(-1)) - lgamma(alpha).sum(-1)


PLACES = np.array([[0.5, 1.5, 0.1], [2, 0.3, 1]])
COUNTS = np.array([[0.0, 1, 4], [2, 3, 0]])
A, B = np.array([0.7, 2.5]), np.array([1.5, 0.4])
SHARES = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
ALPHA = np.array([[0.5, 2, 3], [1, 1.5, 0.7]])
# fmt: off
DENSITIES = [
    ("uniform", [PLACES, A, A + B], lambda x, a, b: -np.log(rows(b - a)) * np.ones_like(x)),
    ("normal", [PLACES, A, B], log_normal),
    ("gamma", [PLACES, A, B], log_gamma),
    ("exponential", [PLACES, A], lambda x, lam: np.log(rows(lam)) - rows(lam) * x),
    ("poisson", [COUNTS, A], log_poisson),
    ("negative_binomial", [COUNTS, A, B / 2], log_negative_binomial),
    ("generalized_negative_binomial", [COUNTS, A, B], lambda x, mu, alpha: log_negative_binomial(x, 1 / alpha, 1 / (mu * alpha + 1))),
    ("dirichlet", [SHARES, ALPHA], log_dirichlet),
]
# fmt: on


@pytest.mark.parametrize("name, inputs, log", DENSITIES, ids=[row[0] for row in DENSITIES])
def test_density(name, inputs, log):
    counts = name in ("poisson", "negative_binomial", "generalized_negative_binomial")
    plain = Sample(f"_random_pdf_{name}", inputs, {}, lambda *x: np.exp(log(*x)), not counts)
    check(plain)
    check(Sample(plain.op, inputs, {"is_log": True}, log, not counts))


@pytest.mark.parametrize("name", ["poisson", "negative_binomial", "generalized_negative_binomial"])
def test_parameters_of_counts_have_gradients_and_counts_none(name):
    inputs = next(row[1] for row in DENSITIES if row[0] == name)
    sample, *parameters = (torch.tensor(x, requires_grad=True) for x in inputs)
    op = find(f"_random_pdf_{name}").of({})
    assert torch.autograd.gradcheck(lambda *p: op.forward(sample.detach(), *p), parameters)
    op.forward(sample, *parameters).sum().backward()
    assert sample.grad is None


# Rules


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, output, expected", [
    ("_random_uniform", {"shape": (2, 3)}, [], None, "-> [2,3]"),
    ("_random_uniform", {}, [], (2, 3), "-> [2,3]"),
    ("_random_uniform", {"shape": (0, 3)}, [], None, "-> [?,3]"),
    ("_random_randint", {"low": 0, "high": 5}, [], None, "-> unknown"),
    ("_random_normal_like", {}, [None], (2, 3), "[2,3] -> [2,3]"),
    ("_sample_normal", {"shape": (4,)}, [(2, 3), None], None, "[2,3], [2,3] -> [2,3,4]"),
    ("_sample_normal", {"shape": (4,)}, [None, None], (2, 3, 4), "[2,3], [2,3] -> [2,3,4]"),
    ("_sample_multinomial", {"shape": (4,), "get_prob": True}, [(2, 3)], None, "[2,3] -> [2,4], [2,4]"),
    ("_sample_multinomial", {}, [(3,)], None, "[3] -> [1]"),
    ("_sample_unique_zipfian", {"range_max": 9, "shape": (2, 4)}, [], None, "-> [2,4], [2]"),
    ("_shuffle", {}, [None], (2, 3), "[2,3] -> [2,3]"),
    ("_random_pdf_normal", {}, [(4, 2, 3), (4,), (4, 2)], None, "[4,2,3], [4], [4,2] -> [4,2,3]"),
    ("_random_pdf_dirichlet", {}, [(4, 2, 3), (4, 3)], None, "[4,2,3], [4,3] -> [4,2]"),
])
# fmt: on
def test_shapes(name, attrs, inputs, output, expected):
    assert inferred_shapes(name, attrs, inputs, output).strip() == expected


def test_an_open_shape_is_settled():
    for name, attrs in (("_random_normal", {}), ("_random_randint", {"low": 0, "high": 9})):
        op = find(name).of({**attrs, "shape": (0, 3)})
        settled = op.settled((2, 3), torch.float32)
        assert settled.forward(rng=None).shape == (2, 3)
        assert settled.settled((2, 3), torch.float32) is settled


def test_a_scalar_is_a_shape_under_numpy_semantics():
    before = set_np_shape(True)
    try:
        assert inferred_shapes("_random_uniform", {"shape": ()}, []).strip() == "-> []"
    finally:
        set_np_shape(before)


def test_types():
    half = torch.float16
    assert inferred_dtypes("_sample_normal", {}, [half, None]) == "float16, float16 -> float32"
    assert inferred_dtypes("_random_normal_like", {}, [half]) == "float16 -> float16"
    found = inferred_dtypes("_sample_multinomial", {"get_prob": True, "dtype": "uint8"}, [half])
    assert found == "float16 -> uint8, float16"


# fmt: off
@pytest.mark.parametrize("name, attrs", [
    ("_random_uniform", {"low": 3, "high": 1}),
    ("_random_normal", {"scale": 0}),
    ("_random_exponential", {"lam": 0}),
    ("_random_gamma_like", {"alpha": 1, "beta": -1}),
    ("_random_poisson", {"lam": -1}),
    ("_random_negative_binomial", {"k": 2, "p": 0}),
    ("_random_generalized_negative_binomial", {"mu": -1}),
    ("_random_randint", {"low": 5, "high": 5}),
])
# fmt: on
def test_bad_parameters_are_named(name, attrs):
    value = "|".join(f"{k}={v}" for k, v in attrs.items())
    op = find(name).of(attrs)
    with pytest.raises(MXNetError, match=value):
        op.forward(*(torch.ones(2) for _ in op.inputs()), rng=None)


def test_other_bad_arguments_are_named():
    with pytest.raises(MXNetError, match="shape=.*only 3 integers"):
        inferred_shapes("_sample_unique_zipfian", {"range_max": 3, "shape": (2, 5)}, [])
    with pytest.raises(MXNetError, match="shape="):
        inferred_shapes("_sample_unique_zipfian", {"range_max": 3, "shape": (2,)}, [])
    with pytest.raises(ArgumentError, match="shape="):
        inferred_shapes("_sample_poisson", {"shape": (0,)}, [(2,)])
    with pytest.raises(MXNetError, match="data has type int32"):
        inferred_dtypes("_random_uniform_like", {}, [torch.int32])
    with pytest.raises(MXNetError, match=r"alpha \[2,3,1\] has more axes"):
        inferred_shapes("_random_pdf_gamma", {}, [(2, 3), (2, 3, 1), (2,)])
