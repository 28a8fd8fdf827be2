# SPDX-License-Identifier: Apache-2.0
"""Small models of sparse features as bound Modules, each with a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.inputs import indices, normal

__all__ = ["MODULES"]

_BATCH = 100


def _csr(mx: Any, name: str, shape: tuple[int, int], least: float = 2.326) -> Any:
    """A csr array of values that are kept where a normal number is `least` or more."""
    dense = np.where(normal(f"{name}, kept", shape) > least, normal(name, shape), 0)
    return mx.nd.array(dense).tostype("csr")


def _bound(mx: Any, symbol: Any, data: dict[str, Any], **optimizer: Any) -> tuple[Any, Any]:
    """A Module that is ready to be trained, and its batch."""
    first = next(iter(data.values()))
    labels = mx.nd.array(np.arange(first.shape[0]) % 2)
    module = mx.mod.Module(symbol, data_names=list(data))
    module.bind([(n, a.shape) for n, a in data.items()], [("softmax_label", labels.shape)])
    module.init_params(mx.init.Normal(0.01))
    module.init_optimizer(**optimizer)
    return module, mx.io.DataBatch(list(data.values()), [labels])


def _linear(mx: Any, data: str, features: int) -> Any:
    """Scores of two classes by a row_sparse weight."""
    weight = mx.sym.var("linear_weight", stype="row_sparse", shape=(features, 2))
    product = mx.sym.sparse.dot(mx.sym.var(data, stype="csr"), weight)
    return mx.sym.broadcast_add(product, mx.sym.var("linear_bias", shape=(2,)))


def linear(mx: Any) -> tuple[Any, Any]:
    """Softmax regression of 1,000 features, 32 samples, SGD."""
    symbol = mx.sym.SoftmaxOutput(_linear(mx, "data", 1000), name="softmax")
    data = _csr(mx, "small", (32, 1000))
    return _bound(mx, symbol, {"data": data}, optimizer_params={"learning_rate": 0.1})


def factorization_machine(mx: Any) -> tuple[Any, Any]:
    """1,000 features, 8 factors, 100 samples, Adam."""
    x = mx.sym.var("data", stype="csr")
    factors = mx.sym.var("v_weight", shape=(1000, 8), stype="row_sparse")
    weight = mx.sym.var("w_weight", shape=(1000, 1), stype="row_sparse")
    linear = mx.sym.broadcast_add(mx.sym.dot(x, weight), mx.sym.var("w_bias", shape=(1,)))
    squares = mx.sym._internal._square_sum(data=factors, axis=1, keepdims=True)
    own = mx.sym.dot(mx.sym.square(x), squares)
    pairs = 0.5 * mx.sym.square(mx.sym.dot(x, factors))
    total = mx.sym.sum(mx.sym.Concat(linear, pairs, dim=1), axis=1, keepdims=True)
    scores = mx.sym.elemwise_add(total, 0.5 * mx.sym.negative(own))
    symbol = mx.sym.LogisticRegressionOutput(scores, name="softmax")
    return _bound(mx, symbol, {"data": _csr(mx, "fm", (_BATCH, 1000))}, optimizer="adam")


def wide_and_deep(mx: Any) -> tuple[Any, Any]:
    """3,000 linear features, two embeddings of 1,000 numbers, three layers, 100 samples, Adam."""
    dense = mx.sym.var("dense")
    numbers = mx.sym.slice(dense, begin=(0, 0), end=(None, 2))
    parts = [mx.sym.slice(dense, begin=(0, 2), end=(None, 12))]
    for i, part in enumerate(mx.sym.split(numbers, num_outputs=2, squeeze_axis=1)):
        table = mx.sym.var(f"embedding{i}_weight", stype="row_sparse")
        parts.append(mx.sym.contrib.SparseEmbedding(part, table, input_dim=1000, output_dim=8))
    hidden = mx.sym.concat(*parts, dim=1)
    for size in (50, 100):
        hidden = mx.sym.Activation(mx.sym.FullyConnected(hidden, num_hidden=size), "relu")
    deep = mx.sym.FullyConnected(hidden, num_hidden=2)
    symbol = mx.sym.SoftmaxOutput(_linear(mx, "csr", 3000) + deep, name="softmax")
    columns = [indices("wide", (_BATCH, 2), 1000), normal("wide", (_BATCH, 10))]
    data = {
        "csr": _csr(mx, "wide", (_BATCH, 3000), 2.7),
        "dense": mx.nd.array(np.concatenate(columns, axis=1)),
    }
    return _bound(mx, symbol, data, optimizer="adam")


MODULES = {
    "linear": linear,
    "factorization machine": factorization_machine,
    "wide and deep": wide_and_deep,
}
