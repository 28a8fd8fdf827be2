# SPDX-License-Identifier: Apache-2.0
"""Heads of a backward pass, graphs that it uses up, and what gradients reach."""

from .kit import program


# Heads --------------------------------------------------------------------------------------------
@program
def leaf_as_head(k, x):
    x.backward()
    return x.grad


@program
def leaf_as_head_with_gradient(k, x):
    given = k.nd.array([[1, 2], [3, 4]])
    x.backward(given)
    given[:] = 0
    return x.grad


@program
def leaf_beside_head(k, x):
    with k.ag.record():
        y = x * 3
    k.ag.backward([y, x])
    return x.grad


@program
def head_gradient(k, x):
    with k.ag.record():
        y = x * x
    y.backward(k.nd.array([[1, 10], [100, 1000]]))
    return x.grad


@program
def head_gradient_by_function(k, x):
    with k.ag.record():
        y = x * x
    k.ag.backward(y, k.nd.ones((2, 2)) * 3)
    return x.grad


@program
def head_gradient_handed_on(k, x):
    given = k.nd.ones((2, 2))
    with k.ag.record():
        y = x + 1
    y.backward(given)
    given[:] = 7
    return x.grad


@program
def two_heads(k, x):
    with k.ag.record():
        y, z = x * x, x * 3
    k.ag.backward([y, z])
    return x.grad


@program
def two_heads_one_gradient(k, x):
    with k.ag.record():
        y, z = x * x, x * 3
    k.ag.backward([y, z], [None, k.nd.array([[10, 20], [30, 40]])])
    return x.grad


@program
def head_twice(k, x):
    with k.ag.record():
        y = x * 3
    k.ag.backward([y, y])
    return x.grad


@program
def head_twice_with_gradients(k, x):
    with k.ag.record():
        y = x * 3
    k.ag.backward([y, y], [k.nd.ones((2, 2)), k.nd.ones((2, 2)) * 10])
    return x.grad


@program
def head_within_head(k, x):
    with k.ag.record():
        y = x * x
        z = y * 3
    k.ag.backward([y, z])
    return x.grad


@program
def too_many_head_gradients(k, x):
    with k.ag.record():
        y = x * x
    k.ag.backward([y], [k.nd.ones((2, 2)), k.nd.ones((2, 2))])


@program
def head_gradient_of_another_type(k, x):
    with k.ag.record():
        y = x * x
    y.backward(k.nd.ones((2, 2), dtype="float64"))
    return x.grad


@program
def head_never_recorded(k, x):
    k.nd.ones((2,)).backward()


@program
def head_computed_outside(k, x):
    y = x * 2
    y.backward()


@program
def head_without_leaves(k, x):
    with k.ag.record():
        y = k.nd.ones((2,)) * 2
    y.backward()


@program
def backward_while_recording(k, x):
    with k.ag.record():
        y = x * x
        y.backward()
        z = x.grad * x
    z.backward()
    return x.grad


@program
def head_of_comparison(k, x):
    x.grad[:] = 7
    with k.ag.record():
        y = x > 1.5
    y.backward()
    return x.grad


@program
def head_of_comparison_added(k, x):
    x.attach_grad("add")
    x.grad[:] = 7
    with k.ag.record():
        y = k.nd.sign(x)
    y.backward()
    return x.grad


@program
def head_of_argmax(k, x):
    x.grad[:] = 7
    with k.ag.record():
        y = x.argmax(axis=0)
    y.backward()
    return x.grad


@program
def head_of_zeros_like(k, x):
    x.grad[:] = 7
    with k.ag.record():
        y = k.nd.zeros_like(x)
    y.backward()
    return x.grad


@program
def index_behind_a_loss(k, x):
    table = k.leaf([[1, 2], [3, 4], [5, 6]])
    with k.ag.record():
        index = k.nd.SoftmaxOutput(x, k.nd.array([1, 0])).argmax(axis=1)
        y = table[index] * 2
    y.backward()
    return x.grad, table.grad


@program
def index_of_a_constant(k, x):
    with k.ag.record():
        index = k.nd.MakeLoss(x * x).argmax(axis=1).astype("int32")
        y = k.nd.array([[1, 2], [3, 4]])[index, k.nd.array([0, 1], dtype="int32")]
    y.backward()
    return x.grad


@program
def mask_behind_a_loss(k, x):
    k.mx.npx.set_np()
    try:
        with k.ag.record():
            mask = k.nd.MakeLoss(x * x).as_np_ndarray() > 3
            y = k.mx.np.array([[1, 2], [3, 4]])[mask]
        y.backward()
    finally:
        k.mx.npx.reset_np()
    return x.grad


# Used up graphs -----------------------------------------------------------------------------------
@program
def twice(k, x):
    with k.ag.record():
        y = x * x
    y.backward()
    y.backward()


@program
def twice_where_nothing_is_saved(k, x):
    with k.ag.record():
        y = x + 1
    y.backward()
    y.backward()


@program
def twice_retained(k, x):
    x.attach_grad("add")
    with k.ag.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


@program
def thrice_after_retained(k, x):
    with k.ag.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    y.backward()


@program
def shared_part(k, x):
    with k.ag.record():
        y = x * x
        z, w = y + 1, y * 2
    z.backward()
    w.backward()


@program
def shared_part_retained(k, x):
    x.attach_grad("add")
    with k.ag.record():
        y = x * x
        z, w = y + 1, y * 2
    z.backward(retain_graph=True)
    w.backward()
    return x.grad


@program
def shared_part_beside_leaf(k, x):
    with k.ag.record():
        y = x * x
        z, w = y + 1, y * 2 + x * 5
    z.backward()
    w.backward()


@program
def used_up_is_constant(k, x):
    x.attach_grad("add")
    with k.ag.record():
        y = x * x
        z = y + 1
    z.backward()
    with k.ag.record():
        w = y * 2 + x
    w.backward()
    return x.grad


@program
def used_up_alone(k, x):
    with k.ag.record():
        y = x * x
        z = y + 1
    z.backward()
    with k.ag.record():
        w = y * 2
    w.backward()


@program
def used_up_can_be_written(k, x):
    with k.ag.record():
        y = x * x
    y.backward()
    with k.ag.record():
        y += 1
        y[:] = 3
    return y


@program
def state_carried_on(k, x):
    h = k.nd.zeros((2, 2))
    x.attach_grad("add")
    for _ in range(3):
        with k.ag.record():
            h = k.nd.tanh(x * 0.1 + h)
            loss = (h * 2).sum()
        loss.backward()
    return [h, x.grad]


@program
def recorded_in_two_blocks(k, x):
    with k.ag.record():
        y = x * x
    with k.ag.record():
        z = y * 3
    z.backward()
    return x.grad


@program
def paused_in_between(k, x):
    with k.ag.record():
        y = x * x
        with k.ag.pause():
            c = y * 2
        z = y * c
    z.backward()
    return x.grad


@program
def intermediate_forgotten(k, x):
    with k.ag.record():
        y = x * x
        z = y.sum()
    del y
    z.backward()
    return x.grad


# What depends on what -----------------------------------------------------------------------------
@program
def unrelated_leaf_untouched(k, x):
    w = k.leaf([[3, 4], [5, 6]])
    w.grad[:] = 7
    with k.ag.record():
        y = x * x
    y.backward()
    return w.grad


@program
def leaf_behind_block_grad(k, x):
    w = k.leaf([[3, 4], [5, 6]])
    w.grad[:] = 7
    with k.ag.record():
        y = x * x + k.nd.BlockGrad(w) * x
    y.backward()
    return [x.grad, w.grad]


@program
def leaf_detached(k, x):
    w = k.leaf([[3, 4], [5, 6]])
    w.grad[:] = 7
    with k.ag.record():
        y = x * x + w.detach() * x
    y.backward()
    return [x.grad, w.grad]


@program
def detach_shares_memory(k, x):
    with k.ag.record():
        v = x.detach()
        v[:] = 1
        y = x * x
    y.backward()
    return [y, x.grad]


@program
def stop_gradient(k, x):
    with k.ag.record():
        y = x * k.nd.stop_gradient(x)
    y.backward()
    return x.grad


@program
def value_as_number(k, x):
    with k.ag.record():
        y = x * float(x.asnumpy()[0, 1])
    y.backward()
    return x.grad


@program
def random_constant(k, x):
    with k.ag.record():
        y = x * 2 + k.nd.random.uniform(shape=(2, 2)) * 0
    y.backward()
    return x.grad


@program
def many_uses(k, x):
    with k.ag.record():
        y = x
        for _ in range(20):
            y = y * 0.5 + x
    y.backward()
    return x.grad


@program
def shared_weights(k, x):
    w = k.leaf([[1, 2], [3, 4]])
    with k.ag.record():
        y = k.nd.dot(k.nd.dot(x, w), w)
    y.backward()
    return [x.grad, w.grad]
