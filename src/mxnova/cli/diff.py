# SPDX-License-Identifier: Apache-2.0
"""``mxnova diff``: two files of parameters compared, array by array."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..artefacts import is_artefact, open_model
from ..core.base.dtypes import dtype_of, widened
from ..core.base.errors import ArgumentError
from ..core.base.printable import printable
from ..core.base.progress import progress
from ..formats import safetensors
from ..formats.checkpoint_files import SYMBOL, is_prefix, located
from ..formats.params import ArrayRecord
from ..formats.safetensors_params import from_params, read_params
from .report import Rows, print_table, write_json

__all__ = ["diff"]

_CHUNK = 1 << 20  # elements that are compared at a time

Arrays = Mapping[str, ArrayRecord]
Values = np.ndarray[Any, Any]


def diff(options: SimpleNamespace) -> int:
    """Shows how two checkpoints differ.

    Args:
        options: a, b, epoch, tolerance, json.

    Returns:
        0 if they are equal, else 1.
    """
    if not options.tolerance >= 0:
        raise ArgumentError(f"diff: --tolerance {options.tolerance}: must be a number from 0 on")
    a, b = (_arrays(path, options.epoch) for path in (options.a, options.b))
    with progress() as tell:
        rows = list(_rows(a, b, options.tolerance, tell))
    equal = len(a.keys() | b.keys()) - len(rows)
    if options.json:
        document = {"a": str(options.a), "b": str(options.b), "equal": equal, "differences": rows}
        write_json(document)
    else:
        names = printable(f"{options.a} and {options.b}")
        sys.stdout.write(f"{names}: {len(rows):,} of {len(a.keys() | b.keys()):,} arrays differ\n")
        if rows:
            print_table("differences", rows)
    return int(bool(rows))


def _arrays(path: Path, epoch: int | None) -> Arrays:
    """Arrays by name, without what tells arguments from auxiliary states."""
    if path.suffix == ".onnx":
        return _initializers(path)
    if path.suffix == ".safetensors":
        return safetensors.read(path).arrays
    if is_artefact(path):
        return open_model(path, epoch).arrays
    is_checkpoint = is_prefix(path) or path.name.endswith(SYMBOL)
    file = located(path, epoch).params if is_checkpoint else path
    return from_params(*read_params(file)).arrays


def _initializers(path: Path) -> Arrays:
    """Arrays of an ONNX file."""
    from ..onnx.package import require_onnx

    require_onnx("diff")
    from ..onnx.importer import read_skeleton

    file = read_skeleton(path)
    arrays = {tensor.name: file.array(tensor) for tensor in file.model.graph.initializer}
    return {n: ArrayRecord("default", a.shape, dtype_of(a), a) for n, a in arrays.items()}


def _rows(
    a: Arrays, b: Arrays, tolerance: float, tell: Callable[..., Any]
) -> Iterator[dict[str, Any]]:
    names = dict.fromkeys([*a, *b])
    for number, name in enumerate(names):
        tell("compare", number, len(names))
        if name not in b:
            yield {"name": name, "change": "removed", "a": _text(a[name])}
        elif name not in a:
            yield {"name": name, "change": "added", "b": _text(b[name])}
        else:
            yield from _changes(name, a[name], b[name], tolerance)


def _text(record: ArrayRecord) -> str:
    return f"{record.dtype.name} {record.shape}"


def _changes(name: str, a: ArrayRecord, b: ArrayRecord, tolerance: float) -> Rows:
    """Describe the differences of an array in both files; empty if there are none."""
    both = {"a": _text(a), "b": _text(b)}
    if a.shape != b.shape:
        return [{"name": name, "change": "shape", **both}]
    largest, count = _difference(a, b, tolerance)
    found = {"max_abs": largest, "elements": count}
    if a.dtype != b.dtype:
        return [{"name": name, "change": "type", **both, **found}]
    return [{"name": name, "change": "values", **both, **found}] if count else []


def _difference(a: ArrayRecord, b: ArrayRecord, tolerance: float) -> tuple[float, int]:
    """The largest difference, and how many elements differ by more than `tolerance`.

    NaN and infinities are equal to themselves, and infinitely far from all else.
    """
    largest, count = 0.0, 0
    flat_a, flat_b = a.data.reshape(-1), b.data.reshape(-1)
    for begin in range(0, flat_a.size, _CHUNK):
        far = _distance(flat_a[begin : begin + _CHUNK], flat_b[begin : begin + _CHUNK])
        largest = max(largest, float(far.max()))
        count += int(np.count_nonzero(far > tolerance))
    return largest, count


def _distance(x: Values, y: Values) -> Values:
    if x.dtype == y.dtype and x.dtype.kind in "iu":  # exactly, where float64 has too few digits
        unsigned = np.dtype(f"u{x.dtype.itemsize}")
        lower, upper = (f(x, y).view(unsigned) for f in (np.minimum, np.maximum))
        return np.asarray(upper - lower, np.float64)
    x, y = (widened(values).astype(np.float64) for values in (x, y))
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        far: Values = np.where(same, 0, np.abs(x - y))
    far[np.isnan(far)] = math.inf
    return far
