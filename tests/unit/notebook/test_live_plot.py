# SPDX-License-Identifier: Apache-2.0
import builtins
import sys
import types

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.gluon.contrib.estimator import Estimator, LivePlotHandler

pytest.importorskip("matplotlib")

X = np.random.RandomState(0).rand(40, 4).astype("f")
Y = (np.arange(40) % 2).astype("f")


def test_values_are_kept_by_name_and_step():
    plot = mx.notebook.LivePlot()
    plot.add(loss=1)
    plot.add(loss=mx.nd.array([0.5]), validation_loss=np.float32(2))
    plot.add(7, loss=0.25)
    assert plot.values("loss") == ([0, 1, 7], [1, 0.5, 0.25])
    assert plot.values("validation_loss") == ([0], [2])


def test_fit_gives_metrics_of_training_and_validation():
    data = mx.io.NDArrayIter(X, Y, 4)
    net = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax"
    )
    plot = mx.notebook.LivePlot(frequent=5)
    module = mx.mod.Module(net)
    module.fit(data, data, num_epoch=2, eval_metric=["acc", "ce"], **plot.callback_args())
    assert plot.values("accuracy")[0] == [5, 10, 15, 20]
    assert plot.values("validation_cross-entropy")[0] == [10, 20]
    assert [axes.get_title() for axes in plot.figure().axes] == ["accuracy", "cross-entropy"]
    assert [line.get_label() for line in plot.figure().axes[0].lines] == ["training", "validation"]


def test_estimators_give_theirs():
    net = mx.gluon.nn.Dense(2)
    net.initialize()
    loader = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(X, Y), 8)
    handler = LivePlotHandler(mx.notebook.LivePlot(frequent=2))
    accuracy = mx.metric.Accuracy
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    estimator = Estimator(
        net, mx.gluon.loss.SoftmaxCrossEntropyLoss(), accuracy(), accuracy(), trainer=trainer
    )
    estimator.fit(loader, loader, epochs=2, event_handlers=[handler])
    assert handler.plot.values("accuracy")[0] == [2, 4, 6, 8, 10]
    assert handler.plot.values("validation accuracy")[0] == [5, 10]


@pytest.mark.parametrize("kind, begin", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_are_written(tmp_path, kind, begin):
    plot = mx.notebook.LivePlot()
    plot.add(loss=1)
    plot.save(tmp_path / f"plot.{kind}")
    assert (tmp_path / f"plot.{kind}").read_bytes().startswith(begin)


def test_a_notebook_shows_one_picture_that_grows(monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=lambda picture: shown.append(("update", picture)))

    def display(picture, display_id):
        shown.append(("display", picture))
        return handle

    module = types.SimpleNamespace(SVG=lambda text: text, display=display)
    monkeypatch.setitem(
        sys.modules, "IPython", types.SimpleNamespace(get_ipython=object, version_info=(9, 0))
    )
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    plot = mx.notebook.LivePlot(every=0)
    plot.add(loss=1)
    plot.add(loss=2)
    assert [what for what, _ in shown] == ["display", "update"]
    assert all("<svg" in picture for _, picture in shown)
    slow = mx.notebook.LivePlot(every=1000)
    slow.add(loss=1)
    slow.add(loss=2)
    assert [what for what, _ in shown] == ["display", "update", "display"]


@pytest.mark.parametrize(
    "call, reason",
    [
        (lambda plot: plot.add(loss="x"), "LivePlot.add: loss='x': must be a number"),
        (
            lambda plot: plot.add(loss=mx.nd.ones(2)),
            "(?s)LivePlot.add: loss=.*: must be a number, or an array of one",
        ),
        (lambda plot: plot.save("plot.bmp"), r"LivePlot.save: path='plot.bmp': must end in .png"),
        (lambda plot: type(plot)(frequent=0), "LivePlot: frequent=0: must be at least 1"),
        (lambda plot: type(plot)(every=-1), "LivePlot: every=-1"),
    ],
)
def test_what_it_does_not_take(call, reason):
    plot = mx.notebook.LivePlot()
    with pytest.raises(ArgumentError, match=reason):
        call(plot)
    with pytest.raises(KeyError):
        plot.values("loss")


def test_without_matplotlib(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(
        MXNetError,
        match=r"the package matplotlib is not installed: pip install 'mxnova\[notebook\]'",
    ):
        mx.notebook.LivePlot()
