# SPDX-License-Identifier: Apache-2.0
"""``mxnova predict``: a saved model on .npy, .npz and image files."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..artefacts import InferenceModel
from ..batch_inference.reading import fitted_picture
from ..batch_inference.scores import json_value, largest
from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..core.base.printable import printable
from ..core.base.progress import progress
from ..formats.atomic import replacing
from .inference import backends, opened
from .inputs import Array, read_inputs
from .report import Rows, print_table, write_json

if TYPE_CHECKING:
    from ..predictor import Predictor

__all__ = ["predict"]


def predict(options: SimpleNamespace) -> int:
    """Runs the model on any number of files, or once on files for its inputs.

    Returns:
        1 if a file failed, else 0.

    Raises:
        MXNetError: an option, a file or a model that cannot be used.
        OSError: a file that cannot be read or written.
    """
    if options.files:
        from .predict_files import predict_files

        return predict_files(options)
    _predict_once(options)
    return 0


def _predict_once(options: SimpleNamespace) -> None:
    """Loads the model, feeds it and shows or saves its outputs."""
    with progress() as tell:
        tell("read the model")
        model, picture, labels = opened(options)
        noted = list(model.shapes.values())
        arrays = read_inputs(
            options.input, fitted_picture(picture, noted[0] if len(noted) == 1 else ())
        )
        tell("run the model")
        predictor, results = _run(model, arrays)
    if options.labels and not any(_fits(values, labels) for values in results.values()):
        shapes = ", ".join(f"{name} {values.shape}" for name, values in results.items())
        found = f"{len(labels)} labels fit no output of {shapes}"
        raise ArgumentError(f"--labels {options.labels}: {found}")
    if options.output is not None:
        _save(options.output, results)
    nodes = [row._asdict() for row in predictor.explain()] if options.explain else []
    if options.json:
        _write_document(options, backends(model, predictor), nodes, results, labels)
        return
    _say("ran by " + backends(model, predictor))
    if options.explain:
        print_table("where nodes run", nodes)
    if options.output is not None:
        _say(f"wrote {options.output}: {', '.join(results)}")
    for name, values in results.items():
        _show(name, values, options.top, labels)


def _write_document(
    options: SimpleNamespace,
    ran_by: str,
    nodes: Rows,
    results: Mapping[str, Array],
    labels: Sequence[str],
) -> None:
    """All that would be shown, as JSON."""
    outputs = [
        {
            "name": name,
            "shape": values.shape,
            "dtype": str(values.dtype),
            "rows": [json_value(row, options.top, labels) for row in np.atleast_1d(values)],
        }
        for name, values in results.items()
    ]
    document = {"model": options.model, "ran_by": ran_by, "outputs": outputs}
    if options.explain:
        document["nodes"] = nodes
    if options.output is not None:
        document["written"] = str(options.output)
    write_json(document)


def _run(model: InferenceModel, arrays: Mapping[str, Array]) -> tuple[Predictor, dict[str, Array]]:
    """The model, and what it makes of `arrays`, by name."""
    names = model.input_names
    for name in arrays:
        if names and name not in names:
            hint = candidates(name, names)
            raise ArgumentError(
                f"--input {name}: the model has no input {name!r}{hint} (its inputs: "
                f"{', '.join(names)})"
            )
    try:
        predictor = model.predictor({name: a.shape for name, a in arrays.items()})
        outputs = predictor.predict(**arrays)
    except MXNetError as error:
        raise MXNetError(f"{error} (the model's inputs: {', '.join(names) or 'none'})") from None
    return predictor, dict(zip(predictor.output_names, outputs, strict=True))


def _fits(values: Array, labels: Sequence[str]) -> bool:
    return values.ndim == 2 and values.shape[1] == len(labels)


def _save(path: Path, results: Mapping[str, Array]) -> None:
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, values in results.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, values, allow_pickle=False)


def _show(name: str, values: Array, top: int, labels: Sequence[str]) -> None:
    _say(f"{name} {values.shape} {values.dtype}")
    if values.ndim != 2:
        with np.printoptions(threshold=64, precision=6):
            sys.stdout.write(f"{values}\n")
        return
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(values):
        best = largest(row, top, labels)
        rows.append({"row": number, **{f"#{i}": str(score) for i, score in enumerate(best, 1)}})
    if rows:
        print_table("largest scores", rows)


def _say(text: str) -> None:
    sys.stdout.write(printable(text) + "\n")
