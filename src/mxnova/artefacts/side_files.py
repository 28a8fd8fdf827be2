# SPDX-License-Identifier: Apache-2.0
"""What the small files beside a network say: shapes, labels, settings of a training.

model-shapes.json   [{"name": "data", "shape": [1, 3, 224, 224]}]   SageMaker
signature.json      {"inputs": [{"data_name": "data", "data_shape": [0, 3, 224, 224]}],
                     "input_type": "image/jpeg"}                    Multi Model Server
hyperparams.json    {"image_shape": "512", "num_classes": "20"}     SageMaker's algorithms
synset.txt          one label a line, often with an identifier of WordNet's before it

All of it is checked: names are texts, sizes integers below 2**31.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.base.errors import FormatError, shown
from ..formats.labels import label_lines
from .contents import Contents

__all__ = ["Shapes", "image_shape", "labels_of", "number", "settings_text", "shapes_of"]

Shapes = dict[str, tuple[int | str, ...]]
_MOST_AXES, _MOST_INPUTS = 8, 64
_MOST_LABELS = 1 << 20
_LABELS = ("synset.txt", "labels.txt", "classes.txt", "labels.json", "classes.json")


def shapes_of(contents: Contents, own: str = "model-shapes.json") -> Shapes | None:
    """Shapes of inputs; the first axis, and those of size 0, are open and have names.

    Args:
        contents: the files.
        own: name of a file of SageMaker's layout.

    Raises:
        FormatError: a file says something else.
    """
    for base, key_name, key_shape in (
        ("signature.json", "data_name", "data_shape"),
        (own, "name", "shape"),
    ):
        for name in contents.named(base)[:1]:
            where = f"{contents.path}: {name}"
            told = contents.json(name)
            rows = told.get("inputs") if isinstance(told, dict) else told
            if not isinstance(rows, list) or len(rows) > _MOST_INPUTS:
                raise FormatError(f"{where}: expected a list of inputs")
            return dict(_row(row, key_name, key_shape, where) for row in rows)
    return None


def _row(row: Any, key_name: str, key_shape: str, where: str) -> tuple[str, tuple[int | str, ...]]:
    # the first archives of Multi Model Server's say "shape", too
    shape = row.get(key_shape, row.get("shape")) if isinstance(row, dict) else None
    name = row.get(key_name) if isinstance(row, dict) else None
    if not isinstance(name, str) or not isinstance(shape, list) or len(shape) > _MOST_AXES:
        raise FormatError(f"{where}: {shown(row)}: expected {key_name} and {key_shape}")
    if not all(type(size) is int and 0 <= size < 1 << 31 for size in shape):
        raise FormatError(f"{where}: {name}: {shown(shape)}: sizes are integers")
    axes = ("N" if not axis else (size or f"{name}_{axis}") for axis, size in enumerate(shape))
    return name, tuple(axes)


def image_shape(settings: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """Channels, height and width, of ``"3,224,224"`` or of ``"512"``; None if they do not say."""
    text = str(settings.get("image_shape", ""))
    parts = [part.strip() for part in text.strip("()[] ").split(",")]
    if len(parts) not in (1, 3) or not all(p.isascii() and p.isdecimal() for p in parts):
        return None
    sizes = [int(part[:9]) for part in parts]
    channels, height, width = sizes if len(sizes) == 3 else (3, sizes[0], sizes[0])
    good = channels in (1, 3) and 0 < height <= 1 << 15 and 0 < width <= 1 << 15
    return (channels, height, width) if good else None


def number(settings: Mapping[str, Any], key: str) -> int | None:
    """A whole number of settings, which are texts often; None if there is none."""
    text = str(settings.get(key, ""))
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def settings_text(settings: Mapping[str, Any], limit: int = 400) -> str:
    """Entries of a settings file that are no lists or objects, for a person."""
    plain = {k: v for k, v in settings.items() if isinstance(v, (str, int, float, bool))}
    text = ", ".join(f"{key}={value}" for key, value in sorted(plain.items()))
    return text if len(text) <= limit else f"{text[:limit]} ..."


def labels_of(contents: Contents, *bases: str) -> list[str] | None:
    """Names of the scores; None if no file has any.

    Args:
        contents: the files.
        *bases: names of the files; default: the usual ones.

    Raises:
        FormatError: a file says something else.
    """
    for base in bases or _LABELS:
        for name in contents.named(base)[:1]:
            if base.endswith(".txt"):
                text = contents.text(name).decode(errors="backslashreplace")
                return label_lines(text, _MOST_LABELS)
            return _listed(contents.json(name), f"{contents.path}: {name}")
    return None


def _listed(value: Any, where: str) -> list[str]:
    """Of a list, or of an object whose keys are numbers from 0 on, or whose values are."""
    if isinstance(value, dict) and len(value) <= _MOST_LABELS:
        pairs = value.items() if "0" in value else ((v, k) for k, v in value.items())
        by_number = {str(key): name for key, name in pairs}
        value = [by_number.get(str(i)) for i in range(len(by_number))]
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise FormatError(f"{where}: expected a list of labels, or labels by number")
    return value
