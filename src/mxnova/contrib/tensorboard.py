# SPDX-License-Identifier: Apache-2.0
"""Metrics for TensorBoard."""

from __future__ import annotations

import importlib
from typing import Any

from ..core.base.doors import facade
from ..core.base.errors import MXNetError

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """Writes the metrics after a batch, or an epoch, into event files; a callback for `fit`.

    Args:
        logging_dir: directory of the files.
        prefix: what names of metrics begin with: ``train``, ``eval``.

    Raises:
        MXNetError: neither tensorboardX nor mxboard is there.
    """

    def __init__(self, logging_dir: str, prefix: str | None = None) -> None:
        self.prefix = prefix
        self.summary_writer = _writer()(logging_dir)

    def __call__(self, param: Any) -> None:
        """Writes the metrics of `param.eval_metric`, at the step `param.epoch`, as MXNet does."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            tag = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(tag, value, global_step=param.epoch)


def _writer() -> Any:
    for package in ("tensorboardX", "mxboard"):
        try:
            return importlib.import_module(package).SummaryWriter
        except ImportError:
            continue
    raise MXNetError(
        "contrib.tensorboard writes with the package tensorboardX: pip install tensorboardX"
    )


facade(__name__)
