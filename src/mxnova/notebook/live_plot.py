# SPDX-License-Identifier: Apache-2.0
"""Curves of a training that grow while it runs, drawn by matplotlib."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from ..checkpoint import BatchEndParam
from ..core.base.errors import argument_error
from ..core.base.packages import require_package
from ..formats.atomic import replacing

__all__ = ["LivePlot"]

_VALIDATION = "validation "


class LivePlot:
    """Curves of losses and metrics that grow in a notebook, and can be written to a file anywhere.

    A panel shows one value, of training and of validation. In a loop of your own, give values to
    `add`; `Module.fit` takes ``**plot.callback_args()``; the Estimator takes
    `gluon.contrib.estimator.LivePlotHandler(plot)`.

    Args:
        every: seconds from one drawing to the next.
        frequent: how many batches of `fit` there are from one point to the next.

    Raises:
        MXNetError: matplotlib is not there (extra ``notebook``).

    Example:
        >>> plot = mx.notebook.LivePlot()
        >>> for step in range(3): plot.add(step, loss=1 / (1 + step))
        >>> plot.values("loss")
        ([0, 1, 2], [1.0, 0.5, 0.3333333333333333])
    """

    def __init__(self, every: float = 1.0, frequent: int = 10) -> None:
        if not every >= 0:
            raise argument_error("LivePlot", "every", every, "must be a number of seconds")
        if not isinstance(frequent, int) or frequent < 1:
            raise argument_error("LivePlot", "frequent", frequent, "must be at least 1")
        matplotlib = require_package("matplotlib.figure", "mx.notebook.LivePlot", "notebook")
        self._figure_of: Callable[..., Any] = matplotlib.figure.Figure
        self.every = every
        self.frequent = frequent
        self._curves: dict[str, tuple[list[float], list[float]]] = {}
        self._handle: Any = None
        self._drawn_at = 0.0
        self._n_batches = 0

    def add(self, step: float | None = None, **values: Any) -> None:
        """Takes values, and draws when it is time to.

        Args:
            step: where on the x axis; default: one after the last.
            **values: numbers, or arrays of one element, by name; ``validation_x`` is drawn beside
                ``x``.

        Raises:
            ArgumentError: a value is no number.
        """
        numbers = {name: _number(name, value) for name, value in values.items()}
        for name, number in numbers.items():
            steps, curve = self._curves.setdefault(_curve_of(name), ([], []))
            steps.append(step if step is not None else steps[-1] + 1 if steps else 0)
            curve.append(number)
        if time.monotonic() - self._drawn_at >= self.every:
            self.draw()

    def values(self, name: str) -> tuple[list[float], list[float]]:
        """Steps and values of a curve."""
        steps, curve = self._curves[_curve_of(name)]
        return list(steps), list(curve)

    # What calls it -------------------------------------------------------------------------------

    def callback_args(self) -> dict[str, Callable[[BatchEndParam], None]]:
        """The callbacks, as arguments of `Module.fit`."""
        return {"batch_end_callback": self._batch_end, "eval_end_callback": self._eval_end}

    def _batch_end(self, param: BatchEndParam) -> None:
        self._n_batches += 1
        if self._n_batches % self.frequent == 0 and param.eval_metric is not None:
            self.add(self._n_batches, **dict(param.eval_metric.get_name_value()))

    def _eval_end(self, param: BatchEndParam) -> None:
        if param.eval_metric is not None:
            values = param.eval_metric.get_name_value()
            self.add(self._n_batches, **{f"validation_{name}": v for name, v in values})
            self.draw()

    # Drawing -------------------------------------------------------------------------------------

    def figure(self) -> Any:
        """A `matplotlib.figure.Figure` of what it has now."""
        names = list(dict.fromkeys(name.removeprefix(_VALIDATION) for name in self._curves))
        figure = self._figure_of(figsize=(4.5 * max(len(names), 1), 3), layout="constrained")
        for i, name in enumerate(names):
            axes = figure.add_subplot(1, len(names), i + 1, title=name, xlabel="step")
            for curve, label in ((name, "training"), (_VALIDATION + name, "validation")):
                if curve in self._curves:
                    marker = "o" if len(self._curves[curve][0]) == 1 else None
                    axes.plot(*self._curves[curve], label=label, marker=marker)
            axes.grid(alpha=0.3)
            axes.legend()
        return figure

    def draw(self) -> None:
        """Shows what it has now, in a notebook; elsewhere nothing."""
        self._drawn_at = time.monotonic()
        display = sys.modules.get("IPython.display")
        if display is None or sys.modules["IPython"].get_ipython() is None:
            return
        picture = display.SVG(self._repr_svg_())
        if self._handle is None:
            self._handle = display.display(picture, display_id=True)
        else:
            self._handle.update(picture)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the curves to a file: .png, .svg or .pdf.

        Args:
            path: where to; nothing is left of a picture that could not be written whole.
        """
        kind = os.path.splitext(os.fspath(path))[1][1:].lower()
        if kind not in ("png", "svg", "pdf"):
            raise argument_error("LivePlot.save", "path", path, "must end in .png, .svg or .pdf")
        content = self._rendered(kind)
        with replacing(path) as file:
            file.write(content)

    def _repr_svg_(self) -> str:
        return self._rendered("svg").decode()

    def _rendered(self, kind: str) -> bytes:
        content = io.BytesIO()
        self.figure().savefig(content, format=kind)
        return content.getvalue()


def _curve_of(name: str) -> str:
    """The name of a curve: Estimators call metrics ``training x`` and ``validation x``."""
    return name.removeprefix("training ").replace("validation_", _VALIDATION)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        expected = "must be a number, or an array of one element"
        raise argument_error("LivePlot.add", name, value, expected) from None
