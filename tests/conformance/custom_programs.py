# SPDX-License-Identifier: Apache-2.0
"""Programs with operators written in Python, for any package with MXNet's API.

Each takes the package and gives what JSON can hold.
"""

from __future__ import annotations

import json

import numpy as np

PROGRAMS = {}
X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], dtype=np.float32)


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    return value.asnumpy().tolist() if hasattr(value, "asnumpy") else value


def define(mx, name, forward=None, backward=None, need_top_grad=True, **members):
    """Registers an operator made of functions; gives a list that they may write to."""
    log = []

    class Operator(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            forward(self, bool(is_train), req, in_data, out_data, aux, log)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            backward(self, req, out_grad, in_data, out_data, in_grad, aux, log)

    class Prop(mx.operator.CustomOpProp):
        def __init__(self, **options):
            super().__init__(need_top_grad)
            log.append(sorted(options.items()))

        def create_operator(self, ctx, in_shapes, in_dtypes):
            log.append([str(ctx), in_shapes, list(in_dtypes)])
            return Operator()

    for key, member in members.items():
        setattr(Prop, key, member)
    mx.operator.register(name)(Prop)
    return log


def square(self, is_train, req, in_data, out_data, aux, log):
    log.append(["forward", is_train, list(req)])
    self.assign(out_data[0], req[0], in_data[0] * in_data[0])


def d_square(self, req, out_grad, in_data, out_data, in_grad, aux, log):
    log.append(["backward", len(out_grad), len(in_data), len(out_data)])
    self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


def two(self, is_train, req, in_data, out_data, aux, log):
    self.assign(out_data[0], req[0], in_data[0] * in_data[1])
    self.assign(out_data[1], req[1], in_data[0] + in_data[1])
    aux[0][:] = aux[0] + 1


def d_two(self, req, out_grad, in_data, out_data, in_grad, aux, log):
    self.assign(in_grad[0], req[0], out_grad[0] * in_data[1] + out_grad[1])
    self.assign(in_grad[1], req[1], out_grad[0] * in_data[0] + out_grad[1])
    aux[0][:] = aux[0] + 10


TWO = {
    "list_arguments": lambda self: ["data", "weight"],
    "list_outputs": lambda self: ["product", "total"],
    "list_auxiliary_states": lambda self: ["calls"],
    "infer_shape": lambda self, s: ([s[0], s[0]], [s[0], s[0]], [(1,)]),
}


@program
def eager(mx):
    log = define(mx, "t_eager", square, d_square)
    y = mx.nd.Custom(mx.nd.array(X), op_type="t_eager", a=5, b=(1, 2), c=True, d="s", e=None, f=1.5)
    return shown(y), log


@program
def eager_types(mx):
    define(mx, "t_types", square, d_square)
    results = []
    for dtype in ("float16", "float64", "int32", "uint8"):
        y = mx.nd.Custom(mx.nd.array([1, 2, 3], dtype=dtype), op_type="t_types")
        results.append([np.dtype(y.dtype).name, shown(y)])
    return results


@program
def recorded(mx):
    log = define(mx, "t_recorded", square, d_square)
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="t_recorded") * 3
    y.backward()
    return shown([y, x.grad]), log


@program
def recorded_add(mx):
    define(mx, "t_add", square, d_square)
    x = mx.nd.array(X)
    x.attach_grad("add")
    for _ in range(3):
        with mx.autograd.record():
            y = mx.nd.Custom(x, op_type="t_add")
        y.backward()
    return shown(x.grad)


@program
def recorded_in_predict_mode(mx):
    log = define(mx, "t_predict", square, d_square)
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record(train_mode=False):
        y = mx.nd.Custom(x, op_type="t_predict")
    y.backward()
    return shown(x.grad), log[1:3]


@program
def two_outputs(mx):
    define(mx, "t_two", two, d_two, **TWO)
    x, w, calls = mx.nd.array(X), mx.nd.full(X.shape, 3), mx.nd.zeros(1)
    x.attach_grad()
    w.attach_grad()
    with mx.autograd.record():
        product, total = mx.nd.Custom(x, w, calls, op_type="t_two")
        loss = product * 2 + total
    loss.backward()
    return shown([product, total, x.grad, w.grad, calls])


@program
def one_of_two_outputs(mx):
    define(mx, "t_one", two, d_two, **TWO)
    x, w, calls = mx.nd.array(X), mx.nd.full(X.shape, 3), mx.nd.zeros(1)
    x.attach_grad()
    with mx.autograd.record():
        _, total = mx.nd.Custom(x, w, calls, op_type="t_one")
    total.backward()
    return shown([x.grad, calls])


@program
def symbol(mx):
    define(mx, "t_symbol", two, d_two, **TWO)
    with mx.name.NameManager():
        made = mx.sym.Custom(data=mx.sym.var("x"), op_type="t_symbol", name="c", scale=3, k=[1, 2])
        unnamed = mx.sym.Custom(mx.sym.var("x"), mx.sym.var("y"), op_type="t_symbol")
        by_name = mx.sym.Custom(weight=mx.sym.var("w"), op_type="t_symbol")
    symbols = (made, unnamed, by_name)
    return [
        [
            json.loads(s.tojson()),
            s.list_arguments(),
            s.list_outputs(),
            s.list_auxiliary_states(),
            mx.sym.load_json(s.tojson()).tojson() == s.tojson(),
        ]
        for s in symbols
    ]


@program
def inference(mx):
    define(mx, "t_infer", two, d_two, **TWO)
    made = mx.sym.Custom(mx.sym.var("x"), op_type="t_infer", name="c")
    types = made.infer_type(x="float64", c_weight="float64")
    names = [[np.dtype(t).name for t in part] for part in types]
    return [list(map(list, part)) for part in made.infer_shape(x=(4, 5))], names


def bound(mx, name, grad_req):
    define(mx, name, two, d_two, **TWO)
    made = mx.sym.Custom(mx.sym.var("x"), op_type=name, name="c")
    gradients = {n: mx.nd.ones(X.shape) for n in ("x", "c_weight")}
    calls = mx.nd.zeros(1)
    arrays = {"x": mx.nd.array(X), "c_weight": mx.nd.full(X.shape, 3)}
    executor = made.bind(mx.cpu(), arrays, gradients, grad_req, [calls])
    first = shown(executor.forward(is_train=True))
    executor.backward([mx.nd.array(2 * X), mx.nd.ones(X.shape)])
    given = [first, shown(list(gradients.values())), shown(calls)]
    return [*given, shown(executor.forward(is_train=False))]


@program
def executor_write(mx):
    return bound(mx, "t_write", "write")


@program
def executor_add(mx):
    return bound(mx, "t_bound_add", "add")


@program
def executor_mixed(mx):
    return bound(mx, "t_mixed", {"x": "write", "c_weight": "null"})


@program
def executor_keeps_state(mx):
    def count(self, is_train, req, in_data, out_data, aux, log):
        self.runs = getattr(self, "runs", 0) + 1
        out_data[0][:] = self.runs

    define(mx, "t_count", count, d_square)
    made = mx.sym.Custom(mx.sym.var("x"), op_type="t_count")
    x = mx.nd.ones(1)
    executors = [made.bind(mx.cpu(), {"x": x}) for _ in range(2)]
    runs = [shown(e.forward(is_train=t)[0]) for e in executors for t in (True, False, True)]
    return runs, [shown(mx.nd.Custom(x, op_type="t_count")) for _ in range(2)]


@program
def loss_in_a_network(mx):
    def softmax(self, is_train, req, in_data, out_data, aux, log):
        x = in_data[0].asnumpy()
        e = np.exp(x - x.max(axis=1, keepdims=True))
        self.assign(out_data[0], req[0], mx.nd.array(e / e.sum(axis=1, keepdims=True)))

    def d_softmax(self, req, out_grad, in_data, out_data, in_grad, aux, log):
        y, label = out_data[0].asnumpy(), in_data[1].asnumpy().astype(int)
        y[np.arange(len(label)), label] -= 1
        self.assign(in_grad[0], req[0], mx.nd.array(y))

    define(
        mx,
        "t_softmax",
        softmax,
        d_softmax,
        need_top_grad=False,
        list_arguments=lambda self: ["data", "label"],
        infer_shape=lambda self, s: ([s[0], (s[0][0],)], [s[0]], []),
    )
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    net = mx.sym.Custom(net, op_type="t_softmax", name="softmax")
    executor = net.simple_bind(mx.cpu(), data=(2, 3))
    for name, array in executor.arg_dict.items():
        array[:] = 0.1 * np.arange(array.size).reshape(array.shape) if name != "data" else X
    executor.arg_dict["softmax_label"][:] = np.array([2, 0])
    outputs = shown(executor.forward(is_train=True))
    executor.backward()
    return (
        outputs,
        {n: shown(g) for n, g in executor.grad_dict.items() if n != "softmax_label"},
        executor.arg_dict["softmax_label"].shape,
    )


@program
def autograd_inside(mx):
    def softplus(self, is_train, req, in_data, out_data, aux, log):
        log.append([mx.autograd.is_recording(), mx.autograd.is_training()])
        self.x = in_data[0].copy()
        self.x.attach_grad()
        with mx.autograd.record():
            self.y = mx.nd.log(1 + mx.nd.exp(self.x))
        self.assign(out_data[0], req[0], self.y)

    def d_softplus(self, req, out_grad, in_data, out_data, in_grad, aux, log):
        log.append([mx.autograd.is_recording(), mx.autograd.is_training()])
        self.y.backward(out_grad[0])
        self.assign(in_grad[0], req[0], self.x.grad)

    log = define(mx, "t_softplus", softplus, d_softplus)
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="t_softplus")
    y.backward()
    return shown([y, x.grad]), log


@program
def inside_one_another(mx):
    def fourth(self, is_train, req, in_data, out_data, aux, log):
        inner = mx.nd.Custom(in_data[0], op_type="t_inner")
        self.assign(out_data[0], req[0], mx.nd.Custom(inner, op_type="t_inner"))

    define(mx, "t_inner", square, d_square)
    define(mx, "t_fourth", fourth)
    return shown(mx.nd.Custom(mx.nd.array(X), op_type="t_fourth"))


@program
def no_inputs(mx):
    def sevens(self, is_train, req, in_data, out_data, aux, log):
        out_data[0][:] = 7

    define(
        mx,
        "t_sevens",
        sevens,
        list_arguments=lambda self: [],
        infer_shape=lambda self, s: ([], [(2, 2)], []),
        infer_type=lambda self, t: ([], [np.int32], []),
    )
    with mx.name.NameManager():
        made = mx.sym.Custom(op_type="t_sevens")
    y = mx.nd.Custom(op_type="t_sevens")
    graph = json.loads(made.tojson())
    return graph, np.dtype(y.dtype).name, shown(y), shown(made.bind(mx.cpu(), {}).forward())


@program
def other_type_and_shape(mx):
    def counts(self, is_train, req, in_data, out_data, aux, log):
        values = in_data[0].asnumpy()
        out_data[0][:] = np.array([(values > 0).sum(), (values <= 0).sum()])

    define(
        mx,
        "t_counts",
        counts,
        infer_shape=lambda self, s: (s, [(2,)]),
        infer_type=lambda self, t: (t, [np.int64]),
    )
    y = mx.nd.Custom(mx.nd.array(X), op_type="t_counts")
    return np.dtype(y.dtype).name, shown(y)


@program
def dependencies(mx):
    def double(self, is_train, req, in_data, out_data, aux, log):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def d_double(self, req, out_grad, in_data, out_data, in_grad, aux, log):
        self.assign(in_grad[0], req[0], out_grad[0] * 2)

    numbers = []

    def needed(self, out_grad, in_data, out_data):
        numbers.append([list(out_grad), list(in_data), list(out_data)])
        return out_grad

    define(mx, "t_double", double, d_double, declare_backward_dependency=needed)
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="t_double")
    y.backward()
    return shown(x.grad), numbers[0]


@program
def writes_to_inputs_are_seen(mx):
    def increase(self, is_train, req, in_data, out_data, aux, log):
        in_data[0][:] = in_data[0] + 1
        self.assign(out_data[0], req[0], in_data[0])

    define(mx, "t_increase", increase)
    x = mx.nd.array(X)
    y = mx.nd.Custom(x, op_type="t_increase")
    return shown([y, x])


@program
def requests(mx):
    op, results = mx.operator.CustomOp(), []
    for req in ("write", "inplace", "add", "null"):
        target = mx.nd.ones((2, 2))
        op.assign(target, req, 5)
        op.assign(target, req, mx.nd.full((2, 2), 7))
        results.append(shown(target))
    return results


@program
def sparse(mx):
    same = {
        "infer_storage_type": lambda self, given: (given, ["csr"], []),
        "infer_storage_type_backward": lambda self, og, i, o, ig, aux: (
            ["csr"], ["csr"], ["csr"], ["csr"], aux
        ),
    }  # fmt: skip
    define(mx, "t_sparse", square, d_square, **same)
    x = mx.nd.array([[0, 2, 0], [3, 0, 1]]).tostype("csr")
    y = mx.nd.Custom(x, op_type="t_sparse")
    made = mx.sym.Custom(mx.sym.var("x", stype="csr"), op_type="t_sparse")
    gradient = mx.nd.sparse.zeros("csr", (2, 3))
    executor = made.bind(mx.cpu(), {"x": x}, {"x": gradient})
    (z,) = executor.forward(is_train=True)
    executor.backward([mx.nd.ones((2, 3)).tostype("csr")])
    return [y.stype, shown(y), z.stype, shown(z), gradient.stype, shown(gradient)]


@program
def numpy_operator(mx):
    class Scale(mx.operator.NumpyOp):
        def forward(self, in_data, out_data):
            out_data[0][:] = in_data[0] * 3

        def backward(self, out_grad, in_data, out_data, in_grad):
            in_grad[0][:] = out_grad[0] * 3

    with mx.name.NameManager():
        made = Scale()(mx.sym.var("x"))
    gradient = mx.nd.zeros(X.shape)
    executor = made.bind(mx.cpu(), {"x": mx.nd.array(X)}, {"x": gradient})
    outputs = shown(executor.forward(is_train=True))
    executor.backward(mx.nd.full(X.shape, 2))
    return outputs, shown(gradient), made.list_outputs(), made.list_arguments()
