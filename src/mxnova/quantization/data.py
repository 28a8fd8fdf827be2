# SPDX-License-Identifier: Apache-2.0
"""``--data``: folders of classes, record files and arrays as items with labels."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..batch_inference.items import Item, items_of
from ..batch_inference.reading import Array, read_input
from ..core.base.errors import ArgumentError, FileError, MXNetError, argument_error, candidates
from ..core.base.shapes import shape_text
from ..predictor.picture import Picture

__all__ = ["Data", "labeled_items"]

Data = str | os.PathLike[str] | Array | tuple[Array, Array]
"""A path, an array of inputs, or inputs and labels."""
_LABELS = ("label", "labels", "softmax_label", "y")


def labeled_items(data: Data, name: str, labels: Sequence[str]) -> Iterator[Item]:
    """Items with the numbers of their classes, as far as they are known.

    Args:
        data: a folder with one folder for each class, a .rec file, an .npz file with an array
            called `name` and one of labels, any other source of `items_of`, or arrays.
        name: of the model's input.
        labels: names of the classes, in order; without any, a folder's classes are its folders in
            order of their names, or the numbers that these are.

    Raises:
        MXNetError: arrays that do not fit each other, or a folder that is no class.
        OSError: a file cannot be read.
    """
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        if os.path.isfile(path) and path.endswith((".npz", ".npy")):
            return _rows(path, *_arrays_in(Path(path), name))
        if not os.path.lexists(path) and not any(c in path for c in "*?["):
            raise FileError.of(FileNotFoundError(2, "there is no such file or folder"), path)
        items = items_of([path], name)
        return _of_folder(items, Path(path), labels) if os.path.isdir(path) else items
    inputs, given = data if isinstance(data, tuple) and len(data) == 2 else (data, None)
    return _rows("data", _numbers(inputs), None if given is None else _numbers(given))


def _numbers(values: Any) -> Array:
    array = np.asarray(values.asnumpy() if hasattr(values, "asnumpy") else values)
    if array.dtype.kind not in "biuf" or array.ndim < 1:
        raise argument_error("quantize", "data", values, "must be a path, an array or two arrays")
    return array


def _arrays_in(path: Path, name: str) -> tuple[Array, Array | None]:
    """Inputs and labels in a file; in a .npy file, and alone in an .npz file, are inputs."""
    values = read_input(name, path, Picture())
    if path.suffix == ".npy":
        return values, None
    with zipfile.ZipFile(path) as archive:  # read_input has found that it is one
        members = {m.filename.removesuffix(".npy") for m in archive.infolist()}
    known = next((label for label in _LABELS if label in members and label != name), None)
    return values, None if known is None else read_input(known, path, Picture())


def _rows(source: str, values: Array, labels: Array | None) -> Iterator[Item]:
    """Each row of an array as an item."""
    if values.ndim < 2:
        raise ArgumentError(f"{source}: has shape {shape_text(values.shape)}; items are its rows")
    if labels is not None and labels.size != len(values):
        raise ArgumentError(f"{source}: {len(values)} items, and {labels.size} labels")
    flat = None if labels is None else labels.reshape(-1)
    return (_row(source, values, flat, place) for place in range(len(values)))


def _row(source: str, values: Array, labels: Array | None, place: int) -> Item:
    label = None if labels is None else float(labels[place])
    return Item(f"{source}#{place}", lambda picture: values[place : place + 1], label)


def _of_folder(items: Iterator[Item], folder: Path, labels: Sequence[str]) -> Iterator[Item]:
    """Items whose labels are the folders that they lie in."""
    names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    classes = _classes(names, labels, folder)
    for item in items:
        inside = Path(item.name.partition(".rec#")[0]).relative_to(folder).parts
        known = item.label is not None or len(inside) < 2
        yield item if known else item._replace(label=classes[inside[0]])


def _classes(names: Sequence[str], labels: Sequence[str], folder: Path) -> dict[str, float]:
    """The number of the class of each folder."""
    if names and all(name.isdecimal() and len(name) < 7 for name in names):
        return {name: float(name) for name in names}
    if not labels:
        return {name: float(place) for place, name in enumerate(names)}
    known = {label.partition(" ")[0]: float(i) for i, label in enumerate(labels)}
    known.update((label, float(i)) for i, label in enumerate(labels))
    for name in names:
        if name not in known:
            raise MXNetError(
                f"{folder / name}: is no class of the model{candidates(name, list(labels))}"
            )
    return {name: known[name] for name in names}
