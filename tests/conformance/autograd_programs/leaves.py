# SPDX-License-Identifier: Apache-2.0
"""Scopes, and arrays that want gradients."""

from .kit import program


# Scopes -------------------------------------------------------------------------------------------
@program
def states(k, x):
    seen = []

    def look():
        seen.append([bool(k.ag.is_recording()), bool(k.ag.is_training())])

    look()
    with k.ag.record():
        look()
        with k.ag.pause():
            look()
            with k.ag.train_mode():
                look()
        with k.ag.predict_mode():
            look()
        with k.ag.pause(train_mode=True):
            look()
        look()
    with k.ag.record(train_mode=False):
        look()
    with k.ag.train_mode():
        look()
    look()
    return seen


@program
def setting_states(k, x):
    return [
        bool(s)
        for s in (
            k.ag.set_recording(True),
            k.ag.set_recording(is_recording=False),
            k.ag.set_training(True),
            k.ag.set_training(train_mode=False),
        )
    ]


@program
def error_leaves_scope(k, x):
    try:
        with k.ag.record():
            raise ValueError("stop")
    except ValueError:
        return [bool(k.ag.is_recording()), bool(k.ag.is_training())]


# Leaves -------------------------------------------------------------------------------------------
@program
def grad_before_attach(k, x):
    return [k.nd.ones((2,)).grad, x.grad]


@program
def grad_of_views(k, x):
    return [x[0].grad, x.reshape((4,)).grad, x.copy().grad, x.detach().grad]


@program
def attach_gives_none(k, x):
    return x.attach_grad()


@program
def square(k, x):
    with k.ag.record():
        y = x * x
    y.backward()
    return [y, x.grad]


@program
def write_overwrites(k, x):
    for factor in (2, 3):
        with k.ag.record():
            y = x * factor
        y.backward()
    return x.grad


@program
def write_of_two_heads_recorded_together(k, x):
    with k.ag.record():
        y, z = x * 2, x * 3
    y.backward()
    z.backward()
    return x.grad


@program
def add_accumulates(k, x):
    x.attach_grad("add")
    x.grad[:] = 100
    for factor in (2, 3):
        with k.ag.record():
            y = x * factor
        y.backward()
    return x.grad


@program
def add_after_zeroing(k, x):
    x.attach_grad("add")
    for factor in (2, 3):
        x.grad[:] = 0
        with k.ag.record():
            y = x * factor
        y.backward()
    return x.grad


@program
def old_handle_of_gradient(k, x):
    gradient = x.grad
    with k.ag.record():
        y = x * 2
    y.backward()
    return gradient


@program
def null_only(k, x):
    x.attach_grad("null")
    with k.ag.record():
        y = x * 2
    y.backward()


@program
def null_beside_write(k, x):
    x.attach_grad("null")
    w = k.leaf([[1, 1], [1, 1]])
    with k.ag.record():
        y = x * w
    y.backward()
    return w.grad


@program
def unknown_grad_req(k, x):
    x.attach_grad("sometimes")


@program
def attach_again(k, x):
    before = x.grad
    with k.ag.record():
        y = x * 3
    y.backward()
    x.attach_grad()
    return [before, x.grad]


@program
def attach_again_before_backward(k, x):
    before = x.grad
    with k.ag.record():
        y = x * 3
    x.attach_grad()
    y.backward()
    return [before, x.grad]


@program
def attach_to_result(k, x):
    with k.ag.record():
        y = x * 3
        y.attach_grad()
        z = y * y
    z.backward()
    return [x.grad, y.grad]


@program
def attach_to_result_of_recorded_head(k, x):
    with k.ag.record():
        y = x * 3
        z = y * y
    y.attach_grad()
    z.backward()
    return [x.grad, y.grad]


@program
def attach_while_recording(k, x):
    w = k.nd.array([1.0, 2.0])
    with k.ag.record():
        w.attach_grad()
        y = w * w
    y.backward()
    return w.grad


@program
def attach_after_recording(k, x):
    c = k.nd.ones((2, 2))
    with k.ag.record():
        y = c * x
    c.attach_grad()
    y.backward()
    return [c.grad, x.grad]


@program
def row_sparse_gradient(k, x):
    x.attach_grad(stype="row_sparse")
    with k.ag.record():
        y = x * 2
    y.backward()
    return [x.grad.stype, x.grad.tostype("default")]


@program
def fresh_gradients(k, x):
    seen = [bool(x._fresh_grad)]
    with k.ag.record():
        y = x * 2
    y.backward()
    seen.append(bool(x._fresh_grad))
    x._fresh_grad = False
    seen.append(bool(x._fresh_grad))
    return [*seen, bool(k.nd.ones((2,))._fresh_grad)]


@program
def fresh_gradient_of_no_leaf(k, x):
    k.nd.ones((2,))._fresh_grad = True


@program
def mark_one(k, x):
    gradient = k.nd.zeros((2, 2))
    k.ag.mark_variables(x, gradient)
    with k.ag.record():
        y = x * 3
    y.backward()
    return gradient


@program
def mark_with_add(k, x):
    gradient = k.nd.ones((2, 2))
    k.ag.mark_variables([x], [gradient], "add")
    with k.ag.record():
        y = x * 3
    y.backward(retain_graph=True)
    y.backward()
    return gradient


@program
def mark_many(k, x):
    w = k.nd.array([[1, 1], [2, 2]])
    gradients = [k.nd.zeros((2, 2)), k.nd.zeros((2, 2))]
    k.ag.mark_variables([x, w], gradients, ["write", "add"])
    with k.ag.record():
        y = x * w
    y.backward(retain_graph=True)
    y.backward()
    return gradients


@program
def leaf_on_another_context(k, x):
    w = k.nd.ones((2, 2), ctx=k.mx.cpu(1))
    w.attach_grad()
    with k.ag.record():
        y = x * w.as_in_context(k.mx.cpu(0))
    y.backward()
    return [w.grad, str(w.grad.context)]


@program
def zero_size_steps(k, x):
    with k.ag.record():
        y = x * 0
    y.backward()
    return x.grad
