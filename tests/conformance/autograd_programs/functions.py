# SPDX-License-Identifier: Apache-2.0
"""Functions that bring their own gradient."""

from .kit import program


def function(k, forward, backward):
    return type("Made", (k.ag.Function,), {"forward": forward, "backward": backward})()


def sigmoid(k):
    def forward(self, x):
        y = 1 / (1 + k.nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)

    return function(k, forward, backward)


def done(k, result):
    k.nd.waitall()  # MXNet runs functions in threads of their own
    return result


@program
def function_with_saved(k, x):
    with k.ag.record():
        y = sigmoid(k)(x) * 2
    y.backward()
    return done(k, [y, x.grad])


@program
def functions_in_a_row(k, x):
    with k.ag.record():
        y = sigmoid(k)(x) + sigmoid(k)(x * 2)
    y.backward()
    return done(k, x.grad)


@program
def function_called_twice(k, x):
    f = sigmoid(k)
    with k.ag.record():
        f(x)
        f(x)


@program
def function_modes(k, x):
    seen = []

    def forward(self, x):
        seen.append([bool(k.ag.is_recording()), bool(k.ag.is_training())])
        return x * 1

    def backward(self, dy):
        seen.append([bool(k.ag.is_recording()), bool(k.ag.is_training())])
        return dy

    with k.ag.record():
        y = function(k, forward, backward)(x)
    y.backward(train_mode=False)
    return done(k, seen)


@program
def function_of_two(k, x):
    w = k.leaf([[1, 1], [1, 1]])
    f = function(k, lambda self, a, b: (a * b, a + b), lambda self, d, e: (d * 2, e * 3))
    with k.ag.record():
        p, q = f(x, w)
        y = p + q * 10
    y.backward()
    return done(k, [y, x.grad, w.grad])


@program
def function_with_unused_output(k, x):
    f = function(k, lambda self, a: (a * 1, a * 2), lambda self, d, e: d * 10 + e)
    with k.ag.record():
        y = f(x)[0]
    y.backward()
    return done(k, x.grad)


@program
def function_giving_a_list(k, x):
    f = function(k, lambda self, a: [a * 1, a * 2], lambda self, d, e: [d + e])
    with k.ag.record():
        y = f(x)
    y[0].backward()
    return done(k, [type(y).__name__, x.grad])


@program
def function_on_constant(k, x):
    with k.ag.record():
        y = sigmoid(k)(k.nd.ones((2, 2)))
    y.backward()


@program
def function_outside(k, x):
    return sigmoid(k)(x)


@program
def function_broadcasting_gradient(k, x):
    f = function(k, lambda self, a: a * 1, lambda self, d: d[0])
    with k.ag.record():
        y = f(x)
    y.backward(k.nd.array([[1, 2], [3, 4]]))
    return done(k, x.grad)


@program
def function_casting(k, x):
    f = function(k, lambda self, a: a.astype("float64"), lambda self, d: d * 2)
    with k.ag.record():
        y = f(x)
    y.backward()
    return done(k, [y, x.grad])


@program
def function_recording_inside(k, x):
    def forward(self, a):
        with k.ag.record():
            b = k.leaf(a.asnumpy())
            c = b * b
        c.backward()
        return b.grad * 1

    with k.ag.record():
        y = function(k, forward, lambda self, d: d * 5)(x)
    y.backward()
    return done(k, [y, x.grad])


@program
def function_in_function(k, x):
    f = function(k, lambda self, a: sigmoid(k)(a) * 2, lambda self, d: d * 7)
    with k.ag.record():
        y = f(x)
    y.backward()
    return done(k, [y, x.grad])


@program
def function_that_fails(k, x):
    def forward(self, a):
        raise KeyError("lost")

    with k.ag.record():
        function(k, forward, None)(x)


@program
def function_whose_gradient_fails(k, x):
    def backward(self, d):
        raise KeyError("lost")

    with k.ag.record():
        y = function(k, lambda self, a: a * 1, backward)(x)
    y.backward()
    return done(k, None)


@program
def function_with_too_few_gradients(k, x):
    with k.ag.record():
        y = function(k, lambda self, a, b: a * b, lambda self, d: d)(x, x * 2)
    y.backward()
    return done(k, None)


@program
def function_without_second_order(k, x):
    with k.ag.record():
        y = sigmoid(k)(x)
        g = k.ag.grad(y, [x], create_graph=True)[0]
    g.backward()
    return done(k, None)


@program
def function_without_forward(k, x):
    with k.ag.record():
        k.ag.Function()(x)
