# SPDX-License-Identifier: Apache-2.0
"""Expressions in MXNet's API, and their outcome as plain data; the same code runs under MXNet."""

from __future__ import annotations

import json
import pickle

import numpy as np

ERRORS = (
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "ZeroDivisionError",
)


def names_of(mx):
    """What the expressions may use."""
    nd, var = mx.nd, mx.sym.Variable
    x, y = var("x"), var("y")
    bound = (x * 2 + y).simple_bind(mx.cpu(), x=(2, 3), y=(2, 3))
    layer = mx.sym.FullyConnected(x, num_hidden=2, name="fc")
    return {
        "mx": mx,
        "np": np,
        "pickle": pickle,
        "A": nd.array([[0.4, 0.1], [0.1, 0.3]]),
        "B": nd.array([0, 1]),
        "E": nd.array([1, 2], dtype="int32"),
        "N": nd.array([1, float("nan"), float("inf"), -float("inf")]),
        "x": x,
        "y": y,
        "pair": mx.sym.Group([x, y]),
        "twice": mx.sym.Group([x, x]),
        "bn": mx.sym.BatchNorm(x, name="bn"),
        "bound": bound,
        "layer": layer.simple_bind(mx.cpu(), x=(4, 3)),
    }


def value(mx, expression, group):
    """What `expression` gives, as JSON can hold it."""
    with mx.name.NameManager():
        names = names_of(mx)
    with mx.name.NameManager():
        found = eval(expression, names)
    return plain(mx, found, group == "random")


def outcome(mx, expression, group):
    """What `expression` gives, as JSON can hold it, or the class of what it raises."""
    try:
        return value(mx, expression, group)
    except Exception as error:  # noqa: BLE001 - what is raised is the outcome
        kinds = [c.__name__ for c in type(error).__mro__]
        return {"error": next((k for k in kinds if k in ERRORS), "MXNetError")}


def made(mx, room, name, attrs):
    """What function `name` of a module of symbols makes of parameters alone."""
    function = getattr(getattr(mx.sym, room) if room else mx.sym, name)
    try:
        with mx.name.NameManager():
            return symbol(function(**attrs))
    except mx.MXNetError:
        return {"error": "MXNetError"}


def plain(mx, value, is_random=False):
    if isinstance(value, mx.sym.Symbol):
        return symbol(value)
    if isinstance(value, mx.nd.NDArray):
        facts = {"shape": list(value.shape), "dtype": np.dtype(value.dtype).name}
        facts["context"] = str(value.context)
        if not is_random:
            facts["values"] = plain_values(value.asnumpy())
        return facts
    if isinstance(value, (list, tuple)):
        return [plain(mx, v, is_random) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(mx, v, is_random) for k, v in sorted(value.items())}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"dtype": np.dtype(value).name}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return {"type": type(value).__name__}


def plain_values(values):
    """The values; JSON has no NaN and no infinity."""
    flat = values.astype("float64").ravel().tolist()
    return [v if np.isfinite(v) else repr(v) for v in flat]


def symbol(value):
    graph = json.loads(value.tojson())
    nodes = [[n["op"], n["name"], n.get("attrs", {}), n["inputs"]] for n in graph["nodes"]]
    return {"nodes": nodes, "heads": graph["heads"], "outputs": value.list_outputs()}


def lines(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


ARRAYS = lines("""
mx.nd.linalg.potrf(A, lower=False)
mx.nd.sum(A, 1, False, False, None, 'nm')
mx.nd.sum(A, 1)
mx.nd.sum(data=A, axis=1)
mx.nd.sum(A, axis=None)
mx.nd.sum(A, axis=(0, 1), keepdims=True)
mx.nd.sum(A, data=A)
mx.nd.sum(A, axi=3)
mx.nd.Concat(A, A, dim=0, out=None, name='q')
mx.nd.Concat(A, A, 0)
mx.nd.concat(A, A)
mx.nd.add_n(A, A, name='t')
mx.nd.stack(B, B, axis=1)
mx.nd.relu([1, 2])
mx.nd.relu(A, foo=3)
mx.nd.relu(A, 3)
mx.nd.relu()
mx.nd.broadcast_add(A)
mx.nd.FullyConnected(A, A, no_bias=True, num_hidden=2)
mx.nd.FullyConnected(A, A, num_hidden=2)
mx.nd.FullyConnected(A, A, None, 2, True)
mx.nd.smooth_l1(A, 2.0)
mx.nd.smooth_l1(A, 2.0, mx.nd.zeros((2, 2)))
mx.nd.op.relu(A)
mx.nd._internal._plus_scalar(A, 3)
mx.nd._internal._plus_scalar(A, scalar=3)
mx.nd.contrib.foo
mx.nd.foo
mx.nd.one_hot(E, 3, 2, -1, 'int32')
mx.nd.cast(A, 'int32')
mx.nd.cast(A, np.float64)
mx.nd.clip(A, 0.2, 0.3)
mx.nd.reshape(A, (4,))
mx.nd.reshape(A, shape=(-1, 1))
mx.nd.transpose(A, (1, 0))
mx.nd.slice(A, (0, 0), (1, 2))
mx.nd.slice_axis(A, 0, 1, None)
mx.nd.expand_dims(A, 0)
mx.nd.topk(A, 1, 1, 'value')
mx.nd.pick(A, B, 1)
mx.nd.take(A, B, 0, 'clip')
mx.nd.where(A > 0.2, A, A * 0)
mx.nd.dot(A, A, True)
mx.nd.batch_dot(A.reshape((1, 2, 2)), A.reshape((1, 2, 2)))
mx.nd.Activation(A, 'tanh')
mx.nd.LeakyReLU(A - 0.2, act_type='leaky', slope=0.5)
mx.nd.softmax(A, axis=0)
mx.nd.softmax(A, None, 0)
mx.nd.Embedding(E, A + 1, 2, 2)
mx.nd.Pooling(A.reshape((1, 1, 2, 2)), (2, 2), 'avg')
mx.nd.UpSampling(A.reshape((1, 1, 2, 2)), scale=2, sample_type='nearest')
mx.nd.SequenceMask(A.reshape((2, 2, 1)), B + 1, True, -1)
mx.nd.split(A, 2)
mx.nd.split(A, num_outputs=2, axis=0, squeeze_axis=True)
mx.nd.split_v2(A, 2)
mx.nd.split_v2(A, (1,))
mx.nd.split_v2(A, (1,), 1, True)
mx.nd.split_v2(A, 2.0)
mx.nd.moments(A, axes=(0,))
mx.nd.zeros_like(A)
mx.nd.ones_like(E)
mx.nd.maximum(1, 2)
mx.nd.maximum(A, 0.2)
mx.nd.maximum(0.2, A)
mx.nd.maximum(A, B)
mx.nd.maximum(A, 'a')
mx.nd.minimum(A, 0.2)
mx.nd.power(2, 3)
mx.nd.power(base=A, exp=2)
mx.nd.power(2, A)
mx.nd.add(1, 2)
mx.nd.add(A, B)
mx.nd.add(A, [1, 2])
mx.nd.add(A, np.array([1, 2]))
mx.nd.add(A, np.float32(2))
mx.nd.subtract(1, A)
mx.nd.multiply(A, lhs=3)
mx.nd.multiply(lhs=A, rhs=3)
mx.nd.divide(1, 2)
mx.nd.divide(1, A)
mx.nd.true_divide(A, 2)
mx.nd.modulo(7, B + 2)
mx.nd.modulo(B, 2)
mx.nd.equal(1, 1)
mx.nd.equal(A, 0.1)
mx.nd.not_equal(1, 1)
mx.nd.not_equal(A, A)
mx.nd.greater(0.2, A)
mx.nd.greater(2, 1)
mx.nd.greater_equal(0.3, A)
mx.nd.lesser(0.2, A)
mx.nd.lesser_equal(A, 0.3)
mx.nd.lesser_equal(2, 1)
mx.nd.logical_and(A, B)
mx.nd.logical_and(A, 0)
mx.nd.logical_and(0, A)
mx.nd.logical_and(1, 2)
mx.nd.logical_or(1, 0)
mx.nd.logical_or(A, B)
mx.nd.logical_xor(1, 2)
mx.nd.logical_xor(A, B)
mx.nd.contrib.isnan(N)
mx.nd.contrib.isinf(N)
mx.nd.contrib.isfinite(N)
mx.nd.contrib.isfinite(E)
mx.nd.contrib.adamw_update(B, A[0], B * 0, B * 0, 2.0, 0.1, 0.2)
mx.nd.contrib.adamw_update(B, A[0], B * 0, B * 0, mx.nd.array([2.0]), 0.1, 0.2, wd=0.1)
mx.nd.contrib.adamw_update(B, A[0], B * 0, B * 0, '2', 0.1, 0.2, clip_gradient=0.1)
mx.nd.contrib.mp_adamw_update(B.astype('float16'), A[0].astype('float16'), B * 0, B * 0, B, 2, 0.1, 0.2)
mx.nd.contrib.multi_adamw_update([B, B], [A[0], A[1]], [B * 0, B * 0], [B * 0, B * 0], 2.0, (0.1, 0.2), (0, 0), (1, 1), out=[B * 1, B * 1])
mx.nd.contrib.multi_mp_adamw_update([B.astype('float16')], [A[0].astype('float16')], [B * 0], [B * 0], [B], mx.nd.array([2.0]), (0.1,), (0,), (1,), out=[B.astype('float16')])
mx.nd.contrib.multi_mp_lamb_update([B.astype('float16')], [A[0].astype('float16')], [B * 0], [B * 0], [B], (1,), (0.1,), (0,), out=[B.astype('float16')])
mx.nd.contrib.multi_lamb_update([B, B], [A[0], A[1]], [B * 0, B * 0], [B * 0, B * 0], (1, 1), (0.1, 0.2), (0, 0), out=[B * 1, B * 1])
mx.nd.contrib.multi_lamb_update([B, B], [A[0], A[1]], [B * 0, B * 0], [B * 0, B * 0], (1, 1), (0.1, 0.2), (0, 0), out=[B * 1, B * 1], num_tensors=1)
mx.nd.contrib.quadratic(A, 1, 2, 3)
mx.nd.contrib.box_iou(mx.nd.array([[0, 0, 1, 1]]), mx.nd.array([[0, 0, 2, 2]]), 'corner')
mx.nd.linalg.gemm2(A, A, True, False, 2.0)
mx.nd.linalg_gemm2(A, A, alpha=2.0)
mx.nd.linalg.det(A)
mx.nd.image.to_tensor(mx.nd.zeros((2, 2, 3), dtype='uint8'))
A.sum(1)
A.sum(axis=0, keepdims=True)
A.max()
A.argmax(1)
A.argsort(is_ascend=False)
A.clip(0.2, 0.3)
A.clip(a_min=0.2, a_max=0.3)
A.norm()
A.norm(1)
A.norm(ord=1, axis=0)
A.one_hot(2)
A.slice((0, None), (1, None))
A.slice_axis(0, 1, None)
A.slice_like(B.reshape((1, 2)))
A.split(2)
A.split_v2(2)
A.split_v2((1,), axis=1)
A.swapaxes(0, 1)
A.take(B)
A.tile((2, 1))
A.tile(reps=(1, 2))
A.topk(k=1, ret_typ='value')
A.transpose()
A.transpose((1, 0))
A.transpose(axes=(0, 1))
A.repeat(2)
A.repeat(repeats=2, axis=0)
A.pad('constant', (0, 0, 1, 1))
A.reshape((1, 1, 2, 2)).pad('constant', (0, 0, 0, 0, 1, 1, 1, 1), 5)
A.pick(B)
A.pick(B, 0)
A.flatten()
A.flatten(inplace=True)
A.expand_dims(1)
A.expand_dims(axis=0, inplace=True)
A.expand_dims()
A.squeeze()
A.reshape((1, 2, 2)).squeeze(0)
A.reshape((1, 2, 2)).squeeze(axis=(0,), inplace=True)
A.diag()
A.diag(1)
A.diag(k=-1)
B.broadcast_to((2, 2))
B.broadcast_to(shape=(2, 2))
B.broadcast_like(A)
B.reshape((1, 2)).broadcast_axes(axis=0, size=2)
A.relu(name='q')
A.relu(out=mx.nd.zeros((2, 2)))
A.softmax(0)
A.log_softmax(axis=-1)
A.zeros_like()
A.round()
A.mean(axis=1, exclude=True)
A.foo()
""")

SYMBOLS = lines("""
mx.sym.relu(A)
mx.sym.relu(data=1)
mx.sym.relu(x, foo=3)
mx.sym.relu(x, __foo__=3)
mx.sym.relu(x, __foo__='3')
mx.sym.relu(x, 'n')
mx.sym.relu(x, 'n', {'ctx_group': 'a'})
mx.sym.relu(x, 'n', None, None, 4)
mx.sym.relu()
mx.sym.relu(name='r')
mx.sym.relu(pair)
mx.sym.relu(None)
mx.sym.sum(x, axis=None)
mx.sym.sum(x, axis=(0, 1), keepdims=True, name='z')
mx.sym.sum(x, axis=[0, 1], keepdims=1)
mx.sym.sum(x, 1)
mx.sym.sum(x, 1, True, False, 'nm')
mx.sym.Concat(x, y, dim=0)
mx.sym.Concat(*[x, y], dim=0, name='nm')
mx.sym.Concat(x, [y])
mx.sym.Concat()
mx.sym.Concat(num_args=2)
mx.sym.Concat(num_args=2, name='c')
mx.sym.Concat(arg0=x, arg1=y, name='c')
mx.sym.concat(x, y)
mx.sym.add_n(x, y)
mx.sym.add_n(*[x])
mx.sym.stack(x, y, axis=1)
mx.sym.FullyConnected(x, num_hidden=3)
mx.sym.FullyConnected(x, num_hidden=3, no_bias=True, name='fc')
mx.sym.FullyConnected(x, num_hidden=3, name='fc', bias=y)
mx.sym.FullyConnected(x, y, None, 3)
mx.sym.FullyConnected(x)
mx.sym.FullyConnected(x, num_hidden=3, bias=None)
mx.sym.FullyConnected(num_hidden=3, weight=y)
mx.sym.BatchNorm(x, name='bn')
mx.sym.BatchNorm(x, eps=1e-3, fix_gamma=False, moving_mean=y)
mx.sym.BatchNorm_v1(x, y, y, 0.1, name='b')
mx.sym.IdentityAttachKLSparseReg(x, 0.2, name='b')
mx.sym.smooth_l1(x, 2.0, 'n')
mx.sym.linalg_potrf(x, 'n')
mx.sym.linalg.potrf(x, lower=False)
mx.sym.Convolution(data=x, kernel=(3, 3), num_filter=8, attr={'lr_mult': '2'}, name='c')
mx.sym.Convolution(data=x, kernel=(3, 3), num_filter=8, attr={'q': 'z'}, name='c')
mx.sym.Convolution(data=x, kernel=(3, 3), num_filter=8, lr_mult=2, name='c')
mx.sym.Convolution(data=x, kernel=(3, 3), num_filter=8, attr={'__q__': 'z'}, name='c')
mx.sym.Convolution(data=x, kernel=(3, 3), num_filter=8, attr={'lr_mult': 2}, name='c')
mx.sym.Convolution(x, y, None, (3, 3), (1, 1), (1, 1), (0, 0), 8)
mx.sym.cast(x, 'float16')
mx.sym.cast(x, np.float16)
mx.sym.cast(x, dtype=np.dtype('float64'))
mx.sym.one_hot(x, 3, dtype=np.int32)
mx.sym.Reshape(x, (2, 3))
mx.sym.reshape(x, shape=(2, 3))
mx.sym.Flatten(x)
mx.sym.BlockGrad(x)
mx.sym.stop_gradient(x)
mx.sym.sum_axis(x)
mx.sym.SliceChannel(x, num_outputs=2)
mx.sym.split(x, num_outputs=2)
mx.sym.split_v2(x, 2)
mx.sym.split_v2(x, (1, 2))
mx.sym.split_v2(x, [1, 2])
mx.sym.SoftmaxOutput(x, name='softmax')
mx.sym.SoftmaxOutput(x, y, 0.5)
mx.sym.LinearRegressionOutput(x)
mx.sym.Dropout(x, 0.3)
mx.sym.Embedding(x, input_dim=3, output_dim=2)
mx.sym.RNN(x, state_size=3, num_layers=1, mode='lstm', name='rnn')
mx.sym.UpSampling(x, scale=2, sample_type='nearest')
mx.sym.Activation(x, 'relu')
mx.sym.LeakyReLU(x, act_type='prelu')
mx.sym.Pooling(x, (2, 2), 'max')
mx.sym.topk(x, k=2, ret_typ='both')
mx.sym.arctan2
mx.sym.contrib.box_nms(x)
mx.sym.contrib.div_sqrt_dim(x)
mx.sym.contrib.quantize_v2(x)
mx.sym.contrib.SparseEmbedding(x, y, input_dim=3, output_dim=4)
mx.sym.contrib.uniform(0, 1, (3,))
mx.sym.contrib.rand_zipfian(x, 4, 5)
mx.sym.linalg.gemm2(x, y)
mx.sym.linalg_gemm2(x, y)
mx.sym.image.to_tensor(x)
mx.sym._internal._plus_scalar(x, scalar=1)
mx.sym._internal._plus_scalar(x, 1)
mx.sym.op.relu(x)
mx.sym.sparse.retain(x, y)
mx.sym.sparse.FullyConnected(x, num_hidden=3)
mx.sym.sparse._contrib_round_ste(x)
mx.sym.random_normal(shape=(3,))
x + y
x + 1
1 + x
x - y
x - 1
2 - x
x * y
x * 2
x / y
x / 2
2 / x
x % y
x % 2
2 % x
x ** y
x ** 2
2 ** x
x > y
x > 1
x >= y
x < y
x < 1
x <= y
x == y
x == 1
x != y
x != 1
1 > x
-x
abs(x)
x + 'a'
x + A
x // 2
x @ y
+x
x + np.float32(2)
x + np.int64(2)
x + True
x * 1e-8
x * 0.1
bool(x)
x and y
x.__iadd__(1)
x.__idiv__(2)
mx.sym.maximum(1, 2)
mx.sym.minimum(1, 2)
mx.sym.maximum(x, 2)
mx.sym.maximum(2, x)
mx.sym.maximum(x, y)
mx.sym.maximum('a', 2)
mx.sym.minimum(x, 2)
mx.sym.minimum(x, y)
mx.sym.pow(2, 3)
mx.sym.pow(x, y)
mx.sym.pow(x, 2)
mx.sym.pow(2, x)
mx.sym.pow(base=x, exp=2)
mx.sym.power(x, 2)
mx.sym.pow(x, 'a')
mx.sym.pow('a', x)
mx.sym.hypot(x, y)
mx.sym.hypot(x, 2)
mx.sym.hypot(2, x)
mx.sym.zeros((2, 3))
mx.sym.zeros((2, 3), 'float16')
mx.sym.zeros(3)
mx.sym.zeros((2, 3), np.int32, name='k')
mx.sym.ones((2, 3))
mx.sym.ones((2, 3), dtype='int64', ctx='cpu(0)')
mx.sym.full((2, 3), 4)
mx.sym.full((2, 3), 4, dtype='int32')
mx.sym.arange(4)
mx.sym.arange(1, 4, 2, 2, True, 'nm', 'float64')
mx.sym.arange(1.5)
mx.sym.arange(1, None)
mx.sym.linspace(0, 1, 5)
mx.sym.linspace(0, 1, 5, False, 'n', np.float16)
mx.sym.eye(3)
mx.sym.eye(3, 4, 1, 'int32', name='e')
mx.sym.histogram(x)
mx.sym.histogram(x, 5, (0, 1))
mx.sym.histogram(x, bins=5, range=(0, 1), name='h')
mx.sym.histogram(x, y)
mx.sym.Group([x, y])
mx.sym.Group([])
mx.sym.Group([x, 1])
mx.sym.Group((x, y))
mx.sym.Group([x, x + y, mx.sym.split(x, num_outputs=2)])
mx.sym.var(3)
mx.sym.var('a')
mx.sym.Variable('a', shape=(1, 2), lr_mult=2, wd_mult=.5, dtype='float16', init='["one", {}]', stype='csr', __foo__='x')
mx.sym.var('a', attr={'b': 'c'})
mx.sym.var('a', attr={'lr_mult': '3'})
mx.sym.var('a', attr={'b': 1})
mx.sym.var('a', foo=1)
mx.sym.var('a', __foo__=1)
mx.sym.var('a', dtype=np.int8)
mx.sym.var('a', stype='zzz')
mx.sym.load_json(3)
mx.sym.load(3)
mx.sym.load_json('{}')
mx.sym.load('/nonexistent/file')
mx.sym.load_json((x + y).tojson())
x.relu(name='q')
x.sum(1)
x.sum(axis=1, name='s')
x.reshape((2, 3))
x.reshape(shape=(2, 3))
x.reshape((2, 3), True)
x.reshape(5)
x.astype('float16')
x.astype(np.int8)
x.astype(dtype='int32')
x.expand_dims(1)
x.expand_dims(1, True)
x.expand_dims(axis=1, inplace=True, name='e')
x.flatten()
x.flatten(True)
x.flatten(inplace=True)
x.squeeze()
x.squeeze(axis=(1, 2))
x.squeeze(1, True)
x.diag(1)
x.diag(k=1, axis1=1)
x.diag()
x.split(2)
x.split_v2(2)
x.split_v2((1, 2), axis=1)
x.split_v2((1, 2), 1, True)
x.broadcast_like(y)
x.broadcast_to((2, 3))
x.transpose((1, 0))
x.transpose(axes=(1, 0))
x.slice(begin=(0, None), end=(1, None))
x.slice((0, None), (1, None))
x.slice_axis(0, 1, None)
x.pad('constant', (0, 0, 0, 0, 1, 1, 1, 1))
x.norm(ord=1)
x.topk(k=2, ret_typ='value')
x.clip(0, 1)
x.clip(a_min=0)
x.repeat(2)
x.tile((2, 2))
x.take(y)
x.pick(y, axis=0)
x.one_hot(4)
x.swapaxes(0, 1)
x.as_nd_ndarray()
x.wait_to_read()
x.asnumpy()
x.asscalar()
x.copy()
x.as_in_context()
x.detach()
x.backward()
x.gradient(['x'])
x.T
x.shape
x.foo
x.get_backend_symbol('MKLDNN')
x.optimize_for('MKLDNN')
x[-1]
x[0]
x[1]
x['x']
x['y']
x[0:1]
x[1.5]
pair[0:2]
pair[:1]
pair['y']
pair[1]
twice['x']
len(pair)
list(pair)
pair.name
pair.list_outputs()
x.name
repr(x)
repr(pair)
repr(mx.sym.split(x, num_outputs=2))
mx.sym.split(x, num_outputs=2).name
mx.sym.split(x, num_outputs=2)[1]
mx.sym.split(x, num_outputs=2)['split0_output1']
x.list_attr()
mx.sym.var('v', lr_mult=3).list_attr()
x.attr('q')
x.attr_dict()
mx.sym.relu(mx.sym.var('v', lr_mult=3), attr={'wd_mult': '2'}).attr_dict()
x._set_attr(a=1)
x._set_attr(a='b')
x.get_internals()
(x + y).get_internals()
(x + y).get_internals()[2]
(x + y).get_internals().list_outputs()
bn.get_internals()
bn.get_internals()['bn_output']
bn.get_internals().list_outputs()
bn.list_arguments()
bn.list_auxiliary_states()
bn.list_inputs()
bn.list_outputs()
bn.get_children()
x.get_children()
(x + y).get_children()
(x + y).get_children()[0]
mx.sym.Group([x + y, x * 2]).get_children()
(x + y).debug_str()
bn.debug_str()
x.infer_shape()
(x + y).infer_shape(x=(2, 3))
(x + y).infer_shape((2, 3), (2, 3))
(x + y).infer_shape((2, 3), x=(2, 3))
(x + y).infer_shape(z=(2, 3))
(x + y).infer_shape(x=2)
(x + y).infer_shape(x=(2, 3), y=(3, 2))
(x + y).infer_shape(x=[2, 3])
bn.infer_shape(x=(2, 3, 4))
bn.infer_shape_partial(x=(2, 0, 4))
(x + y).infer_shape_partial()
(x + y).infer_shape_partial(x=(2, 0), y=(0, 3))
(x + y).infer_type(x='float16')
(x + y).infer_type(x=np.float16)
(x + y).infer_type('float64', 'float64')
(x + y).infer_type()
(x + y).infer_type(x='float16', y='float32')
(x + y).infer_type_partial()
(x + y).infer_type_partial(x='int32')
bn.infer_type(x='float16')
x(y=y)
(x + 1)(x=y)
(x + 1)(y)
(x + y)(x=x * 2, name='q')
(x + y)(y, y, y)
(x + y)(y, x=y)
(x + y)(1)
(x + y)(x=1)
(x + y)(z=y)
(x + y)(x=pair)
(x + y).__copy__()
pickle.loads(pickle.dumps(x + y))
(x + y).__getstate__()
x.tojson()
x.save(3)
x.eval(x=B)
(x + y).eval(mx.cpu(), x=A, y=A)
x.eval()
x.bind(mx.cpu(), {})
x.bind(mx.cpu(), 3)
x.simple_bind(mx.cpu())
mx.sym.Symbol.__array_priority__
""")

RANDOM = lines("""
mx.nd.random.uniform()
mx.nd.random.uniform(0, 1, 3)
mx.nd.random.uniform(0, 1, (3,))
mx.nd.random.uniform(shape=[2, 3])
mx.nd.random.uniform(0, A)
mx.nd.random.uniform(A, 1)
mx.nd.random.uniform(A, A)
mx.nd.random.uniform(A, A, shape=3)
mx.nd.random.uniform(A, A, (3, 2), dtype='float64')
mx.nd.random.uniform('a', 1)
mx.nd.random.uniform(1, 'a')
mx.nd.random.uniform(np.float32(0), np.float64(1))
mx.nd.random.uniform(0, 1, 3, 'float16')
mx.nd.random.uniform(0, 1, 3, 'int32')
mx.nd.random.uniform(0, 1, 3, np.float64)
mx.nd.random.uniform(0, 1, 3, ctx=mx.cpu(1))
mx.nd.random.uniform(0, 1, 3, out=mx.nd.zeros((3,)))
mx.nd.random.uniform(0, 1, out=mx.nd.zeros((4, 2)))
mx.nd.random.uniform(0, 1, (3,), out=mx.nd.zeros((4, 2)))
mx.nd.random.uniform(A, A, out=mx.nd.zeros((2, 2)))
mx.nd.random.uniform(0, 1, 3, name='k')
mx.nd.random.uniform(0, 1, 3, foo='k')
mx.nd.random.uniform(low=B, high=3.)
mx.nd.random.uniform_like(A)
mx.nd.random.uniform_like(A, 0, 2)
mx.nd.random.normal_like(data=A, loc=1)
mx.nd.random.normal(loc=A, scale=A)
mx.nd.random.exponential(2.0, 3)
mx.nd.random.exponential(A, 3)
mx.nd.random.exponential(0)
mx.nd.random.exponential_like(A, lam=2)
mx.nd.random.randn(2, 3)
mx.nd.random.randn(2, 3, loc=1, scale=2, dtype='float64')
mx.nd.random.randn(2, 3, ctx=mx.cpu(0))
mx.nd.random.randn((2, 3))
mx.nd.random.randn(2, loc=A, scale=A)
mx.nd.random.randn(2, foo=1)
mx.nd.random.randn(2, 3, out=mx.nd.zeros((2, 3)))
mx.nd.random.poisson()
mx.nd.random.poisson(3, shape=(2,), dtype='float16')
mx.nd.random.poisson(A)
mx.nd.random.poisson_like(A, lam=2)
mx.nd.random.gamma()
mx.nd.random.gamma(A, A, 2)
mx.nd.random.gamma(9, .5, shape=(2, 2))
mx.nd.random.gamma_like(A, alpha=2)
mx.nd.random.negative_binomial(4, .3, shape=3)
mx.nd.random.negative_binomial(k=A + 1, p=A)
mx.nd.random.negative_binomial()
mx.nd.random.generalized_negative_binomial(2., .3, shape=(2,))
mx.nd.random.generalized_negative_binomial(A, A, 2)
mx.nd.random.generalized_negative_binomial_like(A, mu=2)
mx.nd.random.multinomial(A)
mx.nd.random.multinomial(A, 3)
mx.nd.random.multinomial(A, shape=(2, 2))
mx.nd.random.multinomial(A, shape=2, get_prob=True)
mx.nd.random.multinomial(A, dtype='float32')
mx.nd.random.multinomial(A, dtype='int64')
mx.nd.random.multinomial([.2, .8])
mx.nd.random.multinomial(mx.nd.array([.2, .8]))
mx.nd.random.multinomial(mx.nd.array([.2, .8]), 3)
mx.nd.random.shuffle(A)
mx.nd.random.shuffle(A, out=A)
mx.nd.random.shuffle([1, 2])
mx.nd.random.randint(0, 10)
mx.nd.random.randint(0, 10, 3)
mx.nd.random.randint(0, 10, (3,), 'int64')
mx.nd.random.randint(0, 10, 3, 'float32')
mx.nd.random.randint(0, 10, 3, 'int8')
mx.nd.random.randint(10, 0, 3).asnumpy()
mx.nd.random.randint(0.5, 2.5, 3)
mx.nd.random.randint(0, 2.5, 3)
mx.nd.random.randint(-5, 5, 3, ctx=mx.cpu())
mx.nd.random.randint(A, A)
mx.nd.random.randint(0)
mx.nd.random.randint(0, 2**40, 3, 'int64')
mx.nd.random.randint(np.int64(0), np.int32(4))
mx.nd.random.randint(low=0, high=10, shape=(2, 2), out=mx.nd.zeros((2, 2), dtype='int32'))
mx.nd.random_uniform(0, 1, shape=(2,))
mx.nd.sample_uniform(A, A, shape=(2,))
mx.nd.uniform(0, 1, (2,))
mx.nd.uniform(low=0, high=1, shape=(2,))
mx.nd.normal(shape=(2,))
mx.nd.shuffle(A)
mx.nd.contrib.uniform(0, 1, (3,))
mx.nd.contrib.rand_zipfian(mx.nd.array([3]), 4, 5)
mx.nd.contrib.rand_zipfian(mx.nd.array([3]), 4, 5, mx.cpu(1))
mx.nd.contrib.rand_zipfian([3], 4, 5)
mx.nd.random_uniform(0, 1, out=mx.nd.zeros((4, 2)))
mx.nd._internal._zeros(out=mx.nd.ones((4, 2)))
mx.random.uniform(0, 1, 3)
mx.random.randn(3)
mx.random.normal(0, 1, (2, 2))
mx.random.shuffle(A)
mx.random.poisson(2, 3)
mx.random.exponential(2, 3)
mx.random.gamma(2, 3, 3)
mx.random.multinomial(A)
mx.random.negative_binomial(2, 0.5, 3)
mx.random.generalized_negative_binomial(2, 0.5, 3)
mx.random.randint(0, 4, 3)
mx.random.uniform is mx.nd.random.uniform
mx.rnd is mx.random
mx.random.seed(3)
mx.random.seed(3.5)
mx.random.seed('a')
mx.random.seed(3, mx.cpu(0))
mx.random.seed(np.int64(3))
mx.random.seed(-1)
mx.random.seed(2**40)
mx.random.seed(True)
mx.sym.random.uniform()
mx.sym.random.uniform(0, 1, (2, 3))
mx.sym.random.uniform(0, 1, 2)
mx.sym.random.uniform(x, y)
mx.sym.random.uniform(x, y, 2, 'float16')
mx.sym.random.uniform(x, 1)
mx.sym.random.uniform(1, x)
mx.sym.random.uniform(0, 1, (2, 3), 'float64', name='u')
mx.sym.random.uniform(0, 1, (2, 3), ctx='cpu(0)')
mx.sym.random.uniform_like(x, 0, 1)
mx.sym.random.normal_like(x)
mx.sym.random.exponential(2., (3,))
mx.sym.random.exponential(x, (3,))
mx.sym.random.randn(2, 3)
mx.sym.random.randn(2, 3, loc=1)
mx.sym.random.poisson(3, (3,))
mx.sym.random.gamma(2, 3, (3,))
mx.sym.random.gamma(x, y, (3,))
mx.sym.random.negative_binomial(2, .3, (3,))
mx.sym.random.generalized_negative_binomial(2, .3, (3,))
mx.sym.random.multinomial(x)
mx.sym.random.multinomial(x, (2,), True)
mx.sym.random.multinomial(x, get_prob=False)
mx.sym.random.multinomial(x, get_prob=True, dtype='float32')
mx.sym.random.shuffle(x)
mx.sym.random.randint(0, 10, (3,))
mx.sym.random.randint(0, 10, (3,), 'int64')
mx.sym.random.randint(0, 10)
mx.sym.random.randint(x, y)
mx.sym.random.normal('a')
mx.sym.random.normal(loc=x, scale=y)
mx.sym.random.normal(0, 1, shape=(2, 2), dtype=np.float16)
mx.sym.random.randn(2, 3, dtype='float16', name='r')
mx.sym.random.multinomial([1])
""")

OTHERS = lines("""
mx.AttrScope(a=1)
mx.AttrScope(a='1').get({'b': 1})
mx.AttrScope(a='1').get(None)
mx.AttrScope(a='1').get({'a': '2'})
mx.AttrScope.current.get(None)
mx.attribute.AttrScope is mx.AttrScope
mx.name.NameManager.current.get(None, 'relu')
mx.name.NameManager.current.get('n', 'relu')
mx.name.Prefix('p_').get('n', 'relu')
mx.name.Prefix('p_').get(None, 'relu')
isinstance(mx.name.Prefix.current, mx.name.NameManager)
str(mx.Context.default_ctx)
str(mx.cpu(1).default_ctx)
mx.Context('foo')
str(mx.Context('cpu', 1))
mx.Context(1)
str(mx.Context(mx.gpu(2)))
mx.Context('cpu') == mx.cpu()
mx.Context('cpu') == 'cpu'
mx.cpu(1) in {mx.cpu(1): 1}
mx.cpu().device_type
mx.cpu().device_id
mx.cpu().device_typeid
str(mx.cpu_pinned(1))
repr(mx.gpu(3))
mx.cpu().empty_cache()
mx.Context.devtype2str
mx.Context.devstr2type
str(mx.current_context())
bound.arg_dict
bound.aux_dict
bound.grad_dict
list(bound.output_dict)
len(bound.outputs)
bound.arg_arrays
bound.grad_arrays
bound.aux_arrays
bound.copy_params_from({'q': A})
bound.copy_params_from({'x': A})
bound.copy_params_from({'q': A}, allow_extra_params=True)
bound.copy_params_from({}, {'q': A})
bound.reshape(x=(3, 3))
bound.reshape(x=(1, 3), y=(1, 3)).arg_dict
bound.reshape(x=(3, 3), y=(3, 3), allow_up_sizing=True).arg_dict['x'].shape
bound.reshape(z=(3, 3))
layer.reshape(x=(4, 5))
layer.reshape(x=(4, 5), partial_shaping=True)
layer.reshape(x=(4, 2), partial_shaping=True).arg_dict
layer.reshape(x=(4, 5), partial_shaping=True, allow_up_sizing=True).arg_dict['fc_weight'].shape
layer.reshape(x=(3, 4))
layer.reshape(x=(2, 3, 1)).arg_dict
bound.forward(foo=A)
bound.forward(x=A)
bound.forward(x=3)
bound.forward()[0]
bound.forward(x=mx.nd.ones((2, 3))), bound.outputs, bound.output_dict, bound.arg_dict
bound.forward(x=np.ones((2, 3)))
bound.forward(True, x=mx.nd.ones((2, 3)))
bound.backward()
bound.get_optimized_symbol()
""")

GROUPS = {"arrays": ARRAYS, "symbols": SYMBOLS, "random": RANDOM, "others": OTHERS}
