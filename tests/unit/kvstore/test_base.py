# SPDX-License-Identifier: Apache-2.0
"""Stores of other packages, and the smallest one."""

import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore import KVStoreBase


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr(KVStoreBase, "kv_registry", dict(KVStoreBase.kv_registry))


def test_registered_classes_are_created_by_name():
    @KVStoreBase.register
    class MyStore(KVStoreBase):
        pass

    assert type(mx.kv.create("mySTORE")) is MyStore
    with pytest.warns(UserWarning, match="'mystore' was"):
        KVStoreBase.register(MyStore)
    with pytest.raises(AssertionError, match="must be a class"):
        KVStoreBase.register("MyStore")


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("broadcast", (1, 2, 3)),
        ("pushpull", (1, 2)),
        ("set_optimizer", (1,)),
        ("is_capable", ("optimizer",)),
        ("save_optimizer_states", ("x",)),
        ("load_optimizer_states", ("x",)),
        ("type", None),
        ("rank", None),
        ("num_workers", None),
    ],
)
def test_what_a_subclass_lacks_is_named(name, arguments):
    with pytest.raises(NotImplementedError, match=f"KVStoreBase defines no {name}"):
        getattr(KVStoreBase(), name)(*arguments)


def test_teststore():
    kv = mx.kv.create("teststore")
    assert (kv.type, kv.rank, kv.num_workers) == ("teststore", 0, 1)
    assert not kv.is_capable("optimizer")
    with pytest.raises(MXNetError, match="fly"):
        kv.is_capable("fly")
    outs = [mx.nd.zeros((2,)), mx.nd.zeros((2,), mx.cpu(1))]
    kv.broadcast(1, mx.nd.ones((2,)), outs)
    assert [o.asnumpy().tolist() for o in outs] == [[1, 1], [1, 1]]
    kv.pushpull(1, [mx.nd.ones((2,)), mx.nd.ones((2,), mx.cpu(1)) * 3], outs)
    assert [o.asnumpy().tolist() for o in outs] == [[4, 4], [4, 4]]
    kv.pushpull(1, outs)
    assert [o.asnumpy().tolist() for o in outs] == [[8, 8], [8, 8]]
    with pytest.raises(NotImplementedError):
        kv.set_optimizer(mx.optimizer.create("sgd"))
