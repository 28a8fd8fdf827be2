# SPDX-License-Identifier: Apache-2.0
"""Files of MXNet's parameters as safetensors files, and back, to the byte.

Arrays get their names without ``arg:`` and ``aux:``. What else a ``.params`` file says stands in
the metadata, as JSON:

    mxnet.names   {key: saved name}, in the file's order
    mxnet.layout  what is not as in most files: "np_shape" (arrays of version 3), "contexts" {key:
                  [device type, id]}, "sparse" {key: [storage type, shape]}, whose values and
                  indices lie under key.data, key.indices and key.indptr
    mxnet.sha256  {file name: SHA-256} of what it was made of
    mxnet.epoch   the epoch of the checkpoint

and ``format`` is "pt", which Hugging Face's loaders ask for. A safetensors file of another program
has no such metadata: its arrays become arguments under their names.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mxnova.core.base.dtypes import dtype_of
from mxnova.core.base.errors import ArgumentError, FormatError, MXNetError, shown

from . import bounded_json, params
from .params import ArrayRecord, ParamsFile
from .safetensors import SafetensorsFile
from .source import Path

__all__ = ["NAMES", "array_names", "from_params", "read_params", "to_params"]

NAMES, _LAYOUT = "mxnet.names", "mxnet.layout"
_PARTS = {"csr": ("data", "indptr", "indices"), "row_sparse": ("data", "indices")}
_INDEX = dtype_of("int64")


def read_params(path: Path) -> tuple[ParamsFile, bool]:
    """A file of parameters, and whether it has NumPy's shapes, whichever it has.

    Raises:
        FormatError: it breaks the format.
        FileError: it cannot be read.
    """
    try:
        return params.read(path), False
    except FormatError:
        try:
            return params.read(path, np_shape=True), True
        except FormatError:
            pass
        raise


def from_params(
    file: ParamsFile, np_shape: bool = False, facts: Mapping[str, str] | None = None
) -> SafetensorsFile:
    """The arrays of `file`, on the same memory, with metadata that `to_params` reads.

    Args:
        file: the parameters.
        np_shape: whether they have NumPy's shapes, as `read_params` says.
        facts: further metadata.

    Raises:
        ArgumentError: arrays without names or values, or with a name twice.
    """
    names = _keys(file)
    records = {key: _checked(key, r) for key, r in zip(names, file.records, strict=True)}
    arrays = dict(part for key, record in records.items() for part in _parts(key, record))
    if len(arrays) < sum(len(_PARTS.get(r.stype, "1")) for r in records.values()):
        raise ArgumentError("safetensors: parts of sparse arrays have the names of others")
    layout: dict[str, Any] = {"np_shape": True} if np_shape else {}
    contexts = {key: list(r.context) for key, r in records.items() if r.context != (1, 0)}
    sparse = {key: [r.stype, list(r.shape)] for key, r in records.items() if r.aux}
    layout.update({k: v for k, v in (("contexts", contexts), ("sparse", sparse)) if v})
    metadata = {"format": "pt", **(facts or {}), NAMES: _json(names)}
    return SafetensorsFile(arrays, metadata | ({_LAYOUT: _json(layout)} if layout else {}))


def _keys(file: ParamsFile) -> dict[str, str]:
    """The saved names by key: without ``arg:`` and ``aux:`` unless two names would be equal."""
    if len(file.names) != len(file.records):
        raise ArgumentError("safetensors: arrays without names have no form there")
    short = {name: name.removeprefix("arg:").removeprefix("aux:") for name in file.names}
    counts = Counter(short.values())
    keys = {short[n] if counts[short[n]] == 1 and short[n] else n: n for n in file.names}
    if len(keys) < len(file.names):
        twice = next(n for n, count in Counter(file.names).items() if count > 1)
        raise ArgumentError(f"safetensors: two arrays are called {shown(twice)}")
    return keys


def _checked(key: str, record: ArrayRecord | None) -> ArrayRecord:
    if record is None:
        raise ArgumentError(f"safetensors: {shown(key)} has no values")
    return record


def _parts(key: str, record: ArrayRecord) -> Iterator[tuple[str, ArrayRecord]]:
    """The dense arrays that an array consists of, by their keys."""
    if not record.aux:
        yield key, record
        return
    dtypes = (record.dtype, *[_INDEX] * len(record.aux))
    arrays = (record.data, *record.aux)
    for part, dtype, array in zip(_PARTS[record.stype], dtypes, arrays, strict=True):
        yield f"{key}.{part}", ArrayRecord("default", array.shape, dtype, array)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -- Back ------------------------------------------------------------------------------------------


def to_params(file: SafetensorsFile) -> tuple[ParamsFile, bool]:
    """Return the parameters in `file`, and whether they have NumPy's shape semantics.

    Raises:
        FormatError: its metadata contradict its arrays.
    """
    names = _object(file, NAMES) or {key: f"arg:{key}" for key in file.arrays}
    layout = _object(file, _LAYOUT)
    left = dict(file.arrays)
    records = [_record(key, left, layout) for key in names]
    if left or not all(isinstance(name, str) for name in names.values()):
        raise FormatError(f"{NAMES} does not name {shown(next(iter(left), 'texts'))}")
    np_shape = layout.get("np_shape") is True or any(
        not r.shape and r.stype == "default" for r in records
    )
    return ParamsFile(list(records), list(names.values())), np_shape


def array_names(metadata: Mapping[str, str]) -> list[str]:
    """The names of the arrays that `to_params` takes with such metadata.

    Raises:
        FormatError: the metadata are not those of `from_params`.
    """
    file = SafetensorsFile({}, dict(metadata))
    layout = _object(file, _LAYOUT)
    found = []
    for key in _object(file, NAMES):
        parts = _PARTS.get(str(_pair(layout, "sparse", key, ["default", []])[0]), ())
        found += [f"{key}.{part}" for part in parts] or [key]
    return found


def _object(file: SafetensorsFile, key: str) -> dict[str, Any]:
    value = bounded_json.loads(file.metadata.get(key, "{}"), max_depth=4, unique=True)
    if not isinstance(value, dict):
        raise FormatError(f"{key}: must be an object")
    return value


def _record(key: str, left: dict[str, ArrayRecord], layout: Mapping[str, Any]) -> ArrayRecord:
    """The array of a key, taken out of those that are left."""
    stype, shape = _pair(layout, "sparse", key, ["default", []])
    context = tuple(_pair(layout, "contexts", key, [1, 0]))
    if not all(type(n) is int and -(2**31) <= n < 2**31 for n in context):
        raise FormatError(f"{_LAYOUT}: contexts: {shown(context)} are no device's numbers")
    parts = [_taken(left, f"{key}.{part}") for part in _PARTS.get(str(stype), ())]
    if not parts:
        record = _taken(left, key)
        return ArrayRecord("default", record.shape, record.dtype, record.data, (), context)
    data, *aux = parts
    if not _is_shape(shape) or any(a.dtype != _INDEX for a in aux):
        raise FormatError(f"{_LAYOUT}: sparse: {shown(key)} has no shape, or indices not of int64")
    indices = tuple(a.data for a in aux)
    record = ArrayRecord(stype, tuple(shape), data.dtype, data.data, indices, context)
    try:  # as a file of parameters would be read, whose rules bind indices
        return _checked(key, params.loads_array(params.dumps_array(record), np_shape=False))
    except MXNetError as error:
        raise FormatError(f"sparse array {shown(key)}: {error}") from None


def _is_shape(value: Any) -> bool:
    if not isinstance(value, list) or not 1 <= len(value) <= 32:
        return False
    return all(type(n) is int and 0 <= n < 2**60 for n in value)


def _pair(layout: Mapping[str, Any], field: str, key: str, default: list[Any]) -> list[Any]:
    table = layout.get(field, {})
    value = table.get(key, default) if isinstance(table, dict) else None
    if not isinstance(value, list) or len(value) != 2:
        raise FormatError(f"{_LAYOUT}: {field}: {shown(key)} must have two values")
    return value


def _taken(left: dict[str, ArrayRecord], key: str) -> ArrayRecord:
    if key not in left:
        raise FormatError(f"there is no array {shown(key)}, which {NAMES} or {_LAYOUT} names")
    return left.pop(key)
