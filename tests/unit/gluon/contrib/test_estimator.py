# SPDX-License-Identifier: Apache-2.0
"""Estimator and handlers: order of events, files, what is logged, when it ends."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest

import mxnova as mx
from mxnova import gluon
from mxnova.gluon.contrib import estimator as est

SAMPLES, BATCH = 20, 4
_R = np.random.RandomState(3)
DATA, LABEL = _R.rand(SAMPLES, 4).astype("float32"), _R.randint(0, 2, SAMPLES).astype("float32")
LOSS = gluon.loss.SoftmaxCrossEntropyLoss()


def loader(batch=BATCH):
    return gluon.data.DataLoader(gluon.data.ArrayDataset(DATA, LABEL), batch)


def network(initialized=True, hybrid=False):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(3, activation="tanh", in_units=4), gluon.nn.Dense(2, in_units=3))
    if initialized:
        net.initialize(mx.init.Constant(0.1))
    if hybrid:
        net.hybridize()
    return net


class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def estimator(net=None, trainer="sgd", **kwargs):
    net = net or network()
    if isinstance(trainer, str):
        trainer = gluon.Trainer(net.collect_params(), trainer, {"learning_rate": 0.1})
    made = est.Estimator(net, kwargs.pop("loss", LOSS), trainer=trainer, **kwargs)
    made.told = Lines()
    made.logger.handlers = [made.told]
    return made


def weights(net):
    return {name: p.data().asnumpy() for name, p in net.collect_params().items()}


class Recorder(est.TrainBegin, est.TrainEnd, est.EpochBegin, est.EpochEnd, est.BatchBegin, est.BatchEnd):  # fmt: skip
    def __init__(self, name="", priority=0, log=None):
        self.name, self.priority = name, priority
        self.log = [] if log is None else log

    def _note(self, event, kwargs):
        self.log.append((self.name + event, sorted(kwargs)))

    def train_begin(self, estimator, *args, **kwargs):
        self._note("train_begin", kwargs)

    def train_end(self, estimator, *args, **kwargs):
        self._note("train_end", kwargs)

    def epoch_begin(self, estimator, *args, **kwargs):
        self._note("epoch_begin", kwargs)

    def epoch_end(self, estimator, *args, **kwargs):
        self._note("epoch_end", kwargs)

    def batch_begin(self, estimator, *args, **kwargs):
        self._note("batch_begin", kwargs)

    def batch_end(self, estimator, *args, **kwargs):
        self._note("batch_end", kwargs)


# Training ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("hybrid", [False, True])
def test_fit_does_what_a_loop_does(hybrid):
    made = estimator(network(hybrid=hybrid), train_metrics=mx.metric.Accuracy())
    made.fit(loader(), epochs=3)
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(3):
        for data, label in loader():
            with mx.autograd.record():
                loss = LOSS(net(data), label)
            loss.backward()
            trainer.step(BATCH)
    for name, expected in weights(net).items():
        np.testing.assert_allclose(weights(made.net)[name], expected, rtol=1e-5)


@pytest.mark.parametrize("epochs, batches, seen", [(2, None, 10), (None, 3, 3), (None, 7, 7)])
def test_epochs_and_batches(epochs, batches, seen):
    recorder = Recorder()
    estimator().fit(loader(), epochs=epochs, batches=batches, event_handlers=recorder)
    events = [event for event, _ in recorder.log]
    assert events.count("batch_begin") == events.count("batch_end") == seen
    assert events.count("epoch_begin") == events.count("epoch_end") == -(-seen // 5)
    assert events[0] == "train_begin"
    assert events[-1] == "train_end"
    told = dict(recorder.log)
    assert told["batch_begin"] == ["batch"]
    assert told["batch_end"] == ["batch", "label", "loss", "pred"]


def test_handlers_are_called_in_order():
    log = []
    handlers = [Recorder("late ", 5, log), Recorder("first ", -3000, log), Recorder("", 0, log)]
    estimator().fit(loader(), batches=1, event_handlers=handlers)
    assert [event for event, _ in log][:3] == [
        "first train_begin",
        "train_begin",
        "late train_begin",
    ]


def test_gradients_are_there_before_the_update_and_weights_after():
    seen = []

    class Watch(est.BatchEnd):
        def __init__(self, priority):
            self.priority = priority

        def batch_end(self, estimator, *args, **kwargs):
            seen.append(weights(estimator.net)["net_dense1_weight"])

    made = estimator()
    before = weights(made.net)
    made.fit(loader(), batches=1, event_handlers=[Watch(-3000), Watch(0)])
    np.testing.assert_array_equal(seen[0], before["net_dense1_weight"])
    assert (seen[0] != seen[1]).any()


def test_all_handlers_hear_of_the_batch_that_ends_an_epoch():
    class End(est.BatchEnd):
        def batch_end(self, estimator, *args, **kwargs):
            return True

    recorder = Recorder(priority=1)
    estimator().fit(loader(), epochs=2, event_handlers=[End(), recorder])
    assert [event for event, _ in recorder.log].count("batch_end") == 2


def test_validation_of_another_network_and_loss():
    made = estimator(val_net=network(), val_loss=gluon.loss.SoftmaxCrossEntropyLoss(weight=2.0))
    made.evaluate(loader(5))
    once = made.val_metrics[1].get()[1]
    plain = estimator()
    plain.evaluate(loader(5))
    assert once == pytest.approx(2 * plain.val_metrics[1].get()[1])
    assert [m.name for m in made.val_metrics] == ["validation accuracy", "validation softmaxcrossentropyloss"]  # fmt: skip


def test_validation_every_so_often():
    made = estimator()
    calls = []
    handler = est.ValidationHandler(loader(), lambda **kwargs: calls.append(sorted(kwargs)), 2, 4)
    made.fit(loader(), epochs=3, event_handlers=handler)
    assert calls == [["batch_axis", "event_handlers", "val_data"]] * (15 // 4 + 3 // 2)


def test_evaluation_has_its_handlers():
    recorder = Recorder()
    made = estimator()
    made.evaluate(loader(5), event_handlers=[recorder])
    events = [event for event, _ in recorder.log]
    assert events == ["epoch_begin", *["batch_begin", "batch_end"] * 4, "epoch_end"]


def test_several_contexts():
    net = gluon.nn.Dense(2)
    net.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    made = estimator(net, context=[mx.cpu(0), mx.cpu(1)])
    made.fit(loader(), epochs=1)
    first, second = (net.weight.data(ctx).asnumpy() for ctx in made.context)
    np.testing.assert_array_equal(first, second)
    assert made.train_metrics[0].num_inst == SAMPLES


def test_own_batch_processor():
    class Twice(est.BatchProcessor):
        def fit_batch(self, estimator, train_batch, batch_axis=0):
            super().fit_batch(estimator, train_batch, batch_axis)
            return super().fit_batch(estimator, train_batch, batch_axis)

    made = estimator(batch_processor=Twice())
    made.fit(loader(), batches=2)
    assert made.train_metrics[0].num_inst == 2 * BATCH


# Logs --------------------------------------------------------------------------------------------

# The lines of MXNet 1.9.1, with times as patterns.
LOGGED = {
    "epoch": [
        r"Training begin: using optimizer SGD with current learning rate 0\.1000 ",
        r"Train for 2 epochs\.",
        *[
            line.format(epoch)
            for epoch in (0, 1)
            for line in (
                r"\[Epoch {}\] Begin, current learning rate: 0\.1000",
                "Validation Begin",
                r"\[Epoch 0\] Finished in \d+\.\d{{3}}s, validation accuracy: 0\.\d{{4}}",
                r"\[Epoch {}\] Finished in \d+\.\d{{3}}s, training accuracy: 0\.\d{{4}}",
            )
        ],
        r"Train finished using total \d+s with 2 epochs\. training accuracy: 0\.\d{4}",
    ],
    2: [
        r"Training begin: using optimizer SGD with current learning rate 0\.1000 ",
        r"Train for 3 batches\.",
        r"\[Epoch 0\] Begin, current learning rate: 0\.1000",
        r"\[Epoch 0\]\[Batch 0\]\[Samples 4\] time/interval: \d+\.\d{3}s training accuracy: \d\.\d{4}",
        r"\[Epoch 0\]\[Batch 2\]\[Samples 12\] time/interval: \d+\.\d{3}s training accuracy: \d\.\d{4}",
        r"\[Epoch 0\] Finished in \d+\.\d{3}s, training accuracy: \d\.\d{4}",
        r"Train finished using total \d+s with 1 epochs\. training accuracy: \d\.\d{4}",
    ],
}


@pytest.mark.parametrize("interval, given, val", [("epoch", {"epochs": 2}, True), (2, {"batches": 3}, False)])  # fmt: skip
def test_logs(interval, given, val):
    made = estimator(train_metrics=mx.metric.Accuracy())
    handler = est.LoggingHandler(interval, made.train_metrics)
    made.fit(loader(), loader(5) if val else None, event_handlers=handler, **given)
    assert len(made.told.lines) == len(LOGGED[interval])
    for line, expected in zip(made.told.lines, LOGGED[interval]):
        assert re.fullmatch(expected, line), (expected, line)


def test_logs_of_several_metrics_and_of_none():
    made = estimator(train_metrics=[mx.metric.Accuracy(), mx.metric.TopKAccuracy(2)])
    handler = est.LoggingHandler(1, made.train_metrics)
    made.fit(loader(), event_handlers=handler, batches=1)
    values = r"training accuracy: \d\.\d{4}, training top_k_accuracy_2: \d\.\d{4}"
    assert re.fullmatch(rf".*time/interval: \d\.\d{{3}}s {values}", made.told.lines[3])
    made = estimator()
    made.fit(loader(), event_handlers=est.LoggingHandler(1), batches=1)
    assert [re.sub(r"\d+\.\d+s", "T", line) for line in made.told.lines[2:]] == [
        "Validation Begin",  # as MXNet takes it without a metric of the training
        "[Epoch 0][Batch 0][Samples 4] time/interval: T",
        "[Epoch 0] Finished in T",
        "Train finished using total 0s with 1 epochs.",
    ]


def test_warnings():
    initialized = "^Network already fully initialized, skipping initialization"
    trainer = r"^No trainer specified, default SGD optimizer with learning rate 0\.001 is used\.$"
    net = network()
    with (
        pytest.warns(UserWarning, match=initialized),
        pytest.warns(UserWarning, match=trainer),
    ):
        est.Estimator(net, LOSS, initializer=mx.init.One())


def test_logs_of_checkpoints(tmp_path):
    made = estimator()
    monitor = made.train_metrics[0]
    options = {"verbose": 1, "save_best": True, "monitor": monitor, "mode": "max"}
    handler = est.CheckpointHandler(str(tmp_path), "net", **options)
    monitor.get = iter([("", 0.25), ("", 0.125)]).__next__
    handler.train_begin(made)
    for _ in range(2):
        handler.batch_end(made)
        handler.epoch_end(made)
    at = f"at {tmp_path} with prefix:"
    assert made.told.lines[1:] == [
        f"[Epoch 0] CheckpointHandler: trained total 1 batches, saving model {at} net-epoch0batch1",
        f"[Epoch 0] CheckpointHandler: {monitor.name} improved from -inf to 0.25000, "
        f"updating best model {at} net-best",
        f"[Epoch 1] CheckpointHandler: trained total 2 batches, saving model {at} net-epoch1batch2",
        f"[Epoch 1] CheckpointHandler: {monitor.name} did not improve from 0.25000, "
        "skipping updating best model",
    ]


def test_logs_are_printed(capsys):
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    est.Estimator(net, LOSS, trainer=trainer).fit(loader(), batches=1)
    assert "training accuracy" in capsys.readouterr().out


# Making ------------------------------------------------------------------------------------------


def test_default_metrics_and_names():
    names = [
        [m.name for m in metrics]
        for metrics in (estimator().train_metrics, estimator().val_metrics)
    ]
    assert names == [
        [f"{use} accuracy", f"{use} softmaxcrossentropyloss"] for use in ("training", "validation")
    ]
    made = estimator(loss=gluon.loss.L2Loss())
    assert [m.name for m in made.train_metrics] == ["training l2loss"]
    both = mx.metric.CompositeEvalMetric(["mse", "acc"])
    again = estimator(train_metrics=estimator(train_metrics=both).train_metrics)
    assert [m.name for m in again.train_metrics] == ["training mse", "training accuracy"]
    assert [m.name for m in again.val_metrics] == ["validation mse", "validation accuracy"]


def test_default_handlers():
    made = estimator()
    made.max_epoch = 1
    stopping = est.EarlyStoppingHandler(made.val_metrics[0], mode="max")
    handlers = made._prepare_default_handlers(loader(), [stopping])
    assert [type(h).__name__ for h in handlers] == [
        "GradientUpdateHandler",
        "MetricHandler",
        "ValidationHandler",
        "EarlyStoppingHandler",
        "StoppingHandler",
        "LoggingHandler",
    ]
    by_event = made._categorize_handlers(handlers)
    assert [len(each) for each in by_event] == [4, 2, 1, 5, 4, 2]


def test_parameters_are_initialized_once():
    net = network(initialized=False)
    with pytest.warns(UserWarning, match="No trainer specified"):
        made = est.Estimator(net, LOSS, initializer="ones")
    assert (net[0].weight.data().asnumpy() == 1).all()
    with pytest.warns(UserWarning, match="Network already fully initialized"):
        estimator(net, initializer="zeros")
    assert (net[0].weight.data().asnumpy() == 1).all()
    assert made.trainer.learning_rate == 0.001
    assert made.context == [mx.cpu()] or mx.num_gpus()


REFUSED = [
    ({"loss": "mse"}, ValueError, "loss='mse'"),
    ({"loss": [LOSS]}, ValueError, "must be a gluon.loss.Loss"),
    ({"val_loss": "mse"}, ValueError, "loss='mse'"),
    ({"train_metrics": "acc"}, ValueError, "metrics='acc'"),
    ({"val_metrics": [3]}, ValueError, r"metrics=\[3\]"),
    ({"trainer": gluon}, ValueError, "must be a gluon.Trainer"),
    ({"context": "cpu"}, ValueError, "context='cpu'"),
    ({"context": [mx.gpu(99)]}, AssertionError, r"context=gpu\(99\)"),
    ({"batch_processor": 3}, ValueError, "must have a method fit_batch"),
]


@pytest.mark.parametrize("kwargs, kind, text", REFUSED)
def test_refused(kwargs, kind, text):
    with pytest.raises(kind, match=text) as caught:
        estimator(**kwargs)
    assert isinstance(caught.value, mx.MXNetError)


REFUSED_BY_FIT = [
    ({}, "epochs=None, batches=None"),
    ({"epochs": 1, "batches": 2}, "epochs=1, batches=2"),
    ({"epochs": 1, "event_handlers": [3]}, r"event_handlers=\[3\]"),
    ({"epochs": 1, "val_data": [3]}, r"val_data=\[3\]"),
    (
        {"epochs": 1, "event_handlers": est.LoggingHandler(metrics=[mx.metric.RMSE("mine")])},
        "'mine'",
    ),  # fmt: skip
]


@pytest.mark.parametrize("kwargs, text", REFUSED_BY_FIT)
def test_fit_refuses(kwargs, text):
    made = estimator()
    before = weights(made.net)
    with pytest.raises(ValueError, match=text):
        made.fit(loader(), **kwargs)
    assert all((before[name] == value).all() for name, value in weights(made.net).items())


def test_only_loaders_are_taken():
    with pytest.raises(ValueError, match="train_data="):
        estimator().fit([1], epochs=1)
    with pytest.raises(ValueError, match="val_data="):
        estimator().evaluate([1])


def test_training_of_nothing_ends():
    empty = gluon.data.DataLoader(gluon.data.SimpleDataset([]), 2)
    with pytest.raises(ValueError, match="no batch"):
        estimator().fit(empty, batches=2)


@pytest.mark.parametrize("interval", ["other", 0, None])
def test_intervals(interval):
    with pytest.raises(ValueError, match="log_interval="):
        est.LoggingHandler(interval)


# Early stopping ----------------------------------------------------------------------------------


class Scripted(mx.metric.EvalMetric):
    values = (0.5, 0.6, 0.6, 0.55, 0.4, 0.7, 0.3, 0.2, 0.1)
    epoch = -1

    def update(self, labels, preds):
        pass

    def get(self):
        return self.name, self.values[max(self.epoch, 0)]


class NextEpoch(est.EpochEnd):
    priority = -1e9

    def __init__(self, source):
        self.source = source

    def epoch_end(self, estimator, *args, **kwargs):
        self.source.epoch += 1


STOPPED = [  # arguments, epochs that MXNet trains, the best value
    ({"mode": "max"}, 3, 0.6),
    ({"mode": "max", "patience": 1}, 3, 0.6),
    ({"mode": "min"}, 2, 0.5),
    ({"mode": "max", "baseline": 0.55}, 1, 0.55),
    ({"mode": "max", "min_delta": 0.2}, 2, 0.5),
    ({"mode": "max", "patience": 2, "min_delta": -0.1}, 8, 0.7),
]


@pytest.mark.parametrize("kwargs, epochs, best", STOPPED)
def test_early_stopping(kwargs, epochs, best):
    metric = Scripted("acc")
    made = estimator(train_metrics=metric)
    handler = est.EarlyStoppingHandler(metric, **kwargs)
    made.fit(loader(10), epochs=9, event_handlers=[handler, NextEpoch(metric)])
    assert (handler.current_epoch, handler.stopped_epoch) == (epochs, epochs - 1)
    assert handler.stop_training
    assert handler.best == best
    assert f"[Epoch {epochs - 1}] EarlyStoppingHanlder: early stopping due to training acc not improving" in made.told.lines  # fmt: skip


@pytest.mark.parametrize(
    "name, better", [("acc", np.greater), ("F1", np.greater), ("mse", np.less)]
)
def test_what_is_better_goes_by_the_name(name, better):
    with pytest.warns(UserWarning, match=f"{name}: a {better.__name__} value"):
        assert est.EarlyStoppingHandler(Scripted(name)).monitor_op is better
    with (
        pytest.warns(RuntimeWarning, match="mode='other'"),
        pytest.warns(UserWarning, match=better.__name__),
    ):
        assert est.EarlyStoppingHandler(Scripted(name), mode="other").monitor_op is better


def test_metrics_without_values_stop_nothing():
    made = estimator()
    handler = est.EarlyStoppingHandler(made.val_metrics[0], mode="max")
    with pytest.warns(RuntimeWarning, match="validation accuracy has no value yet"):
        made.fit(loader(), epochs=3, event_handlers=handler)
    assert handler.current_epoch == 3


@pytest.mark.parametrize("monitor", [3, None, mx.metric.CompositeEvalMetric()])
def test_monitors_are_single_metrics(monitor):
    with pytest.raises(ValueError, match="monitor="):
        est.EarlyStoppingHandler(monitor)
    with pytest.raises(ValueError, match="monitor="):
        est.CheckpointHandler("nowhere", monitor=monitor, save_best=True)


# Checkpoints -------------------------------------------------------------------------------------

FILES = [  # arguments, what fit trains, checkpoints that MXNet keeps
    ({}, {"epochs": 3}, ["epoch0batch5", "epoch1batch10", "epoch2batch15"]),
    ({"epoch_period": 2}, {"epochs": 3}, ["epoch1batch10"]),
    (
        {"epoch_period": None, "batch_period": 2, "max_checkpoints": 2},
        {"epochs": 3},
        ["epoch2batch11", "epoch2batch13"],
    ),
    (
        {"epoch_period": None, "batch_period": 1, "max_checkpoints": 2},
        {"batches": 7},
        ["epoch1batch5", "epoch1batch6"],
    ),
]


@pytest.mark.parametrize("kwargs, given, names", FILES)
@pytest.mark.parametrize("hybrid", [False, True])
def test_checkpoints(tmp_path, kwargs, given, names, hybrid):
    made = estimator(network(hybrid=hybrid))
    handler = est.CheckpointHandler(str(tmp_path / "some"), "net", **kwargs)
    made.fit(loader(), event_handlers=handler, **given)
    files = {f"net-{name}.{ending}" for name in names for ending in ("params", "states")}
    assert {path.name for path in (tmp_path / "some").iterdir()} == files | (
        {"net-symbol.json"} if hybrid else set()
    )
    assert handler.saved_checkpoints == [f"net-{name}" for name in names]
    last = network()
    last.load_parameters(str(tmp_path / "some" / f"net-{names[-1]}.params"))
    if hybrid:
        symbol = mx.sym.load(str(tmp_path / "some" / "net-symbol.json"))
        assert symbol.list_arguments() == ["data", *made.net.collect_params()]


def test_the_best_is_kept(tmp_path):
    metric = Scripted("acc")
    made = estimator(train_metrics=metric)
    handler = est.CheckpointHandler(str(tmp_path), monitor=metric, save_best=True, mode="max", verbose=1, max_checkpoints=1)  # fmt: skip
    kept = {}

    class Watch(est.EpochEnd):
        priority = 1

        def epoch_end(self, estimator, *args, **kwargs):
            kept[metric.epoch] = weights(estimator.net)

    made.fit(loader(), epochs=7, event_handlers=[handler, NextEpoch(metric), Watch()])
    assert handler.best == 0.7
    net = network()
    net.load_parameters(str(tmp_path / "model-best.params"))
    for name, value in weights(net).items():
        np.testing.assert_array_equal(value, kept[5][name])
    assert sum("improved from" in line for line in made.told.lines) == 3
    assert (tmp_path / "model-best.states").exists()


GOING_ON = [  # of a checkpoint each epoch or each batch; first, all of it; what is left
    ({}, {"epochs": 2}, {"epochs": 5}, (3, None), "epoch4batch25"),
    ({"epoch_period": None, "batch_period": 1}, {"batches": 7}, {"batches": 12}, (None, 5), "epoch2batch11"),
]  # fmt: skip


@pytest.mark.parametrize("kwargs, first, whole, left, last", GOING_ON)
def test_going_on(tmp_path, kwargs, first, whole, left, last):
    made = estimator(trainer="adam")
    made.fit(loader(), event_handlers=est.CheckpointHandler(str(tmp_path), **kwargs), **first)
    again = estimator(trainer="adam")
    handler = est.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True, verbose=1, **kwargs)
    again.fit(loader(), event_handlers=handler, **whole)
    assert (again.max_epoch, again.max_batch) == left
    assert handler.saved_checkpoints[-1] == f"model-{last}"
    assert again.told.lines[0].startswith(
        "CheckpointHandler: Checkpoint resumed from epoch 1 batch"
    )
    if "epochs" in whole:  # batches start at the first one again
        straight = estimator(trainer="adam")
        straight.fit(loader(), **whole)
        for name, value in weights(again.net).items():
            np.testing.assert_allclose(value, weights(straight.net)[name], rtol=1e-5)
    finished = estimator(trainer="adam")
    with pytest.raises(ValueError, match=f"model-{last} has been trained"):
        finished.fit(loader(), event_handlers=handler, **first)


def test_going_on_from_shards(tmp_path):
    """A checkpoint each batch, of which the last two and the best are kept."""
    options = {"epoch_period": None, "batch_period": 1, "max_checkpoints": 2, "shards": True}
    made = estimator(trainer="adam")
    handler = est.CheckpointHandler(
        str(tmp_path), monitor=made.train_metrics[-1], save_best=True, mode="min", **options
    )
    made.fit(loader(), batches=7, event_handlers=handler)
    assert mx.checkpoint.steps(tmp_path / "model") == [6, 7]
    assert len(mx.checkpoint.steps(tmp_path / "model-best")) == 1
    again = estimator(trainer="adam")
    handler = est.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True, **options)
    again.fit(loader(), batches=12, event_handlers=handler)
    assert mx.checkpoint.steps(tmp_path / "model") == [11, 12]
    assert again.max_batch == 5
    finished = estimator(trainer="adam")
    with pytest.raises(ValueError, match="has been trained for the 12 batches already"):
        finished.fit(loader(), batches=12, event_handlers=handler)


def test_going_on_from_nothing(tmp_path):
    (tmp_path / "model-epoch7batch3.params").touch()  # without the trainer's states
    made = estimator()
    handler = est.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    made.fit(loader(), epochs=1, event_handlers=handler)
    text = "CheckpointHandler: No checkpoint found, training from scratch for 1 epochs"
    assert made.told.lines[0] == text
    assert handler.saved_checkpoints == ["model-epoch0batch4"]
