# SPDX-License-Identifier: Apache-2.0
"""Trainers: traces and files of MXNet, choices of stores, stale gradients, errors."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon
from mxnova.core.base.errors import FormatError, MXNetError
from mxnova.kvstore import KVStoreBase

RECORDED = json.loads(Path(__file__, "../../../data/kvstore.json").resolve().read_text())
SHAPE = (4, 3)


def named(case):
    keys = ("optimizer", "kvstore", "n_devices", "update_on_kvstore", "stype")
    return "-".join(str(case[key]) for key in keys)


def made(case):
    contexts = [mx.cpu(i) for i in range(case["n_devices"])]
    params = [
        gluon.Parameter(
            name,
            shape=SHAPE,
            stype=case["stype"] or "default",
            lr_mult=lr,
            grad_stype=case["grad_stype"],
        )
        for name, lr in (("a_weight", 1.0), ("b_weight", 0.5))
    ]
    for param in params:
        param.initialize(mx.init.One(), ctx=contexts)
    return params, gluon.Trainer(
        params,
        case["optimizer"],
        case["arguments"],
        kvstore=case["kvstore"],
        update_on_kvstore=case["update_on_kvstore"],
    )


def recorded_backward(params, step):
    """The gradients of scripts/record/kvstore.py."""
    for p, param in enumerate(params):
        for d, ctx in enumerate(param.list_ctx()):
            factor = mx.nd.arange(1, 1 + SHAPE[1], ctx=ctx) * (step + 1) / (p + d + 2)
            with autograd.record():
                if param.stype == "default":
                    weight = param.data(ctx)
                else:
                    weight = param.row_sparse_data(mx.nd.arange(SHAPE[0], ctx=ctx))
                if param._grad_stype != "default":
                    rows = mx.nd.array([d % 2, 2], ctx=ctx)
                    weight = mx.nd.Embedding(rows, weight, *SHAPE, sparse_grad=True)
                loss = (weight * factor).sum()
            loss.backward()


def weights(params):
    return [
        [
            (p.data(c) if p.stype == "default" else p.row_sparse_data(mx.nd.arange(4, ctx=c)))
            .asnumpy()
            .tolist()
            for c in p.list_ctx()
        ]
        for p in params
    ]


def parameters(n_devices=1, count=1, **kwargs):
    made = [gluon.Parameter(f"p{i}_weight", shape=(3,), **kwargs) for i in range(count)]
    for param in made:
        param.initialize(mx.init.One(), ctx=[mx.cpu(i) for i in range(n_devices)])
    return made


def backward(params):
    for param in params:
        for array in param.list_data():
            with autograd.record():
                loss = (array * 2).sum()
            loss.backward()


# What MXNet does ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", RECORDED["trainers"], ids=named)
def test_traces(case):
    params, trainer = made(case)
    for step, expected in enumerate(case["trace"]):
        recorded_backward(params, step)
        trainer.step(2)
        np.testing.assert_allclose(weights(params), expected, rtol=2e-6, atol=1e-7)
    store = trainer._kvstore
    decided = [None if store is None else store.type, trainer._update_on_kvstore]
    assert decided == case["decided"]


@pytest.mark.parametrize("case", RECORDED["states"], ids=named)
def test_files_of_mxnet_go_on_here(case, tmp_path):
    path = tmp_path / "x.states"
    path.write_bytes(base64.b64decode(case["file"]))
    params, trainer = made(case)
    trainer.load_states(str(path))
    assert trainer.optimizer.param_dict == dict(enumerate(params))
    recorded_backward(params, 2)
    trainer.step(2)
    np.testing.assert_allclose(weights(params), case["after"], rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("case", RECORDED["states"], ids=named)
def test_own_files_hold_what_mxnet_writes(case, tmp_path):
    path = tmp_path / "x.states"
    params, trainer = made(case)
    for step in range(2):
        recorded_backward(params, step)
        trainer.step(2)
    trainer.save_states(str(path))
    ours = mx.optimizer.load_states(path)
    theirs = mx.optimizer.load_states(base64.b64decode(case["file"]))
    assert ours.keys() == theirs.keys()
    for key in ours:
        for mine, other in zip(flat(ours[key]), flat(theirs[key]), strict=True):
            np.testing.assert_allclose(mine.asnumpy(), other.asnumpy(), rtol=2e-6)


def flat(state):
    if isinstance(state, (tuple, list)):
        return [array for part in state for array in flat(part)]
    return [] if state is None else [state]


# Parameters ---------------------------------------------------------------------------------------


def test_dicts_are_taken_in_the_order_of_names():
    first, second = parameters(count=2)
    trainer = gluon.Trainer({"b": first, "a": second}, "sgd")
    assert trainer._params == [second, first]
    assert gluon.Trainer((second, first), "sgd")._params == [second, first]
    params = gluon.ParameterDict()
    for name in ("z", "y"):
        params.get(name, shape=(1,))
    params.initialize()
    assert [p.name for p in gluon.Trainer(params, "sgd")._params] == ["y", "z"]


@pytest.mark.parametrize("params", [None, {1}, parameters()[0], [1], "abc"])
def test_what_are_no_parameters(params):
    with pytest.raises(ValueError, match="Parameters"):
        gluon.Trainer(params, "sgd")


def test_parameters_on_different_contexts():
    with pytest.raises(AssertionError, match="same contexts"):
        gluon.Trainer([*parameters(2), *parameters(1)], "sgd")


def test_an_optimizer_has_its_arguments_already():
    with pytest.raises(AssertionError, match="optimizer_params"):
        gluon.Trainer(parameters(), mx.optimizer.create("sgd"), {"learning_rate": 1})
    optimizer = mx.optimizer.create("sgd", learning_rate=0.5)
    trainer = gluon.Trainer(parameters(), optimizer)
    assert trainer.optimizer is optimizer
    assert trainer.learning_rate == 0.5


def test_parameters_without_gradients_stay():
    fixed, learnt = parameters(count=2)
    fixed.grad_req = "null"
    trainer = gluon.Trainer([fixed, learnt], "sgd", {"learning_rate": 1})
    backward([learnt])
    trainer.step(1)
    assert fixed.data().asnumpy().tolist() == [1, 1, 1]
    assert learnt.data().asnumpy().tolist() == [-1, -1, -1]


# Choices of stores --------------------------------------------------------------------------------


class Summing(KVStoreBase):
    """A plug-in that records its calls."""

    def __init__(self):
        self.calls = []

    type, rank, num_workers = "summing", 0, 1

    def is_capable(self, capability):
        return False

    def broadcast(self, key, value, out, priority=0):
        self.calls.append(("broadcast", key))
        for array in out:
            value.copyto(array) if array is not value else None

    def pushpull(self, key, value, out=None, priority=0):
        self.calls.append(("pushpull", key, priority, out))
        total = sum(array.as_in_context(mx.cpu()) for array in value)
        for array in value:
            total.copyto(array)


class Asynchronous(KVStoreBase):
    """Stands in for a store whose owners update values by each push."""

    type, rank, num_workers = "dist_async", 0, 2

    @staticmethod
    def is_capable(capability):
        return capability == KVStoreBase.OPTIMIZER

    def set_optimizer(self, optimizer):
        self.optimizer = optimizer


def test_an_asynchronous_store_always_updates(monkeypatch):
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    params = [mx.gluon.Parameter("w", shape=(2,))]
    params[0].initialize()
    trainer = mx.gluon.Trainer(params, "sgd", kvstore=Asynchronous())
    trainer._init_kvstore()
    assert trainer._update_on_kvstore is True
    trainer = mx.gluon.Trainer(params, "sgd", kvstore=Asynchronous(), update_on_kvstore=False)
    with pytest.raises(MXNetError, match="update_on_kvstore=False: a dist_async store sums up"):
        trainer._init_kvstore()


@pytest.mark.parametrize(
    "kvstore, n, asked, expected",
    [
        ("device", 1, None, (None, None)),
        ("local", 1, True, (None, None)),
        (None, 2, None, (None, None)),
        ("device", 2, None, ("device", True)),
        ("local", 2, False, ("local", False)),
        (mx.kv.create("local"), 1, None, ("local", True)),
        (Summing(), 2, None, ("summing", False)),
    ],
)
def test_choices(kvstore, n, asked, expected):
    trainer = gluon.Trainer(parameters(n), "sgd", kvstore=kvstore, update_on_kvstore=asked)
    assert not trainer._kv_initialized
    trainer._init_kvstore()
    store = trainer._kvstore
    assert (store and store.type, trainer._update_on_kvstore) == expected
    assert trainer._kv_initialized
    assert trainer._distributed is False


def test_the_environment_decides(monkeypatch):
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    trainer = gluon.Trainer(parameters(2), "sgd")
    trainer._init_kvstore()
    assert trainer._update_on_kvstore is False


def test_large_parameters_are_not_updated_in_a_local_store():
    param = gluon.Parameter("large", shape=((16 << 20) + 1,), dtype="uint8", grad_req="null")
    param.initialize(mx.init.Zero(), ctx=[mx.cpu(0), mx.cpu(1)])
    for kvstore, expected in (("local", False), ("device", True)):
        trainer = gluon.Trainer([param], "sgd", kvstore=kvstore)
        trainer._init_kvstore()
        assert trainer._update_on_kvstore is expected


@pytest.mark.parametrize(
    "kwargs, stype, error, text",
    [
        ({"kvstore": 3}, "default", TypeError, "kvstore=3"),
        ({"kvstore": "dist_sync"}, "default", RuntimeError, "torchrun"),
        ({"kvstore": Summing(), "update_on_kvstore": True}, "default", ValueError, "summing"),
        ({"compression_params": {"type": "1bit"}}, "default", ValueError, "1bit"),
        ({"update_on_kvstore": False}, "row_sparse", ValueError, "sparse"),
        ({"kvstore": None}, "row_sparse", TypeError, "sparse"),
        ({"kvstore": Summing()}, "row_sparse", TypeError, "sparse"),
        ({"kvstore": Summing()}, "rows of gradients", ValueError, "takes no sparse gradients"),
    ],
)
def test_choices_that_cannot_be(kwargs, stype, error, text):
    stypes = {"stype": stype, "grad_stype": stype}
    if stype == "rows of gradients":
        stypes = {"grad_stype": "row_sparse"}
    trainer = gluon.Trainer(parameters(2, **stypes), "sgd", **kwargs)
    with pytest.raises(error, match=text):
        trainer._init_kvstore()
    assert trainer._kvstore is None


def test_plug_ins_are_called_as_mxnet_calls_them():
    store, params = Summing(), parameters(2, 2)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1}, kvstore=store)
    backward(params)
    trainer.step(4)
    assert store.calls == [
        ("broadcast", 0),
        ("broadcast", 1),
        ("pushpull", 0, 0, None),
        ("pushpull", 1, -1, None),
    ]
    assert all(p.data(mx.cpu(d)).asnumpy().tolist() == [0, 0, 0] for p in params for d in (0, 1))


def test_gradients_are_compressed():
    params = parameters(2)
    compression = {"type": "2bit", "threshold": 0.5}
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1}, compression_params=compression)
    backward(params)
    trainer.step(1)
    assert params[0].data(mx.cpu(1)).asnumpy().tolist() == [0, 0, 0]


def test_new_values_take_a_new_store():
    params = parameters(2)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.5})
    backward(params)
    trainer.step(1)
    params[0].set_data(mx.nd.array([5, 5, 5]))
    assert trainer._kvstore is None
    backward(params)
    trainer.step(1)
    assert params[0].data(mx.cpu(1)).asnumpy().tolist() == [3, 3, 3]


# Steps --------------------------------------------------------------------------------------------


def test_allreduce_and_update_by_themselves():
    params = parameters(2)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1}, update_on_kvstore=False)
    backward(params)
    trainer.allreduce_grads()
    assert [g.asnumpy().tolist() for g in params[0].list_grad()] == [[4, 4, 4]] * 2
    trainer.update(8)
    assert params[0].data(mx.cpu(1)).asnumpy().tolist() == [0.5] * 3


@pytest.mark.parametrize("call", [lambda t: t.update(1), lambda t: t.allreduce_grads()])
def test_a_store_that_updates_does_it_in_step(call):
    with pytest.raises(AssertionError, match="update_on_kvstore=False"):
        call(gluon.Trainer(parameters(2), "sgd"))


@pytest.mark.parametrize("n, kwargs", [(1, {}), (2, {}), (2, {"update_on_kvstore": False})])
def test_stale_gradients(n, kwargs):
    params = parameters(n, 2)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1}, **kwargs)
    backward(params[:1])
    with pytest.raises(UserWarning, match="`p1_weight` on context cpu\\(0\\)"):
        trainer.step(1)
    for param in params:
        assert all(a.asnumpy().tolist() == [1, 1, 1] for a in param.list_data())


def test_stale_gradients_are_ignored_where_asked_for():
    params = parameters(1, 2)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1})
    for _ in range(2):
        backward(params[:1])
        trainer.step(1, ignore_stale_grad=True)
        trainer.step(1, ignore_stale_grad=True)
    assert params[0].data().asnumpy().tolist() == [-3, -3, -3]
    assert params[1].data().asnumpy().tolist() == [1, 1, 1]


def test_gradients_that_overflow_update_nothing():
    class Scaler:
        overflows = True

        def has_overflow(self, params):
            return self.overflows

    params = parameters()
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1})
    trainer._amp_loss_scaler = Scaler()
    backward(params)
    trainer.step(1)
    assert params[0].data().asnumpy().tolist() == [1, 1, 1]
    Scaler.overflows = False
    trainer.step(1)
    assert params[0].data().asnumpy().tolist() == [-1, -1, -1]


def test_subclasses_sum_up_by_other_means():
    class Doubling(gluon.Trainer):
        def _allreduce_grads(self):
            for param in self._params:
                for gradient in param.list_grad():
                    gradient *= 2

    params = parameters()
    trainer = Doubling(params, "sgd", {"learning_rate": 1}, kvstore=None)
    backward(params)
    trainer.step(1)
    assert params[0].data().asnumpy().tolist() == [-3, -3, -3]


def test_learning_rates():
    params = parameters()
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1})
    trainer.set_learning_rate(0.25)
    assert trainer.learning_rate == 0.25
    backward(params)
    trainer.step(1)
    assert params[0].data().asnumpy().tolist() == [0.5] * 3
    scheduler = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=1)
    scheduled = gluon.Trainer(params, "sgd", {"lr_scheduler": scheduler})
    with pytest.raises(UserWarning, match="scheduler"):
        scheduled.set_learning_rate(1)


def test_deferred_parameters_are_named():
    param = gluon.Parameter("late", shape=(0,), allow_deferred_init=True)
    param.initialize()
    with pytest.raises(gluon.DeferredInitializationError, match="late"):
        gluon.Trainer([param], "sgd").step(1)


def test_rows_of_sparse_parameters_need_one_trainer():
    params = parameters(stype="row_sparse", grad_stype="row_sparse")
    with pytest.raises(MXNetError, match="Trainer"):
        params[0].row_sparse_data(mx.nd.array([0]))
    gluon.Trainer(params, "sgd")
    with pytest.raises(RuntimeError, match="one trainer"):
        gluon.Trainer(params, "sgd")


# Files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n, kwargs", [(1, {}), (2, {}), (2, {"update_on_kvstore": False})])
def test_broken_files_change_nothing(n, kwargs, tmp_path):
    params = parameters(n)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1, "momentum": 0.5}, **kwargs)
    backward(params)
    trainer.step(1)
    path = tmp_path / "x.states"
    trainer.save_states(str(path))
    optimizer, content = trainer.optimizer, path.read_bytes()
    for broken in (content[:-20], b"cos\nsystem\n(S'true'\ntR."):
        path.write_bytes(broken)
        with pytest.raises(FormatError):
            trainer.load_states(str(path))
    with pytest.raises(FileNotFoundError, match=r"no\.states"):
        trainer.load_states(str(tmp_path / "no.states"))
    assert trainer.optimizer is optimizer
    backward(params)
    trainer.step(1)
    steps = [2.0 * n, 3.0 * n]
    assert params[0].data().asnumpy().tolist() == [1 - sum(steps)] * 3
