# SPDX-License-Identifier: Apache-2.0
"""bfloat16 outside of operators: as float32 computes, rounded at the end."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError

OPTIMIZERS = (
    "sgd nag adam adagrad adadelta adamax nadam rmsprop ftrl ftml signum lamb lans lars lbsgd dcasgd "
    "adamw test"
).split()


def bfloat16(*values):
    return mx.nd.array(values).astype("bfloat16")


def updated(name, dtype, **options):
    """A weight after three updates, the optimizer's states having been saved and loaded between."""
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, **options))
    weight, gradient = bfloat16(1, 2, 3).astype(dtype), bfloat16(0.5, 0.25, 1).astype(dtype)
    for _ in range(3):
        updater(0, gradient, weight)
        updater.set_states(updater.get_states())
    return weight.astype("float32").asnumpy()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_keep_float32_copies(name):
    found = updated(name, "bfloat16", multi_precision=True)
    wanted = mx.nd.array(updated(name, "float32")).astype("bfloat16").astype("float32").asnumpy()
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.filterwarnings("ignore:.* sums up in bfloat16")
@pytest.mark.parametrize("name", sorted({*OPTIMIZERS} - {"adamw"}))
def test_optimizers_without_copies(name):
    np.testing.assert_allclose(updated(name, "bfloat16"), updated(name, "float32"), atol=0.06)


def test_who_sums_up_in_bfloat16_is_told():
    with pytest.warns(UserWarning, match="SGD sums up in bfloat16"):
        updated("sgd", "bfloat16")


@pytest.mark.filterwarnings("ignore:.* sums up in bfloat16")
def test_sgld_draws_in_float32():
    mx.random.seed(0)
    found = updated("sgld", "bfloat16")
    assert np.isfinite(found).all()
    assert (found != [1, 2, 3]).all()


def test_numbers_are_shown_as_numbers():
    x = bfloat16(1.5, -0.25)
    assert repr(x) == "\n[ 1.5  -0.25]\n<NDArray 2 @cpu(0)>"
    assert float(x[1:]) == -0.25
    assert int(x[0:1]) == 1


def test_histograms():
    counts, edges = mx.nd.histogram(bfloat16(0, 1, 1.5, 3), bins=3)
    assert counts.asnumpy().tolist() == [1, 2, 1]
    assert edges.asnumpy().tolist() == [0, 1, 2, 3]


def test_comparisons():
    x = bfloat16(1, 2)
    mx.test_utils.assert_almost_equal(x, bfloat16(1, 2.01))
    with pytest.raises(AssertionError):
        mx.test_utils.assert_almost_equal(x, bfloat16(1, 4))


def test_compressed_gradients_are_refused():
    store = mx.kv.create("device")
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    store.init(0, bfloat16(1))
    with pytest.raises(ArgumentError, match="must be float32, not bfloat16"):
        store.push(0, [bfloat16(1), bfloat16(2)])
