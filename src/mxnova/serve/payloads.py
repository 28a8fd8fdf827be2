# SPDX-License-Identifier: Apache-2.0
"""What SageMaker's clients send and receive: JSON, CSV, .npy, images; by content type."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..formats import npy
from ..formats.images import check_image
from .endpoint import json_value
from .errors import Refused
from .loading import Model, Tensor
from .tensors import from_json, to_json

__all__ = ["accepted", "decoded", "encoded"]

Array = np.ndarray[Any, Any]

JSON, CSV, NPY = "application/json", "text/csv", "application/x-npy"
IMAGES = ("image/jpeg", "image/png", "application/x-image")
_DEPTH = 40
_TOP = 5  # classes that are told of an image


# Requests -----------------------------------------------------------------------------------------


def decoded(
    content_type: str, body: bytes, model: Model, most_elements: int, most_pixels: int
) -> dict[str, Array]:
    """The inputs in a body.

    Raises:
        Refused: the model takes nothing of this type, or the body is not of it.
    """
    kind = content_type.partition(";")[0].strip().lower() or JSON
    if kind == JSON:
        arrays = _from_json(json_value(body, _DEPTH), model)
    elif kind in IMAGES:
        arrays = _from_image(body, model, most_pixels)
    elif kind == NPY:
        arrays = _from_npy(body, model)
    elif kind == CSV:
        arrays = _from_csv(body, model)
    else:
        known = ", ".join((JSON, CSV, NPY, *IMAGES))
        raise Refused(415, f"Content-Type {kind[:80]!r}: known are {known}")
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
    """One row of the batch a line."""
    tensor = _only_input(model, "CSV")
    try:
        text = body.decode()
        if not text.strip():
            raise ValueError("there is nothing in it")
        values = np.loadtxt(
            io.StringIO(text), np.float64, delimiter=",", comments=None, quotechar='"', ndmin=2
        )
    except (ValueError, OverflowError) as error:
        raise Refused(400, f"the body is no CSV of numbers: {str(error)[:300]}") from None
    if math.prod(tensor.shape[1:]) == values.shape[1]:
        values = values.reshape(len(values), *tensor.shape[1:])
    return {tensor.name: values}


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


def accepted(accept: str) -> str:
    """The content type of the response to a request with this Accept header.

    Raises:
        Refused: nothing that it names is known.
    """
    ranges = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    for kind in ranges:
        if kind in (JSON, CSV, NPY):
            return kind
        if kind in ("", "*/*", "application/*"):
            return JSON
        if kind == "text/*":
            return CSV
    raise Refused(406, f"Accept {accept[:80]!r}: known are {JSON}, {CSV}, {NPY}")


def encoded(
    kind: str, outputs: Mapping[str, Array], content_type: str, body: bytes, labels: Sequence[str]
) -> bytes:
    """The body of a response.

    Args:
        kind: its content type.
        outputs: of the model.
        content_type: of the request; images are answered with names of classes, where known.
        body: of the request; instances are answered with predictions.
        labels: names of classes.

    Raises:
        Refused: outputs that this content type cannot hold.
    """
    if kind == JSON:
        return json.dumps(_answer(outputs, content_type, body, labels), allow_nan=False).encode()
    if kind == CSV:
        return _csv(outputs)
    if len(outputs) != 1:
        raise Refused(406, f"{NPY} holds one array; outputs are {', '.join(outputs)}")
    file = io.BytesIO()
    np.lib.format.write_array(file, next(iter(outputs.values())), allow_pickle=False)
    return file.getvalue()


def _answer(
    outputs: Mapping[str, Array], content_type: str, body: bytes, labels: Sequence[str]
) -> Any:
    first = next(iter(outputs.values()))
    if content_type in IMAGES and labels and first.shape == (1, len(labels)):
        return _classes(first[0], labels)
    values = {name: _nested(output) for name, output in outputs.items()}
    told: Any = next(iter(values.values())) if len(values) == 1 else values
    is_of_instances = content_type == JSON and body.lstrip()[:1] == b"{" and b'"instances"' in body
    return {"predictions": told} if is_of_instances else told


def _classes(scores: Array, labels: Sequence[str]) -> list[dict[str, Any]]:
    best = np.argsort(-scores.astype(np.float64), kind="stable")[:_TOP]
    return [{"class": labels[i], "probability": to_json(scores[i : i + 1])[0]} for i in best]


def _nested(values: Array) -> Any:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return np.array(to_json(values), object).reshape(values.shape).tolist()
    return values.tolist()


def _csv(outputs: Mapping[str, Array]) -> bytes:
    rows = {output.shape[0] if output.ndim else 0 for output in outputs.values()}
    if len(rows) != 1 or 0 in rows:
        raise Refused(406, f"{CSV} holds rows; outputs have no common number of them")
    columns = [output.reshape(len(output), -1) for output in outputs.values()]
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return "".join(",".join(str(v) for c in line for v in c) + "\n" for line in lines).encode()
