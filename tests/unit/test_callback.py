# SPDX-License-Identifier: Apache-2.0
"""Callbacks: what is logged, and when; checkpoints."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mxnova as mx
from mxnova.model import BatchEndParam


@pytest.fixture
def told(caplog):
    caplog.set_level("INFO")
    return caplog


@pytest.fixture
def metric():
    metric = mx.metric.Accuracy()
    metric.update([mx.nd.array([1, 0])], [mx.nd.array([[0, 1], [0, 1]])])
    return metric


def run(callback, metric, batches, epochs=1):
    for epoch in range(epochs):
        for batch in range(batches):
            callback(BatchEndParam(epoch, batch, metric, None))


@pytest.mark.parametrize(
    "auto_reset, heads",
    [
        (True, ["Epoch[0] Batch [0-3]", "Epoch[0] Batch [3-6]", "Epoch[1] Batch [0-3]", "Epoch[1] Batch [3-6]"]),
        (False, ["Epoch[0] Batch [0-3]", "Epoch[0] Batch [0-6]", "Epoch[1] Batch [0-3]", "Epoch[1] Batch [0-6]"]),
    ],
)  # fmt: skip
def test_speedometer(told, metric, auto_reset, heads):
    run(mx.callback.Speedometer(4, 3, auto_reset), metric, 8, epochs=2)
    assert [text.split("\t")[0] for text in told.messages] == heads
    assert re.fullmatch(
        r"Speed: [\d.]+ samples/sec\taccuracy=0\.500000", told.messages[0].split("\t", 1)[1]
    )
    assert np.isnan(metric.get()[1]) == auto_reset
    assert metric.get_global()[1] == 0.5


def test_speed_is_that_of_samples(told, monkeypatch):
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr("mxnova.callback.time.time", lambda: next(clock))
    run(mx.callback.Speedometer(10, 2), None, 5)
    # Two batches of ten in two seconds.
    assert told.messages == [f"Iter[0] Batch [{n}]\tSpeed: 10.00 samples/sec" for n in (2, 4)]


@pytest.mark.parametrize("auto_reset", [False, True])
def test_log_train_metric(told, metric, auto_reset):
    callback = mx.callback.log_train_metric(2, auto_reset)
    run(callback, metric, 3)
    run(callback, None, 3)
    later = "nan" if auto_reset else "0.500000"
    assert told.messages == [
        "Iter[0] Batch[0] Train-accuracy=0.500000",
        f"Iter[0] Batch[2] Train-accuracy={later}",
    ]


def test_log_validation(told, metric):
    callback = mx.callback.LogValidationMetricsCallback()
    callback(BatchEndParam(3, 1, metric, None))
    callback(BatchEndParam(3, 1, None, None))
    assert told.messages == ["Epoch[3] Validation-accuracy=0.500000"]


def test_progress_bar(told):
    run(mx.callback.ProgressBar(4, 8), None, 5)
    assert told.messages == ["[--------] 0%\r", "[==------] 25%\r", "[====----] 50%\r", "[======--] 75%\r", "[========] 100%\r"]  # fmt: skip


def test_progress_is_not_rounded_up_twice(told):
    mx.callback.ProgressBar(20, 0)(BatchEndParam(0, 11, None, None))  # 100 * (11 / 20) is above 55
    assert told.messages == ["[] 55%\r"]


@pytest.mark.parametrize("period, epochs", [(2, [2, 4]), (0, [1, 2, 3, 4])])
def test_do_checkpoint(tmp_path, period, epochs, told):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    weight = mx.nd.ones((2, 2))
    callback = mx.callback.do_checkpoint(str(tmp_path / "net"), period)
    for epoch in range(4):
        callback(epoch, symbol, {"fc_weight": weight * epoch}, {})
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == [*(f"net-{n:04d}.params" for n in epochs), "net-symbol.json"]
    assert len(told.messages) == len(epochs)
    loaded, args, aux = mx.model.load_checkpoint(str(tmp_path / "net"), 4)
    assert loaded.tojson() == symbol.tojson()
    assert args["fc_weight"].asnumpy().tolist() == [[3, 3], [3, 3]]
    assert aux == {}


def test_module_checkpoint():
    calls = []

    class Module:
        def save_checkpoint(self, *args):
            calls.append(args)

    callback = mx.callback.module_checkpoint(Module(), "net", 2, True)
    for epoch in range(4):
        callback(epoch)
    assert calls == [("net", 2, True), ("net", 4, True)]
