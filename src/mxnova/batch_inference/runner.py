# SPDX-License-Identifier: Apache-2.0
"""A model run on batches of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..artefacts.inference_model import InferenceModel, Shape
from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.shapes import shape_text
from .reading import Array

if TYPE_CHECKING:
    from ..predictor import Predictor

__all__ = ["Runner"]

_BATCH = 8


class Runner:
    """Feeds a model's only input with rows.

    Args:
        model: the model.
        batch: rows that are run at once; None: 8, or what the model fixes.
        shape: of the input, instead of what the model notes; words for sizes that are open.

    Attributes:
        batch: rows that are run at once.
        name: of the input.
        shape: of the input; None: that of the items.
        fixed: rows that the model takes, and no other number; None: any.
        predictor: made for the first batch; None before.

    Raises:
        ArgumentError: the model takes another number of rows, or has several inputs.
    """

    def __init__(
        self, model: InferenceModel, batch: int | None = None, shape: Shape | None = None
    ) -> None:
        self._model = model
        self.name = model.only_input()
        self.shape = shape or model.shapes.get(self.name)
        self.fixed = self.shape[0] if self.shape and isinstance(self.shape[0], int) else None
        if batch is not None and self.fixed not in (None, batch):
            raise ArgumentError(
                f"--batch {batch}: the model's input has shape "
                f"[{','.join(map(str, self.shape or ()))}]: {self.fixed} rows at once"
            )
        self.batch = batch or self.fixed or _BATCH
        self.predictor: Predictor | None = None
        self._runs: dict[tuple[int, ...], list[int]] = {}  # sizes of batches, by shapes of rows
        self._shares: dict[tuple[int, ...], bool] = {}

    def fitted(self, values: Array) -> Array:
        """An item as one row, a first axis of 1 included.

        Raises:
            ArgumentError: the input has another shape.
        """
        shape = self.shape
        if shape is None:
            return values if values.ndim > 1 and len(values) == 1 else values[None]
        row = values if values.ndim == len(shape) else values[None]
        fits = row.ndim == len(shape) and len(row) == 1
        sizes = zip(row.shape[1:], shape[1:], strict=False)
        if not fits or any(isinstance(wanted, int) and size != wanted for size, wanted in sizes):
            told = ",".join(map(str, ("1", *shape[1:])))
            raise ArgumentError(f"has shape {shape_text(values.shape)}; the model takes [{told}]")
        return row

    def __call__(self, rows: Sequence[Array]) -> list[list[Array] | str]:
        """The outputs for each row, or why there are none.

        Args:
            rows: from `fitted`, of one shape.

        Raises:
            MXNetError: the model cannot be loaded, or does not take the shape that it is said to
                have.
        """
        row_shape = rows[0].shape[1:]
        if row_shape not in self._shares:
            self._shares[row_shape] = self._model.shares_runs(self.name, row_shape)
        if not self._shares[row_shape] and len(rows) > 1:
            return [result for row in rows for result in self([row])]
        try:
            return [*self._run(rows, self._shares[row_shape])]
        except MXNetError as error:
            if self.predictor is None and self.shape is not None:
                raise
            if len(rows) == 1:
                return [str(error)]
        return [result for row in rows for result in self([row])]

    def _run(self, rows: Sequence[Array], is_shared: bool) -> list[list[Array]]:
        count, row_shape = len(rows), rows[0].shape[1:]
        size = self._size(count, row_shape, is_shared)
        values = np.concatenate([*rows, *[rows[-1]] * (size - count)])
        if self.predictor is None:
            self.predictor = self._model.predictor({self.name: values.shape})
        outputs = self.predictor.predict(**{self.name: values})
        if is_shared:
            return [[output[i] for output in outputs] for i in range(count)]
        return [[output[0] if output.shape[:1] == (1,) else output for output in outputs]]

    def _size(self, count: int, row_shape: tuple[int, ...], is_shared: bool) -> int:
        """Rows to run: a size that was run before, where there is one, as others are compiled."""
        if self.fixed is not None and is_shared:
            return self.fixed
        known = self._runs.setdefault(row_shape, [])
        size = min((size for size in known if is_shared and size >= count), default=count)
        if size not in known:
            known.append(size)
        return size
