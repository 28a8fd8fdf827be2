# SPDX-License-Identifier: Apache-2.0
"""SVRGModule with stores, and the optimizer that it gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib.svrg_optimization.svrg_module import SVRGModule
from mxnova.contrib.svrg_optimization.svrg_optimizer import _SVRGOptimizer

TWO_DEVICES = [mx.cpu(0), mx.cpu(1)]


def regression(samples: int = 8, **options: Any) -> tuple[mx.io.NDArrayIter, SVRGModule]:
    """An iterator over batches of four, and a linear model."""
    data = np.random.RandomState(0).randint(1, 5, (samples, 2)).astype("float32")
    batches = mx.io.NDArrayIter(data, data @ [1.0, 2.0], batch_size=4, label_name="lin_label")
    output = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    loss = mx.sym.LinearRegressionOutput(output, mx.sym.var("lin_label"), name="lro")
    return batches, SVRGModule(loss, label_names=["lin_label"], update_freq=2, **options)


def bound(samples: int = 8, **options: Any) -> tuple[mx.io.NDArrayIter, SVRGModule]:
    batches, module = regression(samples, **options)
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Constant(0.5))
    return batches, module


def trained(kvstore: Any, **options: Any) -> np.ndarray:
    batches, module = regression(**options)
    params = {"learning_rate": 0.02, "momentum": 0.5}
    module.fit(
        batches,
        num_epoch=3,
        eval_metric="mse",
        kvstore=kvstore,
        optimizer_params=params,
        initializer=mx.init.Constant(0.5),
    )
    return module.get_params()[0]["fc_weight"].asnumpy()


@pytest.mark.parametrize("context", [mx.cpu(), TWO_DEVICES], ids=["one device", "two"])
@pytest.mark.parametrize("updates", ["0", "1"], ids=["on devices", "in the store"])
def test_stores_train_as_a_device_alone(context: Any, updates: str, monkeypatch: Any) -> None:
    alone = trained(None)
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", updates)
    np.testing.assert_allclose(trained(mx.kv.create("local"), context=context), alone, rtol=1e-5)


def test_the_mean_counts_a_padded_batch_as_its_part() -> None:
    batches, module = bound(samples=6)
    module.init_optimizer()
    total = np.zeros((1, 2), np.float32)
    for batch in batches:
        module.forward_backward(batch)
        total += module._exec_group.grad_arrays[0][0].asnumpy()
    for _ in range(2):  # a second snapshot begins from nothing
        module.update_full_grads(batches)
        np.testing.assert_allclose(module._param_dict[0]["fc_weight"].asnumpy(), total / 1.5, 1e-6)


def test_devices_share_a_sum_of_means() -> None:
    _, module = bound(context=TWO_DEVICES)
    module.init_optimizer(kvstore=mx.kv.create("local"))
    module._accumulate_kvstore("fc_weight", [mx.nd.ones((1, 2)), mx.nd.ones((1, 2)) * 3])
    assert [m["fc_weight"].asnumpy().tolist() for m in module._param_dict] == [[[2, 2]]] * 2


def test_a_store_updates_weights_and_takes_over_means() -> None:
    names = {0: "fullyconnected0_weight", 1: "fullyconnected0_weight_full"}
    optimizer = _SVRGOptimizer("sgd", param_idx2name=names, learning_rate=1.0, momentum=0.0)
    store = mx.kv.create("local")
    store.set_optimizer(optimizer)
    store.init([0, 1], [mx.nd.zeros(3), mx.nd.ones(3)])
    store.push([0, 1], [mx.nd.ones(3), mx.nd.ones(3) * 2])
    weight, mean = mx.nd.zeros(3), mx.nd.zeros(3)
    store.pull([0, 1], out=[weight, mean])
    assert weight.asnumpy().tolist() == [-1, -1, -1]
    assert mean.asnumpy().tolist() == [2, 2, 2]


def test_the_optimizer_shares_what_all_optimizers_have() -> None:
    optimizer = _SVRGOptimizer("adam", learning_rate=0.5, wd=0.25, beta1=0.75)
    assert (optimizer.lr, optimizer.wd) == (0.5, 0.25)
    assert (optimizer.default_opt.lr, optimizer.default_opt.beta1) == (0.5, 0.75)
    given = mx.optimizer.create("sgd", learning_rate=2.0)
    assert _SVRGOptimizer(given).default_opt is given


def test_states_are_saved_and_loaded(tmp_path: Any) -> None:
    _, module = bound()
    module.init_optimizer(kvstore=mx.kv.create("local"), optimizer="adam", optimizer_params={})
    assert isinstance(module._optimizer, _SVRGOptimizer)
    prefix = str(tmp_path / "model")
    module.save_checkpoint(prefix, 0, save_optimizer_states=True)
    loaded = mx.mod.Module.load(prefix, 0, True, label_names=["lin_label"])
    loaded.bind(module.data_shapes, module.label_shapes)
    loaded.init_optimizer(optimizer="adam", optimizer_params={})
    assert loaded.symbol.tojson() == module.symbol.tojson()
    assert loaded.optimizer_initialized
