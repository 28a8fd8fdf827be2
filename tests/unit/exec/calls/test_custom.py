# SPDX-License-Identifier: Apache-2.0
import gc
import json
import threading
import weakref

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError, UnknownNameError

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], dtype=np.float32)


def register(name, operator, **members):
    """Registers a property class with these members, whose operator is `operator`()."""

    def make(self, ctx, shapes, dtypes):
        return operator()

    members = {"create_operator": make, **members}
    mx.operator.register(name)(type(name, (mx.operator.CustomOpProp,), members))


class Square(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


class WeightedSum(mx.operator.CustomOp):
    """Two outputs, a weight, and a state that counts forwards by 1 and backwards by 10."""

    def forward(self, is_train, req, in_data, out_data, aux):
        data, weight = in_data
        self.assign(out_data[0], req[0], data * weight)
        self.assign(out_data[1], req[1], data + weight)
        aux[0][:] = aux[0] + 1

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        data, weight = in_data
        self.assign(in_grad[0], req[0], out_grad[0] * weight + out_grad[1])
        self.assign(in_grad[1], req[1], out_grad[0] * data + out_grad[1])
        aux[0][:] = aux[0] + 10


register("square", Square)
register(
    "weighted",
    WeightedSum,
    list_arguments=lambda self: ["data", "weight"],
    list_outputs=lambda self: ["product", "total"],
    list_auxiliary_states=lambda self: ["calls"],
    infer_shape=lambda self, s: ([s[0], s[0]], [s[0], s[0]], [(1,)]),
    __init__=lambda self, scale="1": mx.operator.CustomOpProp.__init__(self),
)


def recorded(op_type, *arrays, grad_req="write", **attrs):
    for array in arrays:
        array.attach_grad(grad_req)
    with mx.autograd.record():
        return mx.nd.Custom(*arrays, op_type=op_type, **attrs)


# Arrays -------------------------------------------------------------------------------------------


def test_eager():
    np.testing.assert_array_equal(mx.nd.Custom(mx.nd.array(X), op_type="square").asnumpy(), X * X)


def test_eager_by_name_and_into_out():
    target = mx.nd.zeros(X.shape)
    given = mx.nd.Custom(mx.nd.array(X), op_type="square", out=target, name="ignored")
    assert given is target
    np.testing.assert_array_equal(target.asnumpy(), X * X)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gradient(dtype):
    x = mx.nd.array(X, dtype=dtype)
    recorded("square", x).backward()
    assert x.grad.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * X)


def test_gradient_is_added():
    x = mx.nd.array(X)
    x.attach_grad("add")
    for _ in range(2):
        with mx.autograd.record():
            y = mx.nd.Custom(x, op_type="square")
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 4 * X)


def test_several_outputs_and_a_state():
    x, w, calls = mx.nd.array(X), mx.nd.full(X.shape, 3), mx.nd.zeros(1)
    x.attach_grad(), w.attach_grad()
    with mx.autograd.record():
        product, total = mx.nd.Custom(x, w, calls, op_type="weighted")
        loss = product * 2 + total
    loss.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full_like(X, 7))
    np.testing.assert_array_equal(w.grad.asnumpy(), 2 * X + 1)
    assert calls.asscalar() == 11


def test_operators_inside_are_not_recorded():
    seen = []

    class Probe(Square):
        def forward(self, is_train, req, in_data, out_data, aux):
            seen.append((mx.autograd.is_recording(), mx.autograd.is_training(), is_train))
            super().forward(is_train, req, in_data, out_data, aux)

    register("probe", Probe)
    recorded("probe", mx.nd.array(X))
    mx.nd.Custom(mx.nd.array(X), op_type="probe")
    with mx.autograd.train_mode():
        mx.nd.Custom(mx.nd.array(X), op_type="probe")
    assert seen == [(False, True, True), (False, False, False), (False, True, True)]


def test_autograd_inside():
    class Softplus(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.x = in_data[0].copy()
            self.x.attach_grad()
            with mx.autograd.record():
                self.y = mx.nd.log(1 + mx.nd.exp(self.x))
            self.assign(out_data[0], req[0], self.y)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.y.backward(out_grad[0])
            self.assign(in_grad[0], req[0], self.x.grad)

    register("softplus", Softplus)
    x = mx.nd.array(X)
    y = recorded("softplus", x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 1 / (1 + np.exp(-X)), rtol=1e-6)


def test_custom_inside_custom():
    class Fourth(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            square = mx.nd.Custom(in_data[0], op_type="square")
            self.assign(out_data[0], req[0], mx.nd.Custom(square, op_type="square"))

    register("fourth", Fourth)
    y = mx.nd.Custom(mx.nd.array(X), op_type="fourth")
    np.testing.assert_allclose(y.asnumpy(), X**4, rtol=1e-6)


def test_arrays_inside_a_graph_lie_in_the_order_of_their_axes():
    seen = []

    class Looking(Square):
        def forward(self, is_train, req, in_data, out_data, aux):
            seen.append(in_data[0].to_dlpack_for_read())
            super().forward(is_train, req, in_data, out_data, aux)

    register("looking", Looking)
    images = mx.sym.Convolution(mx.sym.var("data"), num_filter=4, kernel=(3, 3), name="c")
    symbol = mx.sym.Custom(images, op_type="looking")
    executor = symbol.simple_bind(mx.cpu(), data=(2, 3, 8, 8))
    executor.forward(is_train=True, data=mx.nd.ones((2, 3, 8, 8)))
    executor.backward(mx.nd.ones((2, 4, 6, 6)))
    assert [torch.from_dlpack(s).is_contiguous() for s in seen] == [True]


def test_without_inputs():
    class Sevens(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            out_data[0][:] = 7

    register(
        "sevens",
        Sevens,
        list_arguments=lambda self: [],
        infer_shape=lambda self, s: ([], [(2, 2)], []),
        infer_type=lambda self, t: ([], [np.int32], []),
    )
    y = mx.nd.Custom(op_type="sevens")
    assert y.dtype == np.int32
    assert (y.asnumpy() == 7).all()
    (z,) = mx.sym.Custom(op_type="sevens").bind(mx.cpu(), {}).forward()
    assert (z.asnumpy() == 7).all()


def test_what_is_not_written_is_zero():
    assert (mx.nd.Custom(mx.nd.array(X), op_type="custom_op").asnumpy() == 0).all()


def test_parameters_are_text():
    got = {}

    class Prop(mx.operator.CustomOpProp):
        def __init__(self, **kwargs):
            super().__init__()
            got.update(kwargs)

    mx.operator.register("options")(Prop)
    mx.nd.Custom(mx.nd.ones(1), op_type="options", a=5, b=(1, 2), c=True, d="s", e=None, f=1.5)
    assert got == {"a": "5", "b": "(1, 2)", "c": "True", "d": "s", "e": "None", "f": "1.5"}


def test_create_operator_is_told_context_shapes_and_type_flags():
    told = []

    class Prop(mx.operator.CustomOpProp):
        def list_auxiliary_states(self):
            return ["state"]

        def infer_shape(self, in_shape):
            return in_shape, in_shape, [(4,)]

        def create_operator(self, ctx, in_shapes, in_dtypes):
            told.append((ctx, in_shapes, in_dtypes))
            return Square()

    mx.operator.register("told")(Prop)
    mx.nd.Custom(mx.nd.array(X, dtype="float64"), mx.nd.zeros(4, dtype="float64"), op_type="told")
    assert told == [(mx.cpu(), [[2, 3], [4]], [1, 1])]


def test_registering_again_replaces():
    class Cube(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            out_data[0][:] = in_data[0] ** 3

    register("replaced", Square)
    old = mx.sym.Custom(mx.sym.var("x"), op_type="replaced")
    register("replaced", Cube)
    assert mx.nd.Custom(mx.nd.array([2]), op_type="replaced").asscalar() == 8
    assert old.bind(mx.cpu(), {"x": mx.nd.array([2])}).forward()[0].asscalar() == 4


# What backward reads ------------------------------------------------------------------------------


def test_loss_ignores_the_gradient_of_its_output():
    class Loss(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            assert out_grad[0].size == 0
            self.assign(in_grad[0], req[0], out_data[0] - in_data[1])

    register(
        "loss",
        Loss,
        __init__=lambda self: mx.operator.CustomOpProp.__init__(self, need_top_grad=False),
        list_arguments=lambda self: ["data", "label"],
        infer_shape=lambda self, s: ([s[0], s[0]], [s[0]], []),
    )
    symbol = mx.sym.Custom(mx.sym.var("data"), mx.sym.var("label"), op_type="loss")
    executor = symbol.simple_bind(mx.cpu(), data=(2,), grad_req={"data": "write"})
    executor.forward(is_train=True, data=mx.nd.array([3, 5]), label=mx.nd.array([1, 1]))
    executor.backward()
    assert executor.grad_dict["data"].asnumpy().tolist() == [2, 4]


def test_arrays_that_backward_does_not_read_are_not_kept():
    sizes = []

    class Doubling(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * 2)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            sizes.append([out_grad[0].size, in_data[0].size, out_data[0].size])
            self.assign(in_grad[0], req[0], out_grad[0] * 2)

    register(
        "doubling",
        Doubling,
        declare_backward_dependency=lambda self, out_grad, in_data, out_data: out_grad,
    )
    x = mx.nd.array(X)
    recorded("doubling", x).backward()
    assert sizes == [[6, 0, 0]]
    assert (x.grad.asnumpy() == 2).all()


def test_gradients_that_nobody_wants_are_not_asked_for():
    requests = []

    class Probe(WeightedSum):
        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            requests.append(list(req))
            super().backward(req, out_grad, in_data, out_data, in_grad, aux)

    register(
        "wanted",
        Probe,
        **{
            name: vars(mx.core.exec.calls.custom._registered["weighted"])[name]
            for name in ("list_arguments", "list_outputs", "list_auxiliary_states", "infer_shape")
        },
    )
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        product, _ = mx.nd.Custom(x, mx.nd.ones(X.shape), mx.nd.zeros(1), op_type="wanted")
    product.backward()
    assert requests == [["write", "null"]]


def test_a_second_backward():
    x = mx.nd.array(X)
    y = recorded("square", x)
    y.backward(retain_graph=True)
    y.backward(mx.nd.full(X.shape, 3))
    np.testing.assert_array_equal(x.grad.asnumpy(), 6 * X)


def test_graphs_are_freed_without_the_collector():
    gc.disable()
    try:
        x = mx.nd.array(X)
        y = recorded("square", x)
        memory = weakref.ref(y)
        step = weakref.ref(y._tracked.grad_fn) if y._tracked is not None else lambda: None
        y.backward()
        del y
        assert memory() is None
        assert step() is None
    finally:
        gc.enable()


# Symbols ------------------------------------------------------------------------------------------


def test_json_as_mxnet_writes_it():
    symbol = mx.sym.Custom(mx.sym.var("x"), op_type="weighted", name="c", scale=3)
    nodes = json.loads(symbol.tojson())["nodes"]
    attrs = {"op_type": "weighted", "scale": "3"}
    assert nodes == [
        {"op": "null", "name": "x", "inputs": []},
        {"op": "null", "name": "c_weight", "attrs": attrs, "inputs": []},
        {"op": "null", "name": "c_calls", "attrs": attrs, "inputs": []},
        {"op": "Custom", "name": "c", "attrs": attrs, "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 1]]},
    ]
    assert symbol.list_outputs() == ["c_product", "c_total"]
    assert symbol.list_auxiliary_states() == ["c_calls"]


def test_json_round_trip_runs():
    symbol = mx.sym.Custom(mx.sym.var("x") + 1, op_type="square", name="sq")
    loaded = mx.sym.load_json(symbol.tojson())
    assert loaded.tojson() == symbol.tojson()
    (y,) = loaded.eval(x=mx.nd.array(X))
    np.testing.assert_array_equal(y.asnumpy(), (X + 1) ** 2)


def test_inputs_by_name_and_scopes():
    with mx.AttrScope(ctx_group="left"), mx.name.Prefix("net_"):
        symbol = mx.sym.Custom(weight=mx.sym.var("w"), op_type="weighted", name="c")
    assert symbol.list_arguments() == ["net_c_data", "w"]
    assert symbol.attr("ctx_group") == "left"


def test_inference_in_a_graph():
    product, _ = mx.sym.Custom(mx.sym.var("x"), op_type="weighted", name="c")
    symbol = product * 2
    assert symbol.infer_shape(x=(4, 5)) == ([(4, 5), (4, 5)], [(4, 5)], [(1,)])
    assert symbol.infer_type(x="float64", c_weight="float64")[1] == [np.float64]


@pytest.mark.parametrize("grad_req", ["write", "add", "null"])
def test_executor(grad_req):
    symbol = mx.sym.Group(mx.sym.Custom(mx.sym.var("x"), op_type="weighted", name="c"))
    gradients = {n: mx.nd.ones(X.shape) for n in ("x", "c_weight")}
    arrays = {"x": mx.nd.array(X), "c_weight": mx.nd.full(X.shape, 3)}
    calls = mx.nd.zeros(1)
    executor = symbol.bind(mx.cpu(), arrays, gradients, grad_req, {"c_calls": calls})
    product, total = executor.forward(is_train=False)
    np.testing.assert_array_equal(product.asnumpy(), 3 * X)
    np.testing.assert_array_equal(total.asnumpy(), X + 3)
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones(X.shape), mx.nd.full(X.shape, 2)])
    wanted = {"write": 5, "add": 6, "null": 1}[grad_req]
    assert (gradients["x"].asnumpy() == wanted).all()
    assert calls.asscalar() == {"null": 2}.get(grad_req, 12)


def counting():
    class Counting(mx.operator.CustomOp):
        runs = 0

        def forward(self, is_train, req, in_data, out_data, aux):
            self.runs += 1
            out_data[0][:] = self.runs

    register("counting", Counting)
    return mx.sym.Custom(mx.sym.var("x"), op_type="counting")


def test_an_executor_keeps_one_operator():
    symbol, x = counting(), mx.nd.ones(1)
    first, second = (symbol.bind(mx.cpu(), {"x": x}) for _ in range(2))
    assert [first.forward(is_train=t)[0].asscalar() for t in (True, False, True)] == [1, 2, 3]
    assert second.forward()[0].asscalar() == 1
    assert [mx.nd.Custom(x, op_type="counting").asscalar() for _ in range(2)] == [1, 1]


def test_bodies_of_loops_have_custom_operators():
    data, state = mx.sym.var("data"), mx.sym.var("state")
    body = lambda d, s: (mx.sym.Custom(d + s, op_type="square"), s + 1)  # noqa: E731
    outputs, _ = mx.sym.contrib.foreach(body, data, state)
    loaded = mx.sym.load_json(outputs.tojson())
    x, s = mx.nd.array(X), mx.nd.zeros(3)
    executor = loaded.bind(mx.cpu(), {"data": x, "state": s}, {"data": mx.nd.zeros(X.shape)})
    (y,) = executor.forward(is_train=True)
    summed = X + np.array([[0], [1]])
    np.testing.assert_array_equal(y.asnumpy(), summed**2)
    executor.backward(mx.nd.ones(X.shape))
    np.testing.assert_array_equal(executor.grad_dict["data"].asnumpy(), 2 * summed)


def convolutional():
    """A convolution that fusing would rewrite, around a custom operator, and its arrays."""
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    x = mx.sym.Custom(mx.sym.BatchNorm(x, name="bn", fix_gamma=False), op_type="square")
    x = mx.sym.Convolution(mx.sym.relu(x), kernel=(1, 1), num_filter=2, name="last")
    arguments, _, states = x.infer_shape(data=(1, 3, 6, 6))
    rng = np.random.RandomState(0)
    args = {n: mx.nd.array(rng.rand(*s)) for n, s in zip(x.list_arguments(), arguments)}
    aux = {n: mx.nd.array(rng.rand(*s)) for n, s in zip(x.list_auxiliary_states(), states)}
    return x, args, aux


def test_rewriting_for_inference_leaves_it_alone(monkeypatch):
    symbol, args, aux = convolutional()
    executor = symbol.bind(mx.cpu(), args, aux_states=aux)
    runs = [executor.forward()[0].asnumpy() for _ in range(3)]
    monkeypatch.setenv("MXNOVA_FUSE", "0")
    plain = symbol.bind(mx.cpu(), args, aux_states=aux).forward()[0].asnumpy()
    for run in runs:
        np.testing.assert_allclose(run, plain, rtol=1e-4, atol=1e-5)


def test_predictor(tmp_path):
    symbol, args, aux = convolutional()
    wanted = symbol.bind(mx.cpu(), args, aux_states=aux).forward()[0].asnumpy()
    data = args.pop("data")
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, args, aux)
    predictor = mx.Predictor.from_checkpoint(str(tmp_path / "net"), 0, {"data": data.shape})
    predictor.forward(data=data.asnumpy())
    np.testing.assert_allclose(predictor.get_output(0), wanted, rtol=1e-4, atol=1e-5)


# Storage ------------------------------------------------------------------------------------------


def keeping(stype):
    """Members of a property class whose arrays are all stored as `stype`."""
    return {
        "infer_storage_type": lambda self, given: (given, [stype], []),
        "infer_storage_type_backward": lambda self, og, i, o, ig, aux: (
            [stype], i, o, [stype], aux
        ),
    }  # fmt: skip


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays(stype):
    register("sparse_square", Square, **keeping(stype))
    dense = np.array([[0, 2, 0], [0, 0, 0], [3, 0, 1]], dtype=np.float32)
    x = mx.nd.array(dense).tostype(stype)
    y = mx.nd.Custom(x, op_type="sparse_square")
    assert y.stype == stype
    np.testing.assert_array_equal(y.asnumpy(), dense * dense)


def test_sparse_gradients():
    register("sparse_square", Square, **keeping("csr"))
    dense = np.array([[0, 2, 0], [3, 0, 1]], dtype=np.float32)
    x = mx.nd.array(dense).tostype("csr")
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="sparse_square")
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * dense)


def test_sparse_arrays_in_an_executor():
    register("sparse_square", Square, **keeping("csr"))
    dense = np.array([[0, 2, 0], [3, 0, 1]], dtype=np.float32)
    symbol = mx.sym.Custom(mx.sym.var("x", stype="csr"), op_type="sparse_square")
    gradient = mx.nd.zeros((2, 3), stype="csr")
    executor = symbol.bind(mx.cpu(), {"x": mx.nd.array(dense).tostype("csr")}, {"x": gradient})
    (y,) = executor.forward(is_train=True)
    assert y.stype == "csr"
    np.testing.assert_array_equal(y.asnumpy(), dense * dense)
    executor.backward(mx.nd.ones((2, 3)).tostype("csr"))
    np.testing.assert_array_equal(gradient.asnumpy(), 2 * dense)


def test_sparse_arrays_need_the_methods_for_them():
    x = mx.nd.array(X).tostype("csr")
    with pytest.raises(MXNetError, match=r"'square': infer_storage_type raised .*csr"):
        mx.nd.Custom(x, op_type="square")


# Errors -------------------------------------------------------------------------------------------


def fails(*_args, **_kwargs):
    raise LookupError("no such luck")


@pytest.mark.parametrize("method", ["infer_shape", "infer_type", "create_operator", "list_outputs"])
def test_errors_of_properties_surface(method):
    register("failing", Square, **{method: fails})
    with pytest.raises(MXNetError, match=method) as caught:
        mx.nd.Custom(mx.nd.ones(1), op_type="failing")
    text = str(caught.value)
    assert "LookupError: no such luck" in text
    assert 'raise LookupError("no such luck")' in text
    assert __file__ in text
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize("method", ["forward", "backward"])
def test_errors_of_operators_surface(method):
    register("failing", type("Failing", (Square,), {method: fails}))
    x = mx.nd.array(X)
    with pytest.raises(MXNetError, match=f"failing': {method} raised LookupError"):
        recorded("failing", x).backward()
    executor = mx.sym.Custom(mx.sym.var("x"), op_type="failing").bind(
        mx.cpu(), {"x": x}, {"x": mx.nd.zeros(X.shape)}
    )

    def step():
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones(X.shape))

    with pytest.raises(MXNetError, match=f"failing': {method} raised LookupError"):
        step()


def test_interrupts_pass_through():
    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    register("interrupted", type("Interrupted", (Square,), {"forward": interrupted}))
    with pytest.raises(KeyboardInterrupt):
        mx.nd.Custom(mx.nd.ones(1), op_type="interrupted")


def test_inference_errors_name_the_node():
    register("failing", Square, infer_shape=fails)
    symbol = mx.sym.Custom(mx.sym.var("x"), op_type="failing", name="here")
    with pytest.raises(MXNetError, match="'here'"):
        symbol.infer_shape(x=(1,))


@pytest.mark.parametrize(
    ("method", "given", "text"),
    [
        ("infer_shape", ([(1,)], [(1,), (1,)], []), "1, 2, 0 entries for its 1 inputs, 1 outputs"),
        ("infer_type", ([], [np.float32]), "0, 1, 0 entries"),
    ],
)
def test_rules_must_speak_of_every_array(method, given, text):
    register("miscounting", Square, **{method: lambda self, known: given})
    with pytest.raises(MXNetError, match=text):
        mx.nd.Custom(mx.nd.ones(1), op_type="miscounting")


def test_outputs_must_be_known():
    register("vague", Square, infer_shape=lambda self, s: (s, [()], []))
    with pytest.raises(MXNetError, match="'vague': .* leave open"):
        mx.nd.Custom(mx.nd.ones(2), op_type="vague")


def test_shapes_that_contradict_the_rule():
    register(
        "same",
        Square,
        list_arguments=lambda self: ["a", "b"],
        infer_shape=lambda self, s: ([s[0], s[0]], [s[0]], []),
    )
    with pytest.raises(MXNetError, match=r"b has shape \[3\], but needs \[2\] beside a \[2\]"):
        mx.nd.Custom(mx.nd.ones(2), mx.nd.ones(3), op_type="same")


@pytest.mark.parametrize(
    "call",
    [
        lambda: mx.nd.Custom(mx.nd.ones(1), op_type="sqare"),
        lambda: mx.sym.Custom(mx.sym.var("x"), op_type="sqare"),
        lambda: mx.sym.load_json(
            mx.sym.Custom(mx.sym.var("x"), op_type="square").tojson().replace("square", "sqare")
        ),
    ],
)
def test_unknown_op_type(call):
    with pytest.raises(UnknownNameError, match=r"'sqare' is not registered; did you mean 'square'"):
        call()


def test_op_type_is_needed():
    with pytest.raises(MXNetError, match="op_type"):
        mx.nd.Custom(mx.nd.ones(1))


def test_options_that_the_property_does_not_take():
    with pytest.raises(MXNetError, match="TypeError.*colour"):
        mx.nd.Custom(mx.nd.ones(1), op_type="custom_op", colour="red")


def test_many_threads():
    failures = []

    def work(seed):
        x = mx.nd.full((4, 4), seed)
        for _ in range(20):
            recorded("square", x).backward()
            if (x.grad.asnumpy() != 2 * seed).any():
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_gradients_have_no_gradients_and_say_so():
    register("square_once", Square)
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="square_once")
        (gradient,) = mx.autograd.grad(y, [x], create_graph=True)
        z = gradient * gradient
    np.testing.assert_allclose(gradient.asnumpy(), 2 * np.array(X), rtol=1e-6)
    with pytest.raises(mx.MXNetError, match="square_once.*no gradient"):
        z.backward()
