# SPDX-License-Identifier: Apache-2.0
"""Gradients of two bits, with MXNet's numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError

RECORDED = json.loads(Path(__file__, "../../../data/kvstore.json").resolve().read_text())


def compressing(threshold=0.5, shape=(9,), dtype="float32"):
    kv = mx.kv.create("device")
    kv.set_gradient_compression({"type": "2bit", "threshold": threshold})
    kv.init(3, mx.nd.zeros(shape, dtype=dtype))
    return kv


@pytest.mark.parametrize("case", RECORDED["compression"])
def test_numbers_and_what_is_left_are_those_of_mxnet(case):
    kv = compressing(case["threshold"])
    out = mx.nd.zeros((9,))
    for values, expected in zip(case["pushed"], case["pulled"], strict=True):
        kv.push(3, [mx.nd.array(v, mx.cpu(i)) for i, v in enumerate(values)])
        kv.pull(3, out)
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6)


def test_nothing_is_lost():
    kv, total, out = compressing(0.25, (5,)), np.zeros(5), mx.nd.zeros((5,))
    gradient = np.array([0.1, -0.2, 0.01, 0.24, -0.07], np.float32)
    for _ in range(40):
        kv.push(3, mx.nd.array(gradient))
        kv.pull(3, out)
        total += out.asnumpy()
    np.testing.assert_allclose(total, 40 * gradient, atol=0.25)


def test_a_new_threshold_keeps_what_is_left():
    kv, out = compressing(0.5, (1,)), mx.nd.zeros((1,))
    kv.push(3, mx.nd.array([0.4]))
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.6})
    kv.push(3, mx.nd.array([0.3]))
    kv.pull(3, out)
    assert out.asscalar() == np.float32(0.6)


def test_the_number_of_devices_may_change():
    kv, out = compressing(0.5, (1,)), mx.nd.zeros((1,))
    for n in (1, 3, 2):
        kv.push(3, [mx.nd.array([0.7])] * n)
        kv.pull(3, out)
    assert out.asscalar() == 1


def test_sparse_gradients_pass_as_they_are():
    kv = compressing(0.5, (2, 2))
    kv.push(3, [mx.nd.array([[0.1, 0], [0, 0]]).tostype("row_sparse")] * 2)
    out = mx.nd.zeros((2, 2))
    kv.pull(3, out)
    np.testing.assert_allclose(out.asnumpy(), [[0.2, 0], [0, 0]])


@pytest.mark.parametrize(
    "params, text",
    [
        ({"type": "1bit"}, "type='1bit'"),
        ({"type": "none"}, "type='none'"),
        ({"threshold": 0.5}, "with a type"),
        (None, "compression_params=None"),
        ({"type": "2bit", "threshold": 0}, "threshold=0"),
        ({"type": "2bit", "threshold": -1}, "threshold=-1"),
        ({"type": "2bit", "threshold": "x"}, "threshold='x'"),
        ({"type": "2bit", "threshold": float("inf")}, "threshold=inf"),
    ],
)
def test_what_cannot_be(params, text):
    with pytest.raises(MXNetError, match=text):
        mx.kv.create("device").set_gradient_compression(params)


def test_stores_that_sum_up_on_the_cpu_do_not_compress():
    with pytest.raises(MXNetError, match="'local' does not compress"):
        mx.kv.create("local").set_gradient_compression({"type": "2bit"})


def test_types_that_are_not_compressed():
    kv = compressing(dtype="float64")
    with pytest.raises(MXNetError, match="must be float32, not float64"):
        kv.push(3, mx.nd.ones((9,), dtype="float64"))
