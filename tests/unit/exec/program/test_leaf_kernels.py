# SPDX-License-Identifier: Apache-2.0
"""Which kernels are differentiated without autograd."""

import weakref

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.program.leaf_kernels import LeafKernels
from mxnova.core.exec.program.sparse_execution import tracked_of

DATA, ROWS = mx.sym.var("data", stype="csr"), mx.sym.var("rows", stype="row_sparse")
DENSE, INDEX = mx.sym.var("dense"), mx.sym.var("index")
PRODUCT = mx.sym.sparse.dot(DATA, ROWS)
VALUES = {
    "data": mx.nd.array([[0, 2, 0], [1, 0, 0]]).tostype("csr"),
    "rows": mx.nd.array([[1, 2], [3, 4], [5, 6]]).tostype("row_sparse"),
    "dense": mx.nd.array([[1, 2], [3, 4], [5, 6]]),
    "index": mx.nd.array([2, 0]),
}
LOOKED_UP = {"input_dim": 3, "output_dim": 2}

# symbol, operators of such kernels
GRAPHS = {
    "a product with a parameter": (PRODUCT, ["dot"]),
    "rows of a parameter": (
        mx.sym.contrib.SparseEmbedding(INDEX, ROWS, **LOOKED_UP),
        ["_contrib_SparseEmbedding"],
    ),
    "one of the result of another": (
        mx.sym.sparse.dot(DATA, mx.sym.sparse.square(ROWS)),
        ["square", "dot"],
    ),
    "one of what autograd records": (mx.sym.sparse.dot(DATA, DENSE * 2), []),
    "one behind that": (mx.sym.elemwise_add(DENSE * 2, mx.sym.sparse.square(ROWS)), ["square"]),
}


@pytest.mark.parametrize("graph", GRAPHS)
def test_kernels_of_leaves_are_no_steps_of_autograd(graph, monkeypatch):
    symbol, expected = GRAPHS[graph]
    found, run = [], LeafKernels.run

    def seen(kernels, op, *rest):
        found.append(op.name)
        return run(kernels, op, *rest)

    monkeypatch.setattr(LeafKernels, "run", seen)
    arguments = {n: VALUES[n] for n in symbol.list_arguments()}
    requests = {n: "write" if n in ("rows", "dense") else "null" for n in arguments}
    gradients = {n: mx.nd.zeros((3, 2)) for n in arguments if requests[n] == "write"}
    executor = symbol.bind(mx.cpu(), arguments, gradients, requests)
    (output,) = executor.forward(is_train=True)
    assert found == expected
    executor.backward(mx.nd.ones(output.shape))

    leaves = {n: a.tostype("default") for n, a in arguments.items()}
    for name in gradients:
        leaves[name].attach_grad()
    plain = mx.sym.load_json(symbol.tojson()).bind(
        mx.cpu(), leaves, {n: leaves[n].grad for n in gradients}, requests
    )
    np.testing.assert_array_equal(plain.forward(is_train=True)[0].asnumpy(), output.asnumpy())
    plain.backward(mx.nd.ones(output.shape))
    for name, gradient in gradients.items():
        np.testing.assert_array_equal(gradient.asnumpy(), leaves[name].grad.asnumpy())


@pytest.fixture
def watched(monkeypatch):
    """An executor of two such kernels, and weak references to what gradients flow through."""
    linked, run = [], LeafKernels.run

    def seen(*arguments):
        found = run(*arguments)
        linked.append(weakref.ref(tracked_of(found)))
        return found

    monkeypatch.setattr(LeafKernels, "run", seen)
    arguments = {n: VALUES[n] for n in ("data", "rows")}
    gradients = {"rows": mx.nd.zeros((3, 2), stype="row_sparse")}
    total = mx.sym.sum(mx.sym.sparse.dot(DATA, mx.sym.sparse.square(ROWS)) * 2)
    executor = total.bind(mx.cpu(), arguments, gradients, {"data": "null", "rows": "write"})
    return executor, linked


def test_a_result_lives_no_longer_than_what_reads_it(watched):
    executor, linked = watched
    executor.forward(is_train=True)
    assert len(linked) == 2
    assert linked[1]() is None
    for _ in range(2):  # what gradients need stays
        executor.backward(mx.nd.ones((1,)))
        assert executor.grad_dict["rows"].asnumpy().tolist() == [[4, 8], [24, 32], [0, 0]]


@pytest.mark.parametrize("is_differentiated", [True, False])
def test_the_next_pass_drops_what_the_last_one_left(watched, is_differentiated):
    executor, linked = watched
    executor.forward(is_train=True)
    assert linked[0]() is not None
    if is_differentiated:
        executor.backward(mx.nd.ones((1,)))
    executor.forward()
    assert [link() for link in linked] == [None, None]
