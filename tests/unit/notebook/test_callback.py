# SPDX-License-Identifier: Apache-2.0
"""Tables and curves of what is learnt; packages that show them are stood in for."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import mxnova as mx
from mxnova.notebook import callback


class Table(list):
    """As much of a DataFrame as is used: rows that are dicts."""

    def __init__(self, rows=(), index=None):
        super().__init__(map(dict, rows))
        self.index = index


class Source:
    def __init__(self, data):
        self.data = data

    def stream(self, new):
        for name, values in new.items():
            self.data[name] = self.data[name] + values


class Figure(SimpleNamespace):
    def __init__(self, **options):
        super().__init__(options=options, lines=[], legend=SimpleNamespace())

    def line(self, x, y, source, **options):
        self.lines.append((x, y, options.get("legend_label")))


@pytest.fixture
def packages(monkeypatch):
    pushed = []
    modules = {
        "pandas": {
            "DataFrame": Table,
            "concat": lambda tables: Table(row for table in tables for row in table),
        },
        "bokeh": {},
        "bokeh.io": {
            "output_notebook": lambda hide_banner: None,
            "show": lambda figure, notebook_handle: figure,
            "push_notebook": lambda handle: pushed.append(handle),
        },
        "bokeh.plotting": {"figure": Figure},
        "bokeh.models": {"ColumnDataSource": Source},
    }
    for name, names in modules.items():
        module = ModuleType(name)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, name, module)
    return pushed


def fit(**options):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    module = mx.mod.Module(mx.sym.SoftmaxOutput(net, name="softmax"))
    batches = mx.io.NDArrayIter(np.ones((60, 3)), np.arange(60) % 2, 10)
    module.fit(batches, eval_data=batches, num_epoch=2, **options)


def test_a_logger_has_rows_of_batches_validations_and_epochs(packages):
    logger = callback.PandasLogger(batch_size=10, frequent=2)
    fit(**logger.callback_args())
    assert [row["minibatch_count"] for row in logger.train_df] == [0, 2, 4] * 2
    assert [row["epoch"] for row in logger.eval_df] == [0, 1]
    assert all(0 <= row["accuracy"] <= 1 for row in (*logger.train_df, *logger.eval_df))
    for row in logger.train_df:
        assert row["records_per_sec"] == pytest.approx(10 * row["batches_per_sec"])
    assert [set(row) for row in logger.epoch_df] == [{"elapsed", "epoch_time"}] * 2
    assert [*logger.all_dataframes] == ["train", "eval", "epoch"]


def test_several_are_called_in_turn(packages):
    loggers = [callback.PandasLogger(10, frequent) for frequent in (1, 3)]
    fit(**callback.args_wrapper(*loggers))
    assert [len(logger.train_df) for logger in loggers] == [12, 4]


def test_a_learning_curve_has_points_of_training_and_validation(packages):
    curve = callback.LiveLearningCurve("accuracy", display_freq=-1, frequent=3)
    fit(**curve.callback_args())
    assert [line[2] for line in curve.fig.lines] == ["train", "validation"]
    assert len(curve.sources["train"].data["value"]) == 4
    assert len(curve.sources["eval"].data["value"]) == 2
    assert len(packages) == 14  # every batch, every validation
    elapsed = curve.sources["train"].data["elapsed"]
    assert elapsed == sorted(elapsed)


def test_a_time_series_takes_values_of_the_program(packages):
    series = callback.LiveTimeSeries(title="loss")
    for value in (3.0, 2.0):
        series.update_chart_data(value)
    assert series.sources["values"].data["value"] == [3.0, 2.0]
    assert series.fig.options["title"] == "loss"
    assert len(packages) == 2


@pytest.mark.parametrize(
    "make, package",
    [
        (lambda: callback.PandasLogger(10), "pandas"),
        (lambda: callback.LiveLearningCurve("accuracy"), "bokeh"),
    ],
)
def test_a_missing_package_is_named(make, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.io", None)
    with pytest.raises(mx.MXNetError, match=f"pip install {package}"):
        make()


def test_a_chart_without_a_drawing_says_so(packages):
    with pytest.raises(NotImplementedError, match="setup_chart"):
        callback.LiveBokehChart(None, "accuracy")
