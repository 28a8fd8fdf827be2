# SPDX-License-Identifier: Apache-2.0
"""Models as a server knows them: a predictor, and what its inputs and outputs look like."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..artefacts import InferenceModel, OpenedModel
from ..core.base.errors import ArgumentError, FormatError, MXNetError
from ..formats.checkpoint_files import SYMBOL
from ..formats.labels import label_lines
from ..formats.source import read_file
from ..predictor import Predictor
from ..predictor.picture import Picture
from .settings import ModelSource

__all__ = ["Model", "Tensor", "load"]

_log = logging.getLogger("mxnova")

Array = np.ndarray[Any, Any]
Shape = tuple[int | str, ...]
OPEN = -1  # a size that may be any, as the Open Inference Protocol writes it
_STAND_IN = 224  # for an open size other than that of the batch, while a model is tried


@dataclass(frozen=True)
class Tensor:
    """An input or output: name, sizes (-1: any) and element type."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class Model:
    """A loaded model.

    Attributes:
        predictor: runs it.
        inputs: what it takes; `outputs`: what it gives.
        is_batched: whether rows of inputs and outputs belong together, so that requests may share
            a run.
        labels: names of the scores.
        picture: how an image becomes the only input; None: it cannot.
    """

    predictor: Predictor
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    is_batched: bool
    labels: tuple[str, ...]
    picture: Picture | None


def load(source: ModelSource, batches: Iterable[int] = (1, 2)) -> Model:
    """Loads a model and tries it.

    Args:
        source: where it is.
        batches: how many rows to try it with, in rising order; what is compiled for them is kept.

    Raises:
        MXNetError: it cannot be loaded, or does not run.
        OSError: a file cannot be read.
    """
    opened = _open(source)
    shapes = _shapes(opened, source)
    predictor = opened.predictor(_sizes(shapes, 1))
    session = predictor.session()
    dtypes = {name: session.input_facts(name)[1].numpy for name in shapes}
    inputs = tuple(
        Tensor(name, tuple(OPEN if isinstance(s, str) else s for s in shape), dtypes[name])
        for name, shape in shapes.items()
    )
    outputs, is_batched = _tried(predictor, shapes, dtypes, batches)
    for tensor in (*inputs, *outputs):
        if tensor.dtype.kind not in "biuf":
            raise MXNetError(f"{source.path}: {tensor.name} is of {tensor.dtype}: cannot be served")
    labels = opened.labels if source.labels is None else _labels(Path(source.labels))
    options = source.preprocessing or opened.preprocessing
    picture = _picture(inputs, Picture.of_mapping(options))
    return Model(predictor, inputs, outputs, is_batched, tuple(labels), picture)


def _picture(inputs: Sequence[Tensor], picture: Picture) -> Picture | None:
    """How an image becomes the only input, where that is (N, 1 or 3, height, width)."""
    shape = inputs[0].shape
    takes_images = len(inputs) == 1 and len(shape) == 4 and shape[1] in (1, 3)
    return picture.fitted(shape) if takes_images else None


def _labels(path: Path) -> list[str]:
    return label_lines(read_file(path).decode("utf-8", errors="backslashreplace"))


# Files ------------------------------------------------------------------------------------------


def _open(source: ModelSource) -> InferenceModel:
    """The model at a path, of whatever kind."""
    path = Path(source.path)
    if path.is_dir():
        path = _inside(path)
    options = {"backend": source.backend, "ctx": source.ctx, "types": source.types or None}
    model = InferenceModel.open(str(path), source.epoch, **options)
    artefact = model.source
    if isinstance(artefact, OpenedModel) and artefact.graph is None and artefact.symbol is None:
        told = "; ".join((artefact.layout, *artefact.notes))
        raise MXNetError(f"{path}: holds no network ({told})")
    return model


def _inside(folder: Path) -> Path:
    """The only model in a folder: a compiled one, the prefix of a checkpoint, or the folder."""
    compiled = sorted(folder.glob("*.mxnova"))
    symbols = sorted(folder.glob(f"*{SYMBOL}"))
    found = compiled or [s.with_name(s.name.removesuffix(SYMBOL)) for s in symbols]
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        raise ArgumentError(f"{folder}: expected one .mxnova file or symbol file, found {names}")
    return found[0] if found else folder


def _shapes(model: InferenceModel, source: ModelSource) -> dict[str, Shape]:
    """Shapes of the inputs, as the source or the model's files tell.

    Raises:
        ArgumentError: nobody tells them.
        FormatError: a compiled model leaves a number of axes open.
    """
    noted = model.shapes
    if model.runtime is not None:
        for name in model.input_names:
            if name not in noted:
                raise FormatError(f"{model.path}: input {name} has no number of axes")
        return noted
    shapes = dict(source.shapes) or noted
    if not shapes:
        names = ", ".join(model.input_names[:20])
        raise ArgumentError(
            f"{model.path}: which shapes do its inputs have? --shape NAME=N,3,224,224 for each of "
            f"{names}"
        )
    return shapes


# Trial ------------------------------------------------------------------------------------------


def _sizes(shapes: Mapping[str, Shape], rows: int) -> dict[str, tuple[int, ...]]:
    """Shapes in numbers: `rows` for what the first axis is called."""
    batch = _batch_word(shapes)

    def size_of(size: int | str) -> int:
        return size if isinstance(size, int) else rows if size == batch else _STAND_IN

    return {name: tuple(map(size_of, shape)) for name, shape in shapes.items()}


def _batch_word(shapes: Mapping[str, Shape]) -> str | None:
    """What the first size of all inputs is called, if it is open."""
    words = {shape[0] if shape else 0 for shape in shapes.values()}
    word = words.pop() if len(words) == 1 else None
    return word if isinstance(word, str) else None


def _tried(
    predictor: Predictor,
    shapes: Mapping[str, Shape],
    dtypes: Mapping[str, Any],
    batches: Iterable[int],
) -> tuple[tuple[Tensor, ...], bool]:
    """What the outputs look like, and whether requests may share a run."""
    can_share = _batch_word(shapes) is not None
    seen: list[list[Array]] = []
    for rows in batches if can_share else (1,):
        zeros = {n: np.zeros(s, dtypes[n]) for n, s in _sizes(shapes, rows).items()}
        try:
            seen.append(predictor.predict(**zeros))
        except MXNetError as error:
            if not seen:
                raise
            _log.info("requests do not share runs: %s", error)
            can_share = False
            break
        can_share = can_share and all(a.ndim and len(a) == rows for a in seen[-1])
        if not can_share:
            break
    words = {size for shape in shapes.values() for size in shape if isinstance(size, str)}
    are_open = bool(words - {_batch_word(shapes)})
    names = predictor.output_names
    outputs = (_output(n, s, are_open) for n, *s in zip(names, *seen, strict=True))
    return tuple(outputs), can_share


def _output(name: str, seen: list[Array], are_open: bool) -> Tensor:
    """An output; sizes that may change are open.

    Args:
        name: of the output.
        seen: what it was for some numbers of rows.
        are_open: whether other sizes of the inputs are open, too.
    """
    first, last = seen[0].shape, seen[-1].shape
    if are_open or len(first) != len(last):
        return Tensor(name, (OPEN,) * len(first), seen[0].dtype)
    sizes = (a if a == b else OPEN for a, b in zip(first, last, strict=True))
    return Tensor(name, tuple(sizes), seen[0].dtype)
