# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError


def graph(nodes, heads):
    arg_nodes = [i for i, n in enumerate(nodes) if n["op"] == "null"]
    return {"nodes": nodes, "arg_nodes": arg_nodes, "heads": heads, "node_row_ptr": []}


def var(name):
    return {"op": "null", "name": name, "inputs": []}


def node(op, name, inputs, subgraphs=(), **attrs):
    made = {"op": op, "name": name, "attrs": attrs, "inputs": [[i, 0, 0] for i in inputs]}
    return {**made, "subgraphs": list(subgraphs)} if subgraphs else made


def loaded(nodes, heads):
    top = graph(nodes, heads)
    top["attrs"] = {"mxnet_version": ["int", 10901]}
    return mx.sym.load_json(json.dumps(top))


def foreach():
    """Cumulative sum: state += step * w; out = 2 * state."""
    body = graph(
        [
            var("step"),
            var("w"),
            node("elemwise_mul", "scaled", [0, 1]),
            var("state"),
            node("elemwise_add", "sum", [2, 3]),
            node("_mul_scalar", "twice", [4], scalar="2"),
        ],
        [[5, 0, 0], [4, 0, 0]],
    )
    attrs = {
        "num_args": "4",
        "num_outputs": "2",
        "num_out_data": "1",
        "in_data_locs": "(0,)",
        "in_state_locs": "(2,)",
        "remain_locs": "(1,)",
    }
    nodes = [var("data"), var("s0"), var("w"), node("_foreach", "loop", [0, 1, 2], [body], **attrs)]
    return loaded(nodes, [[3, 0, 0], [3, 1, 0]])


def test_foreach_steps_carries_states_and_has_gradients():
    symbol = foreach()
    assert symbol.list_arguments() == ["data", "s0", "w"]
    assert symbol.infer_shape(data=(5, 3))[0] == [(5, 3), (3,), (3,)]
    assert symbol.infer_shape(data=(5, 3))[1] == [(5, 3), (3,)]
    executor = symbol.simple_bind(mx.cpu(), data=(4, 2))
    x = np.arange(8, dtype="f").reshape(4, 2)
    executor.copy_params_from({"s0": mx.nd.ones((2,)), "w": mx.nd.full((2,), 3)})
    out, state = executor.forward(is_train=True, data=x)
    np.testing.assert_allclose(out.asnumpy(), 2 * (1 + 3 * np.cumsum(x, 0)))
    np.testing.assert_allclose(state.asnumpy(), 1 + 3 * x.sum(0))
    executor.backward([mx.nd.zeros((4, 2)), mx.nd.ones((2,))])
    np.testing.assert_allclose(executor.grad_dict["w"].asnumpy(), x.sum(0))
    np.testing.assert_allclose(executor.grad_dict["data"].asnumpy(), np.full((4, 2), 3))


def test_json_keeps_the_bodies():
    symbol = foreach()
    again = mx.sym.load_json(symbol.tojson())
    assert again.tojson() == symbol.tojson()
    assert again.infer_shape(data=(5, 3))[1] == [(5, 3), (3,)]


@pytest.mark.parametrize("limit, steps", [(3, 3), (10, 4)])
def test_while_loop_stops_and_pads_with_zeros(limit, steps):
    condition = graph([var("i"), node("_lesser_scalar", "go", [0], scalar="4")], [[1, 0, 0]])
    body = graph(
        [
            var("i"),
            node("_plus_scalar", "next", [0], scalar="1"),
            node("square", "squared", [0]),
        ],
        [[2, 0, 0], [1, 0, 0]],
    )
    attrs = {
        "num_args": "3",
        "num_outputs": "2",
        "num_out_data": "1",
        "max_iterations": str(limit),
        "cond_input_locs": "(0,)",
        "func_input_locs": "(0,)",
        "func_var_locs": "(0,)",
    }
    loop = node("_while_loop", "loop", [0], [condition, body], **attrs)
    symbol = loaded([var("i"), loop], [[1, 0, 0], [1, 1, 0]])
    assert symbol.infer_shape(i=(1,))[1] == [(limit, 1), (1,)]
    out, last = symbol.bind(mx.cpu(), {"i": mx.nd.zeros((1,))}).forward()
    want = [float(i * i) if i < steps else 0.0 for i in range(limit)]
    assert out.asnumpy().ravel().tolist() == want
    assert last.asscalar() == steps


@pytest.mark.parametrize("value, want", [(1.0, 2.0), (-1.0, -2.0)])
def test_cond_chooses_a_branch(value, want):
    predicate = graph([var("x"), node("_greater_scalar", "p", [0], scalar="0")], [[1, 0, 0]])
    then_body = graph([var("x"), node("_plus_scalar", "up", [0], scalar="1")], [[1, 0, 0]])
    else_body = graph([var("x"), node("_minus_scalar", "down", [0], scalar="1")], [[1, 0, 0]])
    attrs = {
        "num_args": "4",
        "num_outputs": "1",
        "cond_input_locs": "(0,)",
        "then_input_locs": "(0,)",
        "else_input_locs": "(0,)",
    }
    branch = node("_cond", "choice", [0], [predicate, then_body, else_body], **attrs)
    symbol = loaded([var("x"), branch], [[1, 0, 0]])
    assert symbol.list_outputs() == ["choice_output"]
    assert symbol.bind(mx.cpu(), {"x": mx.nd.array([value])}).forward()[0].asscalar() == want


def test_locations_out_of_range_are_refused():
    text = foreach().tojson().replace('"(2,)"', '"(7,)"')
    with pytest.raises(MXNetError, match="in_state_locs"):
        mx.sym.load_json(text).infer_shape(data=(5, 3))
