# SPDX-License-Identifier: Apache-2.0
"""Gradients of values that are read thousands of times, in float16 and bfloat16.

A sum in the dtype itself stops growing at 2048 (float16) or 256 (bfloat16) times its summands.
"""

import numpy as np
import pytest

import mxnova as mx
from mxnova import nd

N = 12000  # a multiple of 4 so large that every gradient below exceeds 2048 summands
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2}
INDEX = nd.array(np.arange(N) % 4)
INTEGERS = INDEX.astype("int32")
ROIS = np.tile([0, 0, 0, 3, 3.0], (N // 4, 1))


def as_np(function):
    return lambda x: function(x.as_np_ndarray()).as_nd_ndarray()


def on_rois(name, **attrs):
    operator = getattr(nd.contrib, name, None) or getattr(nd, name)
    return lambda x: operator(x, nd.array(ROIS).astype(x.dtype), spatial_scale=1.0, **attrs)


def zeros(*shape):
    return nd.zeros(shape, dtype="int32")


# name: (shape of the array with a gradient, function of it)
LOOKUPS = {
    "take": ((4, 3), lambda x: nd.take(x, INDEX)),
    "take vector": ((4,), lambda x: nd.take(x, INDEX, mode="wrap")),
    "take axis 1": ((2, 4, 3), lambda x: nd.take(x, INDEX, axis=1)),
    "Embedding": ((4, 3), lambda x: nd.Embedding(INDEX, x, input_dim=4, output_dim=3)),
    "Embedding sparse": (
        (4, 3),
        lambda x: nd.Embedding(INDEX, x, input_dim=4, output_dim=3, sparse_grad=True),
    ),
    "SparseEmbedding": (
        (4, 3),
        lambda x: nd.contrib.SparseEmbedding(INDEX, x, input_dim=4, output_dim=3),
    ),
    "gather_nd": ((4, 3), lambda x: nd.gather_nd(x, INDEX.reshape((1, -1)))),
    "gather_nd vector": ((4,), lambda x: nd.gather_nd(x, INDEX.reshape((1, -1)))),
    "gather_nd elements": ((4, 3), lambda x: nd.gather_nd(x, nd.stack(INDEX, INDEX % 3))),
    "x[i]": ((4, 3), lambda x: x[INTEGERS]),
    "x[:, i]": ((3, 4), lambda x: x[:, INTEGERS]),
    "x[i, j]": ((4, 3), lambda x: x[INTEGERS, zeros(N)]),
    "np x[i]": ((4, 3), as_np(lambda x: x[INTEGERS.as_np_ndarray()])),
    "np.take": ((4, 3), as_np(lambda x: mx.np.take(x, INTEGERS.as_np_ndarray(), 0, mode="clip"))),
    "np.pad": ((4,), as_np(lambda x: mx.np.pad(x, ((N, N),), mode="edge"))),
    "pad": (
        (1, 1, 2, 2),
        lambda x: nd.pad(x, mode="edge", pad_width=(0, 0, 0, 0, 60, 60, 60, 60)),
    ),
    "repeat": ((4, 3), lambda x: nd.repeat(x, repeats=N, axis=0)),
    "tile": ((4, 3), lambda x: nd.tile(x, reps=(N, 1))),
    "broadcast_to": ((1, 3), lambda x: nd.broadcast_to(x, (N, 3))),
    "broadcast_add": ((1, 3), lambda x: nd.broadcast_add(nd.ones((N, 3)).astype(x.dtype), x)),
    "broadcast_mul": ((1, 3), lambda x: nd.broadcast_mul(nd.ones((N, 3)).astype(x.dtype), x)),
    "broadcast_hypot": ((1, 3), lambda x: nd.broadcast_hypot(x, nd.ones((N, 3)).astype(x.dtype))),
    "bias": (
        (3,),
        lambda x: nd.FullyConnected(
            nd.ones((N, 2)).astype(x.dtype), nd.ones((3, 2)).astype(x.dtype), x, num_hidden=3
        ),
    ),
    "bias of a convolution": (
        (3,),
        lambda x: nd.Convolution(
            *(nd.ones(s).astype(x.dtype) for s in ((2, 2, N), (3, 2, 1))), x, kernel=1, num_filter=3
        ),
    ),
    "prelu": (
        (3,),
        lambda x: nd.LeakyReLU(-nd.ones((N, 3)).astype(x.dtype), x, act_type="prelu"),
    ),
    "UpSampling": ((1, 1, 2, 2), lambda x: nd.UpSampling(x, scale=64, sample_type="nearest")),
    "AdaptiveAvgPooling2D": (
        (1, 1, 2, 2),
        lambda x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=120),
    ),
    "BilinearResize2D": (
        (1, 1, 2, 2),
        lambda x: nd.contrib.BilinearResize2D(x, height=120, width=120),
    ),
    "BilinearSampler": (
        (1, 1, 2, 2),
        lambda x: nd.BilinearSampler(x, nd.full((1, 2, 1, N), 0.5).astype(x.dtype)),
    ),
    "ROIPooling": ((1, 1, 4, 4), on_rois("ROIPooling", pooled_size=(2, 2))),
    "ROIAlign": ((1, 1, 4, 4), on_rois("ROIAlign", pooled_size=(2, 2), sample_ratio=2)),
    "PSROIPooling": ((1, 4, 4, 4), on_rois("PSROIPooling", output_dim=1, pooled_size=2)),
}


def gradient(function, shape, dtype):
    values = np.linspace(0.5, 1, int(np.prod(shape))).reshape(shape)
    x = nd.array(values).astype(dtype)
    x.attach_grad()
    with mx.autograd.record():
        y = function(x) * 0.03125
    y.backward()
    return x.grad.astype("float64").asnumpy()


@pytest.mark.parametrize("name", LOOKUPS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_gradient_of_repeated_reads_in_short_dtypes_equals_float32(name, dtype):
    shape, function = LOOKUPS[name]
    expected = gradient(function, shape, "float32")
    found = gradient(function, shape, dtype)
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE[dtype] * abs(expected).max())


def test_second_derivative_through_a_lookup_is_taken():
    x = nd.array([1, 2, 3, 4]).astype("float16")
    x.attach_grad()
    with mx.autograd.record():
        y = nd.take(x, INTEGERS) ** 2 * 2**-13
        (first,) = mx.autograd.grad(y, x, create_graph=True)
        z = (first * first).sum()
    z.backward()
    count = N / 4 * 2**-12
    expected = 2 * count**2 * np.arange(1, 5)
    np.testing.assert_allclose(x.grad.asnumpy().astype(float), expected, 1e-2)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_sums_of_sparse_rows_in_short_dtypes_equal_float32(dtype):
    ones = nd.ones((1, N)).astype(dtype).tostype("csr")
    column = nd.full((N, 2), 0.03125).astype(dtype)
    product = nd.dot(ones, column).astype("float32").asnumpy()
    np.testing.assert_allclose(product, N / 32, TOLERANCE[dtype])
    columns = nd.full((N, 2), 0.03125).astype(dtype).tostype("csr")
    total = nd.sum(columns, axis=0).astype("float32").asnumpy()
    np.testing.assert_allclose(total, N / 32, TOLERANCE[dtype])


def test_count_sketch_and_bincount_add_float16_in_float32():
    data = nd.full((1, N), 0.03125, dtype="float16")
    signs = nd.ones((1, N), dtype="float16")
    sketch = nd.contrib.count_sketch(data, nd.zeros((1, N), dtype="float16"), signs, out_dim=2)
    assert float(sketch[0, 0].asscalar()) == N / 32
    counts = mx.np.bincount(
        mx.np.zeros((N,), dtype="int32"), data.reshape((-1,)).as_np_ndarray()
    ).astype("float32")
    assert float(counts[0]) == N / 32
