# SPDX-License-Identifier: Apache-2.0
"""Programs whose numbers follow from a seed alone, for MXNet and mxnova.

`scripts/record/seeds.py` records what MXNet 1.9.1 draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

SEEDS = (0, 1, 2, 3, 7, 42, 127, 1000, 123456, 2**31 - 1)
SHAPES = ((1,), (5,), (64,), (65,), (3, 43), (1000,), (2, 3, 4), (70000,))
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int32", "int64")
Draw = Callable[[Any, tuple[int, ...], str], Any]
Seed = Callable[[int], None]


def _dropout(mx: Any, shape: tuple[int, ...], dtype: str) -> Any:
    with mx.autograd.record():
        return mx.nd.Dropout(mx.nd.ones(shape, dtype=dtype), p=0.3)


def _multinomial(mx: Any, shape: tuple[int, ...], dtype: str) -> Any:
    shares = mx.nd.array([[0.1, 0.2, 0.7], [0.25, 0.5, 0.25]], dtype=dtype)
    return mx.nd.random.multinomial(shares, shape=shape)


def _shuffled(mx: Any, shape: tuple[int, ...], dtype: str) -> Any:
    n = int(np.prod(shape))
    return mx.nd.random.shuffle(mx.nd.array(np.arange(n).reshape(shape), dtype=dtype))


def _choice(replace: bool) -> Draw:
    return lambda mx, shape, _dtype: mx.np.random.choice(100_000, shape, replace=replace)


def _of_arrays(name: str, first: tuple[float, ...], second: tuple[float, ...]) -> Draw:
    def draw(mx: Any, shape: tuple[int, ...], dtype: str) -> Any:
        low, high = (mx.nd.array(values, dtype=dtype) for values in (first, second))
        return getattr(mx.nd.random, name)(low, high, shape=shape, dtype=dtype)

    return draw


def _plain(name: str, *parameters: float) -> Draw:
    return lambda mx, shape, dtype: getattr(mx.nd.random, name)(
        *parameters, shape=shape, dtype=dtype
    )


def _np(name: str, *parameters: float) -> Draw:
    return lambda mx, shape, dtype: getattr(mx.np.random, name)(
        *parameters, size=shape, dtype=dtype
    )


def _np_single(name: str, *parameters: float) -> Draw:
    return lambda mx, shape, _dtype: getattr(mx.np.random, name)(*parameters, size=shape)


# What follows from the words of the generators alone: the same on every machine.
EXACT: dict[str, tuple[Draw, tuple[str, ...]]] = {
    "uniform": (_plain("uniform", 0.1, 0.7), FLOATS),
    "uniform of arrays": (_of_arrays("uniform", (0.1, 1, 2), (0.3, 2, 7)), FLOATS),
    "randint": (_plain("randint", -5, 100), INTEGERS),
    "randint of many": (_plain("randint", -(2**31), 2**31 - 1), INTEGERS),
    "shuffle": (_shuffled, ("float32", "int32")),
    "multinomial": (_multinomial, FLOATS),
    "Dropout": (_dropout, FLOATS),
    "np.uniform": (_np("uniform", 0.1, 0.7), FLOATS),
    "np.randint": (_np("randint", 3, 400), INTEGERS),
    "np.choice": (_choice(True), ("int64",)),
    "np.choice without replacement": (_choice(False), ("int64",)),
    "npx.bernoulli": (
        lambda mx, shape, dtype: mx.npx.random.bernoulli(prob=0.3, size=shape, dtype=dtype),
        FLOATS,
    ),
}
# What functions of the C library round, too.
ROUNDED: dict[str, tuple[Draw, tuple[str, ...]]] = {
    "normal": (_plain("normal", 0.1, 0.7), FLOATS),
    "normal of arrays": (_of_arrays("normal", (0.1, 1, 2), (0.3, 2, 7)), FLOATS),
    "exponential": (_plain("exponential", 0.3), FLOATS),
    "np.normal": (_np("normal", 0.1, 0.7), FLOATS),
    "np.exponential": (_np_single("exponential", 0.7), ("float32",)),
    "np.gumbel": (_np_single("gumbel", 0.3, 0.7), ("float32",)),
    "np.logistic": (_np_single("logistic", 0.3, 0.7), ("float32",)),
    "np.rayleigh": (_np_single("rayleigh", 0.7), ("float32",)),
    "np.weibull": (_np_single("weibull", 2.3), ("float32",)),
    "np.pareto": (_np_single("pareto", 2.3), ("float32",)),
    "np.power": (_np_single("power", 2.3), ("float32",)),
}
# The same, slower: few shapes.
SAMPLED: dict[str, tuple[Draw, tuple[str, ...]]] = {
    "gamma": (_plain("gamma", 2.5, 0.7), FLOATS),
    "gamma of small shape": (_plain("gamma", 0.3, 0.7), FLOATS),
    "gamma of arrays": (_of_arrays("gamma", (0.1, 1, 2), (0.3, 2, 7)), FLOATS),
    "poisson": (_plain("poisson", 3.0), FLOATS),
    "poisson of large mean": (_plain("poisson", 60.0), FLOATS),
    "negative binomial": (_plain("negative_binomial", 3, 0.4), FLOATS),
    "generalized negative binomial": (_plain("generalized_negative_binomial", 3, 0.4), FLOATS),
}
TABLE = {**EXACT, **ROUNDED, **SAMPLED}


def drawn(mx: Any, seed: Seed, name: str, dtype: str) -> list[str | list[float]]:
    """A digest of all that is drawn, twice for each seed and shape, and first numbers."""
    draw, _ = TABLE[name]
    shapes = SHAPES[:5] if name in SAMPLED else SHAPES
    digest, first = hashlib.sha256(), []
    for number in SEEDS:
        for shape in shapes:
            seed(number)
            results = [draw(mx, shape, dtype).asnumpy() for _ in range(2)]
            first.append(float(results[0].flat[0]))
            for result in results:
                digest.update(np.ascontiguousarray(result).tobytes())
    return [digest.hexdigest()[:32], first[:: len(shapes)]]


# Programs -----------------------------------------------------------------------------------------


def mixed(mx: Any, seed: Seed) -> list[list[float]]:
    """Draws of both streams and many lengths, one after another."""
    seed(7)
    r = mx.nd.random
    results = [
        r.uniform(shape=(70,)),
        r.normal(shape=(130,)),
        r.shuffle(mx.nd.arange(20)),
        r.randint(0, 9, (33,)),
        r.normal(shape=(5,)),
        r.gamma(2.0, 1.0, shape=(80,)),
        r.uniform(shape=(3,)),
        r.multinomial(mx.nd.array([0.2, 0.8]), shape=9),
        r.poisson(3.0, shape=(70,)),
        mx.np.random.normal(size=3),
        mx.np.random.uniform(size=3),
        mx.np.random.multinomial(9, [0.2, 0.8]),
        mx.np.random.power(2.0, size=2),
        mx.np.random.exponential(mx.np.array([0.5, 1.5])),
        mx.np.random.choice(50, (30,), replace=False),
        r.uniform(shape=(4,), ctx=mx.cpu(1)),
        r.normal(shape=(4,)),
    ]
    return [result.asnumpy()[:5].tolist() for result in results]


def symbols(mx: Any, seed: Seed) -> list[list[float]]:
    """Dropout and draws in bound symbols."""
    seed(8)
    executor = mx.sym.Dropout(mx.sym.var("x"), p=0.4).simple_bind(mx.cpu(), x=(3, 5))
    executor.arg_dict["x"][:] = 1
    masks = [executor.forward(is_train=True)[0].asnumpy().ravel().tolist() for _ in range(2)]
    total = mx.sym.random.uniform(shape=(5,)) + mx.sym.random.normal(shape=(5,))
    return [*masks, total.bind(mx.cpu(), {}).forward()[0].asnumpy().tolist()]


def initializers(mx: Any, seed: Seed) -> list[list[float]]:
    """First weights of initializers."""
    found = []
    for name in ("Uniform", "Normal", "Xavier", "MSRAPrelu"):
        seed(4)
        weight = mx.nd.zeros((7, 30))
        getattr(mx.init, name)()(mx.init.InitDesc("a_weight"), weight)
        found.append(weight.asnumpy()[-1, -5:].tolist())
    return found


def _trained(mx: Any, seed: Seed, hybridized: bool) -> list[float]:
    seed(11)
    net = mx.gluon.nn.HybridSequential()
    for size, p in ((16, 0.5), (16, 0.3)):
        net.add(mx.gluon.nn.Dense(size, activation="relu"), mx.gluon.nn.Dropout(p))
    net.add(mx.gluon.nn.Dense(3))
    net.initialize(mx.init.Xavier())
    if hybridized:
        net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    data = mx.nd.random.normal(shape=(32, 8))
    label = mx.nd.random.randint(0, 3, (32,)).astype("float32")
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(20):
        with mx.autograd.record():
            value = loss(net(data), label).mean()
        value.backward()
        trainer.step(1)
        losses.append(float(value.asscalar()))
    return losses


def training(mx: Any, seed: Seed) -> list[list[float]]:
    """Losses of a small network with Dropout, not hybridized and hybridized."""
    return [_trained(mx, seed, hybridized) for hybridized in (False, True)]


PROGRAMS = {f.__name__: f for f in (mixed, symbols, initializers, training)}
