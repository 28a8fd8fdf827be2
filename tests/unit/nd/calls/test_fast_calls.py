# SPDX-License-Identifier: Apache-2.0
"""Fast paths of any operator give what the dispatcher gives, recorded or not."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.nd.array import NDArray
from mxnova.core.nd.calls import fast_calls
from mxnova.core.nd.calls.dispatch import invoke
from mxnova.core.nd.calls.fast_calls import call_several, in_place_call
from mxnova.core.op.schema import find

SHAPE = (3, 4)
# operator, parameters, shapes and types of the inputs
CALLS = [
    ("dot", {}, [((3, 4), "float32"), ((4, 2), "float32")]),
    ("elemwise_add", {}, [(SHAPE, "float64"), (SHAPE, "float64")]),
    ("elemwise_add", {}, [(SHAPE, "int32"), (SHAPE, "int32")]),
    ("pick", {}, [(SHAPE, "float32"), ((3,), "int64")]),
    ("pick", {}, [(SHAPE, "float32"), ((3,), "float32")]),
    ("take", {}, [(SHAPE, "float32"), ((2,), "int32")]),
    ("Embedding", {"input_dim": 3, "output_dim": 4}, [((2,), "int32"), (SHAPE, "float32")]),
    ("where", {}, [(SHAPE, "int32"), (SHAPE, "float32"), (SHAPE, "float32")]),
    ("FullyConnected", {"num_hidden": 2}, [(SHAPE, "float32"), ((2, 4), "float32"), ((2,), "float32")]),
    ("FullyConnected", {"num_hidden": 2}, [((3, 2, 2), "float32"), ((2, 4), "float32"), ((2,), "float32")]),
    ("FullyConnected", {"num_hidden": 2, "flatten": False}, [((3, 2, 2), "float32"), ((2, 2), "float32"), ((2,), "float32")]),
    ("FullyConnected", {"num_hidden": 3}, [(SHAPE, "float32"), ((3, 4), "float32"), ((3, 1), "float32")]),
    ("concat", {"num_args": 4, "dim": 0}, [(SHAPE, "float32")] * 4),
    ("add_n", {"num_args": 6}, [(SHAPE, "float32")] * 6),
    ("topk", {"k": 2, "ret_typ": "both", "dtype": "int32"}, [(SHAPE, "float32")]),
    ("topk", {"k": 2, "ret_typ": "both"}, [(SHAPE, "float32")]),
    ("split", {"num_outputs": 2}, [(SHAPE, "float32")]),
    ("split", {"num_outputs": 2}, [(SHAPE, "int32")]),
    ("Cast", {"dtype": "int32"}, [(SHAPE, "float32")]),
    ("dot", {}, [((3, 4), "float32"), ((5, 2), "float32")]),  # refused
]  # fmt: skip


def arrays_of(kinds):
    made = []
    for i, (shape, dtype) in enumerate(kinds):
        values = np.random.RandomState(i).uniform(0, 3, shape)
        made.append(mx.nd.array(values, dtype=dtype))
    return made


def outcome(call, arrays, wanting):
    """Results, gradients of the arrays whose numbers are in `wanting`, or the error."""
    for i in wanting:
        arrays[i].attach_grad()
    try:
        with mx.autograd.record() if wanting else mx.autograd.pause():
            results = call(arrays)
        listed = results if isinstance(results, list) else [results]
        if wanting:
            mx.autograd.backward(listed)
    except mx.MXNetError as error:
        return [type(error), str(error)]
    found = [x for r in listed for x in (type(r), r.dtype, r.asnumpy().tolist())]
    return [*found, *(arrays[i].grad.asnumpy().tolist() for i in wanting)]


@pytest.mark.parametrize("recorded", ["none", "first", "last", "all"])
@pytest.mark.parametrize("name, attrs, kinds", CALLS)
def test_several_arrays(name, attrs, kinds, recorded):
    op = find(name).of(attrs)
    every = range(len(kinds))
    wanting = {"none": [], "first": [0], "last": [len(kinds) - 1], "all": list(every)}[recorded]
    general = outcome(lambda a: invoke(op, a), arrays_of(kinds), wanting)
    for _ in range(2):  # the second time by the fast path
        assert outcome(lambda a: call_several(op, a), arrays_of(kinds), wanting) == general


def test_integers_that_no_gradient_flows_through_take_the_fast_path(monkeypatch):
    op = find("pick").plain
    x, labels = arrays_of([(SHAPE, "float32"), ((3,), "int32")])
    x.attach_grad()
    with mx.autograd.record():
        call_several(op, [x, labels])
        monkeypatch.setitem(fast_calls.fast_call(2).__globals__, "invoke", None)
        picked = call_several(op, [x, labels])
    picked.backward()
    assert x.grad.asnumpy().sum() == 3


def test_what_a_used_up_graph_gave_is_a_constant():
    x = mx.nd.ones(SHAPE)
    x.attach_grad()
    with mx.autograd.record():
        y = x * 2
    y.backward()
    with mx.autograd.record():
        z = y + x
    z.backward()
    assert x.grad.asnumpy().tolist() == np.ones(SHAPE).tolist()


def test_more_arrays_than_a_fast_path_takes():
    arrays = arrays_of([(SHAPE, "float32")] * (fast_calls.MOST_ARRAYS + 1))
    total = call_several(find("add_n").of({"num_args": len(arrays)}), arrays)
    np.testing.assert_allclose(total.asnumpy(), sum(a.asnumpy() for a in arrays), rtol=1e-6)


def test_the_class_that_is_asked_for():
    class Marked(NDArray):
        __slots__ = ()

    (x,) = arrays_of([(SHAPE, "float32")])
    for _ in range(2):
        assert type(call_several(find("relu").plain, [x], Marked)) is Marked


@pytest.mark.parametrize("other", [2, 2.5, "array"])
def test_in_place_leaves_to_the_other_way_what_it_cannot_do(other):
    asked = []
    call = in_place_call(find("broadcast_add"), lambda a, b: asked.append((a, b)))
    x = mx.nd.ones(SHAPE)
    y = mx.nd.ones(SHAPE) if other == "array" else other
    assert call(x, y) is x
    assert asked == []
    integers = mx.nd.ones(SHAPE, dtype="int32")
    assert call(integers, y) is None
    with mx.autograd.record():
        assert call(x, y) is None
    assert call(x, None) is None
    assert len(asked) == 3
    assert x.asnumpy().ravel()[0] == (2 if other == "array" else 1 + other)
