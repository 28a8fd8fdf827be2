# SPDX-License-Identifier: Apache-2.0
"""Gradients of arrays of integers: by the call, by a CachedOp and by an executor."""

import json

from .kit import program

TYPES = ("int32", "int64", "uint8", "int8")
A, B = [5, 7, 9, 3], [2, 3, 4, 5]
HEAD = [10, 20, 30, 5]

# fmt: off
FUNCTIONS = {  # name: function of F and arrays, values of the arrays
    "product":    (lambda F, a, b: F.broadcast_mul(a, b), A, B),
    "quotient":   (lambda F, a, b: F.broadcast_div(a, b), A, B),
    "half":       (lambda F, a: a / 2 * 3, A),
    "two_paths":  (lambda F, a: a / 2 + a / 2, A),
    "fraction":   (lambda F, a: a * 2.7, A),
    "shifted":    (lambda F, a: a + 2.7, A),
    "root":       (lambda F, a: F.sqrt(a), [4, 5, 9, 16]),
    "square":     (lambda F, a: F.square(a), A),
    "cube":       (lambda F, a: a**3, B),
    "exponent":   (lambda F, a: F.exp(a), [0, 1, 2, 3]),
    "relu":       (lambda F, a: F.relu(a - 6), A),
    "maximum":    (lambda F, a, b: F.broadcast_maximum(a, b) * 3, A, [2, 9, 4, 5]),
    "clipped":    (lambda F, a: F.clip(a, 0, 6) * 3, A),
    "sum":        (lambda F, a: F.broadcast_mul(F.sum(a, keepdims=True), a), B),
    "mean":       (lambda F, a: F.broadcast_mul(F.mean(a, keepdims=True), a), A),
    "largest":    (lambda F, a: F.broadcast_add(F.max(a, keepdims=True), a), A),
    "reshaped":   (lambda F, a: (a.reshape((2, 2)) * 2).reshape((4,)), A),
    "joined":     (lambda F, a, b: F.slice(F.concat(a, b, dim=0), begin=2, end=6) * 2, A, B),
    "cut":        (lambda F, a: F.concat(F.slice(a, begin=1, end=3) * 2, a, dim=0)[0:4], A),
    "cumulative": (lambda F, a: F.cumsum(a), A),
    "chosen":     (lambda F, a, b: F.where(a > 5, a, b) * 3, A, B),
    "taken":      (lambda F, a, b: F.take(a, b - 2, mode="clip"), A, B),
    "there":      (lambda F, a: a.astype("float32") * 2.7, A),
    "stopped":    (lambda F, a: F.BlockGrad(a) * a, A),
    "counted":    (lambda F, a: F.one_hot(a, 10), A),
    "remainder":  (lambda F, a, b: F.broadcast_mod(a, b) * a + 17 % b, A, B),
    "compared":   (lambda F, a, b: F.broadcast_greater(a, b) * a, A, B),
}
# fmt: on


def gradients(k, run, arrays):
    """What `run` gives of arrays, and their gradients."""
    with k.ag.record():
        y = run(*arrays)
    if y.shape == (4,):
        y.backward(k.nd.array(HEAD, dtype=y.dtype))
    else:
        y.backward()
    return [y, [a.grad for a in arrays]]


def symbol_of(k, function, n):
    return function(k.mx.sym, *(k.mx.sym.var(f"x{i}") for i in range(n)))


def by_call(name):
    function, *values = FUNCTIONS[name]

    def integers(k, x):
        return [
            gradients(k, lambda *a: function(k.nd, *a), [k.leaf(v, dtype=t) for v in values])
            for t in TYPES
        ]

    integers.__name__ = f"integers_{name}"
    program(integers)


def by_cached_op(name):
    function, *values = FUNCTIONS[name]

    def cached(k, x):
        op = k.mx.nd.CachedOp(symbol_of(k, function, len(values)))
        return [gradients(k, op, [k.leaf(v, dtype=t) for v in values]) for t in TYPES]

    cached.__name__ = f"integers_{name}_cached"
    program(cached)


def by_executor(name):
    function, *values = FUNCTIONS[name]

    def bound(k, x):
        made = []
        for t in TYPES:
            symbol = symbol_of(k, function, len(values))
            args = [k.nd.array(v, dtype=t) for v in values]
            grads = [k.nd.ones(a.shape, dtype=t) for a in args]
            exe = symbol.bind(k.mx.cpu(), args, grads, ["write", "add"][: len(args)])
            (y,) = exe.forward(is_train=True)
            exe.backward(k.nd.array(HEAD, dtype=y.dtype))
            made.append([y, grads])
        return made

    bound.__name__ = f"integers_{name}_bound"
    program(bound)


for _name in FUNCTIONS:
    by_call(_name)
for _name in (
    "product", "remainder", "half", "fraction", "square", "joined", "taken", "there", "chosen",
):  # fmt: skip
    by_cached_op(_name)
    by_executor(_name)


@program
def integers_from_fractions(k, x):
    made = []
    for t in TYPES:
        with k.ag.record():
            y = x.astype(t).astype("float32") * 2.5
        y.backward()
        made += [y, x.grad.copy()]
    return made


@program
def integers_from_fractions_bound(k, x):
    data = k.mx.sym.var("data")
    symbol = k.mx.sym.Cast(k.mx.sym.Cast(data * 1.5, dtype="int32") * 2, dtype="float32") * data
    exe = symbol.bind(k.mx.cpu(), {"data": x.copy()}, {"data": x.copy()})
    exe.forward(is_train=True)
    exe.backward(k.nd.ones((2, 2)))
    return [exe.outputs[0], exe.grad_arrays[0]]


@program
def integers_and_bool(k, x):
    a = k.leaf([1, 0], dtype="bool")
    with k.ag.record():
        y = a.astype("float32") * 2
    y.backward()
    return [a.grad.asnumpy().dtype.kind, [bool(v) for v in a.grad.asnumpy()]]


@program
def integers_added(k, x):
    a = k.leaf([1, 2], "add", dtype="int32")
    for _ in range(3):
        with k.ag.record():
            y = a * 5
        y.backward()
    return a.grad


@program
def integers_grad(k, x):
    a = k.leaf([1, 2], dtype="int64")
    with k.ag.record():
        y = a * a
    return k.ag.grad(y, a, head_grads=k.nd.array([3, 4], dtype="int64"))


@program
def integers_indexed(k, x):
    a = k.leaf([[1, 2, 3], [4, 5, 6]], dtype="int32")
    with k.ag.record():
        y = a[1] * 2 + a[0, 1:2] + a[:, 2][0]
    y.backward()
    return [y, a.grad]


@program
def integers_overwritten(k, x):
    a = k.leaf([1, 2], dtype="int32")
    with k.ag.record():
        y = k.nd.zeros((2,), dtype="int32")
        y[:] = a * 3
        z = y * y
    z.backward()
    return [z, a.grad]


@program
def integers_out(k, x):
    a = k.leaf([1, 2], dtype="int32")
    y = k.nd.zeros((2,), dtype="int32")
    with k.ag.record():
        k.nd.square(a, out=y)
        z = y * 3
    z.backward()
    return [y, z, a.grad]


@program
def integers_in_function(k, x):
    def forward(self, x):
        return x * 2

    def backward(self, dy):
        return dy * 7

    a = k.leaf([1, 2], dtype="int32")
    made = type("Made", (k.ag.Function,), {"forward": forward, "backward": backward})()
    with k.ag.record():
        y = made(a) * 3
    y.backward()
    k.nd.waitall()
    return [y, a.grad]


@program
def integers_symbol(k, x):
    a = k.leaf([1, 2], dtype="int32")
    with k.ag.record():
        y = a * 2 + a
    return [n["op"] for n in json.loads(k.ag.get_symbol(y).tojson())["nodes"]]


@program
def integers_of_split(k, x):
    a = k.leaf([[1, 2], [3, 4]], dtype="int32")
    with k.ag.record():
        y, z = k.nd.split(a, 2, axis=1)
        w = y * 2 + z
    w.backward()
    return [w, a.grad]


@program
def integers_attached_between(k, x):
    with k.ag.record():
        y = x.astype("int32")
        y.attach_grad()
        z = y * 3
    z.backward()
    return [x.grad, y.grad]
