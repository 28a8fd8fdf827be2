# SPDX-License-Identifier: Apache-2.0
"""Draws from the random streams of MXNet, which `exact` seeds ask for: the numbers are equal."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks.inputs import import_mx
from benchmarks.subject import Case, Options, Subject, runtime_of

DRAWS = {
    "uniform float32": "random.uniform(shape=n)",
    "uniform float64": "random.uniform(shape=n, dtype='float64')",
    "normal float32": "random.normal(shape=n)",
    "normal float64": "random.normal(shape=n, dtype='float64')",
    "randint": "random.randint(0, 1000, shape=n)",
    "gamma": "random.gamma(2, 1, shape=n)",
    "poisson of mean 4": "random.poisson(4, shape=n)",
    "poisson of mean 40": "random.poisson(40, shape=n)",
    "negative_binomial": "random.negative_binomial(4, 0.4, shape=n)",
    "multinomial": "random.multinomial(shares, shape=n)",
    "shuffle": "random.shuffle(data)",
    "Dropout": "Dropout(data, p=0.5, mode='always')",
}
LENGTHS = (10, 1000, 100_000, 1_000_000)


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    lengths = LENGTHS[:1] if options.smoke else LENGTHS
    return {
        f"{name}, {n:,}": functools.partial(_case, peer, statement, n)
        for name, statement in DRAWS.items()
        for n in lengths
    }


def _case(peer: str, statement: str, n: int) -> Case:
    mx = import_mx(peer)
    _seed(peer, mx)
    known = {"random": mx.nd.random, "Dropout": mx.nd.Dropout, "data": mx.nd.arange(n), "n": n}
    known["shares"] = mx.nd.array([0.1, 0.2, 0.3, 0.4])

    def output() -> list[Any]:
        _seed(peer, mx)
        return [eval(statement, known).asnumpy()]

    return Case(f"{statement}.wait_to_read()", known, output=output)


def _seed(peer: str, mx: Any) -> None:
    exact = {"exact": True} if runtime_of(peer) == "mxnova" else {}
    mx.random.seed(3, **exact)


SUBJECT = Subject("Exact seeds", ("mxnova", "mxnet"), cases, rounds=5)
