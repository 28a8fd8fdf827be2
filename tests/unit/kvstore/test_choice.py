# SPDX-License-Identifier: Apache-2.0
import re

import pytest

import mxnova as mx
from mxnova.kvstore import KVStore
from mxnova.kvstore.choice import reason_to_update


class Distributed(KVStore):
    """As a store of several processes calls itself."""

    type = "dist_sync"


class Asynchronous(KVStore):
    type = "dist_async"


@pytest.mark.parametrize(
    "store, sparse_weights, sparse_gradients, reason",
    [
        (mx.kv.create("device"), False, False, None),
        (mx.kv.create("device"), False, True, None),
        (mx.kv.create("device"), True, True, "sparse parameters"),
        (object.__new__(Distributed), False, False, None),
        (object.__new__(Distributed), False, True, "dist_sync.*sparse gradients"),
        (object.__new__(Asynchronous), False, False, "dist_async store sums up nothing"),
    ],
)
def test_who_alone_can_update(store, sparse_weights, sparse_gradients, reason):
    found = reason_to_update(store, sparse_weights, sparse_gradients)
    assert found is None if reason is None else re.search(reason, found)


@pytest.mark.parametrize(
    "options, updates, text",
    [
        ({}, True, None),
        ({"update_on_kvstore": True}, True, None),
        ({"update_on_kvstore": False}, None, "update_on_kvstore=False: a dist_sync store does not"),
        ({"overlap": True}, None, "overlap=True: a dist_sync store does not sum up sparse"),
    ],
)
def test_stores_of_several_processes_update_by_sparse_gradients(options, updates, text):
    """A refusal names the argument that the program gave."""
    net = mx.gluon.nn.Embedding(3, 2, sparse_grad=True)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", **options)
    store = object.__new__(Distributed)
    if text is None:
        assert trainer._decided(store, suits=False) is updates
    else:
        with pytest.raises(ValueError, match=text):
            trainer._decided(store, suits=False)
