# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, UnknownNameError

X = np.array([[1.0, -2.0, 3.0]], dtype=np.float32)

pytestmark = pytest.mark.filterwarnings("ignore:.*PythonOp has been deprecated")


def test_register_gives_the_class_back():
    class Prop(mx.operator.CustomOpProp):
        pass

    assert mx.operator.register("given_back")(Prop) is Prop


@pytest.mark.parametrize(("req", "wanted"), [("write", 5), ("inplace", 5), ("add", 6), ("null", 1)])
def test_assign(req, wanted):
    for source in (5, mx.nd.full((2, 2), 5)):
        target = mx.nd.ones((2, 2))
        mx.operator.CustomOp().assign(target, req, source)
        assert (target.asnumpy() == wanted).all()


def test_assign_takes_numpy_arrays():
    target = mx.nd.ones((2, 2))
    mx.operator.CustomOp().assign(target, "write", np.eye(2))
    np.testing.assert_array_equal(target.asnumpy(), np.eye(2))


def test_assign_to_a_scalar():
    with mx.util.np_shape(True):
        target = mx.nd.ones(())
        mx.operator.CustomOp().assign(target, "add", 2)
        assert target.asscalar() == 3


def test_assign_refuses_other_requests():
    with pytest.raises(ArgumentError, match="'wirte'"):
        mx.operator.CustomOp().assign(mx.nd.ones(1), "wirte", 1)


def test_defaults_of_properties():
    prop = mx.operator.CustomOpProp()
    assert prop.list_arguments() == ["data"]
    assert prop.list_outputs() == ["output"]
    assert prop.list_auxiliary_states() == []
    assert [list(part) for part in prop.infer_shape([[2, 3]])] == [[[2, 3]], [[2, 3]], []]
    assert [list(part) for part in prop.infer_type([np.float16])] == [[np.float16]] * 2 + [[]]
    assert prop.infer_storage_type(["default"]) == (["default"], ["default"], [])
    groups = prop.infer_storage_type_backward(["default"], ["csr"], [], ["undefined"], [])
    assert groups == (["default"], ["default"], [], ["default"], [])
    assert prop.declare_backward_dependency([0], [1], [2]) == [0, 1, 2]
    assert mx.operator.CustomOpProp(False).declare_backward_dependency([0], [1], [2]) == [1, 2]
    assert isinstance(prop.create_operator(mx.cpu(), [[1]], [0]), mx.operator.CustomOp)
    with pytest.raises(ArgumentError, match="csr"):
        prop.infer_storage_type(["csr"])


def test_registered_operators():
    names = mx.operator.get_all_registered_operators()
    assert {"Custom", "Convolution", "_foreach", "relu"} <= {*names}
    assert len(names) == len({*names})


def test_arguments_of_operators():
    made = mx.operator.get_operator_arguments("FullyConnected")
    assert made.narg == 6
    assert made.names == ["data", "weight", "bias", "num_hidden", "no_bias", "flatten"]
    assert made.types[:4] == ["NDArray-or-Symbol"] * 3 + ["int, required"]
    narg, names, types = mx.operator.get_operator_arguments("Concat")
    assert (narg, names[:2], types[0]) == (3, ["data", "num_args"], "NDArray-or-Symbol[]")
    with pytest.raises(UnknownNameError, match="relu"):
        mx.operator.get_operator_arguments("rleu")


# Before CustomOp ----------------------------------------------------------------------------------


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class NumpySoftmax(mx.operator.NumpyOp):
    def __init__(self):
        super().__init__(need_top_grad=False)

    def list_arguments(self):
        return ["data", "label"]

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

    def forward(self, in_data, out_data):
        out_data[0][:] = softmax(in_data[0])

    def backward(self, out_grad, in_data, out_data, in_grad):
        label = in_data[1].astype(int)
        in_grad[0][:] = out_data[0]
        in_grad[0][np.arange(len(label)), label] -= 1


class ArrayScale(mx.operator.NDArrayOp):
    def forward(self, in_data, out_data):
        out_data[0][:] = in_data[0] * 3

    def backward(self, out_grad, in_data, out_data, in_grad):
        in_grad[0][:] = out_grad[0] * 3


def test_numpy_op():
    symbol = NumpySoftmax()(data=mx.sym.var("data"), name="softmax")
    assert symbol.list_arguments() == ["data", "softmax_label"]
    executor = symbol.simple_bind(mx.cpu(), data=(1, 3))
    label = np.array([2], dtype=np.float32)
    (y,) = executor.forward(is_train=True, data=X, softmax_label=label)
    np.testing.assert_allclose(y.asnumpy(), softmax(X), rtol=1e-6)
    executor.backward()
    np.testing.assert_allclose(
        executor.grad_dict["data"].asnumpy(), softmax(X) - [[0, 0, 1]], atol=1e-6
    )


def test_ndarray_op():
    with mx.name.NameManager():
        symbol = ArrayScale().get_symbol(mx.sym.var("data"))
    assert symbol.list_outputs() == ["_ndarray0_output"]
    executor = symbol.bind(mx.cpu(), {"data": mx.nd.array(X)}, {"data": mx.nd.zeros(X.shape)})
    (y,) = executor.forward(is_train=True)
    np.testing.assert_array_equal(y.asnumpy(), 3 * X)
    executor.backward(mx.nd.full(X.shape, 2))
    assert (executor.grad_dict["data"].asnumpy() == 6).all()


def test_operators_of_one_class_are_distinct():
    class Shift(mx.operator.NumpyOp):
        def __init__(self, by):
            super().__init__()
            self.by = by

        def forward(self, in_data, out_data):
            out_data[0][:] = in_data[0] + self.by

    x = mx.sym.var("x")
    (y,) = Shift(10)(Shift(1)(x)).bind(mx.cpu(), {"x": mx.nd.array(X)}).forward()
    np.testing.assert_array_equal(y.asnumpy(), X + 11)


def test_the_old_forms_warn():
    with pytest.warns(UserWarning, match="CustomOp"):
        ArrayScale()
    with pytest.raises(NotImplementedError):
        mx.operator.PythonOp().get_symbol()
