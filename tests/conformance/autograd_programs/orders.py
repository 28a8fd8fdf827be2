# SPDX-License-Identifier: Apache-2.0
"""Gradients as arrays, and gradients of gradients."""

from .kit import program


# Gradients as arrays ------------------------------------------------------------------------------
@program
def grad_of_one(k, x):
    with k.ag.record():
        y = x * x
        return [k.ag.grad(y, x), x.grad]


@program
def grad_of_list(k, x):
    with k.ag.record():
        y = x * x
    return [k.ag.grad(y, [x]), x.grad]


@program
def grad_with_head_gradient(k, x):
    with k.ag.record():
        y = x * x
    return k.ag.grad(y, [x], head_grads=k.nd.ones((2, 2)) * 2)


@program
def grad_of_heads(k, x):
    with k.ag.record():
        y, z = x * x, x * 3
    return k.ag.grad([y, z], [x], head_grads=[None, k.nd.ones((2, 2)) * 2])


@program
def grad_hands_on_head_gradient(k, x):
    given = k.nd.ones((2, 2))
    with k.ag.record():
        y = x + 1
    made = k.ag.grad(y, [x], head_grads=given)
    given[:] = 7
    return made


@program
def grad_leaves_added(k, x):
    x.attach_grad("add")
    x.grad[:] = 5
    with k.ag.record():
        y = x * x
    return [k.ag.grad(y, [x]), x.grad]


@program
def grad_twice(k, x):
    with k.ag.record():
        y = x * x
    k.ag.grad(y, [x])
    k.ag.grad(y, [x])


@program
def grad_retained(k, x):
    with k.ag.record():
        y = x * x
    k.ag.grad(y, [x], retain_graph=True)
    return k.ag.grad(y, [x])


@program
def grad_then_backward(k, x):
    with k.ag.record():
        y = x * x
    k.ag.grad(y, [x])
    y.backward()


@program
def grad_by_result(k, x):
    with k.ag.record():
        y = x * x
        z = y * y
        k.ag.grad(z, [y])


@program
def grad_by_constant(k, x):
    w = k.nd.ones((2, 2))
    with k.ag.record():
        y = x * w
        k.ag.grad(y, [w])


@program
def grad_by_unrelated(k, x):
    w = k.leaf([[1, 1], [1, 1]])
    with k.ag.record():
        y = x * x
        k.ag.grad(y, [x, w])


@program
def grad_by_null(k, x):
    x.attach_grad("null")
    with k.ag.record():
        y = x * x
        k.ag.grad(y, [x])


@program
def grad_by_nothing(k, x):
    with k.ag.record():
        y = x * x
        k.ag.grad(y, [])


@program
def create_graph_then_backward(k, x):
    with k.ag.record():
        y = k.nd.sin(x)
        k.ag.grad(y, [x], create_graph=True)
    y.backward()
    return x.grad


# Higher orders, for the operators that MXNet has them of ------------------------------------------
def orders(name, values, n_orders, **attrs):
    def run(k, x):
        x = k.leaf(values)
        made = []
        with k.ag.record():
            y = getattr(k.nd, name)(x, **attrs)
            for _ in range(n_orders - 1):
                y = k.ag.grad(y, [x], create_graph=True)[0]
                made.append(y)
        y.backward()
        return [*made, x.grad]

    run.__name__ = f"order_{n_orders}_{name}"
    return run


_BOTH_SIGNS, _POSITIVE, _SMALL = (
    [[-1.5, -0.3], [0.4, 2.0]],
    [[0.2, 0.7], [1.5, 3.0]],
    [[-0.9, -0.2], [0.1, 0.8]],
)
_UNARY = {
    "sin": _BOTH_SIGNS, "cos": _BOTH_SIGNS, "tan": _SMALL, "arcsin": _SMALL, "arccos": _SMALL,
    "arctan": _BOTH_SIGNS, "sinh": _BOTH_SIGNS, "cosh": _BOTH_SIGNS, "tanh": _BOTH_SIGNS,
    "arcsinh": _BOTH_SIGNS, "arctanh": _SMALL, "exp": _BOTH_SIGNS, "expm1": _BOTH_SIGNS,
    "log": _POSITIVE, "log10": _POSITIVE, "log2": _POSITIVE, "log1p": _POSITIVE,
    "sqrt": _POSITIVE, "rsqrt": _POSITIVE, "cbrt": _POSITIVE, "rcbrt": _POSITIVE,
    "square": _BOTH_SIGNS, "reciprocal": _POSITIVE, "sigmoid": _BOTH_SIGNS, "relu": _BOTH_SIGNS,
    "abs": _BOTH_SIGNS, "radians": _BOTH_SIGNS, "degrees": _BOTH_SIGNS, "negative": _BOTH_SIGNS,
}  # fmt: skip
for _name, _values in _UNARY.items():
    for _order in (2, 3):
        program(orders(_name, _values, _order))


@program
def second_order_by_head_gradient(k, x):
    given = k.leaf([[1, 2], [3, 4]])
    with k.ag.record():
        y = k.nd.sin(x)
        g = k.ag.grad(y, [x], head_grads=given, create_graph=True)[0]
    g.backward()
    return [g, x.grad]


@program
def second_order_outside(k, x):
    with k.ag.record():
        y = k.nd.sin(x)
    g = k.ag.grad(y, [x], create_graph=True)[0]
    g.backward()
    return [g, x.grad]


@program
def second_order_of_sum(k, x):
    with k.ag.record():
        y = k.nd.elemwise_mul(k.nd.sin(x), k.nd.exp(x))
        g = k.ag.grad(y, [x], create_graph=True)[0]
    g.backward()
    return [g, x.grad]


@program
def second_order_of_dense(k, x):
    w, b = k.leaf([[1, 2], [3, 4]]), k.leaf([1, 2])
    with k.ag.record():
        y = k.nd.sin(k.nd.FullyConnected(x, w, b, num_hidden=2))
        g = k.ag.grad(y, [x], create_graph=True)[0]
    g.backward()
    return [g, x.grad, w.grad]
