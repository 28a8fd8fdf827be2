# SPDX-License-Identifier: Apache-2.0
import json
import re

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


# Drawn by functions -------------------------------------------------------------------------------

v, loops = mx.sym.var, mx.sym.contrib


def run(outputs, **arrays):
    flat = mx.sym.Group(list(outputs))
    return [a.asnumpy() for a in flat.eval(**{n: mx.nd.array(a) for n, a in arrays.items()})]


def test_parameters_of_a_body_get_their_shapes():
    body = lambda d, s: (mx.sym.FullyConnected(d, num_hidden=4, name="fc") + s, s)  # noqa: E731
    outputs, _ = loops.foreach(body, v("data"), v("state"))
    shapes, results, _ = outputs.infer_shape(data=(5, 2, 3))
    found = dict(zip(outputs.list_arguments(), shapes))
    assert found == {"data": (5, 2, 3), "state": (2, 4), "fc_weight": (4, 3), "fc_bias": (4,)}
    assert results == [(5, 2, 4)]


def test_while_and_cond_infer_shapes_of_parameters():
    layer = lambda x: mx.sym.FullyConnected(x, num_hidden=3, name="fc")  # noqa: E731
    (_, last) = loops.while_loop(
        lambda i, x: i < 2, lambda i, x: ([], [i + 1, layer(x)]), [v("i"), v("x")], 3
    )
    assert last[1].infer_shape(i=(1,), x=(2, 3))[0][2:] == [(3, 3), (3,)]
    chosen = loops.cond(v("p"), lambda: layer(v("y")), lambda: v("z"))
    shapes, results, _ = chosen.infer_shape(p=(1,), y=(2, 5), z=(2, 3))
    assert dict(zip(chosen.list_arguments(), shapes))["fc_weight"] == (3, 5)
    assert results == [(2, 3)]
    with pytest.raises(MXNetError, match="_cond"):
        chosen.infer_shape(p=(1,), y=(2, 5), z=(2, 4))


def test_a_symbol_of_several_outputs_is_a_list():
    body = lambda d, s: (mx.sym.split(d[0] * d[1], num_outputs=2, axis=0), s)  # noqa: E731
    halves = mx.sym.split(v("data"), num_outputs=2, axis=1)
    outputs, state = loops.foreach(body, halves, [v("s")])
    assert len(outputs) == 2
    x = np.arange(12.0).reshape(1, 12)
    first, second, _ = run([*outputs, *state], data=x, s=[0])
    np.testing.assert_array_equal(np.hstack([first, second])[0], x[0, :6] * x[0, 6:])


def test_nested_loop_variables():
    loop = loops.while_loop(
        lambda i, pair: i < 3,
        lambda i, pair: (pair[0], [i + 1, [pair[1], pair[0] + pair[1]]]),
        [v("i"), [v("a"), v("b")]],
        max_iterations=4,
    )
    fibonacci, (_, (last, _)) = loop
    first, second = run([fibonacci, last], i=[0], a=[0], b=[1])
    assert first.ravel().tolist() == [0, 1, 1, 0]
    assert second.tolist() == [2]


def test_steps_that_do_not_run_are_zeros_without_gradient():
    outputs, (_, x) = loops.while_loop(
        lambda i, x: i > 5, lambda i, x: (x * 2, [i + 1, x * 3]), [v("i"), v("x")], 3
    )
    symbol = mx.sym.Group([outputs, x])
    arrays = {"i": mx.nd.zeros(1), "x": mx.nd.ones(2)}
    gradients = {"i": mx.nd.zeros(1), "x": mx.nd.zeros(2)}
    executor = symbol.bind(mx.cpu(), arrays, gradients)
    rows, last = executor.forward(is_train=True)
    assert rows.shape == (3, 2)
    assert not rows.asnumpy().any()
    executor.backward([mx.nd.ones((3, 2)), mx.nd.full(2, 7)])
    assert gradients["x"].asnumpy().tolist() == [7, 7]
    assert last.asnumpy().tolist() == [1, 1]


def test_foreach_over_no_slice():
    with mx.util.np_shape(True):
        outputs, state = loops.foreach(lambda d, s: (d * 2, s + 1), v("data"), v("s"))
        symbol = mx.sym.Group([outputs, state])
        executor = symbol.bind(mx.cpu(), {"data": mx.nd.zeros((0, 3)), "s": mx.nd.ones(3)})
        rows, last = executor.forward()
        assert rows.shape == (0, 3)
        assert last.asnumpy().tolist() == [1, 1, 1]


def test_training_mode_and_random_numbers_reach_bodies():
    body = lambda d, s: (mx.sym.Dropout(d, p=0.5), s)  # noqa: E731
    outputs, _ = loops.foreach(body, v("data"), v("s"))
    executor = outputs.bind(mx.cpu(), {"data": mx.nd.ones((2, 50)), "s": mx.nd.ones(1)})
    first, second = executor.forward(is_train=True)[0].asnumpy()
    assert {*first} == {*second} == {0, 2}
    assert (first != second).any()
    assert (executor.forward(is_train=False)[0].asnumpy() == 1).all()


def test_states_of_batch_norm_in_a_body_move():
    def body(d, s):
        return mx.sym.BatchNorm(d, name="bn", fix_gamma=False, momentum=0.5), s + 1

    outputs, _ = loops.foreach(body, v("data"), v("s"))
    executor = outputs.simple_bind(mx.cpu(), data=(2, 3, 4), s=(1,))
    executor.arg_dict["data"][:] = 1
    executor.arg_dict["data"][1] = 3
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 3, 4)))
    assert executor.arg_dict["bn_moving_mean"].asnumpy().tolist() in ([1.75] * 4, [1.25] * 4)


@pytest.mark.parametrize("states", [lambda s: s[0], lambda s: [s[0], [s[1]]]])
def test_states_that_the_body_nests_otherwise(states):
    with pytest.raises(AssertionError, match="nests the states"):
        loops.foreach(lambda d, s: (d, states(s)), v("data"), [v("s"), v("t")])


def test_elements_of_other_types():
    outputs, state = loops.foreach(lambda d, s: (d + s, s + 1), v("data"), v("s"))
    given = {"data": mx.nd.ones((2, 2), dtype="int32"), "s": mx.nd.ones(2, dtype="int32")}
    results = mx.sym.Group([outputs, state]).eval(**given)
    assert [r.dtype for r in results] == [np.int32, np.int32]


def test_names_and_scopes_of_bodies():
    mx.AttrScope._subgraph_names.clear()
    names = set()

    def body(d, s):
        inner, _ = loops.foreach(lambda e, t: (e + t, t), d, s, name="inner")
        return inner, s + 1

    for _ in range(2):
        outputs, _ = loops.foreach(body, v("data"), v("s"), name="outer")
        names.update(re.findall(r'"__subgraph_name__": "(.*?)"', outputs.tojson()))
    assert names == {"outer0", "outer0$inner0", "outer1", "outer1$inner0"}


def test_a_symbol_outside_stays_as_it_was():
    h = mx.sym.exp(v("h"), name="h_exp")
    before = h.tojson()
    loops.foreach(lambda d, s: (d * h, s + h), v("data"), v("s"))
    assert h.tojson() == before


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: loops.foreach(lambda d, s: (d, s), 3, v("s")), TypeError, "data must be Symbol"),
        (lambda: loops.foreach(lambda d, s: (d, [s]), v("d"), v("s")), ValueError, "nests"),
        (lambda: loops.foreach(lambda d, s: (s, s), v("d"), v("s")), ValueError, "data 0, 'd'"),
        (lambda: loops.foreach(lambda d, s: (d, d), v("d"), v("s")), ValueError, "state 0, 's'"),
        (lambda: loops.foreach(lambda d, s: (d, s), v("x"), v("x")), ValueError, "x-0, x-0"),
        (lambda: loops.while_loop(lambda i: i, lambda i: (i, i), [v("i")]), ValueError, "max_iter"),
        (lambda: loops.while_loop(lambda i: i, lambda i: (i, i), [], 3), ValueError, "loop_vars"),
        (lambda: loops.while_loop(lambda i: 1, lambda i: (i, i), v("i"), 3), ValueError, "int"),
        (
            lambda: loops.while_loop(lambda i: i, lambda i: (i, [i, i]), v("i"), 3),
            ValueError,
            "gives 2 loop variables, it was given 1",
        ),
        (
            lambda: loops.while_loop(lambda i: i, lambda i: (i, i), v("i"), "many"),
            ValueError,
            "'many' is not one number",
        ),
        (lambda: loops.cond(v("p"), lambda: [v("a"), v("b")], lambda: v("c")), ValueError, "2.* 1"),
        (lambda: loops.cond(1, lambda: v("a"), lambda: v("c")), TypeError, "pred"),
    ],
)
def test_what_is_refused_is_named(call, error, text):
    with pytest.raises(error, match=text) as caught:
        call()
    assert isinstance(caught.value, MXNetError)


# On arrays ----------------------------------------------------------------------------------------

eager = mx.nd.contrib


def test_eager_loops_are_recorded():
    x = mx.nd.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with mx.autograd.record():
        _, (product,) = eager.foreach(lambda d, s: ([], [s[0] * d]), x, [mx.nd.ones(1)])
    product.backward()
    assert x.grad.asnumpy().tolist() == [6, 3, 2]


def test_eager_while_fills_up_with_zeros():
    outputs, last = eager.while_loop(
        lambda i: i < 2, lambda i: (i * 10, i + 1), mx.nd.zeros(1, dtype="int32"), 4
    )
    assert outputs.asnumpy().ravel().tolist() == [0, 10, 0, 0]
    assert outputs.dtype == np.int32
    assert last.asscalar() == 2


def test_eager_cond_runs_one_side_only():
    ran = []
    given = eager.cond(mx.nd.array([0]), lambda: ran.append(1), lambda: "other")
    assert (given, ran) == ("other", [])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: eager.foreach(lambda d, s: (d, s), 3, x), TypeError, "data must be NDArray"),
        (lambda x: eager.foreach(lambda d, s: (1, s), x, x), TypeError, "output"),
        (lambda x: eager.while_loop(lambda i: i < 3, lambda i: (i, i), [x], 3), ValueError, "cond"),
        (lambda x: eager.while_loop(lambda i: 1, lambda i: (i, i), [x]), ValueError, "max_iter"),
        (
            lambda x: eager.while_loop(
                lambda i, n: True, lambda i, n: ([i] * n, [i, n + 1]), [x, 1], 3
            ),
            ValueError,
            "step 1 gives 2 outputs, the first gave 1",
        ),
        (lambda x: eager.cond(x, lambda: x, lambda: x), ValueError, "pred"),
    ],
)
def test_what_is_refused_of_arrays_is_named(call, error, text):
    with pytest.raises(error, match=text) as caught:
        call(mx.nd.ones((2, 3)))
    assert isinstance(caught.value, MXNetError)


def test_a_body_that_ignores_what_it_is_given_is_refused_as_an_assertion():
    x, s = mx.sym.var("x"), mx.sym.var("s")
    for body in (lambda d, s: (d * 2, [d]), lambda d, s: (s[0] * 1, s)):
        with pytest.raises(AssertionError, match="does not use") as error:
            mx.sym.contrib.foreach(body, x, [s])
        assert isinstance(error.value, mx.base.MXNetError)


def test_names_of_bodies_are_counted_by_name():
    before = mx.AttrScope._subgraph_names["counted_here"]
    for _ in range(2):
        mx.sym.contrib.foreach(lambda d, s: (d, s), mx.sym.var("x"), [], name="counted_here")
    assert mx.AttrScope._subgraph_names["counted_here"] == before + 2


def test_bodies_complete_their_operators_and_see_storage():
    def body(d, s):
        return d + mx.sym.zeros((0, 2)), [s[0] + mx.sym.cast_storage(d, "row_sparse")]

    x, s = mx.sym.var("x"), mx.sym.var("s")
    outputs, states = mx.sym.contrib.foreach(body, x, [s])
    given = np.arange(12, dtype="f").reshape(2, 3, 2)
    found = mx.sym.Group([outputs, *states]).eval(x=mx.nd.array(given), s=mx.nd.ones((3, 2)))
    np.testing.assert_array_equal(found[0].asnumpy(), given)
    np.testing.assert_array_equal(found[1].asnumpy(), given.sum(0) + 1)


def test_errors_inside_bodies_name_the_inner_node():
    def body(d, s):
        return mx.sym.take(s[0], d, mode="raise", name="inner"), s

    out, _ = mx.sym.contrib.foreach(body, mx.sym.var("x"), [mx.sym.var("s")])
    executor = out.bind(mx.cpu(), {"x": mx.nd.array([[9]]), "s": mx.nd.ones((2,))})
    with pytest.raises(mx.base.MXNetError, match="node 'inner': take"):
        executor.forward()[0].wait_to_read()
