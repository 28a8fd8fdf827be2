# SPDX-License-Identifier: Apache-2.0
"""Callbacks for notebooks: metrics as tables of pandas, and as curves of bokeh that grow.

Both packages are looked for when one of these classes is used.
"""

from __future__ import annotations

import datetime
import importlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..checkpoint import BatchEndParam
from ..core.base.doors import facade
from ..core.base.errors import MXNetError

__all__ = [
    "LiveBokehChart",
    "LiveLearningCurve",
    "LiveTimeSeries",
    "PandasLogger",
    "args_wrapper",
]

Callbacks = dict[str, Callable[..., None]]


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        top = name.partition(".")[0]
        needed = f"needs the package {top}: pip install {top}"
        raise MXNetError(f"mx.notebook {needed} ({error})") from None


class PandasLogger:
    """Keeps metrics in tables: a row for every so many batches, for every validation and epoch.

    Args:
        batch_size: samples in a batch.
        frequent: how many batches there are from one row to the next.

    Raises:
        MXNetError: pandas is not there.
    """

    def __init__(self, batch_size: int, frequent: int = 50) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self._dataframes = {name: _package("pandas").DataFrame() for name in _TABLES}
        self.last_time = time.time()
        self.start_time = datetime.datetime.now()
        self.last_epoch_time = datetime.datetime.now()

    @property
    def train_df(self) -> Any:
        """The table of batches."""
        return self._dataframes["train"]

    @property
    def eval_df(self) -> Any:
        """The table of validations."""
        return self._dataframes["eval"]

    @property
    def epoch_df(self) -> Any:
        """The table of epochs."""
        return self._dataframes["epoch"]

    @property
    def all_dataframes(self) -> Mapping[str, Any]:
        """The tables, by name."""
        return self._dataframes

    def elapsed(self) -> datetime.timedelta:
        """The time since this was made."""
        return datetime.datetime.now() - self.start_time

    def append_metrics(self, metrics: Mapping[str, Any], df_name: str) -> None:
        """Adds a row to a table: train, eval or epoch; new names become columns."""
        pandas, table = _package("pandas"), self._dataframes[df_name]
        row = pandas.DataFrame([metrics], index=[len(table)])
        self._dataframes[df_name] = pandas.concat([table, row]) if len(table) else row

    def train_cb(self, param: BatchEndParam) -> None:
        """Takes the end of a batch."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")

    def eval_cb(self, param: BatchEndParam) -> None:
        """Takes the end of a validation."""
        self._process_batch(param, "eval")

    def _process_batch(self, param: BatchEndParam, dataframe: str) -> None:
        now = time.time()
        metrics = _values(param.eval_metric)
        speed = self.frequent / max(now - self.last_time, 1e-9)
        metrics["batches_per_sec"] = speed
        metrics["records_per_sec"] = speed * self.batch_size
        metrics["elapsed"] = self.elapsed()
        metrics["minibatch_count"] = param.nbatch
        metrics["epoch"] = param.epoch
        self.append_metrics(metrics, dataframe)
        self.last_time = now

    def epoch_cb(self, *_epoch: Any) -> None:
        """Takes the end of an epoch."""
        now = datetime.datetime.now()
        times = {"elapsed": self.elapsed(), "epoch_time": now - self.last_epoch_time}
        self.append_metrics(times, "epoch")
        self.last_epoch_time = now

    def callback_args(self) -> Callbacks:
        """The callbacks, as arguments of `fit`."""
        return {
            "batch_end_callback": self.train_cb,
            "eval_end_callback": self.eval_cb,
            "epoch_end_callback": self.epoch_cb,
        }


_TABLES = ("train", "eval", "epoch")


def _values(metric: Any) -> dict[str, Any]:
    return {} if metric is None else dict(metric.get_name_value())


class LiveBokehChart:
    """A chart in a notebook that grows while a program runs; a subclass draws it.

    Args:
        pandas_logger: whose tables are shown; None makes one.
        metric_name: of the metric that is shown.
        display_freq: seconds from one drawing to the next.
        batch_size: samples in a batch, for the logger.
        frequent: how many batches there are from one row of the logger to the next.

    Raises:
        MXNetError: bokeh is not there.
    """

    def __init__(
        self,
        pandas_logger: PandasLogger | None,
        metric_name: str | None,
        display_freq: float = 10,
        batch_size: int | None = None,
        frequent: int = 50,
    ) -> None:
        self.pandas_logger = pandas_logger or PandasLogger(batch_size or 1, frequent)
        self._start(metric_name, display_freq, frequent)

    def _start(self, metric_name: str | None, display_freq: float, frequent: int) -> None:
        self.metric_name = metric_name
        self.display_freq = display_freq
        self.frequent = frequent
        self.start_time = datetime.datetime.now()
        self.last_update = time.time()
        self._io = _package("bokeh.io")
        self._io.output_notebook(hide_banner=True)
        self.setup_chart()
        self.handle = self._io.show(self.fig, notebook_handle=True)

    def _figure(self, **options: Any) -> None:
        """Makes `fig`, and `sources`: what its curves are drawn from, by name."""
        self.fig: Any = _package("bokeh.plotting").figure(**options)
        self.sources: dict[str, Any] = {}

    def _curve(self, name: str, color: str, **options: Any) -> None:
        source = _package("bokeh.models").ColumnDataSource({"elapsed": [], "value": []})
        self.fig.line("elapsed", "value", source=source, color=color, line_width=2, **options)
        self.sources[name] = source

    def elapsed(self) -> float:
        """Seconds since this was made."""
        return (datetime.datetime.now() - self.start_time).total_seconds()

    def setup_chart(self) -> None:
        """Makes `fig`."""
        raise NotImplementedError(f"{type(self).__name__} defines no setup_chart")

    def update_chart_data(self) -> None:
        """Takes what is new into the chart."""
        raise NotImplementedError(f"{type(self).__name__} defines no update_chart_data")

    def interval_elapsed(self) -> bool:
        """Whether it is time to draw again."""
        return time.time() - self.last_update > self.display_freq

    def _push_render(self) -> None:
        self._io.push_notebook(handle=self.handle)
        self.last_update = time.time()

    def _do_update(self) -> None:
        self.update_chart_data()
        self._push_render()

    def batch_cb(self, param: BatchEndParam) -> None:
        """Takes the end of a batch."""
        if self.interval_elapsed():
            self._do_update()

    def eval_cb(self, param: BatchEndParam) -> None:
        """Takes the end of a validation."""
        self._do_update()

    def callback_args(self) -> Callbacks:
        """The callbacks, as arguments of `fit`."""
        return {"batch_end_callback": self.batch_cb, "eval_end_callback": self.eval_cb}


class LiveTimeSeries(LiveBokehChart):
    """A curve of values that the program gives to `update_chart_data`.

    Args:
        fig_params: of bokeh's figure.
    """

    def __init__(self, **fig_params: Any) -> None:
        self.fig_params = fig_params
        self._start(None, 10, 50)

    def setup_chart(self) -> None:
        """Makes `fig`."""
        self._figure(**{"x_axis_label": "Elapsed time", **self.fig_params})
        self._curve("values", "navy")

    def update_chart_data(self, value: float) -> None:  # type: ignore[override]
        """Adds a value, and draws it."""
        self.sources["values"].stream({"elapsed": [self.elapsed()], "value": [value]})
        self._push_render()


class LiveLearningCurve(LiveBokehChart):
    """A metric's curves over time: of training, and of validations.

    Args:
        metric_name: of the metric.
        display_freq: seconds from one drawing to the next.
        frequent: how many batches there are from one point to the next.
    """

    def __init__(self, metric_name: str, display_freq: float = 10, frequent: int = 50) -> None:
        self._new: dict[str, dict[str, list[float]]] = {}
        self._start(metric_name, display_freq, frequent)

    def setup_chart(self) -> None:
        """Makes `fig`."""
        self._figure(x_axis_label="Elapsed time", y_axis_label=self.metric_name)
        self._curve("train", "navy", line_dash="dotted", legend_label="train")
        self._curve("eval", "crimson", legend_label="validation")
        self.fig.legend.location = "bottom_right"

    def batch_cb(self, param: BatchEndParam) -> None:
        """Takes the end of a batch."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")
        super().batch_cb(param)

    def eval_cb(self, param: BatchEndParam) -> None:
        """Takes the end of a validation."""
        self._process_batch(param, "eval")
        super().eval_cb(param)

    def _process_batch(self, param: BatchEndParam, df_name: str) -> None:
        values = _values(param.eval_metric)
        if self.metric_name in values:
            new = self._new.setdefault(df_name, {"elapsed": [], "value": []})
            new["elapsed"].append(self.elapsed())
            new["value"].append(values[self.metric_name])

    def update_chart_data(self) -> None:
        """Takes what is new into the chart."""
        for name, points in self._new.items():
            self.sources[name].stream(points)
        self._new = {}


def args_wrapper(*args: Any) -> dict[str, list[Callable[..., None]]]:
    """The callbacks of several of these together, as arguments of `fit`."""
    found: dict[str, list[Callable[..., None]]] = {}
    for logger in args:
        for name, callback in logger.callback_args().items():
            found.setdefault(name, []).append(callback)
    return found


facade(__name__)
