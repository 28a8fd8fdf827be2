# SPDX-License-Identifier: Apache-2.0
"""Draws at a fixed seed against the distributions: moments, and the greatest distance of the
empirical distribution function from the true one (Kolmogorov and Smirnov).
"""

import math

import pytest
import torch

import mxnova.core.op.numpy.random
import mxnova.core.op.numpy.random_discrete  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes

N = 20_000
# Exceeded once in 10,000 samples of this size if the distribution is right.
DISTANCE = 2.23 / math.sqrt(N)
EULER = 0.5772156649015329


def generator(seed=5):
    return torch.Generator().manual_seed(seed)


def draw(name, *inputs, seed=5, **attrs):
    """The visible output."""
    drawn = find(name).of(attrs).forward(*inputs, rng=generator(seed))
    return drawn[0] if isinstance(drawn, tuple) else drawn


# name, parameters, mean, variance, distribution function
# fmt: off
DISTRIBUTIONS = [
    ("uniform", {"low": 3, "high": -1}, 1, 16 / 12, lambda x: (x + 1) / 4),
    ("uniform_n", {"low": -1, "high": 3}, 1, 16 / 12, lambda x: (x + 1) / 4),
    ("normal", {"loc": 1, "scale": 2}, 1, 4, lambda x: torch.special.ndtr((x - 1) / 2)),
    ("normal_n", {"loc": 1, "scale": 2}, 1, 4, lambda x: torch.special.ndtr((x - 1) / 2)),
    ("gumbel", {"loc": 1, "scale": 2}, 1 + 2 * EULER, 4 * math.pi**2 / 6, lambda x: torch.exp(-torch.exp((1 - x) / 2))),
    ("logistic", {"loc": 1, "scale": 2}, 1, 4 * math.pi**2 / 3, lambda x: torch.sigmoid((x - 1) / 2)),
    ("gamma", {"shape": 2.5, "scale": 0.5}, 1.25, 0.625, lambda x: torch.special.gammainc(torch.full_like(x, 2.5), x / 0.5)),
    ("exponential", {"scale": 4}, 4, 16, lambda x: 1 - torch.exp(-x / 4)),
    ("rayleigh", {"scale": 2}, 2 * math.sqrt(math.pi / 2), 4 * (2 - math.pi / 2), lambda x: 1 - torch.exp(-(x**2) / 8)),
    ("pareto", {"a": 6}, 0.2, 0.06, lambda x: 1 - (1 + x) ** -6),
    ("powerd", {"a": 2}, 2 / 3, 1 / 18, lambda x: x**2),
    ("weibull", {"a": 2}, math.sqrt(math.pi) / 2, 1 - math.pi / 4, lambda x: 1 - torch.exp(-(x**2))),
]
# fmt: on


def distance(values, cdf):
    """Greatest distance of the distribution functions, just before each value, too."""
    values = values.double().sort().values
    steps = torch.arange(len(values) + 1) / len(values)
    true = cdf(values)
    return max((steps[1:] - true).abs().max(), (steps[:-1] - true).abs().max()).item()


@pytest.mark.parametrize("by_array", [False, True], ids=["numbers", "arrays"])
@pytest.mark.parametrize("name, parameters, mean, variance, cdf", DISTRIBUTIONS)
def test_distribution(by_array, name, parameters, mean, variance, cdf):
    inputs, attrs = [], parameters
    if by_array:
        inputs = [torch.tensor(float(value)) for value in parameters.values()]
        attrs = dict.fromkeys(parameters)
    values = draw(f"_npi_{name}", *inputs, size=(N,), **attrs)
    assert values.shape == (N,)
    assert values.mean().item() == pytest.approx(mean, abs=4 * math.sqrt(variance / N))
    assert values.var().item() == pytest.approx(variance, rel=0.12)
    assert distance(values, cdf) < DISTANCE


@pytest.mark.parametrize("name, parameters", [row[:2] for row in DISTRIBUTIONS])
def test_the_random_stream_decides(name, parameters):
    a, b, c = (draw(f"_npi_{name}", seed=seed, size=(50,), **parameters) for seed in (1, 1, 2))
    assert torch.equal(a, b)
    assert not torch.equal(a, c)


@pytest.mark.parametrize("name, parameters", [row[:2] for row in DISTRIBUTIONS])
def test_shapes_follow_numbers_arrays_and_size(name, parameters):
    name = f"_npi_{name}"
    assert draw(name, **parameters).shape == ()
    assert draw(name, size=(0, 2), **parameters).shape == (0, 2)
    first, *more = parameters
    open_ = {**parameters, first: None}
    array = torch.full((3,), float(parameters[first]))
    assert inferred_shapes(name, open_, [(3,)]).split(" -> ")[1].startswith("[3]")
    assert draw(name, array, **open_).shape == (3,)
    wanted = (2, 3, 3) if name.endswith("_n") else (2, 3)
    assert draw(name, array, size=(2, 3), **open_).shape == wanted
    if more:
        both = dict.fromkeys(parameters)
        pair = [array[:, None], torch.full((3,), float(parameters[more[0]]))]
        assert draw(name, *pair, **both).shape == (3, 3)


def test_each_element_of_an_array_is_a_parameter():
    low = torch.tensor([0.0, 10, 20])
    for name, size in (("_npi_uniform", (500, 3)), ("_npi_uniform_n", (500,))):
        values = draw(name, low, low + 1, low=None, high=None, size=size)
        assert ((values >= low) & (values <= low + 1)).all()
        assert len(values.unique()) > 1400


def test_parameters_that_do_not_fit_the_size_are_refused():
    with pytest.raises(MXNetError, match=r"\[2\].*\(3,\)"):
        inferred_shapes("_npi_exponential", {"scale": None, "size": (3,)}, [(2,)])
    with pytest.raises(MXNetError, match=r"\[2,2\].*\(2, 1\)"):
        inferred_shapes("_npi_exponential", {"scale": None, "size": (2, 1)}, [(2, 2)])
    with pytest.raises(MXNetError, match=r"\[2\] and \[3\]"):
        inferred_shapes("_npi_normal", {"loc": None, "scale": None}, [(2,), (3,)])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["uniform", "uniform_n", "normal", "normal_n", "gamma"])
def test_types_of_draws(name, dtype):
    names = [f.name for f in find(f"_npi_{name}").fields[:2]]
    attrs = {**dict.fromkeys(names, 1.0), "dtype": dtype}
    assert draw(f"_npi_{name}", size=(3,), **attrs).dtype == getattr(torch, dtype)
    open_ = {**attrs, names[1]: None}
    assert draw(f"_npi_{name}", torch.ones(3).double(), **open_).dtype == getattr(torch, dtype)


def test_arrays_of_any_type_give_float32():
    for dtype in (torch.float16, torch.float64, torch.int32):
        assert (
            draw("_npi_exponential", torch.ones(3, dtype=dtype), scale=None).dtype is torch.float32
        )


def test_double_precision_is_used():
    values = draw("_npi_normal", loc=0, scale=1, size=(100,), dtype="float64")
    assert (values.float().double() != values).any()


# What the gradient is, given values and parameters of draws.
# fmt: off
GRADIENTS = [
    ("normal", {"loc": 1, "scale": 2}, [lambda x, m, s: torch.ones_like(x), lambda x, m, s: (x - m) / s]),
    ("normal_n", {"loc": 1, "scale": 2}, [lambda x, m, s: torch.ones_like(x), lambda x, m, s: (x - m) / s]),
    ("gumbel", {"loc": 1, "scale": 2}, [lambda x, m, s: torch.ones_like(x), lambda x, m, s: (x - m) / s]),
    ("logistic", {"loc": 1, "scale": 2}, [lambda x, m, s: torch.ones_like(x), lambda x, m, s: (x - m) / s]),
    ("exponential", {"scale": 4}, [lambda x, s: x / s]),
    ("rayleigh", {"scale": 4}, [lambda x, s: x / s]),
    ("pareto", {"a": 2}, [lambda x, a: -(x + 1) * (x + 1).log() / a]),
    ("weibull", {"a": 2}, [lambda x, a: -x * x.log() / a]),
]
# fmt: on


@pytest.mark.parametrize("name, parameters, gradients", GRADIENTS)
def test_gradients_are_those_of_the_shaped_noise(name, parameters, gradients):
    op = find(f"_npi_{name}").of({**dict.fromkeys(parameters), "size": (4,)})
    inputs = [torch.tensor(float(v), requires_grad=True) for v in parameters.values()]
    drawn, noise = recorded(op)(*inputs, rng=generator())
    assert op.n_visible() == 1
    assert not noise.requires_grad
    head = torch.arange(1.0, 5)
    got = torch.autograd.grad(drawn, inputs, head)
    for g, gradient in zip(got, gradients, strict=True):
        torch.testing.assert_close(g, (gradient(drawn, *inputs) * head).sum())


@pytest.mark.parametrize("name", ["uniform", "uniform_n", "gamma", "powerd"])
def test_the_others_have_no_gradient(name):
    numbers = [
        f.name for f in find(f"_npi_{name}").fields if f.name not in ("size", "ctx", "dtype")
    ]
    op = find(f"_npi_{name}").of(dict.fromkeys(numbers))
    drawn = recorded(op)(*(torch.ones(2, requires_grad=True) for _ in numbers), rng=generator())
    assert not drawn.requires_grad


@pytest.mark.parametrize(
    "name, number",
    [("normal", "scale"), ("gumbel", "scale"), ("logistic", "scale"), ("gamma", "shape"),
     ("gamma", "scale"), ("exponential", "scale"), ("rayleigh", "scale"), ("pareto", "a"),
     ("powerd", "a"), ("weibull", "a")],
)  # fmt: skip
def test_parameters_out_of_range_are_refused(name, number):
    name = f"_npi_{name}"
    others = {f.name: 1.0 for f in find(name).fields if f.kind.label == "float or None"}
    with pytest.raises(ArgumentError, match=f"{number}=-1"):
        draw(name, **{**others, number: -1})
    with pytest.raises(ValueError, match=f"{number}=.*everywhere"):
        draw(name, torch.tensor([1.0, -1]), **{**others, number: None})


def test_a_scale_of_0_makes_a_constant():
    assert draw("_npi_normal", loc=1, scale=0, size=(2,)).tolist() == [1, 1]
    assert draw("_npi_exponential", torch.zeros(2), scale=None).tolist() == [0, 0]


# Discrete


@pytest.mark.parametrize(
    "inputs, attrs, p",
    [
        ([], {"prob": 0.3, "logit": None, "is_logit": False}, 0.3),
        ([], {"prob": 0.3, "logit": 3, "is_logit": True}, 0.3),
        ([], {"prob": None, "logit": 1, "is_logit": False}, 1 / (1 + math.exp(-1))),
        ([0.3], {"prob": None, "logit": None, "is_logit": False}, 0.3),
        ([-1.0], {"prob": None, "logit": None, "is_logit": True}, 1 / (1 + math.exp(1))),
    ],
)
def test_bernoulli(inputs, attrs, p):
    values = draw("_npi_bernoulli", *map(torch.tensor, inputs), size=(N,), **attrs)
    assert set(values.unique().tolist()) == {0, 1}
    assert values.mean().item() == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / N))


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "float64", "int32", "uint8"])
def test_types_of_bernoulli(dtype):
    attrs = {"prob": None, "logit": None, "is_logit": False, "dtype": dtype}
    found = draw("_npi_bernoulli", torch.tensor([0.0, 1]), **attrs)
    assert found.dtype == getattr(torch, dtype)
    assert found.tolist() == [0, 1]


def test_probabilities_out_of_range_are_refused():
    with pytest.raises(ArgumentError, match=r"prob=1\.5"):
        draw("_npi_bernoulli", prob=1.5, logit=None, is_logit=False)
    open_ = {"prob": None, "logit": None}
    with pytest.raises(ValueError, match="prob"):
        draw("_npi_bernoulli", torch.tensor([2.0]), is_logit=False, **open_)
    logits = torch.tensor([99.0, -99])
    assert draw("_npi_bernoulli", logits, is_logit=True, **open_).tolist() == [1, 0]


def chi_square(counts, expected):
    return ((counts - expected) ** 2 / expected).sum().item()


def test_choices_are_equally_likely():
    values = draw("_npi_choice", a=7, size=(70, 100))
    assert values.dtype is torch.int64
    assert chi_square(values.flatten().bincount(minlength=7), torch.full((7,), 1000.0)) < 27.9


@pytest.mark.parametrize("size", [None, (), 3, (2, 2), (0,)])
@pytest.mark.parametrize("replace", [True, False])
def test_sizes_of_choices(size, replace):
    shape = (3,) if size == 3 else size or ()
    assert draw("_npi_choice", a=5, size=size, replace=replace).shape == shape
    weighted = draw("_npi_choice", torch.ones(5), a=5, size=size, replace=replace, weighted=True)
    assert weighted.shape == shape


def test_weighted_choices():
    p = torch.tensor([0.1, 0, 0.6, 0.3])
    values = draw("_npi_choice", torch.zeros(4, 2), p, a=None, size=(10_000,), weighted=True)
    counts = values.bincount(minlength=4)
    assert counts[1] == 0
    assert chi_square(counts[[0, 2, 3]], p[[0, 2, 3]] * 10_000) < 18.4


def test_choices_without_replacement_differ():
    assert draw("_npi_choice", a=9, size=(9,), replace=False).sort().values.tolist() == [*range(9)]
    attrs = {"a": 3, "size": (2,), "replace": False, "weighted": True}
    p = torch.tensor([0.2, 0.5, 0.3])
    first = torch.zeros(3)
    for seed in range(1000):
        i, j = draw("_npi_choice", p, seed=seed, **attrs).tolist()
        assert i != j
        first[i] += 1
    assert chi_square(first, p * 1000) < 18.4  # 2 degrees of freedom: p = 0.0001


# fmt: off
REFUSED = [
    ("_npi_choice", {"a": 0, "size": (2,)}, [], "a=0"),
    ("_npi_choice", {"a": 5, "size": (6,), "replace": False}, [], "size=(6,)"),
    ("_npi_choice", {"a": 3, "size": (2,), "weighted": True}, [(2,)], "input1 [2]"),
    ("_npi_multinomial", {"n": -1, "pvals": (0.5, 0.5)}, [], "n=-1"),
    ("_npi_multinomial", {"n": 5, "pvals": (0.2, 0.9)}, [], "pvals"),
    ("_npi_multinomial", {"n": 5}, [(1, 2)], "a has shape [1,2]"),
]
# fmt: on


@pytest.mark.parametrize("by_array", [False, True], ids=["numbers", "array"])
def test_multinomial(by_array):
    p = [0.2, 0.5, 0.1]  # the rest goes to the last class
    inputs, attrs = ([torch.tensor(p)], {}) if by_array else ([], {"pvals": p})
    values = draw("_npi_multinomial", *inputs, n=20, size=(50, 10), **attrs)
    assert values.dtype is torch.int64
    assert values.shape == (50, 10, 3)
    assert (values.sum(-1) == 20).all()
    expected = torch.tensor([0.2, 0.5, 0.3]) * 10_000
    assert chi_square(values.sum((0, 1)), expected) < 18.4


def test_multinomial_at_its_edges():
    assert draw("_npi_multinomial", n=0, pvals=(0.2, 0.8)).tolist() == [0, 0]
    assert draw("_npi_multinomial", n=3, pvals=()).shape == (0,)
    assert draw("_npi_multinomial", n=3, pvals=(0.2, 0.8), size=(0, 2)).shape == (0, 2, 2)
    with pytest.raises(ValueError, match="more than 1"):
        draw("_npi_multinomial", torch.tensor([0.2, 0.9]), n=5)


def test_inferred_shapes_and_types():
    assert inferred_shapes("_npi_multinomial", {"n": 3, "size": (2,)}, [(5,)]) == "[5] -> [2,5]"
    assert inferred_shapes("_npi_uniform", {"low": None, "high": 1, "size": (2,)}, [None]) == (
        "unknown -> [2]"
    )
    assert inferred_shapes("_npi_choice", {"a": None, "size": (2,)}, [(5, 3)]) == "[5,3] -> [2]"
    found = inferred_dtypes("_npi_exponential", {"scale": None}, [torch.float64])
    assert found == "float64 -> float32, float32"
