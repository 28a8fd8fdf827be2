# SPDX-License-Identifier: Apache-2.0
"""Models as a server knows them: a predictor, and what its inputs and outputs look like."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..artefacts import open_model
from ..core.base.errors import ArgumentError, FormatError, MXNetError
from ..formats import compiled_model
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


@dataclass(frozen=True)
class _Opened:
    """A model and what is noted with it."""

    predictor: Predictor
    shapes: Mapping[str, Shape]
    labels: Sequence[str] = ()
    preprocessing: Mapping[str, Any] | None = None


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
    session = opened.predictor.session()
    dtypes = {name: session.input_facts(name)[1].numpy for name in opened.shapes}
    inputs = tuple(
        Tensor(name, tuple(OPEN if isinstance(s, str) else s for s in shape), dtypes[name])
        for name, shape in opened.shapes.items()
    )
    outputs, is_batched = _tried(opened, dtypes, batches)
    for tensor in (*inputs, *outputs):
        if tensor.dtype.kind not in "biuf":
            raise MXNetError(f"{source.path}: {tensor.name} is of {tensor.dtype}: cannot be served")
    labels = opened.labels if source.labels is None else _labels(Path(source.labels))
    options = source.preprocessing or opened.preprocessing or {}
    picture = _picture(inputs, Picture.of_mapping(options))
    return Model(opened.predictor, inputs, outputs, is_batched, tuple(labels), picture)


def _picture(inputs: Sequence[Tensor], picture: Picture) -> Picture | None:
    """How an image becomes the only input, where that is (N, 1 or 3, height, width)."""
    shape = inputs[0].shape
    takes_images = len(inputs) == 1 and len(shape) == 4 and shape[1] in (1, 3)
    return picture.fitted(shape) if takes_images else None


def _labels(path: Path) -> list[str]:
    return label_lines(read_file(path).decode("utf-8", errors="backslashreplace"))


# Files ------------------------------------------------------------------------------------------


def _open(source: ModelSource) -> _Opened:
    """The model at a path, of whatever kind."""
    path = Path(source.path)
    if path.is_dir():
        path = _inside(path)
    if path.suffix == ".mxnova":
        return _open_compiled(path)
    return _open_artefact(path, source)


def _inside(folder: Path) -> Path:
    """The only model in a folder: a compiled one, the prefix of a checkpoint, or the folder."""
    compiled = sorted(folder.glob("*.mxnova"))
    symbols = sorted(folder.glob("*-symbol.json"))
    found = compiled or [s.with_name(s.name.removesuffix("-symbol.json")) for s in symbols]
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        raise ArgumentError(f"{folder}: expected one .mxnova file or symbol file, found {names}")
    return found[0] if found else folder


def _open_compiled(path: Path) -> _Opened:
    predictor = Predictor.load(path)
    model = compiled_model.read(path)
    shapes = {port.name: port.shape for port in model.inputs}
    for name, shape in shapes.items():
        if shape is None:
            raise FormatError(f"{path}: input {name} has no number of axes")
    known = {name: shape for name, shape in shapes.items() if shape is not None}
    return _Opened(predictor, known, model.labels, model.preprocessing)


def _open_artefact(path: Path, source: ModelSource) -> _Opened:
    """A checkpoint, an archive of SageMaker's, or whatever else `open_model` knows."""
    is_prefix = source.epoch is None and not path.exists()
    model = open_model(path, _last_epoch(str(path)) if is_prefix else source.epoch)
    if model.graph is None and model.symbol is None:
        raise MXNetError(f"{path}: holds no network ({'; '.join((model.layout, *model.notes))})")
    shapes = dict(source.shapes) or model.input_shapes
    if not shapes:
        names = ", ".join(model.input_names[:20])
        raise ArgumentError(
            f"{path}: which shapes do its inputs have? --shape NAME=N,3,224,224 for each of {names}"
        )
    options = {} if source.backend is None else {"backend": source.backend}
    predictor = model.predictor(_sizes(shapes, 1), **options)
    preprocessing = None if model.preprocessing is None else asdict(model.preprocessing)
    return _Opened(predictor, shapes, model.labels or (), preprocessing)


def _last_epoch(prefix: str) -> int:
    """The highest number of a .params file."""
    path = Path(prefix)
    names = (file.name for file in path.parent.glob("*.params"))
    pattern = re.compile(rf"{re.escape(path.name)}-(\d{{4,9}})\.params")
    epochs = [int(found[1]) for found in map(pattern.fullmatch, names) if found]
    if not epochs:
        raise ArgumentError(f"{prefix}: there is no {path.name}-0000.params or later epoch")
    return max(epochs)


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
    opened: _Opened, dtypes: Mapping[str, Any], batches: Iterable[int]
) -> tuple[tuple[Tensor, ...], bool]:
    """What the outputs look like, and whether requests may share a run."""
    can_share = _batch_word(opened.shapes) is not None
    seen: list[list[Array]] = []
    for rows in batches if can_share else (1,):
        zeros = {n: np.zeros(s, dtypes[n]) for n, s in _sizes(opened.shapes, rows).items()}
        try:
            seen.append(opened.predictor.predict(**zeros))
        except MXNetError as error:
            if not seen:
                raise
            _log.info("requests do not share runs: %s", error)
            can_share = False
            break
        can_share = can_share and all(a.ndim and len(a) == rows for a in seen[-1])
        if not can_share:
            break
    words = {size for shape in opened.shapes.values() for size in shape if isinstance(size, str)}
    are_open = bool(words - {_batch_word(opened.shapes)})
    names = opened.predictor.output_names
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
