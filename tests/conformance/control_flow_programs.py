# SPDX-License-Identifier: Apache-2.0
"""Programs with loops and branches, written once for any package with MXNet's API.

A symbolic program takes the package and gives outputs, in nested lists, and the shapes of its
variables. An eager one gives arrays. The values of arguments follow from their names and shapes.
"""

from __future__ import annotations

import json
import zlib

import numpy as np

SYMBOLIC, EAGER, REFUSED = {}, {}, {}


def symbolic(program):
    SYMBOLIC[program.__name__] = program
    return program


def eager(program):
    EAGER[program.__name__] = program
    return program


def refused(program):
    REFUSED[program.__name__] = program
    return program


def flat(nested):
    if isinstance(nested, (list, tuple)):
        return [leaf for item in nested for leaf in flat(item)]
    return [nested]


def form(nested):
    if isinstance(nested, (list, tuple)):
        return [form(item) for item in nested]
    return "*"


def values(name, shape, dtype="float32"):
    start = zlib.crc32(name.encode()) % 97
    return np.sin(np.arange(np.prod(shape, dtype=int)) * 1.7 + start).reshape(shape).astype(dtype)


def fresh_names(mx):
    mx.AttrScope._subgraph_names.clear()
    return mx.name.NameManager()


def symbol_of(mx, program):
    """(symbol, shapes of its variables, facts that JSON can hold) of a symbolic program."""
    with fresh_names(mx):
        outputs, shapes = program(mx)
    symbol = mx.sym.Group(flat(outputs))
    facts = {
        "graph": json.loads(symbol.tojson()),
        "form": form(outputs),
        "shapes": symbol.infer_shape(**shapes),
        "arguments": symbol.list_arguments(),
        "outputs": symbol.list_outputs(),
        "states": symbol.list_auxiliary_states(),
    }
    return mx.sym.load_json(symbol.tojson()), shapes, facts


def run_symbol(mx, symbol, shapes, gradients):
    """Outputs of both kinds of forward and, if wanted, gradients; by name."""
    names, (found, _, _) = symbol.list_arguments(), symbol.infer_shape(**shapes)
    found = found or [shapes[n] for n in names]
    args = [mx.nd.array(values(*pair)) for pair in zip(names, found)]
    grads = [mx.nd.zeros(shape) for shape in found] if gradients else None
    executor = symbol.bind(mx.cpu(), args, grads, "write" if gradients else "null")
    arrays = {f"infer{i}": a.asnumpy() for i, a in enumerate(executor.forward(is_train=False))}
    arrays.update((f"train{i}", a.asnumpy()) for i, a in enumerate(executor.forward(is_train=True)))
    if gradients:
        heads = [mx.nd.array(values(f"head{i}", a.shape)) for i, a in enumerate(executor.outputs)]
        executor.backward(heads)
        arrays.update((f"d_{i}", gradient.asnumpy()) for i, gradient in enumerate(grads))
    return arrays


def run_eager(mx, program):
    """(form of what an eager program gives, arrays by name)."""
    given = program(mx)
    return form(given), {f"output{i}": a.asnumpy() for i, a in enumerate(flat(given))}


def run_refused(mx, program):
    """Names of Python's own classes that what a program raises belongs to; the nearest first."""
    try:
        with fresh_names(mx):
            program(mx)
    except (AssertionError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return [c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"]
    return []


# Symbolic -----------------------------------------------------------------------------------------


def ran(mx, loop, steps):
    """A while loop's results without what MXNet leaves uninitialised: steps that did not run."""
    outputs, last = loop
    shown = [mx.sym.slice_axis(o, axis=0, begin=0, end=steps) for o in flat(outputs)]
    return [shown if isinstance(outputs, list) else shown[0], last]


@symbolic
def cumulative_sum(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    return loops.foreach(lambda d, s: (d + s, d + s), v("data"), v("state")), {"data": (5, 3)}


@symbolic
def state_in_list(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    body = lambda d, s: (d + s[0], [s[0] * 2])  # noqa: E731
    return loops.foreach(body, v("data"), [v("state")]), {"data": (3, 2), "state": (2,)}


@symbolic
def closure_variable(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")
    loop = loops.foreach(lambda d, s: (d * w + s, s + w), v("data"), v("state"))
    return [loop, w * 2], {"data": (3, 2)}


@symbolic
def closure_of_operator(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    h = mx.sym.exp(v("h"))
    loop = loops.foreach(lambda d, s: (d * h + s * h, s + h), v("data"), v("state"))
    return loop, {"data": (3, 2)}


@symbolic
def closure_of_two_outputs(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    parts = mx.sym.split(v("z"), num_outputs=2, axis=0)
    body = lambda d, s: (d * parts[0] + s * parts[1], s + parts[1])  # noqa: E731
    return loops.foreach(body, v("data"), v("state")), {"data": (3, 1, 2), "z": (2, 2)}


@symbolic
def output_is_data(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    return loops.foreach(lambda d, s: (d, s + 1), v("data"), v("s")), {"data": (3, 2), "s": (4,)}


@symbolic
def output_is_state(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    return loops.foreach(lambda d, s: (s, s + d), v("data"), v("s")), {"data": (3, 2)}


@symbolic
def output_is_outer(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")
    return loops.foreach(lambda d, s: (w, s + d), v("data"), v("s")), {"data": (3, 2), "w": (4,)}


@symbolic
def output_is_parameter(mx):
    v, loops = mx.sym.var, mx.sym.contrib

    def body(d, s):
        return mx.sym.var("inner"), s + d

    return loops.foreach(body, v("data"), v("s")), {"data": (3, 2), "inner": (4,)}


@symbolic
def states_alone(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    _, state = loops.foreach(lambda d, s: ([], s * 0.5 + d), v("data"), v("s"))
    return state, {"data": (4, 2)}


@symbolic
def outputs_alone(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    outputs, _ = loops.foreach(lambda d, s: (mx.sym.square(d), []), v("data"), [])
    return outputs, {"data": (4, 2)}


@symbolic
def nested_lists(mx):
    v, loops = mx.sym.var, mx.sym.contrib

    def body(d, s):
        (a, b), (c, (e,)) = d, s
        return [a + c, [b * e]], [c + 1, [e + a]]

    loop = loops.foreach(body, [v("a"), v("b")], [v("c"), [v("e")]])
    return loop, {"a": (3, 2), "b": (3, 2)}


@symbolic
def state_given_as_tuple(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    body = lambda d, s: ((d + s[0],), (s[0] + 1,))  # noqa: E731
    return loops.foreach(body, v("data"), (v("s"),)), {"data": (3, 2)}


@symbolic
def swapped_states(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    body = lambda d, s: (d + s[0], [s[1], s[0]])  # noqa: E731
    return loops.foreach(body, v("data"), [v("s"), v("t")]), {"data": (3, 2), "t": (2,)}


@symbolic
def parameters(mx):
    v, loops = mx.sym.var, mx.sym.contrib

    def body(d, s):
        h = mx.sym.FullyConnected(d, num_hidden=3, name="fc")
        return mx.sym.tanh(h + s), h * 0.5 + s

    return loops.foreach(body, v("data"), v("state")), {"data": (4, 2, 5)}


@symbolic
def rnn_cell(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    weights = [v("i2h_weight"), v("i2h_bias"), v("h2h_weight"), v("h2h_bias")]

    def cell(x, states):
        i2h = mx.sym.FullyConnected(x, weights[0], weights[1], num_hidden=4, name="i2h")
        h2h = mx.sym.FullyConnected(states[0], weights[2], weights[3], num_hidden=4, name="h2h")
        h = mx.sym.Activation(i2h + h2h, act_type="tanh")
        return h, [h]

    loop = loops.foreach(cell, v("data"), [v("begin")])
    return loop, {"data": (5, 2, 3), "begin": (2, 4)}


@symbolic
def lstm_cell(mx):
    v, loops = mx.sym.var, mx.sym.contrib

    def cell(x, states):
        h, c = states
        gates = mx.sym.FullyConnected(x, num_hidden=12, name="i2h")
        gates = gates + mx.sym.FullyConnected(h, num_hidden=12, name="h2h")
        i, f, g, o = mx.sym.SliceChannel(gates, num_outputs=4, axis=1, name="gates")
        c = mx.sym.sigmoid(f) * c + mx.sym.sigmoid(i) * mx.sym.tanh(g)
        h = mx.sym.sigmoid(o) * mx.sym.tanh(c)
        return h, [h, c]

    loop = loops.foreach(cell, v("data"), [v("h"), v("c")])
    return loop, {"data": (6, 2, 4), "h": (2, 3), "c": (2, 3)}


@symbolic
def attention_over_steps(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    memory = mx.sym.transpose(v("memory"), axes=(1, 0))

    def body(query, state):
        scores = mx.sym.dot(query + state, memory)
        read = mx.sym.dot(mx.sym.softmax(scores), memory, transpose_b=True)
        return read, read

    loop = loops.foreach(body, v("queries"), v("state"))
    return loop, {"queries": (3, 2, 4), "memory": (5, 4), "state": (2, 4)}


@symbolic
def loop_on_operator_results(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    data = v("data")
    steps, start = mx.sym.transpose(data, axes=(1, 0, 2)), mx.sym.mean(data, axis=1)
    outputs, state = loops.foreach(lambda d, s: (d * s, s - d), steps, start)
    return mx.sym.sum(outputs, axis=0) + state, {"data": (2, 3, 4)}


@symbolic
def two_loops(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")
    first, s = loops.foreach(lambda d, s: (d * w, s + d), v("data"), v("s"))
    return loops.foreach(lambda d, t: (d + t * w, t * 0.5), first, s), {"data": (3, 2)}


@symbolic
def loop_in_loop(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")

    def outer(d, s):
        inner, last = loops.foreach(lambda e, t: (e * w + s, t + e), d, s)
        return mx.sym.broadcast_mul(inner, w), last

    return loops.foreach(outer, v("data"), v("s")), {"data": (3, 4, 2)}


@symbolic
def loop_in_loop_in_loop(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    h = mx.sym.sin(v("w"))

    def outer(d, s):
        def middle(e, t):
            return loops.foreach(lambda f, u: (f * h + t * s, u + f), e, t)

        return loops.foreach(middle, d, s)

    return loops.foreach(outer, v("data"), v("s")), {"data": (2, 2, 3, 2)}


@symbolic
def named(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    loop = loops.foreach(lambda d, s: (d + s, s), v("data"), v("s"), name="walk")
    with mx.AttrScope(ctx_group="right"):
        count = loops.while_loop(
            lambda i: i < 2, lambda i: (i, i + 1), v("i"), max_iterations=3, name="count"
        )
        count = ran(mx, count, 1)
    branch = loops.cond(v("p"), lambda: v("x") * 2, lambda: v("x") * 3, name="choose")
    return [loop, count, branch], {"data": (2, 3), "s": (3,), "i": (1,), "p": (1,), "x": (2,)}


@symbolic
def while_counting(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    loop = loops.while_loop(
        lambda i, s: i <= 3,
        lambda i, s: ([i + s], [i + 1, s + i]),
        [v("i"), v("s")],
        max_iterations=5,
    )
    return ran(mx, loop, 3), {"i": (1,), "s": (1,)}


@symbolic
def while_one_variable(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    loop = loops.while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), v("i"), max_iterations=6)
    return ran(mx, loop, 3), {"i": (1,)}


@symbolic
def while_without_outputs(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    outputs, last = loops.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (None, [i + 1, x * x]),
        [v("i"), v("x")],
        max_iterations=6,
    )
    return [outputs, last], {"i": (1,), "x": (2, 2)}


@symbolic
def while_never(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    loop = loops.while_loop(lambda i: i > 100, lambda i: ([], [i * 2]), [v("i")], max_iterations=3)
    return loop, {"i": (1,)}


@symbolic
def while_closures(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w, h = v("w"), mx.sym.exp(v("h"))
    loop = loops.while_loop(
        lambda i, x: mx.sym.sum(i * w * w) < 2,
        lambda i, x: (x * w + h, [i + 1, x + h]),
        [v("i"), v("x")],
        max_iterations=4,
    )
    return [ran(mx, loop, 2), w + h], {"i": (1,), "x": (1,), "w": (1,), "h": (1,)}


@symbolic
def while_parameters(mx):
    v, loops = mx.sym.var, mx.sym.contrib

    def step(i, x):
        x = mx.sym.FullyConnected(x, num_hidden=3, name="fc")
        return mx.sym.tanh(x), [i + 1, x]

    loop = loops.while_loop(
        lambda i, x: i < 4, step, [v("i"), v("x")], max_iterations=7, name="power"
    )
    weights = {"fc_weight": (3, 3), "fc_bias": (3,)}
    return ran(mx, loop, 3), {"i": (1,), "x": (2, 3), **weights}


@symbolic
def newton_root(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    a = mx.sym.square(v("a")) + 1
    loop = loops.while_loop(
        lambda i, x: mx.sym.max(mx.sym.abs(x * x - a)) > 1e-3,
        lambda i, x: (x, [i + 1, 0.5 * (x + a / x)]),
        [v("i"), mx.sym.square(v("x")) + 1],
        max_iterations=12,
    )
    return ran(mx, loop, 2), {"i": (1,), "x": (3,), "a": (3,)}


@symbolic
def branch(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    a, b = v("a"), v("b")
    made = loops.cond(a * b < 5, lambda: (a + 5) * (b + 5), lambda: (a - 5) * (b - 5))
    return made, {"a": (1,), "b": (1,)}


@symbolic
def branch_other_way(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    a, b = v("a"), v("b")
    made = loops.cond(mx.sym.sum(a) > 500, lambda: a * b, lambda: a + b * b)
    return made, {"a": (2, 3), "b": (2, 3)}


@symbolic
def branch_of_own_variables(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    a = v("a")
    made = loops.cond(
        mx.sym.sum(a) < 100,
        lambda: mx.sym.FullyConnected(a, num_hidden=2, name="left"),
        lambda: mx.sym.FullyConnected(a, num_hidden=2, name="right"),
    )
    weights = {f"{side}_weight": (2, 3) for side in ("left", "right")}
    biases = {f"{side}_bias": (2,) for side in ("left", "right")}
    return made, {"a": (2, 3), **weights, **biases}


@symbolic
def branch_lists(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    a, b, p = v("a"), v("b"), v("p")
    made = loops.cond(p, lambda: [a, [b * 2]], lambda: (b, a))
    return made, {"a": (2,), "b": (2,), "p": (1,)}


@symbolic
def branch_constant(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    b, p = v("b"), v("p")
    made = loops.cond(p > 7, lambda: mx.sym.zeros((2,)) + b, lambda: mx.sym.ones((2,)) * b)
    return made, {"b": (2,), "p": (1,)}


@symbolic
def branch_captures_operator_twice(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    h, a = mx.sym.exp(v("h")), v("a")
    return loops.cond(mx.sym.sum(h) < a, lambda: h * a, lambda: h + a), {"h": (1,), "a": (1,)}


@symbolic
def branch_in_branch(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    a, b = v("a"), v("b")

    def inner():
        return loops.cond(b < 0, lambda: a * b, lambda: a - b)

    return loops.cond(a < 100, inner, lambda: a), {"a": (1,), "b": (1,)}


@symbolic
def branch_in_foreach(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")

    def body(d, s):
        return loops.cond(mx.sym.sum(d) > 0, lambda: d * w, lambda: d + w), s + d

    return loops.foreach(body, v("data"), v("s")), {"data": (4, 3), "s": (3,), "w": (3,)}


@symbolic
def branch_in_while(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")

    def step(i, x):
        return loops.cond(i < 1, lambda: x * w, lambda: x + w), [i + 1, x * 0.5]

    loop = loops.while_loop(lambda i, x: i < 3, step, [v("i"), v("x")], max_iterations=5)
    return ran(mx, loop, 2), {"i": (1,), "x": (2,), "w": (2,)}


@symbolic
def while_in_foreach(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    w = v("w")

    def body(d, s):
        out, last = loops.while_loop(
            lambda i, x: i < 2, lambda i, x: (x * w, [i + 1, x + d]), [v("i"), s], max_iterations=3
        )
        return mx.sym.slice_axis(out, axis=0, begin=0, end=1), last[1]

    loop = loops.foreach(body, v("data"), v("s"))
    return loop, {"data": (3, 2), "i": (1,), "s": (2,), "w": (2,)}


@symbolic
def foreach_in_while(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    data = v("data")

    def step(i, x):
        out, last = loops.foreach(lambda d, s: (d * s, s + d), data, x)
        return out, [i + 1, mx.sym.tanh(last)]

    loop = loops.while_loop(lambda i, x: i < 2, step, [v("i"), v("x")], max_iterations=3)
    return ran(mx, loop, 1), {"data": (3, 2), "i": (1,), "x": (2,)}


@symbolic
def foreach_in_branch(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    data, s = v("data"), v("s")

    def then():
        return loops.foreach(lambda d, t: (d * t, t + d), data, s)[1]

    return loops.cond(mx.sym.sum(s) < 50, then, lambda: s * 2), {"data": (3, 2), "s": (2,)}


@symbolic
def layer_norm_in_body(mx):
    v, loops = mx.sym.var, mx.sym.contrib

    def body(d, s):
        return mx.sym.LayerNorm(d, name="ln") + s, s * 1

    return loops.foreach(body, v("data"), v("s")), {"data": (3, 2, 4), "s": (2, 4)}


@symbolic
def shapes_from_the_end(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    loop = loops.foreach(lambda d, s: (mx.sym.dot(d, v("w")), s + 1), v("data"), v("s"))
    return loop, {"data": (3, 2, 4), "w": (4, 5), "s": (1,)}


@symbolic
def last_state_alone_is_used(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    _, state = loops.foreach(lambda d, s: (d + s, s * d), v("data"), v("s"))
    return mx.sym.sum(state), {"data": (3, 2)}


@symbolic
def cumulative_products_long(mx):
    v, loops = mx.sym.var, mx.sym.contrib
    body = lambda d, s: (mx.sym.tanh(d * s), s * 0.9 + d * 0.1)  # noqa: E731
    return loops.foreach(body, v("data"), v("s")), {"data": (30, 2)}


# Eager --------------------------------------------------------------------------------------------


def arrays(mx, **shapes):
    made = [mx.nd.array(values(name, shape)) for name, shape in shapes.items()]
    for array in made:
        array.attach_grad()
    return made


def with_gradients(mx, compute, *leaves):
    """What `compute` gives, and the gradients of the sum of its squares."""
    with mx.autograd.record():
        given = compute()
        loss = mx.nd.add_n(*[mx.nd.sum(a * a) for a in flat(given)])
    loss.backward()
    return [given, [leaf.grad for leaf in leaves]]


@eager
def eager_cumulative_sum(mx):
    data, s = arrays(mx, data=(4, 3), s=(3,))
    return with_gradients(
        mx, lambda: mx.nd.contrib.foreach(lambda d, s: (d + s, d + s), data, s), data, s
    )


@eager
def eager_nested_lists(mx):
    a, b, c, e, w = arrays(mx, a=(3, 2), b=(3, 2), c=(2,), e=(2,), w=(2,))

    def body(d, s):
        return [d[0] + s[0] * w, (d[1] * s[1][0],)], [s[0] + 1, [s[1][0] + d[0]]]

    return with_gradients(mx, lambda: mx.nd.contrib.foreach(body, [a, b], [c, [e]]), a, b, c, e, w)


@eager
def eager_states_alone(mx):
    data, s = arrays(mx, data=(4, 2), s=(2,))
    return with_gradients(
        mx, lambda: mx.nd.contrib.foreach(lambda d, s: ([], s * d), data, s), data, s
    )


@eager
def eager_rnn(mx):
    data, h, wx, wh = arrays(mx, data=(5, 2, 3), h=(2, 4), wx=(3, 4), wh=(4, 4))

    def cell(x, states):
        new = mx.nd.tanh(mx.nd.dot(x, wx) + mx.nd.dot(states[0], wh))
        return new, [new]

    return with_gradients(mx, lambda: mx.nd.contrib.foreach(cell, data, [h]), data, h, wx, wh)


@eager
def eager_loop_in_loop(mx):
    data, s, w = arrays(mx, data=(3, 4, 2), s=(2,), w=(2,))

    def outer(d, s):
        inner, last = mx.nd.contrib.foreach(lambda e, t: (e * w + s, t + e), d, s)
        return inner * w, last

    return with_gradients(mx, lambda: mx.nd.contrib.foreach(outer, data, s), data, s, w)


@eager
def eager_while_full(mx):
    i, s = mx.nd.array([0.0]), mx.nd.array([1.0])
    i.attach_grad(), s.attach_grad()
    return with_gradients(
        mx,
        lambda: mx.nd.contrib.while_loop(
            lambda i, s: i <= 3, lambda i, s: (i + s, [i + 1, s * 2]), [i, s], max_iterations=4
        ),
        i,
        s,
    )


@eager
def eager_while_integers(mx):
    i, s = mx.nd.array([0], dtype="int64"), mx.nd.array([1], dtype="int64")
    outputs, last = mx.nd.contrib.while_loop(
        lambda i, s: i <= 5, lambda i, s: ([i + s], [i + 1, s + i]), (i, s), max_iterations=10
    )
    return [outputs[0][:6], last]


@eager
def eager_while_one_variable(mx):
    i = mx.nd.array([0.0])
    return mx.nd.contrib.while_loop(
        lambda i: i < 3, lambda i: (i * 2, i + 1), i, max_iterations=mx.nd.array([3])
    )


@eager
def eager_while_never(mx):
    i = mx.nd.array([0.0])
    return mx.nd.contrib.while_loop(
        lambda i: i > 3, lambda i: (i * 2, i + 1), [i], max_iterations=4
    )


@eager
def eager_while_without_outputs(mx):
    i = mx.nd.array([0.0])
    return mx.nd.contrib.while_loop(lambda i: i < 3, lambda i: (None, i + 1), [i], max_iterations=4)


@eager
def eager_branch(mx):
    a, b = arrays(mx, a=(1,), b=(1,))
    return with_gradients(
        mx,
        lambda: mx.nd.contrib.cond(a * b < 5, lambda: (a + 5) * (b + 5), lambda: (a - 5) * (b - 5)),
        a,
        b,
    )


@eager
def eager_branch_lists(mx):
    a, b = arrays(mx, a=(2,), b=(2,))
    return mx.nd.contrib.cond(0, lambda: a, lambda: [b, (a,)])


# Refused ------------------------------------------------------------------------------------------


def _refused(name, text):
    def program(mx):
        scope = {"mx": mx, "v": mx.sym.var, "sym": mx.sym.contrib, "nd": mx.nd.contrib}
        scope["x"] = mx.nd.ones((2, 3))
        return eval(text, scope)

    program.__name__ = name
    refused(program)


for _number, _text in enumerate(
    """
    sym.foreach(lambda d, s: (d + s[0], s[0]), v("d"), [v("s")])
    sym.foreach(lambda d, s: (s * 2, s + 1), v("d"), v("s"))
    sym.foreach(lambda d, s: (d, d), v("d"), v("s"))
    sym.foreach(lambda d, s: (s * 2, s + 1), 3, v("s"))
    sym.foreach(lambda d, s: (d * 2, s + 1), v("d"), 3)
    sym.foreach(lambda d, s: d + s, v("d"), v("s"))
    sym.foreach(lambda d, s: (3, s + d), v("d"), v("s"))
    sym.foreach(lambda d, s: (d + s, s + d), v("x"), v("x"))
    sym.while_loop(lambda i: i < 3, lambda i: (i, i + 1), [v("i")])
    sym.while_loop(lambda i: i < 3, lambda i: (i, i + 1), [v("i")], max_iterations="a")
    sym.while_loop(lambda i: i < 3, lambda i: (i, i + 1), [], max_iterations=3)
    sym.while_loop(lambda i: True, lambda i: (i, i + 1), [v("i")], max_iterations=3)
    sym.while_loop(lambda i: i < 3, lambda i: (i, [i + 1, i]), [v("i")], max_iterations=3)
    sym.while_loop(lambda i, j: i, lambda i, j: (i, [i + 1, i]), [v("i"), v("j")], max_iterations=3)
    sym.cond(3, lambda: v("a"), lambda: v("b"))
    sym.cond(v("a"), lambda: [v("a"), v("b")], lambda: v("b"))
    sym.cond(mx.sym.Group([v("a"), v("b")]), lambda: v("a"), lambda: v("b"))
    nd.foreach(lambda d, s: (d, s), 3, x)
    nd.foreach(lambda d, s: (d, s), x, 3)
    nd.foreach(lambda d, s: (3, s), x, x)
    nd.foreach(lambda d, s: d, x, x)
    nd.while_loop(lambda i: i < 3, lambda i: (i, i + 1), [x])
    nd.while_loop(lambda i: i < 3, lambda i: (i, i + 1), [x], max_iterations=3)
    nd.while_loop(lambda i: True, lambda i: (i, [i, i]), [x], max_iterations=3)
    nd.while_loop(lambda i: True, lambda i: (i, i), [], max_iterations=3)
    nd.while_loop(lambda i: True, lambda i: (i, i), [x], max_iterations="a")
    nd.while_loop(lambda i: True, lambda i: (3, i), [x], max_iterations=3)
    nd.cond(x, lambda: x, lambda: x)
    """.strip().splitlines()
):
    _refused(f"refused{_number:02}", _text.strip())
