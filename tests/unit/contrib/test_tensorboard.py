# SPDX-License-Identifier: Apache-2.0
"""Metrics stand in event files, as TensorBoard reads them."""

from __future__ import annotations

import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib.tensorboard import LogMetricsCallback


def scalars(folder):
    """(tag, step, value) of the events in a folder: records of a length, a sum, bytes, a sum."""
    event_pb2 = pytest.importorskip("tensorboardX.proto.event_pb2")
    (path,) = folder.iterdir()
    content, found = path.read_bytes(), []
    while content:
        (length,) = struct.unpack_from("<Q", content)
        event = event_pb2.Event.FromString(content[12 : 12 + length])
        found += [(v.tag, event.step, v.simple_value) for v in event.summary.value]
        content = content[16 + length :]
    return found


@pytest.mark.parametrize("prefix, tag", [(None, "accuracy"), ("train", "train-accuracy")])
def test_metrics_of_a_training_are_written(prefix, tag, tmp_path):
    pytest.importorskip("tensorboardX")
    callback = LogMetricsCallback(str(tmp_path / "log"), prefix)
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    module = mx.mod.Module(mx.sym.SoftmaxOutput(net, name="softmax"))
    batches = mx.io.NDArrayIter(np.ones((12, 3)), np.zeros(12), 4)
    values = []
    module.fit(
        batches,
        num_epoch=2,
        optimizer_params={"learning_rate": 0.5},
        batch_end_callback=[lambda p: values.append(p.eval_metric.get()[1]), callback],
    )
    callback.summary_writer.close()
    found = scalars(tmp_path / "log")
    assert [event[:2] for event in found] == [(tag, epoch) for epoch in (0, 0, 0, 1, 1, 1)]
    np.testing.assert_allclose([value for _, _, value in found], values)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    monkeypatch.setitem(sys.modules, "mxboard", None)
    with pytest.raises(mx.MXNetError, match="pip install tensorboardX"):
        LogMetricsCallback(str(tmp_path))


@pytest.mark.parametrize("prefix, tag", [(None, "accuracy"), ("train", "train-accuracy")])
def test_the_step_is_the_epoch(prefix, tag, monkeypatch):
    written = []

    class Writer:
        def __init__(self, folder):
            written.append(folder)

        def add_scalar(self, name, value, global_step):
            written.append((name, value, global_step))

    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=Writer))
    callback = LogMetricsCallback("log", prefix)
    accuracy = mx.metric.Accuracy()
    accuracy.update([mx.nd.ones(2)], [mx.nd.ones(2)])
    for metric in (accuracy, None):
        callback(SimpleNamespace(epoch=3, eval_metric=metric))
    assert written == ["log", (tag, 1.0, 3)]
