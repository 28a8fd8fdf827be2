# SPDX-License-Identifier: Apache-2.0
"""Samples of the data for a model: some for ranges, others for accuracy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from ..artefacts import InferenceModel
from ..artefacts.inference_model import Shape
from ..batch_inference.items import Item
from ..batch_inference.pipeline import decoded_batches
from ..batch_inference.reading import fitted_picture
from ..batch_inference.runner import Runner
from ..predictor.picture import Picture
from .data import Data, labeled_items
from .options import Options
from .samples import Samples, drawn

__all__ = ["Dataset", "dataset"]


class Dataset(NamedTuple):
    """What a model is quantized with.

    Attributes:
        input: name of the input.
        shape: of the input; words for sizes that are left open.
        for_ranges: samples that ranges are found on.
        for_accuracy: samples that accuracy is measured on: others, if there are any.
    """

    input: str
    shape: Shape
    for_ranges: Samples
    for_accuracy: Samples


def dataset(
    model: InferenceModel,
    data: Data,
    options: Options,
    shapes: Mapping[str, Sequence[int | str]],
    preprocessing: Mapping[str, Any],
    labels: Sequence[str] | None,
    tell: Callable[..., Any],
) -> Dataset:
    """Draws samples, and leaves out those that cannot be read.

    Args:
        model: what they are for.
        data: see `labeled_items`.
        options: how many.
        shapes: of the input, instead of what the model notes.
        preprocessing: options of `Picture`, likewise.
        labels: names of classes, likewise.
        tell: called with what is done next.

    Raises:
        MXNetError: the data cannot be used.
        OSError: it cannot be read.
    """
    name = model.only_input()
    given = tuple(shapes[name]) if name in shapes else model.shapes.get(name)
    tell("find samples")
    items = labeled_items(data, name, model.labels if labels is None else labels)
    what = os.fspath(data) if isinstance(data, (str, os.PathLike)) else "of arrays"
    chosen = drawn(items, what, options.samples + options.measured, options.seed)
    picture = Picture.of_mapping({**model.preprocessing, **preprocessing})
    shape = given or _shape_of(chosen, model, picture)
    runner = Runner(model, options.batch, shape)
    picture = fitted_picture(picture, shape)
    for_ranges, for_accuracy = (
        Samples(part, runner, picture) for part in _parted(chosen, options.samples)
    )
    is_one = for_accuracy.items is for_ranges.items
    parts = [for_ranges] if is_one else [for_ranges, for_accuracy]
    for part, text in zip(parts, ("read samples", "read more samples"), strict=False):
        part.settle(partial(_told, tell, text, len(part)))
    return Dataset(name, shape, for_ranges, for_ranges if is_one else for_accuracy)


def _told(tell: Callable[..., Any], text: str, total: int, done: int) -> None:
    tell(text, done, total)


def _parted(items: Sequence[Item], most: int) -> tuple[Sequence[Item], Sequence[Item]]:
    """Those for ranges, no more than half, and the others; one item is both."""
    count = min(most, len(items) // 2)
    return (items[:count], items[count:]) if count else (items, items)


def _shape_of(items: Iterable[Item], model: InferenceModel, picture: Picture) -> Shape:
    """What the first item that can be read makes of an input whose shape nobody tells.

    Raises:
        MXNetError: none can be read.
    """
    samples = Samples(list(items), Runner(model, 1), picture)
    first = decoded_batches(samples.items, samples.runner, picture)
    for value in chain.from_iterable(([v for _, v in batch]) for batch in first):
        if not isinstance(value, str):
            return ("N", *value.shape[1:])
    samples.settle(lambda done: None)  # which raises the error
    raise AssertionError("some can be read")
