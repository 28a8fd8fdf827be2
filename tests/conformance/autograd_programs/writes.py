# SPDX-License-Identifier: Apache-2.0
"""Copies and views of recorded arrays, and writing to them."""

import numpy as np

from .kit import program


# Casts, contexts and copies -----------------------------------------------------------------------
@program
def half(k, x):
    x = k.leaf([1, 2], dtype="float16")
    with k.ag.record():
        y = (x * x).astype("float32") * 0.5
    y.backward()
    return [y, x.grad]


@program
def double(k, x):
    with k.ag.record():
        y = x.astype("float64") * 3
    y.backward()
    return [y, x.grad]


@program
def double_leaf(k, x):
    x = k.leaf([1, 2], dtype="float64")
    with k.ag.record():
        y = k.nd.exp(x)
    y.backward()
    return x.grad


@program
def through_integers(k, x):
    with k.ag.record():
        y = x.astype("int32").astype("float32") * k.nd.stop_gradient(x) + x
    y.backward(k.nd.zeros((2, 2)))
    return x.grad


@program
def copies(k, x):
    with k.ag.record():
        y = x.copy() * 3 + x.astype("float32")
    y.backward()
    return x.grad


@program
def copy_to_context(k, x):
    with k.ag.record():
        y = x.copyto(k.mx.cpu(1)) * 3
    y.backward()
    return [x.grad, str(y.context)]


@program
def copy_to_constant(k, x):
    with k.ag.record():
        c = k.nd.zeros((2, 2))
        x.copyto(c)
        y = c * 3
    y.backward()
    return x.grad


@program
def copy_to_leaf(k, x):
    with k.ag.record():
        k.nd.zeros((2, 2)).copyto(x)


# Views --------------------------------------------------------------------------------------------
@program
def views(k, x):
    with k.ag.record():
        y = x[0] * 2 + x[:, 1] * 3 + x[1, 0] + x[[0, 1], [1, 0]] + x[::-1][0]
    y.backward()
    return x.grad


@program
def rows(k, x):
    with k.ag.record():
        y = sum(row * (i + 1) for i, row in enumerate(x))
    y.backward()
    return x.grad


@program
def reshaped(k, x):
    with k.ag.record():
        y = x.reshape((4,))[1:3] * k.nd.array([10, 100])
    y.backward()
    return x.grad


@program
def transposed(k, x):
    with k.ag.record():
        y = x.T[0] * k.nd.array([2, 3])
    y.backward()
    return x.grad


@program
def view_made_outside(k, x):
    v = x[0:1]
    with k.ag.record():
        y = v * 2
    y.backward()


@program
def advanced_index(k, x):
    with k.ag.record():
        y = x[k.nd.array([1, 1, 0])] * k.nd.array([[1], [10], [100]])
    y.backward()
    return x.grad


@program
def split_and_join(k, x):
    with k.ag.record():
        a, b = k.nd.split(x, 2, axis=1)
        y = k.nd.concat(b * 2, a * 3, dim=1)
    y.backward()
    return x.grad


@program
def one_output_of_many(k, x):
    with k.ag.record():
        y = k.nd.split(x, 2, axis=1)[1] * 5
    y.backward()
    return x.grad


@program
def both_values_and_places(k, x):
    with k.ag.record():
        values, places = k.nd.topk(x, axis=1, k=1, ret_typ="both")
        y = values * 3 + places
    y.backward()
    return x.grad


# Writing ------------------------------------------------------------------------------------------
@program
def written_after_reading(k, x):
    with k.ag.record():
        y = x * x
    x[:] = 10
    y.backward()
    return x.grad


@program
def added_after_reading(k, x):
    with k.ag.record():
        y = x * x
    x += 10
    y.backward()
    return x.grad


@program
def constant_written_after_reading(k, x):
    c = k.nd.ones((2, 2)) * 3
    with k.ag.record():
        y = x * c
    c[:] = 100
    y.backward()
    return x.grad


@program
def result_written(k, x):
    with k.ag.record():
        y = k.nd.exp(x)
    y[:] = 10
    y.backward()
    return x.grad


@program
def result_added_to(k, x):
    with k.ag.record():
        y = x * 2
    y += 1
    y.backward()
    return [y, x.grad]


@program
def result_written_by_out(k, x):
    with k.ag.record():
        y = x * 2
    k.nd.exp(k.nd.zeros((2, 2)), out=y)
    with k.ag.record():
        z = y * 3
    z.backward()
    return [z, x.grad]


@program
def constant_changed_before_use(k, x):
    with k.ag.record():
        c = k.nd.ones((2, 2))
        c += 1
        c[0, 1] = 5
        y = x * c
    y.backward()
    return x.grad


@program
def constant_overwritten_by_result(k, x):
    with k.ag.record():
        c = k.nd.zeros((2, 2))
        c[:] = x * 2
        y = c * c
    y.backward()
    return [y, x.grad]


@program
def out_constant(k, x):
    with k.ag.record():
        c = k.nd.zeros((2, 2))
        k.nd.exp(x, out=c)
        y = c * 2
    y.backward()
    return x.grad


@program
def numpy_over_result(k, x):
    with k.ag.record():
        y = x * 2
        y[:] = np.zeros((2, 2))
    y.backward()
    return [y, x.grad]


def refusals():
    def x_iadd(k, x, y, c):
        x += 1

    def y_iadd(k, x, y, c):
        y += 1

    def y_imul(k, x, y, c):
        y *= 2

    def c_iadd_x(k, x, y, c):
        c += x

    def c_after_use(k, x, y, c):
        _ = x * c
        c += 1

    def x_all(k, x, y, c):
        x[:] = 1

    def x_element(k, x, y, c):
        x[0, 1] = 1

    def x_slice(k, x, y, c):
        x[0:1] = 1

    def x_advanced(k, x, y, c):
        x[[0, 1], [0, 1]] = 1

    def x_array(k, x, y, c):
        x[:] = k.nd.zeros((2, 2))

    def y_all(k, x, y, c):
        y[:] = 1

    def y_slice(k, x, y, c):
        y[0:1] = 1

    def y_row_array(k, x, y, c):
        y[0] = k.nd.zeros((2,))

    def c_slice_of_y(k, x, y, c):
        c[0:1] = y[0:1]

    def c_row_of_y(k, x, y, c):
        c[1] = y[0]

    def c_advanced_of_y(k, x, y, c):
        c[[0, 1]] = y

    def view_of_y(k, x, y, c):
        y[0:1][:] = 1

    def view_of_x(k, x, y, c):
        x[0:1][:] = 1

    def reshaped_x(k, x, y, c):
        x.reshape((4,))[:] = 1

    def out_x(k, x, y, c):
        k.nd.exp(c, out=x)

    def out_x_of_x(k, x, y, c):
        k.nd.exp(x, out=x)

    def out_y(k, x, y, c):
        k.nd.exp(x, out=y)

    def out_y_of_c(k, x, y, c):
        k.nd.exp(c, out=y)

    def out_c_of_c_and_x(k, x, y, c):
        k.nd.elemwise_add(c, x, out=c)

    def update_of_x(k, x, y, c):
        k.nd.sgd_update(x, c, lr=0.1, out=x)

    return {n: f for n, f in locals().items() if callable(f)}


def refusal(name, write):
    def run(k, x):
        with k.ag.record():
            write(k, x, x * 2, k.nd.ones((2, 2)))

    run.__name__ = f"write_{name}"
    return run


for _name, _write in refusals().items():
    program(refusal(_name, _write))
