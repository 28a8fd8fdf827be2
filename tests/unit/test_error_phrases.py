# SPDX-License-Identifier: Apache-2.0
"""Errors begin with the phrases of MXNet 1.9.1 that programs and packages look for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mxnova as mx
from mxnova import autograd, gluon


def recorded() -> mx.nd.NDArray:
    x = mx.nd.ones(3)
    x.attach_grad()
    with autograd.record():
        return x * 2


def write(change: Callable[[Any], Any]) -> None:
    x = mx.nd.ones(3)
    x.attach_grad()
    with autograd.record():
        change(x * 2)


def backward_twice() -> None:
    y = recorded()
    y.backward()
    y.backward()


def ready(**settings: Any) -> gluon.Parameter:
    parameter = gluon.Parameter("w", shape=(2,), **settings)
    parameter.initialize()
    return parameter


def deferred() -> gluon.Parameter:
    parameter = gluon.Parameter("w", shape=(0,), allow_deferred_init=True)
    parameter.initialize()
    return parameter


def dense() -> gluon.nn.Dense:
    net = gluon.nn.Dense(2, in_units=4, prefix="d_")
    net.initialize()
    return net


INPLACE = "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd"
NO_GRAPH = "Cannot differentiate node because it is not in a computational graph"
UNINITIALIZED = "Parameter 'w' has not been initialized"

CASES: dict[str, tuple[str, Callable[[], Any]]] = {
    "+=": (INPLACE, lambda: write(lambda y: y.__iadd__(1))),
    "-=": (INPLACE, lambda: write(lambda y: y.__isub__(1))),
    "x[:] =": (INPLACE, lambda: write(lambda y: y.__setitem__(slice(None), 1))),
    "x[0] =": (INPLACE, lambda: write(lambda y: y.__setitem__(0, 1))),
    "not recorded": (NO_GRAPH, lambda: mx.nd.ones(3).backward()),
    "backward twice": (NO_GRAPH, backward_twice),
    "data": (UNINITIALIZED, lambda: gluon.Parameter("w", shape=(2,)).data()),
    "grad": (UNINITIALIZED, lambda: gluon.Parameter("w", shape=(2,)).grad()),
    "list_ctx": (UNINITIALIZED, lambda: gluon.Parameter("w", shape=(2,)).list_ctx()),
    "reset_ctx": (UNINITIALIZED, lambda: gluon.Parameter("w", shape=(2,)).reset_ctx(mx.cpu())),
    "deferred": (
        "Parameter 'w' has not been initialized yet because initialization was deferred",
        lambda: deferred().data(),
    ),
    "unknown shape": (
        "Cannot initialize Parameter 'w' because it has invalid shape: (0,)",
        lambda: gluon.Parameter("w", shape=(0,)).initialize(),
    ),
    "context": (
        "Parameter 'w' was not initialized on context cpu(3)",
        lambda: ready().data(mx.cpu(3)),
    ),
    "no gradient": (
        "Cannot get gradient array for Parameter 'w' because grad_req='null'",
        lambda: ready(grad_req="null").grad(),
    ),
    "truth": (
        "The truth value of an NDArray with multiple elements is ambiguous",
        lambda: bool(mx.nd.ones(3)),
    ),
    "truth of mx.np": (
        "The truth value of an ndarray with multiple elements is ambiguous",
        lambda: bool(mx.np.ones(3)),
    ),
    "asscalar": ("The current array is not a scalar", lambda: mx.nd.ones(3).asscalar()),
    "optimizer": ("Cannot find optimizer foo", lambda: mx.optimizer.create("foo")),
    "parameters": (
        "First argument must be a list or dict of Parameters, got",
        lambda: gluon.Trainer(3, "sgd"),
    ),
    "stale gradient": (
        "Gradient of Parameter `d_weight` on context cpu(0) has not been updated by backward "
        "since last `step`",
        lambda: gluon.Trainer(dense().collect_params("d_weight"), "sgd").step(1),
    ),
    "child": (
        "Children of HybridBlock must also be HybridBlock",
        lambda: gluon.nn.HybridSequential().add(gluon.nn.Sequential()),
    ),
    "export": (
        "Please first call block.hybridize() and then run forward",
        lambda: dense().export("never-written"),
    ),
    "model": ("Model foo is not supported", lambda: gluon.model_zoo.vision.get_model("foo")),
    "batch": (
        "data with shape (3, 2) cannot be evenly split into 2 slices along axis 0",
        lambda: gluon.utils.split_data(mx.nd.ones((3, 2)), 2),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_begin_with_mxnets_phrase(case: str) -> None:
    phrase, run = CASES[case]
    with pytest.raises(mx.MXNetError) as caught:
        run()
    assert str(caught.value).startswith(phrase)


SAVED: dict[str, tuple[str, dict[str, tuple[int, ...]]]] = {
    "missing": ("Parameter 'bias' is missing in file: ", {"weight": (2, 4)}),
    "extra": ("Parameter 'foo' loaded from file: ", {"weight": (2, 4), "bias": (2,), "foo": (1,)}),
    "shape": (
        "Failed loading Parameter 'd_weight' from saved params: shape incompatible expected "
        "(2, 4) vs saved (3, 3)",
        {"weight": (3, 3), "bias": (2,)},
    ),
    "missing in a structure": ("Parameter '0.bias' is missing in file '", {"0.weight": (2, 4)}),
    "extra in a structure": (
        "Parameter '0.foo' loaded from file '",
        {"0.weight": (2, 4), "0.bias": (2,), "0.foo": (1,)},
    ),
}


@pytest.mark.parametrize("case", SAVED)
def test_files_that_do_not_fit(case: str, tmp_path: Path) -> None:
    phrase, shapes = SAVED[case]
    file = str(tmp_path / "saved.params")
    mx.nd.save(file, {name: mx.nd.ones(shape) for name, shape in shapes.items()})
    net: Any = dense()
    if "structure" in case:
        net = gluon.nn.HybridSequential()
        net.add(dense())
    with pytest.raises(mx.MXNetError) as caught:
        net.load_parameters(file)
    assert str(caught.value).startswith(phrase)
