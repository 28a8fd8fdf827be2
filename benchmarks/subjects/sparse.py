# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices, and training steps that touch few rows of a large table."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.inputs import import_mx, indices, normal
from benchmarks.models.sparse_modules import MODULES
from benchmarks.subject import Case, Options, Skip, Subject

# case: (MXNet's form, torch's form)
STATEMENTS = {
    "csr · dense": ("nd.sparse.dot(a, w)", "a @ w"),
    "csr.T · dense": ("nd.sparse.dot(a, v, transpose_a=True)", "at @ v"),
    "dense · csr": ("nd.sparse.dot(u, a)", "u @ a"),
    "csr * 2": ("a * 2", "a * 2"),
    "csr + csr": ("a + b", "a + b"),
    "abs(csr)": ("nd.sparse.abs(a)", "torch.abs(a)"),
    "csr[100:200]": ("a[100:200]", ""),
    "sum(csr, axis=0)": ("nd.sparse.sum(a, axis=0)", ""),
    "sum(csr, axis=1)": ("nd.sparse.sum(a, axis=1)", "torch.sum(a, (1,), keepdim=True)"),
    "dense -> csr": ("d.tostype('csr')", "d.to_sparse_csr()"),
    "csr -> dense": ("a.tostype('default')", "a.to_dense()"),
    "embedding, sgd step": ("embed_sgd()", "embed_sgd()"),
    "embedding, adam step": ("embed_adam()", ""),
    "linear on csr, sgd step": ("linear_sgd()", ""),
    "small csr · row_sparse": ("nd.sparse.dot(small, rows)", ""),
    "small csr[0:1]": ("small[0:1]", ""),
    "small sgd_update of rows": ("update_sgd()", ""),
    "Module step, linear": ("linear_step()", ""),
    "Module step, factorization machine": ("factorization_machine_step()", ""),
    "Module step, wide and deep": ("wide_and_deep_step()", ""),
}


class Sizes(NamedTuple):
    """Of the matrices, and of the table of the embedding."""

    rows: int = 1000
    columns: int = 20_000
    width: int = 64
    table: int = 100_000
    batch: int = 1024


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    sizes = Sizes(200, 300, 4, 50, 8) if options.smoke else Sizes()
    names = functools.cache(_torch_names if peer == "torch" else functools.partial(_mx_names, peer))
    return {case: functools.partial(_case, case, peer, lambda: names(sizes)) for case in STATEMENTS}


def _case(case: str, peer: str, names: Callable[[], dict[str, Any]]) -> Case:
    statement = STATEMENTS[case][peer == "torch"]
    if not statement:
        raise Skip("torch has no such operator")
    known = names()
    if statement.endswith(("_sgd()", "_adam()", "_step()")):
        return Case(statement, known, known["finish"])
    return Case(
        statement, known, known["finish"], output=lambda: [_to_numpy(eval(statement, known))]
    )


def _matrix(name: str, sizes: Sizes) -> np.ndarray[Any, Any]:
    """A dense matrix of which one element in a hundred is not zero."""
    dense = normal(name, (sizes.rows, sizes.columns))
    return np.where(normal(f"{name}, kept", dense.shape) > 2.326, dense, 0)


def _values(sizes: Sizes) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "a": _matrix("a", sizes),
        "b": _matrix("b", sizes),
        "d": _matrix("d", sizes),
        "w": normal("w", (sizes.columns, sizes.width)),
        "v": normal("v", (sizes.rows, sizes.width)),
        "u": normal("u", (sizes.width, sizes.rows)),
        "table": normal("table", (sizes.table, sizes.width)),
        "index": indices("index", (sizes.batch,), sizes.table),
    }


def _to_numpy(array: Any) -> np.ndarray[Any, Any]:
    if hasattr(array, "asnumpy"):
        return array.asnumpy()
    dense = array if array.layout.__str__() == "torch.strided" else array.to_dense()
    return dense.squeeze(-1).numpy()


def _mx_names(peer: str, sizes: Sizes) -> dict[str, Any]:
    mx = import_mx(peer)
    nd, record = mx.nd, mx.autograd.record
    names = {n: nd.array(a, dtype=a.dtype) for n, a in _values(sizes).items()}
    a, b = names["a"].tostype("csr"), names["b"].tostype("csr")
    table, index, w = names["table"], names["index"], names["w"].copy()
    mean, variance = nd.zeros(table.shape), nd.zeros(table.shape)
    for parameter in (table, w):
        parameter.attach_grad(stype="row_sparse")

    def embed() -> None:
        with record():
            rows = nd.Embedding(
                index, table, input_dim=sizes.table, output_dim=sizes.width, sparse_grad=True
            )
            loss = rows.square().sum()
        loss.backward()

    def embed_sgd() -> None:
        embed()
        nd.sgd_update(table, table.grad, out=table, lr=0.01)

    def embed_adam() -> None:
        embed()
        nd.adam_update(table, table.grad, mean, variance, out=table, lr=0.01)

    def linear_sgd() -> None:
        with record():
            loss = nd.sparse.dot(a, w).square().sum()
        loss.backward()
        nd.sgd_update(w, w.grad, out=w, lr=1e-6)

    small, rows, gradient = (nd.array(_small(n)).tostype(s) for n, s in _SMALL.items())

    def update_sgd() -> None:
        nd.sgd_update(rows, gradient, out=rows, lr=0.01)

    steps = {f.__name__: f for f in (embed_sgd, embed_adam, linear_sgd, update_sgd)}
    steps |= {f"{name.replace(' ', '_')}_step": _step(*make(mx)) for name, make in MODULES.items()}
    steps |= {"small": small, "rows": rows}
    return {**names, **steps, "a": a, "b": b, "nd": nd, "finish": nd.waitall}


_SMALL = {"small": "csr", "rows": "row_sparse", "gradient": "row_sparse"}


def _small(name: str) -> np.ndarray[Any, Any]:
    """A batch of 32 samples of 1,000 features, weights of two classes, a gradient of 20 rows."""
    if name == "small":
        dense = normal(name, (32, 1000))
        return np.where(normal("small, kept", dense.shape) > 2.326, dense, 0)
    dense = normal(name, (1000, 2))
    if name == "gradient":
        dense[np.arange(1000) % 50 != 0] = 0
    return dense


def _step(module: Any, batch: Any) -> Callable[[], None]:
    def step() -> None:
        module.forward(batch, is_train=True)
        module.backward()
        module.update()

    return step


def _torch_names(sizes: Sizes) -> dict[str, Any]:
    import warnings

    import torch

    warnings.simplefilter("ignore")  # CSR tensors are in beta
    names = {n: torch.from_numpy(a) for n, a in _values(sizes).items()}
    table, index = names["table"].requires_grad_(), names["index"].long()

    def embed_sgd() -> None:
        table.grad = None
        torch.nn.functional.embedding(index, table, sparse=True).square().sum().backward()
        with torch.no_grad():
            table.add_(table.grad, alpha=-0.01)

    a, b = names["a"].to_sparse_csr(), names["b"].to_sparse_csr()
    at = names["a"].T.to_sparse_csr()
    more = {"a": a, "b": b, "at": at, "torch": torch, "embed_sgd": embed_sgd, "finish": None}
    return {**names, **more}


SUBJECT = Subject("Sparse arrays", ("mxnova", "torch", "mxnet"), cases)
