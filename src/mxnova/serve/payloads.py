# SPDX-License-Identifier: Apache-2.0
"""What SageMaker's clients send and receive: JSON, CSV, .npy, images; by content type."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..formats import npy
from ..formats.images import check_image
from .endpoint import json_value
from .errors import Refused
from .loading import Model, Tensor
from .tensors import encode, encode_json, from_json, to_json

__all__ = [
    "CSV",
    "IMAGES",
    "JSON",
    "NPY",
    "choose_content_type",
    "content_type_of",
    "decode_inputs",
    "encode_body",
    "has_instances",
]

Array = np.ndarray[Any, Any]

JSON, CSV, NPY = "application/json", "text/csv", "application/x-npy"
IMAGES = ("image/jpeg", "image/png", "application/x-image")
_DEPTH = 40
_TOP = 5  # classes that are told of an image
_MOST_RANGES = 32  # Further media ranges of an Accept header are ignored.
_SEARCHED = 1 << 10  # Bytes in which a body must begin.


# Requests -----------------------------------------------------------------------------------------


def content_type_of(header: str) -> str:
    """Return the content type of a body, JSON if the header Content-Type does not name one."""
    return header.partition(";")[0].strip().lower() or JSON


def has_instances(body: bytes) -> bool:
    """Return whether a JSON body has a list of instances, which are answered with predictions."""
    return body[:_SEARCHED].lstrip()[:1] == b"{" and b'"instances"' in body


def decode_inputs(
    content_type: str, body: bytes, model: Model, most_elements: int, most_pixels: int
) -> dict[str, Array]:
    """Return the inputs in a body.

    Raises:
        Refused: the model takes nothing of this type, or the body is not of it.
    """
    if content_type == JSON:
        arrays = _from_json(json_value(body, _DEPTH), model)
    elif content_type in IMAGES:
        arrays = _from_image(body, model, most_pixels)
    elif content_type == NPY:
        arrays = _from_npy(body, model)
    elif content_type == CSV:
        arrays = _from_csv(body, model)
    else:
        known = ", ".join((JSON, CSV, NPY, *IMAGES))
        raise Refused(415, f"Content-Type {content_type[:80]!r}: known are {known}")
    if sum(values.size for values in arrays.values()) > most_elements:
        raise Refused(413, f"the inputs have more than {most_elements:,} elements")
    return arrays


def _only_input(model: Model, kind: str) -> Tensor:
    if len(model.inputs) != 1:
        names = ", ".join(tensor.name for tensor in model.inputs)
        raise Refused(415, f"{kind} is for models with one input; this one has {names}")
    return model.inputs[0]


def _from_json(value: Any, model: Model) -> dict[str, Array]:
    """Of a list for the only input, an object of lists, or a list of instances."""
    if isinstance(value, dict) and set(value) == {"instances"}:
        return _from_instances(value["instances"], model)
    if isinstance(value, dict):
        known = {tensor.name: tensor for tensor in model.inputs}
        for name in value:
            if name not in known:
                raise Refused(400, f"there is no input {name!r}{candidates(name, known)}")
        return {n: _batched(known[n], from_json(n, d, known[n].dtype)) for n, d in value.items()}
    tensor = _only_input(model, "a JSON list")
    return {tensor.name: _batched(tensor, from_json(tensor.name, value, tensor.dtype))}


def _from_instances(instances: Any, model: Model) -> dict[str, Array]:
    if not isinstance(instances, list) or not instances:
        raise Refused(400, "'instances' must be a list with something in it")
    if not all(isinstance(instance, dict) for instance in instances):
        tensor = _only_input(model, "a list of instances")
        return {tensor.name: from_json(tensor.name, instances, tensor.dtype)}
    columns: dict[str, Array] = {}
    for tensor in model.inputs:
        keys = (tensor.name, "features") if len(model.inputs) == 1 else (tensor.name,)
        key = next((key for key in keys if all(key in i for i in instances)), None)
        if key is None:
            raise Refused(400, f"not all instances have {' or '.join(keys)}")
        column = [instance[key] for instance in instances]
        columns[tensor.name] = from_json(tensor.name, column, tensor.dtype)
    return columns


def _batched(tensor: Tensor, values: Array) -> Array:
    """`values` as a batch of one, if they are one row."""
    return values[None] if values.ndim == len(tensor.shape) - 1 else values


def _from_npy(body: bytes, model: Model) -> dict[str, Array]:
    tensor = _only_input(model, "a .npy file")
    try:
        return {tensor.name: _batched(tensor, npy.loads(body))}
    except MXNetError as error:
        raise Refused(400, f"the body is {error}") from None


def _from_csv(body: bytes, model: Model) -> dict[str, Array]:
    """Return one row of the batch for each line."""
    tensor = _only_input(model, "CSV")
    try:
        values = _parse_csv(body)
    except (ValueError, OverflowError) as error:
        raise Refused(400, f"the body is no CSV of numbers: {str(error)[:300]}") from None
    if math.prod(tensor.shape[1:]) == values.shape[1]:
        values = values.reshape(len(values), *tensor.shape[1:])
    return {tensor.name: values}


def _parse_csv(body: bytes) -> Array:
    """Return the rows of a CSV file of numbers.

    It is parsed in pieces, between which other threads can run: `np.loadtxt` holds the GIL.
    """
    text = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").strip()
    if any(blank in text for blank in (b"\n\n", b"\n ", b"\n\t")):
        text = b"".join(line for line in io.BytesIO(text) if not line.isspace())
    if not text:
        raise ValueError("there is nothing in it")
    if b"_" in text:  # Python reads it inside of numbers.
        raise ValueError("it contains '_'")
    codes = np.frombuffer(text, np.uint8)
    separators = codes[(codes == ord(",")) | (codes == ord("\n"))]
    ends = np.append(np.flatnonzero(separators == ord("\n")), len(separators))
    columns = np.diff(ends, prepend=-1)
    if (columns != columns[0]).any():
        row = int(np.flatnonzero(columns != columns[0])[0])
        raise ValueError(f"row {row + 1} has {columns[row]} columns, and row 1 has {columns[0]}")
    values = np.empty(len(separators) + 1)
    n_read = begin = 0
    while n_read < len(values):
        end = _SEPARATOR.search(text, begin + _PIECE)
        piece = text[begin : end.start() if end else len(text)]
        if b'"' in piece:
            piece = _QUOTED.sub(rb"\1", piece)
        numbers = list(map(float, piece.replace(b"\n", b",").split(b",")))
        values[n_read : n_read + len(numbers)] = numbers
        n_read, begin = n_read + len(numbers), begin + len(piece) + 1
    return values.reshape(len(columns), -1)


_PIECE = 32 << 10  # Bytes of CSV that are parsed in about a millisecond.
_SEPARATOR = re.compile(rb"[,\n]")
_QUOTED = re.compile(rb'(?<![^,\n])[ \t]*"([^",\n]*)"[ \t]*(?![^,\n])')


def _from_image(body: bytes, model: Model, most_pixels: int) -> dict[str, Array]:
    if model.picture is None:
        raise Refused(415, "the model takes no images: it has not one input of images")
    try:
        check_image("the body", memoryview(body), most_pixels, "--max-pixels")
        return {model.inputs[0].name: model.picture.decode("the body", body)}
    except ArgumentError as error:  # The image is too large.
        raise Refused(413, str(error)) from None
    except MXNetError as error:
        raise Refused(400, str(error)) from None


# Responses ----------------------------------------------------------------------------------------


def choose_content_type(accept: str) -> str:
    """Return the content type of the response to a request with this Accept header.

    Raises:
        Refused: nothing that it names is known.
    """
    ranges = [r.partition(";")[0].strip().lower() for r in accept.split(",", _MOST_RANGES)]
    for kind in ranges:
        if kind in (JSON, CSV, NPY):
            return kind
        if kind in ("", "*/*", "application/*"):
            return JSON
        if kind == "text/*":
            return CSV
    raise Refused(406, f"Accept {accept[:80]!r}: known are {JSON}, {CSV}, {NPY}")


def encode_body(
    kind: str, outputs: Mapping[str, Array], labels: Sequence[str], hold: Callable[[int], None]
) -> list[bytes]:
    """Return the pieces of the body of a response.

    Args:
        kind: Its content type.
        outputs: Of the model.
        labels: Names of classes, with which an image is answered; empty: with scores.
        hold: See `encode_json`.

    Raises:
        Refused: outputs that this content type cannot hold.
    """
    if kind == JSON:
        return _encode_outputs(outputs, labels, hold)
    if kind == CSV:
        return _encode_csv(outputs, hold)
    if len(outputs) != 1:
        raise Refused(406, f"{NPY} holds one array; outputs are {', '.join(outputs)}")
    file = io.BytesIO()
    np.lib.format.write_array(file, next(iter(outputs.values())), allow_pickle=False)
    return [file.getvalue()]


def _encode_outputs(
    outputs: Mapping[str, Array], labels: Sequence[str], hold: Callable[[int], None]
) -> list[bytes]:
    first = next(iter(outputs.values()))
    if labels and first.shape == (1, len(labels)):
        return [encode(_classes(first[0], labels)).encode()]
    if len(outputs) == 1:
        return encode_json(first, hold)
    pieces, before = [], "{"
    for name, values in outputs.items():
        pieces.append(f"{before}{encode(name)}:".encode())
        pieces += encode_json(values, hold)
        before = ","
    return [*pieces, b"}"]


def _classes(scores: Array, labels: Sequence[str]) -> list[dict[str, Any]]:
    best = np.argsort(-scores.astype(np.float64), kind="stable")[:_TOP]
    return [{"class": labels[i], "probability": to_json(scores[i : i + 1])[0]} for i in best]


def _encode_csv(outputs: Mapping[str, Array], hold: Callable[[int], None]) -> list[bytes]:
    rows = {output.shape[0] if output.ndim else 0 for output in outputs.values()}
    if len(rows) != 1 or 0 in rows:
        raise Refused(406, f"{CSV} holds rows; outputs have no common number of them")
    columns = [output.reshape(len(output), -1) for output in outputs.values()]
    n_rows = max(1, _NUMBERS // max(1, sum(column.shape[1] for column in columns)))
    pieces = []
    for start in range(0, rows.pop(), n_rows):
        parts = (column[start : start + n_rows].tolist() for column in columns)
        rows_of_parts = zip(*parts, strict=True)
        lines = (",".join(str(v) for part in row for v in part) for row in rows_of_parts)
        pieces.append("".join(f"{line}\n" for line in lines).encode())
        hold(len(pieces[-1]))
    return pieces


_NUMBERS = 1 << 13  # Numbers that are formatted at once.
