# SPDX-License-Identifier: Apache-2.0
"""Records how MXNet's NDArray behaves; run it with an interpreter that has MXNet.

    OMP_NUM_THREADS=1 python scripts/record/ndarray.py tests/data/ndarray.json

Each case is some Python; what its last expression gives, or the exception's name, is recorded.
"""

from __future__ import annotations

import copy
import json
import operator
import os
import pickle
import sys
import warnings
from itertools import product
from pathlib import Path

os.environ["MXNET_ENGINE_TYPE"] = "NaiveEngine"  # errors where they arise

import mxnet as mx
import numpy as np
from isolation import isolated

nd = mx.nd

# What cases start from; a test that replays them runs the same lines.
SETUP = """
x = nd.array([[0, 1, 2], [3, 4, 5]])
i = nd.array([[0, 1, 2], [3, 4, 5]], dtype='int32')
u = nd.array([[0, 1, 2], [3, 4, 255]], dtype='uint8')
h = nd.array([[0.5, 1.5, -2], [3, 4, 5]], dtype='float16')
d = nd.array([[0.5, 1.5, -2], [3, 4, 5]], dtype='float64')
l = nd.array([[0, 1, 2], [3, 4, 5]], dtype='int64')
b = nd.array([[0, 1, 0], [1, 1, 0]], dtype='bool')
v = nd.array([1, 2, 4])
s = nd.array([2.5])
a = np.array([[1, 2, 3], [4, 5, 6]], 'float32')
"""

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "==", "!=", "<", "<=", ">", ">=", "&", "<<"]
LEFT = ["x", "i", "u", "h", "b"]
RIGHT = ["2", "2.5", "-1", "0", "True", "np.float64(1.5)", "np.int32(3)", "x", "i", "v", "s", "a"]
ODD_RIGHT = ["[1, 2, 3]", "None", "'1'", "1j", "np.array(2)", "nd.ones((4, 4))", "np.bool_(True)"]
IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&="]

CASES = """
-x | -i | -u | -h | +x | ~i | abs(-x) | abs(i) | divmod(x, 2) | round(h) | pow(x, 2)
pow(x, 2, 3) | bool(nd.array([0])) | bool(nd.array([2])) | bool(x) | bool(nd.array([[1]]))
len(x) | len(s) | not nd.array([0.0]) | hash(x) == hash(x) | x in [x] | 1 in nd.array([0, 1])
7 in nd.array([1, 2]) | list(v) | list(x) | [float(k.asscalar()) for k in v] | iter(v).__next__()
tuple(x)[1] | x.asscalar() | s.asscalar() | nd.array([[3]]).asscalar()
nd.array([3], dtype='int32').asscalar() | nd.array([3], dtype='uint8').asscalar() | float(s)
int(s) | int(nd.array([7], dtype='int32')) | float(x) | int(x) | complex(s)
'%d' % nd.array([3]).asscalar() | range(5)[nd.array([2], dtype='int32')] | range(5)[s]
[1, 2, 3][nd.array([1], dtype='int64')] | operator.index(nd.array([2], dtype='uint8')) | repr(x)
str(x) | repr(i) | repr(h) | repr(u) | repr(b) | repr(s) | repr(d) | repr(l) | repr(v)
repr(nd.array([1e-8, 1e8])) | repr(nd.arange(2000)) | repr(nd.zeros((2, 0))) | repr(x[0:0])
repr(nd.ones((1, 1, 2))) | repr(nd.array([float('nan'), float('inf')]))
repr(nd.ones((1,), ctx=mx.cpu(1))) | '{}'.format(s) | f'{s}' | format(s, '.2f')
repr(x.tostype('csr')) | repr(x.tostype('row_sparse')) | x.shape | x.ndim | x.size | x.dtype
i.dtype | h.dtype | b.dtype | x.stype | str(x.context) | str(x.ctx) | x.T | v.T
nd.ones((2, 3, 4)).T.shape | x.T.T | type(x.dtype) | x.shape[0].__class__ | x.size.__class__
x.grad is None | x.attach_grad(); x.grad | x.attach_grad('null'); x.grad is None
x.attach_grad('sum') | x.attach_grad(); x._fresh_grad | x.fresh_grad | x.writable
x.handle is None | x.shape = (3, 2) | x.attach_grad(stype='row_sparse'); x.grad.stype
x.attach_grad(); x.attach_grad(); x.grad | x.astype('int32') | x.astype(np.float64)
x.astype('float32') is x | x.astype('float32', copy=False) is x
x.astype('int32', copy=False) is x | h.astype('uint8') | (x - 3).astype('uint8')
(x - 3).astype('int8') | (x * 100).astype('uint8') | x.astype('bool') | b.astype('float32')
x.astype('float') | x.astype(float) | x.astype(int) | x.astype('complex64') | x.astype(None)
x.astype('nonsense') | (h * 1e5) | x.astype(bool) | x.copy() | x.copy() is x | x.copyto(x)
x.copyto(nd.zeros((2, 3))) | x.copyto(nd.zeros((3, 2)))
x.copyto(nd.zeros((2, 3), dtype='int32')) | h.copyto(nd.zeros((2, 3), dtype='int32'))
x.copyto(mx.cpu(1)).context | x.copyto(np.zeros((2, 3))) | x.copyto(None) | x.copyto('cpu')
x.as_in_context(mx.cpu(0)) is x | str(x.as_in_context(mx.cpu(1)).context) | x.as_in_context(None)
x.as_nd_ndarray() is x | y = nd.zeros((2, 3)); x.copyto(y) is y
y = nd.zeros((3, 2)); x.T.copyto(y[:]); y | x.copyto(nd.zeros((6,))) | copy.copy(x)
copy.copy(x) is x | copy.deepcopy(x) | copy.deepcopy([x, {'a': i}])[1]['a']
y = copy.copy(x); y[:] = 9; x | y = copy.deepcopy(x); y[:] = 9; x | x.detach()
y = x.detach(); y[:] = 9; x | pickle.loads(pickle.dumps(x)) | pickle.loads(pickle.dumps(h))
pickle.loads(pickle.dumps(b)) | pickle.loads(pickle.dumps(x.tostype('csr'))).asnumpy()
pickle.loads(pickle.dumps([x, i]))[1] | sorted(x.__getstate__())
pickle.loads(pickle.dumps(nd.zeros((2, 0)))) | type(x.__getstate__()['handle']).__name__
bytes(x.__getstate__()['handle']).hex() | bytes(h.__getstate__()['handle']).hex()
bytes(b.__getstate__()['handle']).hex()
bytes(x.tostype('row_sparse').__getstate__()['handle']).hex()
y = nd.zeros(1); y.__setstate__(x.__getstate__()); y
y = nd.zeros(1); y.__setstate__(i.__getstate__()); y.dtype | nd.NDArray(None).handle is None
x.asnumpy() | i.asnumpy() | h.asnumpy() | b.asnumpy() | u.asnumpy() | x.asnumpy().flags.writeable
x[0:0].asnumpy() | y = x.asnumpy(); y[:] = 9; x | x.reshape((3, 2)) | x.reshape(3, 2)
x.reshape([3, 2]) | x.reshape(-1) | x.reshape((-1, 2)) | x.reshape(shape=(3, 2))
x.reshape((4, 2)) | x.reshape((0, -1)) | x.reshape((-2,)) | x.reshape((-3,))
x.reshape((0, -4, 1, 3)) | x.reshape((-4, 1, 2, -2)).shape | x.reshape((-4, -1, 2, 0)).shape
x.reshape((-1, 0), reverse=True).shape | x.reshape(0, 0, 1).shape
nd.ones((2, 3, 4)).reshape((-3, 0)).shape | nd.ones((2, 3, 4)).reshape((0, -3)).shape
nd.ones((2, 3, 4)).reshape((4, 0, 2)).shape
nd.ones((10, 5, 4)).reshape((-1, 0), reverse=1).shape | nd.ones((10, 5, 4)).reshape((-1, 0)).shape
x.reshape(()) | x.reshape() | x.reshape((2, 3), order='C') | x.reshape((-1, -1)) | x.reshape(6.0)
x.reshape('6') | x.reshape((2, 3, 1, 1)).shape | x.reshape((7,))
y = x.reshape((3, 2)); y[0] = 9; x | x.reshape((-1, 4)) | nd.ones((1,)).reshape(()).shape
x.reshape((-5,)) | x.reshape((2, -4, 3, -1)).shape | nd.ones((2, 3, 4)).reshape((-2, 1, 1)).shape
nd.ones((2, 3, 4)).reshape((2, -4, -1, 3, -2)).shape | nd.ones((2, 3, 4)).reshape((-3, -2)).shape
x.reshape_like(nd.ones((3, 2))) | x.reshape_like(nd.ones((4,))) | x.broadcast_to((2, 2, 3))
v.broadcast_to((2, 3)) | v.broadcast_to((3, 2)) | v.broadcast_to((0, 3)) | v.broadcast_to(3)
v.broadcast_like(x) | v.broadcast_like(nd.ones((3, 2))) | x.broadcast_to((2, 3)) is x
v.broadcast_to(shape=(2, 3)) | v.broadcast_like(other=x)
nd.ones((2, 1)).broadcast_to((0, 3)).shape | x.broadcast_to((2,)) | x.expand_dims(0).shape
x.expand_dims(axis=-1).shape | x.expand_dims(5) | y = x.expand_dims(0); y[:] = 9; x
y = x.expand_dims(0, inplace=True); y[:] = 9; x | x.expand_dims(0, True).shape
x.expand_dims(-1, inplace=True).shape | x.flatten().shape | nd.ones((2, 3, 4)).flatten().shape
y = x.flatten(); y[:] = 9; x | y = x.flatten(inplace=True); y[:] = 9; x
nd.ones((1, 2, 1)).squeeze().shape | nd.ones((1, 2, 1)).squeeze(0).shape
nd.ones((1, 2, 1)).squeeze(axis=(0, 2)).shape | x.squeeze(0)
y = nd.ones((1, 2)); z = y.squeeze(); z[:] = 9; y
y = nd.ones((1, 2)); z = y.squeeze(inplace=True); z[:] = 9; y
nd.ones((1, 2, 1)).squeeze(axis=-1, inplace=True).shape
nd.ones((1, 2, 1)).squeeze((0, 2), inplace=True).shape | x.squeeze(inplace=True).shape
nd.ones((1, 1)).squeeze().shape | x.squeeze(axis=0, inplace=True) | x.diag() | x.diag(1)
x.diag(k=-1) | v.diag() | v.diag(1).shape | x.tostype('default') is x | x.tostype('csr').stype
x.tostype('row_sparse').stype | x.tostype('nonsense') | v.tostype('csr')
v.tostype('row_sparse').stype
x.slice_assign(nd.ones((1, 3)), (0, None), (1, None), (None, None))
x.slice_assign(nd.ones((2, 1)), (None, 1), (None, 2), (1, 1))
x.slice_assign(nd.ones((2, 2)), (0, 0), (2, 3), (1, 2))
y = x.slice_assign(nd.ones((1, 3)), (0,), (1,), (1,)); y is x
x.slice_assign(nd.ones((2, 3)), (0,), (1,), (1,))
x.slice_assign_scalar(7, (0, 1), (2, 2), (1, 1)) | x.slice_assign_scalar(7, (0,), (1,), ())
y = x.slice_assign_scalar(7, (1, None), (None, None), (None, None)); y is x
x.slice_assign_scalar(7, (1, 2), (0, 0), (-1, -1)) | x.wait_to_read() | nd.waitall() | x.sum()
x.mean(axis=0) | x.max(axis=1) | x.norm() | x.argmax(axis=1) | x.sum(axis=1, keepdims=True)
x.transpose() | x.transpose((1, 0)) | x.transpose(axes=(1, 0)) | x.swapaxes(0, 1)
x.split(3, axis=1)[1] | x.split(num_outputs=3, axis=1)[2] | x.split_v2(3, axis=1)[0]
x.split_v2((1,), axis=1)[1].shape | x.slice((0, 1), (2, 3)) | x.slice(begin=(0,), end=(1,))
x.slice_axis(1, 0, 2) | x.take(nd.array([1, 0])) | x.pick(nd.array([1, 0])) | x.one_hot(6).shape
nd.array([0, 2]).one_hot(3) | x.clip(1, 3) | x.clip(a_min=1, a_max=3) | x.repeat(2, axis=0)
x.repeat(repeats=2).shape | x.tile((2, 1)).shape | x.tile(reps=(1, 2)).shape | x.flip(axis=1)
x.pad(mode='constant', pad_width=(0, 0)) | x.sort(is_ascend=False) | x.argsort() | x.topk(k=2)
x.topk(k=1, ret_typ='value') | x.sqrt().dtype | x.square() | i.square() | x.exp().shape
x.log_softmax().shape | x.softmax(axis=0).shape | x.zeros_like() | x.ones_like() | x.shape_array()
x.size_array() | x.rint() | h.round() | h.fix() | h.trunc() | x.abs(1) | x.relu(3) | x.nonsense
x.nonsense() | x.sum(axis=5) | x.mean('a') | x.exp(out=nd.zeros((3, 3))) | np.sin(v) | np.sqrt(x)
np.add(x, x) | np.add(a, x) | a + x | a * x | a - x | x - a | a @ x.T | a == x | a < x
np.float32(2) * x | np.float64(2) * x | np.array(2.0) * x | np.int64(2) + i
np.concatenate([a, x]).shape | np.mean(x) | np.sum(x) | np.dot(a, x.T) | np.asarray(x)
np.array(x) | np.array([v, v]).shape | np.array(x, dtype='int32') | np.asarray(h).dtype
np.array([s]).shape | np.allclose(x, x) | np.max(x) | np.stack([v, v]).shape | np.isnan(v)
np.maximum(x, 2) | np.testing.assert_array_equal(x, x) | a += x; a | np.exp(s)
a[nd.array([0], dtype='int32')] | np.shape(x) | np.ndim(x) | np.size(x) | nd.array([1, 2])
nd.array((1, 2)) | nd.array([1, 2], dtype='int32') | nd.array(np.ones(2, 'int64')).dtype
nd.array(np.ones(2, 'float64')).dtype | nd.array(i).dtype | nd.array(i, dtype='float64').dtype
nd.array(b) | nd.array([True, False]) | nd.array(5) | nd.array('abc') | nd.array(None)
nd.array([[1], [2, 3]]) | nd.array([x, x]).shape | nd.array([v, [1, 2, 3]]) | nd.array({})
nd.array([]) | nd.array([[], []]).shape | nd.array(range(3)) | nd.array(iter([1, 2]))
nd.array(x) is x | y = nd.array(x); y[:] = 9; x | y = nd.array(a); y[:] = 9; a
nd.array(['1', '2']) | nd.array([1 + 2j]) | nd.array([1, None]) | nd.array(a.T)
nd.array(a[:, ::-1]) | nd.array(a.astype('>f4')) | nd.array([300], dtype='uint8')
nd.array([-1], dtype='uint8') | nd.array([1.9, -1.9], dtype='int32')
nd.array([2], dtype=bool).dtype | nd.array([1], dtype=np.dtype('int8')).dtype
nd.array([1], dtype='int16') | nd.array([1], ctx=mx.cpu(1)).context == mx.cpu(1)
nd.array([1], mx.cpu(), 'int32').dtype | nd.zeros(3) | nd.zeros((2, 1)) | nd.zeros([2, 1])
nd.zeros((2,), dtype='int32') | nd.zeros((2,), None, 'int32').dtype | nd.zeros(2.5)
nd.zeros('a') | nd.zeros(None) | nd.zeros((-1,)) | nd.zeros((2,), mx.cpu(1)).context
nd.zeros(shape=(2,)) | nd.zeros((2,), stype='csr') | nd.zeros((2, 2), stype='csr').stype
nd.zeros((2,), stype='default').stype | nd.zeros((2,), name='n')
y = nd.ones(2); nd.zeros((2,), out=y); y | nd.ones(2) | nd.ones((2,), dtype='uint8')
nd.ones((2,), mx.cpu(0), 'float64').dtype | y = nd.zeros(2); nd.ones((2,), out=y); y
nd.empty((2, 3)).shape | nd.empty(3, dtype='int32').dtype | nd.empty((2,), stype='csr')
nd.full((2,), 7) | nd.full(2, 7.9, dtype='int32') | nd.full((2,), 7, mx.cpu(1)).context
nd.full((2,), 'a') | nd.full((2,), [1, 2]) | y = nd.zeros(2); nd.full((2,), 7, out=y); y
nd.full((2,), True) | nd.full((2, 2), nd.array([1, 2])) | nd.full((2,), -1, dtype='uint8')
nd.arange(3) | nd.arange(1, 4) | nd.arange(1, 4, 2) | nd.arange(1, 4, 0.5)
nd.arange(3, repeat=2) | nd.arange(0) | nd.arange(3, 1) | nd.arange(3, 1, -1) | nd.arange(1, 2, 0)
nd.arange(3, dtype='int32') | nd.arange(5, None, 1) | nd.arange(start=1, stop=3) | nd.arange(2.5)
nd.arange(0, 1, 0.1).shape | nd.arange(3, ctx=mx.cpu(1)).context | nd.arange(3, infer_range=True)
nd.arange(1, 3, 1, 2, None, mx.cpu(), 'int64').dtype | nd.arange(-2, 2) | nd.linspace(0, 1, 5)
nd.linspace(0, 1, 5, endpoint=False) | nd.linspace(1, 0, 3) | nd.linspace(0, 1, 1)
nd.linspace(0, 10, 5, dtype='int32') | nd.linspace(0, 1, 0) | nd.linspace(0, 1, -1)
nd.linspace(0, 1, num=3, ctx=mx.cpu(1)).context | nd.linspace(2.0, 3.0, 5, False)
nd.linspace(0, 1) | nd.eye(2) | nd.eye(2, 3) | nd.eye(2, 3, 1) | nd.eye(3, 0, -1)
nd.eye(2, dtype='int32') | nd.eye(N=2, M=2, k=0).dtype | nd.eye(2, ctx=mx.cpu(1)).context
nd.eye(0) | nd.eye(2, 3, -5) | nd.eye((2, 3)) | nd.concatenate([x, x])
nd.concatenate([x, x], axis=1) | nd.concatenate([x]) is x
nd.concatenate([x], always_copy=False) is x | nd.concatenate([x, i]) | nd.concatenate([x, v])
nd.concatenate([]) | nd.concatenate((x, x), 0, False) | nd.concatenate([x, x], axis=2)
nd.concatenate([x, x], axis=-1)
nd.concatenate([nd.ones((2, 2, 3)), nd.ones((2, 1, 3))], 1).shape | nd.concatenate([v, v])
nd.moveaxis(nd.ones((2, 3, 4)), 0, 2).shape | nd.moveaxis(nd.ones((2, 3, 4)), -1, 0).shape
nd.moveaxis(nd.ones((2, 3, 4)), [0, 1], [-1, -2]).shape | nd.moveaxis(x, 5, 0)
nd.moveaxis(x, 0, 5) | nd.moveaxis(x, (0, 1), (1,)) | nd.moveaxis(x, (0, 0), (0, 1))
nd.moveaxis(x, 0, 1) | nd.moveaxis(nd.ones((2, 3, 4, 5)), (0, 3), (2, 1)).shape
nd.stack(x, x).shape | nd.stack(x, x, axis=2).shape | nd.stack(v, x) | nd.histogram(v, 3)[0]
nd.histogram(v, 3)[1] | nd.histogram(v, bins=2, range=(0, 4))[0]
nd.histogram(v, nd.array([0, 2, 5]))[0] | nd.histogram(v, nd.array([0, 2, 5]))[1]
nd.histogram(v, 2, (0, 4))[1] | nd.histogram(x)[0].dtype | nd.histogram(v, 'a')
nd.histogram(v, 2.5) | nd.histogram(v)[1].shape | nd.histogram(v, range=(1, 2), bins=2)[0]
nd.onehot_encode(nd.array([0, 2]), nd.zeros((2, 3)))
y = nd.zeros((2, 3)); nd.onehot_encode(nd.array([0, 2]), y); y
nd.onehot_encode(nd.array([0, 5]), nd.zeros((2, 3)))
nd.onehot_encode(nd.array([0, 2]), nd.zeros((3, 3))) | nd.from_numpy(a)
nd.from_numpy(a, zero_copy=False) | y = nd.from_numpy(a); a.flags.writeable | nd.from_numpy(a.T)
y = nd.from_numpy(a); y[:] = 9; a | y = nd.from_numpy(a, False); y[:] = 9; a
nd.from_numpy(a.astype('float64')).dtype | nd.from_numpy(a.T, zero_copy=False).shape
nd.from_numpy([1, 2]) | nd.from_numpy(a.astype('int32')).dtype | nd.from_numpy(np.array(5.0))
nd.from_numpy(np.ones(2, 'uint8')).dtype | nd.from_numpy(np.ones(2, bool)).dtype
nd.from_numpy(np.ones(2, 'complex64')) | nd.from_numpy(a[:, :2]) | nd.from_numpy(a[1:])
nd.from_numpy(x) | nd.from_numpy(a[:0], True) | type(x.to_dlpack_for_read()).__name__
nd.from_dlpack(x.to_dlpack_for_read()) | nd.from_dlpack(x.to_dlpack_for_write())
nd.from_dlpack(nd.to_dlpack_for_read(x)) | nd.from_dlpack(nd.to_dlpack_for_write(i)).dtype
y = nd.from_dlpack(x.to_dlpack_for_write()); y[:] = 9; x
c = x.to_dlpack_for_read(); nd.from_dlpack(c); nd.from_dlpack(c) | nd.from_dlpack(5)
nd.from_dlpack(x[1].to_dlpack_for_read()) | nd.from_dlpack(u.to_dlpack_for_read()).dtype
nd.from_dlpack(h.to_dlpack_for_read())
nd.from_dlpack(nd.array([1, 0], dtype='int8').to_dlpack_for_read()).dtype
nd.from_dlpack(l.to_dlpack_for_read()).dtype | nd.from_dlpack(x[0:0].to_dlpack_for_read()).shape
nd.to_dlpack_for_read(5) | nd.logical_and(x, 1) | nd.logical_and(x, v) | nd.logical_or(x, 0)
nd.logical_xor(x, 1) | nd.logical_xor(1, x) | nd.logical_and(1, 0) | nd.logical_or(0, 0)
nd.logical_xor(1, 1) | nd.logical_and(0, x) | nd.logical_or(i, 0) | nd.logical_and(x, 'a')
nd.logical_and(x, i) | nd.add(x, 1) | nd.add(1, x) | nd.add(1, 2) | nd.subtract(5, x)
nd.divide(x, 2) | nd.modulo(7, v) | nd.power(2, x) | nd.maximum(x, 2) | nd.minimum(2, x)
nd.equal(1, x) | nd.lesser(x, 3) | nd.true_divide(x, 2) | nd.add(x, a) | nd.equal(1, 1)
nd.greater(2, 1) | nd.lesser_equal(x, v) | nd.not_equal(x, None) | x == None | x != None
x == 'a' | (x == x).dtype | (i == i).dtype | (i > 2).dtype | (b == b).dtype | i == 1.5 | i < 1.5
u > 254.5 | u == -1 | u + 1 | u - 1 | u * 2 | i / 2 | i * 2.9 | i ** -1 | i ** 2 | 2 ** i
2.5 ** i | 7 % v | v % 2 | -7 % v | x % 0 | i % 0 | i % 3 | i / 0 | x / 0 | 1 / x | 1 / i | 5 - u
u / 2 | u ** 2 | h * 2.0001 | h + 1e-4 | h * h | h + x | x + d | i + l | x + b | b + b | b * 2
b + 1 | -b | b == 1 | x - True | x * 1e40 | x + float('nan') | l + 2**53 | l * 2**40 | i + 2**31
x + np.inf | x.save | nd.load('/nonexistent') | nd.save('/nonexistent/f', x)
x.__array_priority__ | NDArray.__slots__ | x.__dict__ | x.foo = 1 | isinstance(x, nd.NDArray)
type(x).__name__ | nd.NDArray is nd.ndarray.NDArray | x.backward() | x.attach_grad(); x.backward()
x.attach_grad(); x.backward(nd.ones((2, 3))); x.grad
with_record = mx.autograd.record(); with_record.__enter__(); x + 1
x.as_np_ndarray().__class__.__name__ | nd.dot(x, x.T) | nd.dot(x, x) | x.dot(x.T)
nd.concat(x, x, dim=0).shape | nd.zeros_like(i).dtype | nd.sum(x) | nd.cast(x, 'int32').dtype
nd.where(x > 2, x, x * 0) | nd.norm(x) | nd.random.uniform(shape=(2,)).shape
nd.reshape(x, (3, 2)) | nd.reshape(x, shape=(-1,)).shape
"""


def keys(text: str) -> list[str]:
    """The entries of a table."""
    return [k.strip() for line in text.strip().splitlines() for k in line.split(" | ")]


def cases() -> list[str]:
    """All cases."""
    made = [f"{a} {o} {b}" for o, a, b in product(OPERATORS, LEFT, RIGHT)]
    made += [f"{b} {o} {a}" for o, a, b in product(OPERATORS, LEFT, [*RIGHT[:7], "a"])]
    made += [f"x {o} {b}" for o, b in product(OPERATORS, ODD_RIGHT)]
    made += [f"{a} {o} {b}; {a}" for o, a, b in product(IN_PLACE, LEFT, RIGHT)]
    made += [f"y = x; y {o} 2; y is x" for o in IN_PLACE]
    made += [f"y = x[1]; y {o} 2; x" for o in IN_PLACE]
    return [*dict.fromkeys(made + keys(CASES))]


def run(code: str) -> object:
    """What the last expression of some code gives."""
    names = {"mx": mx, "nd": nd, "np": np, "copy": copy, "pickle": pickle, "operator": operator}
    exec(SETUP, names)
    *before, last = code.split("; ")
    exec("\n".join(before), names)
    try:
        compiled = compile(last, "case", "eval")
    except SyntaxError:
        exec(last, names)
        return None
    return eval(compiled, names)


def described(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, nd.NDArray):
        return {"array": value.stype, **described(value.asnumpy())}
    if isinstance(value, np.ndarray):
        shown = value.astype("float64") if value.dtype.kind in "biuf" else value.astype(str)
        values = [v if v == v and abs(v) != np.inf else str(v) for v in shown.ravel().tolist()]
        return {"shape": list(value.shape), "dtype": value.dtype.name, "values": values}
    if isinstance(value, (list, tuple)):
        return {"sequence": type(value).__name__, "items": [described(v) for v in value]}
    if type(value) in (int, float, str, bool, type(None)):
        return value
    return {"type": type(value).__name__, "text": str(value)}


def record(path: Path) -> None:
    """Runs all cases and writes what they gave."""
    warnings.simplefilter("ignore")
    lines = []
    for code in cases():
        lines.append(json.dumps([code, isolated(lambda code=code: described(run(code)))]))
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines))


if __name__ == "__main__":
    record(Path(sys.argv[1]))
