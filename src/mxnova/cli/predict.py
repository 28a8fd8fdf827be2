# SPDX-License-Identifier: Apache-2.0
"""``mxnova predict``: a saved model on .npy, .npz and image files."""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.base.errors import ArgumentError, MXNetError, argument_error, candidates
from ..core.base.gc_pause import loading
from ..core.base.printable import printable
from ..formats import params, symbol_json
from ..formats.atomic import replacing
from ..formats.source import read_file
from ..predictor.picture import Picture
from .inputs import Array, read_inputs
from .report import print_table

if TYPE_CHECKING:
    from ..predictor import Predictor

__all__ = ["predict"]


def predict(options: argparse.Namespace) -> None:
    """Loads the model, feeds it and shows or saves its outputs.

    Raises:
        MXNetError: an option, a file or a model that cannot be used.
        OSError: a file that cannot be read or written.
    """
    if options.top < 1:
        raise argument_error("predict", "--top", options.top, "must be 1 or more")
    if options.epoch < 0:
        raise argument_error("predict", "--epoch", options.epoch, "must not be negative")
    labels = None if options.labels is None else _labels(options.labels)
    picture = Picture.of(options.size, options.mean, options.scale, options.bgr)
    arrays = read_inputs(options.input, picture)
    how = {"backend": options.backend, "precision": options.precision}
    predictor, results = _run(options.prefix, options.epoch, arrays, how)
    placements = predictor.explain()
    counts = Counter(row.backend for row in placements)
    _say("ran by " + ", ".join(f"{name} ({n} nodes)" for name, n in counts.most_common()))
    if options.explain:
        print_table("where nodes run", [row._asdict() for row in placements])
    if labels is not None and not any(_fits(values, labels) for values in results.values()):
        shapes = ", ".join(f"{name} {values.shape}" for name, values in results.items())
        found = f"{len(labels)} labels fit no output of {shapes}"
        raise ArgumentError(f"--labels {options.labels}: {found}")
    if options.output is not None:
        _save(options.output, results)
    for name, values in results.items():
        _show(name, values, options.top, labels)


def _labels(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="backslashreplace")
    return [line.strip() for line in text.removesuffix("\n").split("\n")]


def _run(
    prefix: str, epoch: int, arrays: Mapping[str, Array], how: Mapping[str, Any]
) -> tuple[Predictor, dict[str, Array]]:
    """The model, and what it makes of `arrays`, by name."""
    with loading():
        from ..predictor import Predictor  # PyTorch: bad arguments need not wait for it

    names = _input_names(prefix, epoch)
    for name in arrays:
        if name not in names:
            hint = candidates(name, names)
            raise ArgumentError(
                f"--input {name}: the model has no input {name!r}{hint} (its inputs: "
                f"{', '.join(names) or 'none'})"
            )
    try:
        shapes = {name: a.shape for name, a in arrays.items()}
        predictor = Predictor.from_checkpoint(prefix, epoch, shapes, **how)
        outputs = predictor.predict(**arrays)
    except MXNetError as error:
        raise MXNetError(f"{error} (the model's inputs: {', '.join(names) or 'none'})") from None
    return predictor, dict(zip(predictor.output_names, outputs, strict=True))


def _input_names(prefix: str, epoch: int) -> list[str]:
    """The variables of the symbol that are no parameters."""
    path = Path(f"{prefix}-symbol.json")
    try:
        graph = symbol_json.loads(read_file(path))
    except MXNetError as error:
        raise type(error)(f"{path}: {error}") from None
    saved = params.read(Path(f"{prefix}-{epoch:04d}.params")).names or []
    known = {name.partition(":")[2] for name in saved}
    return [n.name for n in graph.nodes if n.op == "null" and n.name not in known]


def _fits(values: Array, labels: list[str]) -> bool:
    return values.ndim == 2 and values.shape[1] == len(labels)


def _save(path: Path, results: Mapping[str, Array]) -> None:
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, values in results.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, values, allow_pickle=False)
    _say(f"wrote {path}: {', '.join(results)}")


def _show(name: str, values: Array, top: int, labels: list[str] | None) -> None:
    _say(f"{name} {values.shape} {values.dtype}")
    if values.ndim != 2:
        with np.printoptions(threshold=64, precision=6):
            sys.stdout.write(f"{values}\n")
        return
    shown = labels if labels is not None and _fits(values, labels) else None
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(values):
        best = np.argsort(-row.astype(np.float64), kind="stable")[:top]
        texts = (f"{i}: {f'{shown[i]} ' if shown else ''}{row[i]:.6g}" for i in best)
        rows.append({"row": number, **{f"#{i + 1}": text for i, text in enumerate(texts)}})
    if rows:
        print_table("largest scores", rows)


def _say(text: str) -> None:
    sys.stdout.write(printable(text) + "\n")
