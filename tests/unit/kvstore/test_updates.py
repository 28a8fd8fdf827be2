# SPDX-License-Identifier: Apache-2.0
"""Steps with a store over lists of parameters, each with an array and a gradient a device."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.kvstore import updates

NAMES = ["w", "b"]
RATE = 0.5


def lists(devices=2):
    """Arrays of ones, gradients 1, 2, … of the devices; the second parameter has no gradient."""
    arrays = [[mx.nd.ones((2, 3)) for _ in range(devices)] for _ in NAMES]
    grads = [[mx.nd.full((2, 3), i + 1) for i in range(devices)], [None] * devices]
    return arrays, grads


def values(arrays):
    return [[array.asnumpy().ravel()[0] for array in row] for row in arrays]


@pytest.mark.parametrize(
    "name, devices, kind, on_store",
    [
        (None, 2, None, False),
        ("local", 1, None, False),
        ("local", 2, "local", True),
        ("device", 2, "device", True),
    ],
)
def test_a_store_is_made_where_one_is_needed(name, devices, kind, on_store):
    store, updates_there = updates.create_kvstore(name, devices, {"w": mx.nd.ones((2, 3))})
    assert getattr(store, "type", None) == kind
    assert bool(store and updates_there) == on_store


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_parameters_go_to_the_store_and_to_the_devices(stype):
    store = mx.kv.create("local")
    arrays = [[mx.nd.zeros((2, 3), stype=stype) for _ in range(2)]]
    value = mx.nd.full((2, 3), 7).tostype(stype)
    updates.initialize_kvstore(store, arrays, {"w": value}, ["w"], update_on_kvstore=False)
    if stype == "default":
        assert values(arrays) == [[7, 7]]
    out = mx.nd.zeros((2, 3), stype=stype)
    store.row_sparse_pull("w", out, row_ids=mx.nd.array([0, 1])) if stype != "default" else (
        store.pull("w", out)
    )
    assert (out.asnumpy() == 7).all()


def test_a_store_updates_what_has_gradients():
    arrays, grads = lists()
    store = mx.kv.create("device")
    store.set_optimizer(mx.optimizer.create("sgd", learning_rate=RATE))
    given = {name: mx.nd.ones((2, 3)) for name in NAMES}
    updates.initialize_kvstore(store, arrays, given, NAMES, update_on_kvstore=True)
    updates.update_params_on_kvstore(arrays, grads, store, NAMES)
    assert values(arrays) == [[1 - RATE * 3] * 2, [1, 1]]


def test_devices_update_with_the_sum_of_gradients():
    arrays, grads = lists()
    store = mx.kv.create("local")
    updates.initialize_kvstore(
        store, arrays, dict.fromkeys(NAMES, mx.nd.ones((2, 3))), NAMES, update_on_kvstore=False
    )
    seen = []

    def updater(indices, grads_here, arrays_here):
        seen.append((indices, values([grads_here])[0]))
        for array, grad in zip(arrays_here, grads_here):
            array -= RATE * grad

    updates.update_params(arrays, grads, updater, 2, store, NAMES)
    assert seen == [([0], [3]), ([1], [3])]  # position times devices, plus the device
    assert values(arrays) == [[1 - RATE * 3] * 2, [1, 1]]


def test_without_a_store_each_device_has_its_own_gradients():
    arrays, grads = lists()
    updater = mx.optimizer.get_updater(mx.optimizer.create("sgd", learning_rate=RATE))
    updates.update_params(arrays, grads, updater, 2)
    assert values(arrays) == [[1 - RATE, 1 - RATE * 2], [1, 1]]


@pytest.mark.parametrize(
    "on_store, names", [(True, {0: "w", 1: "b"}), (False, {0: "w", 1: "w", 2: "b", 3: "b"})]
)
def test_an_optimizer_knows_names_and_divides_by_the_batch(on_store, names):
    made = updates.create_optimizer("sgd", {"momentum": 0.9}, NAMES, 8, 2, on_store)
    assert (made.rescale_grad, made.momentum, made.idx2name) == (1 / 8, 0.9, names)
    given = mx.optimizer.SGD(rescale_grad=1.0)
    assert updates.create_optimizer(given, {}, NAMES, 8, 2, on_store) is given
    assert (given.rescale_grad, given.idx2name) == (1.0, names)


def test_names_that_an_optimizer_has_stay():
    given = mx.optimizer.SGD(param_idx2name={0: "mine"})
    assert updates.create_optimizer(given, {}, NAMES, 8, 1, True).idx2name == {0: "mine"}


@pytest.mark.parametrize(
    "kind, size", [(None, 4), ("local", 4), ("dist_sync", 12), ("dist_device_async", 4)]
)
def test_workers_that_add_up_gradients_share_a_batch(kind, size):
    class Store:
        type, num_workers = kind, 3

    assert updates.total_batch_size(4, kind and Store()) == size


def test_lists_of_different_lengths_are_refused():
    arrays, grads = lists()
    with pytest.raises(ValueError, match="shorter|longer"):
        updates.update_params(arrays, grads[:1], np.add, 2)
