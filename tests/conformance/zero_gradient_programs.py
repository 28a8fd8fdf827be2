# SPDX-License-Identifier: Apache-2.0
"""Operators without a slope, above operators that give gradients whatever arrives.

Each pair runs as calls on arrays, as a bound symbol and as a hybridized block; `gradient` gives
what comes to the input.
"""

from __future__ import annotations

import numpy as np

X = [[1.0, 2.0, 3.0], [0.5, -1.0, 0.25]]
LABEL = [2.0, 0.0]
TARGET = [[0.5, 1.0, 0.0], [2.0, 0.0, 1.0]]


# Operators that give gradients whatever arrives: F, data, label, target -> (2, 3) ----------------

SOURCES = {
    "softmax_output": lambda F, x, label, target: F.SoftmaxOutput(x, label),
    "softmax_output_of_rows": lambda F, x, label, target: F.SoftmaxOutput(x, target),
    "linear_regression": lambda F, x, label, target: F.LinearRegressionOutput(x, target),
    "logistic_regression": lambda F, x, label, target: F.LogisticRegressionOutput(x, target),
    "mae_regression": lambda F, x, label, target: F.MAERegressionOutput(x, target),
    "svm": lambda F, x, label, target: F.SVMOutput(x, label),
    "make_loss": lambda F, x, label, target: F.make_loss(F.square(x)),
    "MakeLoss": lambda F, x, label, target: F.MakeLoss(F.square(x), grad_scale=3),
    "custom": lambda F, x, label, target: F.Custom(x, op_type="gradient_of_its_own"),
    "exp_behind": lambda F, x, label, target: F.SoftmaxOutput(F.exp(x), label),
    "two": lambda F, x, label, target: F.make_loss(F.SoftmaxOutput(x, label) * target),
    "none": lambda F, x, label, target: F.exp(x),
}


# Operators without a slope: F, (2, 3) -> any shape -----------------------------------------------


def _rows(F, y):
    """Places of the largest numbers: whole numbers in float32."""
    return F.argmax(y, axis=1)


CUTS = {
    "identity": lambda F, y: F.identity(y),
    "BlockGrad": lambda F, y: F.BlockGrad(y),
    "sign": lambda F, y: F.sign(y),
    "round": lambda F, y: F.round(y),
    "rint": lambda F, y: F.rint(y),
    "floor": lambda F, y: F.floor(y),
    "ceil": lambda F, y: F.ceil(y),
    "fix": lambda F, y: F.fix(y),
    "trunc": lambda F, y: F.trunc(y),
    "zeros_like": lambda F, y: F.zeros_like(y),
    "ones_like": lambda F, y: F.ones_like(y),
    "argmax": _rows,
    "argmin": lambda F, y: F.argmin(y, axis=0),
    "argmax_channel": lambda F, y: F.argmax_channel(y),
    "argsort": lambda F, y: F.argsort(y),
    "topk": lambda F, y: F.topk(y, k=2),
    "topk_mask": lambda F, y: F.topk(y, k=2, ret_typ="mask"),
    "shape_array": lambda F, y: F.shape_array(y),
    "size_array": lambda F, y: F.size_array(y),
    "greater_number": lambda F, y: y > 0.3,
    "equal_number": lambda F, y: y == 0.3,
    "lesser_array": lambda F, y: F.broadcast_lesser(y, F.ones_like(y)),
    "logical_not": lambda F, y: F.logical_not(y),
    "logical_and": lambda F, y: F.broadcast_logical_and(y, y),
    "isnan": lambda F, y: F.contrib.isnan(y),
    "isfinite": lambda F, y: F.contrib.isfinite(y),
    "arange_like": lambda F, y: F.contrib.arange_like(y, axis=1),
    "index_array": lambda F, y: F.contrib.index_array(y),
    "to_int": lambda F, y: F.cast(y, "int32"),
    "through_int": lambda F, y: F.cast(F.cast(y, "int32"), "float32"),
    "int_sum": lambda F, y: F.cast(_rows(F, y), "int64").sum(),
    "one_hot": lambda F, y: F.one_hot(_rows(F, y), 3),
    "one_hot_of_int": lambda F, y: F.one_hot(F.cast(_rows(F, y), "int32"), 3),
    "one_hot_product": lambda F, y: F.one_hot(_rows(F, y), 3) * y,
    "embedding": lambda F, y: F.Embedding(_rows(F, y), F.ones((3, 2)), input_dim=3, output_dim=2),
    "pick": lambda F, y: F.pick(F.ones((2, 3)), _rows(F, y)),
    "take": lambda F, y: F.take(F.ones((3, 2)), _rows(F, y)),
    "where": lambda F, y: F.where(y > 0.3, F.ones((2, 3)), F.zeros((2, 3))),
    "gather_nd": lambda F, y: F.gather_nd(F.ones((3,)), F.expand_dims(_rows(F, y), 0)),
    "sequence_mask": lambda F, y: F.SequenceMask(F.ones((3, 2)), _rows(F, y), True),
    "label": lambda F, y: F.SoftmaxOutput(F.ones((2, 3)), _rows(F, y)),
    "reshape_like": lambda F, y: F.reshape_like(F.ones((6,)), y),
    "slice_like": lambda F, y: F.slice_like(F.ones((4, 4)), y),
    "broadcast_like": lambda F, y: F.broadcast_like(F.ones((1, 3)), y),
    "uniform_like": lambda F, y: F.random.uniform_like(y),
    "box_iou": lambda F, y: F.contrib.box_iou(
        F.tile(y, (1, 2)).slice_axis(1, 0, 4), F.ones((1, 4))
    ),
    "unravel_index": lambda F, y: F.unravel_index(_rows(F, y), shape=(2, 2)),
    "sum_of_two": lambda F, y: F.sign(y).sum() + F.argmax(y, axis=1).sum(),
    "pick_of_log": lambda F, y: -F.log(F.pick(F.BlockGrad(y), F.argmin(F.BlockGrad(y), axis=1))),
    "twice": lambda F, y: F.sign(F.BlockGrad(y)),
    "batch_dot_of_signs": lambda F, y: F.dot(F.sign(y), F.transpose(F.floor(y))),
}


def gradient(mx, way, source, cut):
    """What comes to the input, as nested lists; the error's name where there is one."""
    register(mx)
    try:
        return WAYS[way](mx, SOURCES[source], CUTS[cut]).astype(np.float64).round(6).tolist()
    except Exception as error:  # noqa: BLE001 - compared
        return {"error": type(error).__name__}


def register(mx):
    """Registers a Custom operator whose gradient is twice its input, and what arrives."""

    class Twice(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * 1)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], in_data[0] * 2 + out_grad[0])

    class Prop(mx.operator.CustomOpProp):
        def __init__(self):
            super().__init__(need_top_grad=True)

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Twice()

    mx.operator.register("gradient_of_its_own")(Prop)


def _by_calls(mx, source, cut):
    x, label, target = (mx.nd.array(a) for a in (X, LABEL, TARGET))
    x.attach_grad()
    with mx.autograd.record():
        y = cut(mx.nd, source(mx.nd, x, label, target))
    (y[0] if isinstance(y, list) else y).backward()
    return x.grad.asnumpy()


def _by_symbol(mx, source, cut):
    names = ("x", "label", "target")
    y = cut(mx.sym, source(mx.sym, *map(mx.sym.var, names)))
    arrays = {n: mx.nd.array(a) for n, a in zip(names, (X, LABEL, TARGET), strict=True)}
    given = {n: arrays[n] for n in y.list_arguments()}
    d_x = mx.nd.zeros((2, 3))
    bound = y.bind(mx.cpu(), given, {"x": d_x}, {n: "write" if n == "x" else "null" for n in given})
    (result,) = bound.forward(is_train=True)
    bound.backward(mx.nd.ones(result.shape, dtype=result.dtype))
    return d_x.asnumpy()


def _by_block(mx, source, cut):
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x, label, target):
            return cut(F, source(F, x, label, target))

    net = Net()
    net.hybridize()
    x, label, target = (mx.nd.array(a) for a in (X, LABEL, TARGET))
    x.attach_grad()
    with mx.autograd.record():
        y = net(x, label, target)
    y.backward()
    return x.grad.asnumpy()


WAYS = {"calls": _by_calls, "symbol": _by_symbol, "block": _by_block}
