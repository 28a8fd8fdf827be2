# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.gluon.contrib.estimator import BatchBegin as BatchBegin
from mxnova.gluon.contrib.estimator import BatchEnd as BatchEnd
from mxnova.gluon.contrib.estimator import CheckpointHandler as CheckpointHandler
from mxnova.gluon.contrib.estimator import EarlyStoppingHandler as EarlyStoppingHandler
from mxnova.gluon.contrib.estimator import EpochBegin as EpochBegin
from mxnova.gluon.contrib.estimator import EpochEnd as EpochEnd
class EventHandler:
    ...
from mxnova.gluon.contrib.estimator import GradientUpdateHandler as GradientUpdateHandler
from mxnova.gluon.contrib.estimator import LivePlotHandler as LivePlotHandler
from mxnova.gluon.contrib.estimator import LoggingHandler as LoggingHandler
from mxnova.gluon.contrib.estimator import MetricHandler as MetricHandler
from mxnova.gluon.contrib.estimator import StoppingHandler as StoppingHandler
from mxnova.gluon.contrib.estimator import TrainBegin as TrainBegin
from mxnova.gluon.contrib.estimator import TrainEnd as TrainEnd
from mxnova.gluon.contrib.estimator import ValidationHandler as ValidationHandler
def _check_event_handlers(handlers: Any) -> list[EventHandler]: ...
