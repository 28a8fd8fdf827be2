# SPDX-License-Identifier: Apache-2.0
"""Loops of exact draws as Python and as machine code: equal to the last bit."""

import importlib.util

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.op.random import exact, exact_loops
from mxnova.core.runtime import machine_code


@pytest.fixture(autouse=True)
def _exact():
    yield
    mx.random.seed(0, exact=False)


@pytest.fixture
def plain(monkeypatch):
    """The loops of a process without numba."""
    monkeypatch.setattr(machine_code, "numba", None)
    spec = importlib.util.spec_from_file_location(exact_loops.__name__, exact_loops.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(exact, "_loops", lambda: (module, machine_code.readable))


R = mx.nd.random
DRAWS = {
    "gamma": lambda: R.gamma(2.5, 0.7, shape=300),
    "gamma, float64": lambda: R.gamma(0.3, 0.7, shape=300, dtype="float64"),
    "gamma of float16": lambda: R.gamma(*halves((0.3, 2), (1, 2)), shape=70, dtype="float16"),
    "poisson": lambda: R.poisson(mx.nd.array([0, 3, 11.9, 12, 60, 1e6]), shape=50),
    "negative binomial": lambda: R.negative_binomial(mx.nd.array([3, 90]), mx.nd.array([0.4, 0.5]), shape=70),
    "generalized": lambda: R.generalized_negative_binomial(mx.nd.array([3, 2]), mx.nd.array([0.4, 0]), shape=70),
    "shuffle": lambda: R.shuffle(mx.nd.arange(2000)),
    "choice": lambda: mx.np.random.choice(300, 300, replace=False),
    "power": lambda: mx.np.random.power(2.3, size=100),
}  # fmt: skip


def halves(*values):
    return [mx.nd.array(v, dtype="float16") for v in values]


def of_seed(name):
    mx.random.seed(5, exact=True)
    return np.concatenate([DRAWS[name]().asnumpy().ravel() for _ in range(2)]).tolist()


@pytest.mark.parametrize("name", DRAWS)
def test_loops_are_right_without_numba(name, request):
    wanted = of_seed(name)
    request.getfixturevalue("plain")
    assert of_seed(name) == wanted


@pytest.mark.parametrize(
    "draw",
    [
        lambda: R.gamma(mx.nd.array([np.nan]), mx.nd.array([1.0])),
        lambda: R.poisson(mx.nd.array([4, np.inf]), shape=(3,)),
    ],
)
def test_a_sampler_that_would_not_end_is_an_error(draw):
    mx.random.seed(5, exact=True)
    with pytest.raises(mx.MXNetError, match="does not end"):
        draw().wait_to_read()


def test_loops_compile_where_no_folder_can_be_written(monkeypatch):
    class Numba:
        @staticmethod
        def njit(cache=False, **_options):
            if cache:
                raise RuntimeError("no locator available")
            return lambda loop: ("compiled", loop)

    monkeypatch.setattr(machine_code, "numba", Numba)
    assert machine_code.compiled(len) == ("compiled", len)
