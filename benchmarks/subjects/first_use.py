# SPDX-License-Identifier: Apache-2.0
"""What is done once: binding for a single use, and shapes that come for the first time."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.inputs import import_mx, normal
from benchmarks.subject import Case, Options, Subject

_LENGTHS = range(6, 31, 3)
_numbers = itertools.count()


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    mx = import_mx(peer)
    lengths = _LENGTHS[:2] if options.smoke else _LENGTHS
    shapes = 4 if options.smoke else 100
    made = {
        "bind 3 layers": lambda: _bound(mx, once=False),
        "bind 3 layers, forward, backward": lambda: _bound(mx, once=True),
        f"BucketingModule, {len(lengths)} lengths of an LSTM": lambda: _buckets(mx, lengths),
        f"calls on {shapes} shapes": lambda: _calls(mx, shapes),
    }
    return {name: functools.partial(_case, make, mx) for name, make in made.items()}


def _case(make: Callable[[], Callable[[], Any]], mx: Any) -> Case:
    return Case(make(), finish=mx.nd.waitall)


def _bound(mx: Any, once: bool) -> Callable[[], Any]:
    """A network that is bound, and where it is used `once` run, each time anew."""
    x = mx.sym.var("data")
    for i in range(3):
        x = mx.sym.FullyConnected(x, num_hidden=16, name=f"layer{i}")
        x = mx.sym.Activation(x, act_type="relu")
    names, (shapes, _, _) = x.list_arguments(), x.infer_shape(data=(4, 8))
    arrays = {n: mx.nd.array(normal(n, s)) for n, s in zip(names, shapes, strict=True)}
    heads = mx.nd.ones((4, 16))

    def run() -> Any:
        gradient = mx.nd.zeros((4, 8))
        executor = x.bind(mx.cpu(), arrays, {"data": gradient})
        if once:
            executor.forward(is_train=True)
            executor.backward([heads])
        return gradient

    return run


def _buckets(mx: Any, lengths: range) -> Callable[[], None]:
    """A module of its own each time, that takes one step on sequences of each length."""

    def symbol_of(length: int) -> Any:
        words = mx.sym.Embedding(mx.sym.var("data"), input_dim=50, output_dim=16, name="words")
        cell = mx.rnn.LSTMCell(16, prefix="lstm_")
        outputs, _ = cell.unroll(length, inputs=words, merge_outputs=True)
        scores = mx.sym.FullyConnected(outputs.reshape((-1, 16)), num_hidden=50, name="scores")
        labels = mx.sym.var("softmax_label").reshape((-1,))
        return mx.sym.SoftmaxOutput(scores, labels, name="softmax"), ["data"], ["softmax_label"]

    def described(length: int) -> dict[str, Any]:
        return {
            "provide_data": [mx.io.DataDesc("data", (4, length))],
            "provide_label": [mx.io.DataDesc("softmax_label", (4, length))],
        }

    def run() -> None:
        module = mx.mod.BucketingModule(symbol_of, default_bucket_key=max(lengths))
        module.bind(*described(max(lengths)).values())
        module.init_params()
        module.init_optimizer()
        for length in lengths:
            words = mx.nd.ones((4, length))
            batch = mx.io.DataBatch([words], [words], bucket_key=length, **described(length))
            module.forward(batch, is_train=True)
            module.backward()
            module.update()

    return run


def _calls(mx: Any, shapes: int) -> Callable[[], None]:
    """Six operators on arrays whose shapes have not been there before."""
    nd = mx.nd
    weight = nd.ones((8, 16))

    def run() -> None:
        for _ in range(shapes):
            rows = 5 + next(_numbers) % 10_000
            x = nd.softmax(nd.dot(nd.ones((rows, 8)), weight) + 1)
            nd.concat(x, x, dim=1).reshape((-1, 4)).sum(axis=1)

    return run


SUBJECT = Subject("Single uses and new shapes", ("mxnova", "mxnet"), cases)
