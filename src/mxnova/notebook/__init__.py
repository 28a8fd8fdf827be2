# SPDX-License-Identifier: Apache-2.0
"""What shows the progress of training in notebooks."""

from . import callback
from .live_plot import LivePlot

__all__ = ["LivePlot", "callback"]
