# SPDX-License-Identifier: Apache-2.0
"""Python's exceptions that MXNet raises for bad arguments, which programs catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mxnova as mx
from mxnova.base import MXNetError


def vector() -> mx.nd.NDArray:
    return mx.nd.ones(4)


class Doubled(mx.autograd.Function):
    def forward(self, x: mx.nd.NDArray) -> mx.nd.NDArray:
        return x * 2


CASES: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "Cast": (TypeError, lambda: mx.nd.Cast(vector(), dtype="foo")),
    "argsort": (TypeError, lambda: mx.nd.argsort(vector(), dtype="foo")),
    "zeros of a symbol": (TypeError, lambda: mx.sym.zeros((2,), dtype="foo")),
    "ragged lists": (TypeError, lambda: mx.np.array([[1, 2], [3]])),
    "reshape": (AssertionError, lambda: vector().reshape()),
    "reshape to ()": (AssertionError, lambda: vector().reshape(shape=())),
    "concatenate": (AssertionError, lambda: mx.nd.concatenate([])),
    "attach_grad": (KeyError, lambda: vector().attach_grad("foo")),
    "from_dlpack": (AssertionError, lambda: mx.nd.from_dlpack(3)),
    "foreach": (AssertionError, lambda: mx.nd.contrib.foreach(lambda x, s: (x, s), 1, 2)),
    "steps of a schedule": (AssertionError, lambda: mx.lr_scheduler.MultiFactorScheduler(3)),
    "last update": (AssertionError, lambda: mx.lr_scheduler.PolyScheduler(1.5)),
    "warm-up": (AssertionError, lambda: mx.lr_scheduler.LRScheduler().get_warmup_lr(1)),
    "names of weights": (AssertionError, lambda: mx.optimizer.Optimizer(param_idx2name=3)),
    "no optimizer": (AssertionError, lambda: mx.optimizer.register(3)),
    "polyval": (ValueError, lambda: mx.np.polyval(mx.np.ones((2, 2)), mx.np.ones(3))),
    "diag_indices_from": (ValueError, lambda: mx.np.diag_indices_from(mx.np.ones(3))),
    "full": (MXNetError, lambda: mx.np.full((2,), "x")),
    "full_like": (MXNetError, lambda: mx.np.full_like(mx.np.ones(2), None)),
    "gradients of nothing": (AssertionError, lambda: mx.autograd.grad(vector(), [])),
    "a function called twice": (AssertionError, lambda: [f(vector()) for f in [Doubled()] * 2]),
    "labels without predictions": (
        AssertionError,
        lambda: mx.metric.Perplexity(None).update([vector()], []),
    ),
    "bound of a norm": (
        AssertionError,
        lambda: mx.gluon.utils.clip_global_norm([vector()], "one"),  # type: ignore[arg-type]
    ),
    "grad_req": (ValueError, lambda: mx.sym.var("a").bind(mx.cpu(), [vector()], grad_req="all")),
    "grad_req of a type": (
        TypeError,
        lambda: mx.sym.var("a").bind(mx.cpu(), [vector()], grad_req=3),
    ),
    "randint": (AssertionError, lambda: mx.nd.random.randint(vector(), 3)),
    "size of parameters": (
        AssertionError,
        lambda: mx.rnn.FusedRNNCell(3, prefix="").unpack_weights({"parameters": vector()}),
    ),
    "layout": (
        AssertionError,
        lambda: mx.gluon.rnn.RNNCell(3).unroll(2, mx.nd.ones((2, 2, 3)), layout="NC"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_are_of_the_kind_that_programs_catch(case: str) -> None:
    kind, run = CASES[case]
    with pytest.raises(kind) as caught:
        run()
    assert isinstance(caught.value, MXNetError)
