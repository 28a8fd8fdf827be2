# SPDX-License-Identifier: Apache-2.0
"""``mxnova predict MODEL FILES``: a model on any number of files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..batch_inference import (
    Item,
    Prediction,
    Results,
    count_items,
    items_of,
    predictions,
    result_file,
)
from ..batch_inference.reading import fitted_picture
from ..batch_inference.results import json_line
from ..batch_inference.runner import Runner
from ..batch_inference.scores import largest
from ..core.base.errors import ArgumentError, argument_error
from ..core.base.printable import printable
from ..core.base.progress import counting, progress
from .inference import backends, opened
from .shapes import shapes_of

__all__ = ["predict_files"]

_MOST_LISTED = 1000  # failures


def predict_files(options: SimpleNamespace) -> int:
    """Predicts all items, and shows or writes what the model makes of them.

    Returns:
        1 if any item failed, else 0.

    Raises:
        MXNetError: an option, the model or the file of results cannot be used.
        OSError: a file cannot be read or written.
    """
    _check(options)
    shapes = shapes_of(options.shape)
    with progress() as tell:
        tell("read the model")
        model, picture, labels = opened(options)
        runner = Runner(model, options.batch, shapes.get(model.only_input()))
    for name in shapes:
        if name != runner.name:
            raise ArgumentError(f"--shape {name}: the files are for {runner.name}")
    picture = fitted_picture(picture, runner.shape or ())
    is_shown = options.output is None
    failures: list[Prediction] = []
    n_done = n_failed = 0
    with contextlib.ExitStack() as stack:
        results = None
        if not is_shown:
            results = stack.enter_context(
                result_file(options.output, options.top, labels, options.resume)
            )
        items = _todo(items_of(options.files, runner.name, sys.stdin), results)
        advance = stack.enter_context(_bar(options, is_shown))
        for batch in predictions(items, runner, picture, options.threads):
            _check_labels(options, labels, batch)
            failed = [p for p in batch if p.error is not None]
            n_failed, n_done = n_failed + len(failed), n_done + len(batch) - len(failed)
            failures += failed[: _MOST_LISTED - len(failures)]
            if results is None and options.json:
                _write_lines(batch, runner, options.top, labels)
            elif results is None:
                _show(batch, options.top, labels)
            elif len(failed) < len(batch) and runner.predictor is not None:
                results.add(runner.predictor.output_names, batch)
            advance(len(batch))
    if runner.predictor is not None:
        _tell(f"ran by {backends(model, runner.predictor)}")
    skipped = f", {len(results.done)} were there" if results is not None and results.done else ""
    _tell(f"{n_done} predicted, {n_failed} failed{skipped}")
    for failure in failures:
        _tell(f"failed: {failure.name}: {failure.error}")
    if n_failed > len(failures):
        _tell(f"and {n_failed - len(failures)} more")
    return int(n_failed > 0)


def _check(options: SimpleNamespace) -> None:
    for name in ("batch", "threads"):
        value = getattr(options, name)
        if value is not None and not 1 <= value <= 1 << 12:
            raise argument_error("predict", f"--{name}", value, "must be from 1 to 4096")
    if options.resume and options.output is None:
        raise ArgumentError("predict: --resume: with which file? -o FILE is missing")
    if options.explain:
        raise ArgumentError("predict: --explain is for --input NAME=FILE")


def _todo(items: Iterator[Item], results: Results | None) -> Iterator[Item]:
    """The items that are not in the results yet."""
    if results is None or not results.done:
        return items
    return (item for item in items if results.key(item.name) not in results.done)


def _bar(
    options: SimpleNamespace, is_shown: bool
) -> contextlib.AbstractContextManager[Callable[[int], Any]]:
    """A bar, unless results are shown on the same terminal."""
    has_bar = sys.stderr.isatty() and not (is_shown and sys.stdout.isatty())
    total = count_items(options.files) if has_bar and not options.resume else None
    return counting(total, is_shown=has_bar)


def _check_labels(
    options: SimpleNamespace, labels: Sequence[str], batch: Sequence[Prediction]
) -> None:
    """Refuses given labels that fit no output, when the first outputs are there."""
    outputs = next((p.outputs for p in batch if p.outputs is not None), None)
    if options.labels is None or outputs is None:
        return
    if not any(output.shape == (len(labels),) for output in outputs):
        shapes = ", ".join(str(output.shape) for output in outputs)
        raise ArgumentError(
            f"--labels {options.labels}: {len(labels)} labels fit no output of {shapes}"
        )


def _write_lines(
    batch: Sequence[Prediction], runner: Runner, top: int, labels: Sequence[str]
) -> None:
    """A line of JSON an item, as .jsonl files have it."""
    names = [] if runner.predictor is None else runner.predictor.output_names
    done = (p for p in batch if p.outputs is not None)
    sys.stdout.write("".join(json_line(p, names, top, labels) for p in done))


def _show(batch: Sequence[Prediction], top: int, labels: Sequence[str]) -> None:
    """A line an item and output."""
    for prediction in batch:
        for output in prediction.outputs or ():
            if output.ndim == 1:
                text = "  ".join(map(str, largest(output, top, labels)))
            else:
                values = np.array2string(output, threshold=16, precision=6)
                text = f"{output.shape} {' '.join(values.split())}"
            sys.stdout.write(printable(f"{prediction.name}: {text}") + "\n")


def _tell(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")
