# SPDX-License-Identifier: Apache-2.0
"""Options that say what a model is fed with: files by input, preprocessing, labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..batch_inference.reading import Array, read_input
from ..core.base.errors import ArgumentError
from ..formats.labels import label_lines
from ..predictor.picture import Picture

__all__ = ["Array", "labels_of", "preprocessing_of", "read_inputs"]


def read_inputs(specs: Sequence[str], picture: Picture) -> dict[str, Array]:
    """The arrays of ``NAME=FILE`` texts, by name.

    Raises:
        MXNetError: a text or a file that cannot be used.
        OSError: a file that cannot be read.
    """
    arrays: dict[str, Array] = {}
    for spec in specs:
        name, _, file = spec.partition("=")
        if not name or not file:
            raise ArgumentError(f"--input {spec}: must look like data=FILE")
        if name in arrays:
            raise ArgumentError(f"--input {spec}: {name} is given twice")
        arrays[name] = read_input(name, Path(file), picture)
    return arrays


def preprocessing_of(options: SimpleNamespace) -> dict[str, Any]:
    """What ``--size``, ``--mean``, ``--scale`` and ``--bgr`` tell, by the names of `Picture`.

    Raises:
        ArgumentError: a value cannot be used.
    """
    names = ("size", "mean", "scale", "bgr")
    told = {n: getattr(options, n) for n in names if getattr(options, n) is not None}
    Picture.of_mapping(told)  # bad ones are refused before anything is loaded
    return told


def labels_of(path: Path) -> tuple[str, ...]:
    """Names of scores, one a line."""
    return tuple(label_lines(path.read_text(encoding="utf-8", errors="backslashreplace")))
