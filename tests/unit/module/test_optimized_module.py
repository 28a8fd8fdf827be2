# SPDX-License-Identifier: Apache-2.0
"""Optimizer states of modules: a run that goes on from a checkpoint equals one without a break."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib.svrg_optimization.svrg_module import SVRGModule

TWO_DEVICES = [mx.cpu(0), mx.cpu(1)]
DATA, LABEL = [("data", (4, 2))], [("l_label", (4, 1))]
X = np.random.RandomState(0).randn(4, 2).astype("float32")


def _network() -> mx.sym.Symbol:
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="f")
    return mx.sym.LinearRegressionOutput(layer, mx.sym.var("l_label"), name="l")


def _module(**options: Any) -> Any:
    return mx.mod.Module(_network(), label_names=["l_label"], **options)


def _two_devices(**options: Any) -> Any:
    return _module(context=TWO_DEVICES, **options)


def _svrg(**options: Any) -> Any:
    return SVRGModule(_network(), label_names=["l_label"], update_freq=1, **options)


def _bucketing(**options: Any) -> Any:
    def of_bucket(_key: int) -> Any:
        return _network(), ["data"], ["l_label"]

    return mx.mod.BucketingModule(of_bucket, default_bucket_key=4, **options)


def _schedule() -> Any:
    return mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)


def _ready(module: Any, optimizer: str, store: Any = None, **arguments: Any) -> Any:
    module.bind(DATA, LABEL)
    module.init_params(mx.init.One(), force_init=True)
    arguments = {"learning_rate": 0.1, "lr_scheduler": _schedule(), **arguments}
    module.init_optimizer(store, optimizer, arguments)
    return module


def _step(module: Any) -> None:
    batch = mx.io.DataBatch([mx.nd.array(X)], [mx.nd.ones((4, 1))])
    batch.bucket_key, batch.provide_data, batch.provide_label = 4, DATA, LABEL
    module.forward(batch, is_train=True)
    module.backward()
    module.update()


def _weight(module: Any) -> np.ndarray:
    weight: np.ndarray = module.get_params()[0]["f_weight"].asnumpy()
    return weight


OPTIMIZERS = [
    ("sgd", {"momentum": 0.9}),
    ("adam", {}),
    ("adamax", {}),
    ("nadam", {}),
    ("ftml", {}),
    ("lamb", {}),
    ("lans", {}),
    ("adamw", {}),
    ("adabelief", {}),
    ("lars", {"momentum": 0.9}),
    ("lbsgd", {"batch_scale": 2, "momentum": 0.9}),
]
KINDS: list[tuple[Callable[..., Any], Any, str]] = [
    (_module, None, "0"),
    (_module, "local", "0"),
    (_module, "local", "1"),
    (_two_devices, "local", "0"),
    (_two_devices, "local", "1"),
    (_two_devices, "device", "1"),
    (_bucketing, None, "0"),
    (_svrg, "local", "0"),
    (_svrg, "local", "1"),
]


def _resumes(make: Any, store: Any, optimizer: str, arguments: Any, path: str) -> None:
    def created() -> Any:
        return mx.kv.create(store) if store else None

    module = _ready(make(), optimizer, created(), **arguments)
    for _ in range(5):
        _step(module)
    states = module._curr_module if make is _bucketing else module
    states.save_optimizer_states(path)
    again = make()
    again.bind(DATA, LABEL)
    again.init_params(arg_params=module.get_params()[0], aux_params={})
    given = {"learning_rate": 0.1, "lr_scheduler": _schedule(), **arguments}
    again.init_optimizer(created(), optimizer, given)
    (again._curr_module if make is _bucketing else again).load_optimizer_states(path)
    for _ in range(2):
        _step(module)
        _step(again)
    np.testing.assert_allclose(_weight(again), _weight(module), rtol=1e-6)


@pytest.mark.parametrize(("optimizer", "arguments"), OPTIMIZERS, ids=[o for o, _ in OPTIMIZERS])
def test_load_optimizer_states_continues_every_optimizer(
    optimizer: str, arguments: dict[str, Any], tmp_path: Any
) -> None:
    _resumes(_module, None, optimizer, arguments, str(tmp_path / "m.states"))


@pytest.mark.parametrize(("make", "store", "on_store"), KINDS)
def test_load_optimizer_states_continues_every_kind_of_module(
    make: Any, store: Any, on_store: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", on_store)
    _resumes(make, store, "adam", {}, str(tmp_path / "m.states"))


def test_saved_states_unpickle_as_the_states_alone(tmp_path: Any) -> None:
    module = _ready(_module(), "sgd")  # without momentum, so that a state is None
    _step(module)
    module.save_optimizer_states(str(tmp_path / "m.states"))
    states = pickle.loads((tmp_path / "m.states").read_bytes())
    assert states == {0: None, 1: None}


@pytest.mark.parametrize(
    ("optimizer", "arguments", "warns"),
    [
        ("adam", {}, True),
        ("adam", {"begin_num_update": 1}, False),
        ("sgd", {"momentum": 0.9, "lr_scheduler": None}, False),
        ("sgd", {"momentum": 0.9}, True),
    ],
)
def test_load_optimizer_states_without_counts_warns_where_they_matter(
    optimizer: str, arguments: dict[str, Any], warns: bool, tmp_path: Any
) -> None:
    module = _ready(_module(), optimizer, **arguments)
    _step(module)
    path = tmp_path / "m.states"
    path.write_bytes(pickle.dumps(dict(module._updater.states)))  # as MXNet writes it
    again = _ready(_module(), optimizer, **arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        again.load_optimizer_states(str(path))
    assert ["begin_num_update" in str(w.message) for w in caught] == [True] * warns
