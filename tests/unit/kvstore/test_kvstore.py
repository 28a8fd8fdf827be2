# SPDX-License-Identifier: Apache-2.0
"""Stores: calls, keys, devices, sparse rows, updaters, errors."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import AssertedError, FormatError, MXNetError, UnknownNameError
from mxnova.kvstore import devices
from mxnova.kvstore.local import TYPES

RECORDED = json.loads(Path(__file__, "../../../data/kvstore.json").resolve().read_text())
SHAPE = (4, 3)


def ones(factor=1.0, device=0, dtype="float32"):
    return mx.nd.ones(SHAPE, mx.cpu(device), dtype=dtype) * factor


def store(name="local", key=3, value=None):
    made = mx.kv.create(name)
    made.init(key, mx.nd.zeros(SHAPE) if value is None else value)
    return made


def pulled(kv, key=3, device=0):
    out = mx.nd.zeros(SHAPE, mx.cpu(device))
    kv.pull(key, out)
    return out.asnumpy()


@pytest.fixture(params=["at once", "by the engine"])
def way(request, monkeypatch):
    """Both ways by which sums and copies are made."""
    monkeypatch.setattr(devices, "BIG", 1 if request.param == "by the engine" else 10**9)


# Kinds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*TYPES, "LOCAL", "Device"])
def test_kinds(name):
    kv = mx.kv.create(name)
    assert (kv.type, kv.rank, kv.num_workers) == (name.lower(), 0, 1)
    assert kv.is_capable("optimizer")
    assert kv.is_capable("OPTIMIZER")
    kv._barrier()
    kv._send_command_to_servers(0, "nothing")


@pytest.mark.parametrize(
    "name, error, text",
    [
        ("dist_sink", UnknownNameError, "did you mean 'dist_sync'"),
        ("dist_sync", MXNetError, "torchrun"),
        ("devise", UnknownNameError, "did you mean 'device'"),
        ("hovorod", UnknownNameError, "must be registered"),
        ("horovod", MXNetError, "use 'dist_sync'"),
        ("BytePS", MXNetError, "use 'dist_sync'"),
        (None, TypeError, "name=None"),
        (3, TypeError, "name=3"),
    ],
)
def test_unknown_kinds(name, error, text):
    with pytest.raises(error, match=text):
        mx.kv.create(name)


def test_capabilities_are_known_by_name():
    with pytest.raises(ValueError, match="fly"):
        mx.kv.create().is_capable("fly")


def test_stores_have_no_servers():
    with pytest.raises(MXNetError, match="workers own its values"):
        mx.kv.KVStoreServer(mx.kv.create()).run()


# Values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [[3, 5, 7], ["a", "b", "c"]])
@pytest.mark.parametrize("name", ["local", "device"])
def test_lists_of_keys_and_devices(name, keys, way):
    kv = mx.kv.create(name)
    kv.init(keys, [ones(i) for i in range(3)])
    outs = [[ones(9, device) for device in range(4)] for _ in keys]
    kv.pull(keys, outs)
    for i, of_key in enumerate(outs):
        assert all((out.asnumpy() == i).all() for out in of_key)
    values = [[ones(i + device, device) for device in range(4)] for i in range(3)]
    kv.push(keys, values)
    kv.pull(keys, outs)
    for i, of_key in enumerate(outs):
        assert all((out.asnumpy() == 4 * i + 6).all() for out in of_key)
        assert [out.context for out in of_key] == [mx.cpu(d) for d in range(4)]


def test_values_of_a_key_that_stands_twice_are_summed():
    kv = mx.kv.create()
    kv.init([1, 2], [ones(), ones()])
    kv.push([1, 1, 2], [ones(1), ones(2), ones(5)])
    assert (pulled(kv, 1) == 3).all()
    assert (pulled(kv, 2) == 5).all()


def test_what_was_initialized_or_pushed_is_a_copy():
    value = ones()
    kv = store(value=value)
    value[:] = 7
    assert (pulled(kv) == 1).all()
    kv.push(3, value)
    value[:] = 9
    assert (pulled(kv) == 7).all()


def test_pushpull_gives_the_sum_back(way):
    kv = store()
    values = [ones(1), ones(2, 1)]
    kv.pushpull(3, values)
    assert all((v.asnumpy() == 3).all() for v in values)
    out = ones(0)
    kv.pushpull(3, [ones(), ones()], out=out)
    assert (out.asnumpy() == 2).all()


def test_broadcast(way):
    kv = mx.kv.create()
    outs = [ones(0), ones(0, 1)]
    kv.broadcast("w", ones(4), outs)
    assert all((out.asnumpy() == 4).all() for out in outs)
    with pytest.raises(MXNetError, match="more than once"):
        kv.broadcast("w", ones(5), outs)


def test_types_are_cast_when_pulled():
    kv = store(value=ones(1.5))
    out = mx.nd.zeros(SHAPE, dtype="int32")
    kv.pull(3, out)
    assert out.dtype is np.int32
    assert (out.asnumpy() == 1).all()


def test_nothing_to_push():
    kv = store(value=ones())
    kv.push([], [])
    kv.push(3, [])
    assert (pulled(kv) == 1).all()


# Updaters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [3, "a"])
@pytest.mark.parametrize("name", ["local", "device"])
def test_updaters_get_keys_sums_and_values(name, key, way):
    kv = store(name, key)
    calls = []

    def update(key, total, value):
        calls.append((key, float(total[0, 0].asscalar()), total.context == value.context))
        value += total

    kv._set_updater(update)
    assert kv._updater is update
    for _ in range(2):
        kv.push(key, [ones(d, d) for d in range(3)])
    kv.push(key, ones(5, 2))
    assert calls == [(key, 3, True), (key, 3, True), (key, 5, True)]
    assert (pulled(kv, key) == 11).all()


def test_what_an_updater_raises_arrives():
    kv = store()

    def update(key, total, value):
        raise ZeroDivisionError("mine")

    kv._set_updater(update)
    with pytest.raises(ZeroDivisionError, match="mine"):
        kv.push(3, ones())


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_optimizers_and_their_states(name, tmp_path):
    kv = mx.kv.create()
    kv.init([0, 1], [ones(), ones()])
    kv.set_optimizer(mx.optimizer.create(name, learning_rate=0.1))
    for _ in range(2):
        kv.push([0, 1], [[ones(), ones()], [ones(), ones(2)]])
    path = str(tmp_path / "x.states")
    kv.save_optimizer_states(path, dump_optimizer=True)

    again = mx.kv.create()
    again.init([0, 1], [mx.nd.array(pulled(kv, i)) for i in (0, 1)])
    again.set_optimizer(mx.optimizer.create("sgd"))
    again.load_optimizer_states(path)
    assert type(again._updater.optimizer) is type(kv._updater.optimizer)
    for each in (kv, again):
        each.push([0, 1], [ones(), ones()])
    for key in (0, 1):
        np.testing.assert_array_equal(pulled(kv, key), pulled(again, key))


def test_broken_states_change_nothing(tmp_path):
    kv = store(key=0)
    kv.set_optimizer(mx.optimizer.create("sgd", momentum=0.9))
    kv.push(0, ones())
    before = dict(kv._updater.states)
    path = tmp_path / "x.states"
    path.write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(FormatError):
        kv.load_optimizer_states(str(path))
    assert kv._updater.states == before


@pytest.mark.parametrize("verb", ["save", "load"])
def test_states_without_an_optimizer(verb, tmp_path):
    with pytest.raises(AssertionError, match="no optimizer"):
        getattr(mx.kv.create(), f"{verb}_optimizer_states")(str(tmp_path / "x"))


def test_what_is_no_optimizer():
    with pytest.raises(MXNetError, match="Optimizer"):
        mx.kv.create().set_optimizer("sgd")


# Sparse values ------------------------------------------------------------------------------------


def rows(*stored, device=0):
    dense = np.zeros(SHAPE, np.float32)
    for row in stored:
        dense[row] += row + 1
    return mx.nd.array(dense, mx.cpu(device)).tostype("row_sparse")


@pytest.mark.parametrize("case", RECORDED["rows"])
def test_rows_are_those_of_mxnet(case):
    kv = store(case["type"], "w", mx.nd.array(case["stored"]).tostype("row_sparse"))
    out = mx.nd.ones(SHAPE).tostype("row_sparse")
    kv.row_sparse_pull("w", out=out, row_ids=mx.nd.array(case["row_ids"]))
    assert out.indices.asnumpy().tolist() == case["indices"]
    assert out.asnumpy().tolist() == case["values"]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float64", "uint8"])
def test_row_ids_of_any_type(dtype):
    out = rows()
    row_ids = mx.nd.array([3, 0], dtype=dtype)
    store(value=rows(0, 1)).row_sparse_pull(3, out=out, row_ids=row_ids)
    np.testing.assert_array_equal(out.asnumpy(), rows(0).asnumpy())


def test_row_ids_for_all_or_for_each():
    kv = mx.kv.create()
    kv.init(["a", "b"], [rows(0, 1, 2), rows(1, 3)])
    first, second = mx.nd.array([0]), mx.nd.array([1])
    for row_ids, expected in [(first, (0, 0)), ([first], (0, 0)), ([first, second], (0, 1))]:
        outs = [rows(), rows(device=1)]
        kv.row_sparse_pull("a", out=outs, row_ids=row_ids)
        assert [out.indices.asnumpy().tolist() for out in outs] == [[i] for i in expected]
    outs = [[rows(), rows()], [rows()]]
    kv.row_sparse_pull(["a", "b"], out=outs, row_ids=[[first, second], [second]])
    np.testing.assert_array_equal(outs[0][1].asnumpy(), rows(1).asnumpy())
    np.testing.assert_array_equal(outs[1][0].asnumpy(), rows(1).asnumpy())


@pytest.mark.parametrize("name", ["local", "device"])
def test_sums_of_rows(name):
    kv = store(name, value=rows())
    kv.push(3, [rows(0, 1), rows(1, 3, device=1)])
    out = rows()
    kv.pull(3, out, ignore_sparse=False)
    assert out.indices.asnumpy().tolist() == [0, 1, 3]
    np.testing.assert_array_equal(out.asnumpy(), rows(0, 1, 1, 3).asnumpy())


def test_storage_may_differ_from_that_of_the_key():
    kv = store()
    kv.push(3, [rows(0), rows(1)])
    np.testing.assert_array_equal(pulled(kv), rows(0, 1).asnumpy())
    kv.push(3, [rows(0), ones()])
    np.testing.assert_array_equal(pulled(kv), rows(0).asnumpy() + 1)
    out = rows()
    kv.pull(3, out, ignore_sparse=False)
    np.testing.assert_array_equal(out.asnumpy(), pulled(kv))


def test_sparse_arrays_are_left_alone_unless_asked_for():
    kv = store(value=rows(1))
    dense, sparse = ones(), rows(2)
    kv.pull(3, [dense, sparse])
    np.testing.assert_array_equal(dense.asnumpy(), rows(1).asnumpy())
    np.testing.assert_array_equal(sparse.asnumpy(), rows(2).asnumpy())


def test_an_optimizer_updates_dense_and_sparse_keys_of_one_call():
    kv = mx.kv.create()
    kv.init([0, 1, 2], [ones(), ones().tostype("row_sparse"), ones()])
    kv.set_optimizer(mx.optimizer.create("sgd", learning_rate=1))
    kv.push([0, 1, 2], [ones(2), [rows(0), rows(0)], rows(1)])
    np.testing.assert_array_equal(pulled(kv, 0), np.full(SHAPE, -1))
    np.testing.assert_array_equal(pulled(kv, 1)[:, 0], [-1, 1, 1, 1])
    np.testing.assert_array_equal(pulled(kv, 2)[:, 0], [1, -1, 1, 1])


# Errors -------------------------------------------------------------------------------------------

CSR = mx.nd.array(np.eye(4, 3)).tostype("csr")


@pytest.mark.parametrize(
    "call, arguments, error, text",
    [
        ("init", (3, ones()), MXNetError, "key 3: is initialized more than once"),
        ("init", ([4, 4], [ones(), ones()]), MXNetError, "key 4: is initialized more than once"),
        ("init", (4, [ones(), ones()]), MXNetError, "more than once"),
        ("init", ("a", ones()), MXNetError, "'a': the keys of this store are int, not str"),
        ("push", ("a", ones()), MXNetError, "not str"),
        ("pull", ("a", ones()), MXNetError, "not str"),
        ("push", (4, ones()), MXNetError, "key 4: is not initialized"),
        ("pull", (4, ones()), MXNetError, "key 4: is not initialized"),
        ("pushpull", (4, ones()), MXNetError, "key 4: is not initialized"),
        ("push", (3, mx.nd.ones((2,))), MXNetError, r"has shape \(2,\), the key \(4, 3\)"),
        ("push", (3, [ones(), mx.nd.ones((2,))]), MXNetError, "has shape"),
        ("pull", (3, mx.nd.ones((2,))), MXNetError, "has shape"),
        ("push", (3, [ones(), ones(dtype="float64")]), MXNetError, "element types differ"),
        ("push", (3, CSR), MXNetError, "csr"),
        ("init", ([5, "a"], [ones(), ones()]), AssertionError, "all int or all str"),
        ("init", ([5, 6], [ones()]), AssertionError, "2 keys, not 1"),
        ("init", ([5], ones()), AssertionError, "1 keys, not NDArray"),
        ("init", (3.5, ones()), AssertionError, "key=3.5"),
        ("init", (b"a", ones()), AssertionError, "key=b'a'"),
        ("init", (5, np.ones(SHAPE)), AssertionError, "not ndarray"),
        ("init", (5, None), TypeError, "not NoneType"),
        ("pull", (3,), AssertionError, "out of key 3"),
        ("push", (3, ones(), "x"), TypeError, "integer"),
        ("row_sparse_pull", (3, ones(), 0, mx.nd.array([1])), MXNetError, "stored as 'default'"),
        ("row_sparse_pull", (3, ones()), AssertionError, "row_ids"),
    ],
)  # fmt: skip
def test_errors_change_nothing(call, arguments, error, text):
    kv = store(value=ones(2))
    with pytest.raises(error, match=text):
        getattr(kv, call)(*arguments)
    assert (pulled(kv) == 2).all()
    kv.init(4, ones())


def test_calls_of_two_halves_do_both_or_none():
    kv = store(value=ones(2))
    with pytest.raises(MXNetError, match="pushpull: out of key 3"):
        kv.pushpull(3, ones(5), out=mx.nd.ones((2,)))
    with pytest.raises(MXNetError, match="broadcast: out of key 4"):
        kv.broadcast(4, ones(5), mx.nd.ones((2,)))
    assert (pulled(kv) == 2).all()
    kv.init(4, ones())


@pytest.mark.parametrize(
    "out, row_ids, text",
    [
        (ones(), mx.nd.array([1]), "must be row_sparse"),
        (rows(), mx.nd.array([4]), "there are rows 0 to 3"),
        (rows(), mx.nd.array([-1, 2]), "wanted were -1 to 2"),
        ([rows(), rows()], [mx.nd.array([1])] * 3, "3 of them for 2"),
    ],
)
def test_errors_of_rows(out, row_ids, text):
    kv = store(value=rows(1))
    with pytest.raises(MXNetError, match=text):
        kv.row_sparse_pull(3, out=out, row_ids=row_ids)


def test_a_push_that_fails_for_one_key_changes_none():
    kv = mx.kv.create()
    kv.init([1, 2], [ones(), ones()])
    with pytest.raises(AssertedError):
        kv.push([1, 2], [ones(5), mx.nd.ones((2,))])
    assert (pulled(kv, 1) == 1).all()


# The engine ---------------------------------------------------------------------------------------


def test_large_sums_wait_for_what_writes_their_values(monkeypatch):
    monkeypatch.setattr(devices, "BIG", 1)
    kv = store("device")
    values = [ones(0), ones(0, 1)]

    def fill():
        for value in values:
            value[:] = 4

    mx.engine.push(fill, write=values)
    kv.push(3, values)
    outs = [ones(0), ones(0, 1)]
    kv.pull(3, outs)
    for value in values:
        value[:] = 100
    mx.nd.waitall()
    assert all((out.asnumpy() == 8).all() for out in outs)


def test_the_log_is_told_once_a_key_that_sparse_arrays_are_left_alone(caplog):
    kv = store(value=rows(1))
    with caplog.at_level("INFO"):
        for _ in range(3):
            kv.pull(3, rows())
    assert [record.getMessage().split(";")[0] for record in caplog.records] == [
        "pull: sparse arrays of key 3 are left alone"
    ]
