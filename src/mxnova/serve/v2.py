# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol V2 over HTTP, with its binary tensor data extension.

Also the repository's extension, by which clients list, load and unload models.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .. import __version__
from ..core.base.errors import candidates, shown
from .endpoint import Endpoint, json_object
from .errors import Refused
from .loading import OPEN, Tensor
from .repository import Served
from .tensors import datatype_of, dtype_of, from_bytes, from_json, to_json

__all__ = ["routes"]

Array = np.ndarray[Any, Any]
_VERSION = "1"  # of every model: a new one takes the place of the old
_HEADER = "inference-header-content-length"
_DEPTH = 40  # of brackets: 32 axes, and what is around them
_CACHED_BYTES = 4 << 10
_MOST_TENSORS = 1 << 10
_MOST_AXES = 32
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def routes(endpoint: Endpoint) -> list[Route]:
    """The protocol's addresses."""
    contract = _Contract(endpoint)
    models = "/v2/models/{model}"
    version = f"{models}/versions/{{version}}"
    table = [
        *[
            row
            for prefix in (models, version)
            for row in (
                ("POST", f"{prefix}/infer", contract.infer),  # routes are tried in order
                ("GET", prefix, contract.model),
                ("GET", f"{prefix}/ready", contract.model_ready),
            )
        ],
        ("GET", "/v2", contract.server),
        ("GET", "/v2/health/live", contract.live),
        ("GET", "/v2/health/ready", contract.ready),
        ("POST", "/v2/repository/index", contract.index),
        ("POST", "/v2/repository/models/{model}/load", contract.load),
        ("POST", "/v2/repository/models/{model}/unload", contract.unload),
    ]
    return [endpoint.route(method, path, act) for method, path, act in table]


class _Contract:
    """Each method answers one address."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint, self._repository = endpoint, endpoint.repository

    async def server(self, _request: Request) -> Response:
        """Metadata of the server."""
        extensions = ["binary_tensor_data", "model_repository"]
        return JSONResponse({"name": "mxnova", "version": __version__, "extensions": extensions})

    async def live(self, _request: Request) -> Response:
        """Whether the process answers."""
        return JSONResponse({"live": True})

    async def ready(self, _request: Request) -> Response:
        """Whether models answer: they are loaded before the server listens."""
        return JSONResponse({"ready": True})

    async def _served(self, request: Request) -> Served:
        """The model that the address names, and perhaps its version."""
        version = request.path_params.get("version", _VERSION)
        if version != _VERSION:
            raise Refused(404, f"there is no version {shown(version, 80)}; models have {_VERSION}")
        return await self._endpoint.served(request)

    async def model(self, request: Request) -> Response:
        """Metadata of a model."""
        served = await self._served(request)
        return JSONResponse(
            {
                "name": served.name,
                "versions": [_VERSION],
                "platform": "mxnova",
                "inputs": [_described(tensor) for tensor in served.model.inputs],
                "outputs": [_described(tensor) for tensor in served.model.outputs],
            }
        )

    async def model_ready(self, request: Request) -> Response:
        """Whether a model answers."""
        served = await self._served(request)
        return JSONResponse({"name": served.name, "ready": True})

    async def infer(self, request: Request) -> Response:
        """Runs a model."""
        served = await self._served(request)
        async with self._endpoint.intake.body(request) as body:
            head, binary = _divided(request, body)
            if head is None:
                head = _of_raw(served.model.inputs, len(binary))
            arrays = _inputs(head, binary, self._endpoint.settings.max_elements)
            wanted = _wanted(head, [t.name for t in served.model.outputs])
            _check_id(head)
            outputs = await self._endpoint.infer(served, arrays)
        return _response(served.name, head, {name: outputs[name] for name in wanted}, wanted)

    async def index(self, request: Request) -> Response:
        """Models that are loaded, and those that may be."""
        asked = await self._endpoint.optional_object(request)
        rows = [
            {"name": name, "version": _VERSION, "state": "READY", "reason": ""}
            for name in self._repository.names()
        ]
        if asked.get("ready") is not True:
            rows += [
                {"name": name, "state": "UNAVAILABLE", "reason": "unloaded"}
                for name in self._repository.available()
            ]
        return JSONResponse(rows)

    async def load(self, request: Request) -> Response:
        """Loads a model, or loads it again."""
        asked = await self._endpoint.optional_object(request)
        if asked.get("parameters"):
            raise Refused(400, "parameters of load: none are known")
        name = request.path_params["model"]
        await self._repository.load(name)
        return JSONResponse({"name": name, "state": "READY"})

    async def unload(self, request: Request) -> Response:
        """Unloads a model."""
        await self._endpoint.optional_object(request)
        name = request.path_params["model"]
        await self._repository.unload(name)
        return JSONResponse({"name": name, "state": "UNAVAILABLE"})


def _described(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "datatype": datatype_of(tensor.dtype),
        "shape": list(tensor.shape),
    }


# Requests -----------------------------------------------------------------------------------------


def _divided(request: Request, body: bytes) -> tuple[dict[str, Any] | None, memoryview]:
    """The JSON object of a request, None where its length is 0, and the bytes behind it."""
    text = request.headers.get(_HEADER)
    size = len(body)
    if text is not None:
        if not text.isdecimal() or len(text) > 18 or int(text) > size:
            raise Refused(
                400, f"Inference-Header-Content-Length {text[:80]!r}: the body has {size} bytes"
            )
        size = int(text)
        if not size:
            return None, memoryview(body)
    repeats = size < len(body) and size <= _CACHED_BYTES
    head = _cached_head(body[:size]) if repeats else json_object(body[:size], _DEPTH)
    return head, memoryview(body)[size:]


@lru_cache(maxsize=64)
def _cached_head(text: bytes) -> dict[str, Any]:
    """The JSON object beside binary data, which clients send again with every request."""
    return json_object(text, _DEPTH)


def _of_raw(inputs: Sequence[Tensor], size: int) -> dict[str, Any]:
    """The JSON object that a request of nothing but bytes stands for: those of the only input."""
    tensor = inputs[0]
    n_open = tensor.shape.count(OPEN)
    if len(inputs) > 1 or n_open > 1:
        raise Refused(
            400, "a request without a JSON part is for models with one input and one open size"
        )
    row = math.prod(s for s in tensor.shape if s != OPEN) * tensor.dtype.itemsize
    if not row or size % row or (not n_open and size != row):
        raise Refused(400, f"the body has {size} bytes, and a row of {tensor.name!r} {row}")
    told = {
        "name": tensor.name,
        "shape": [size // row if s == OPEN else s for s in tensor.shape],
        "datatype": datatype_of(tensor.dtype),
        "parameters": {"binary_data_size": size},
    }
    return {"inputs": [told], "parameters": {"binary_data_output": True}}


def _inputs(head: Mapping[str, Any], binary: memoryview, limit: int) -> dict[str, Array]:
    """The arrays of a request by name."""
    arrays: dict[str, Array] = {}
    start = elements = 0
    for told in _objects(head, "inputs", required=True):
        name, shape = _name(told, "input"), _shape(told)
        if name in arrays:
            raise Refused(400, f"input {name!r} is given twice")
        elements += math.prod(shape)
        if elements > limit:
            raise Refused(413, f"the inputs have more than {limit:,} elements")
        dtype = dtype_of(name, told.get("datatype"))
        size = _parameters(told).get("binary_data_size")
        if size is None:
            arrays[name] = from_json(name, told.get("data"), dtype, shape)
            continue
        if not _is_count(size) or start + size > len(binary):
            raise Refused(
                400,
                f"input {name!r} has binary_data_size {shown(size, 40)}, and "
                f"{len(binary) - start} bytes are left",
            )
        arrays[name] = from_bytes(name, binary[start : start + size], dtype, shape)
        start += size
    if start < len(binary):
        raise Refused(400, f"{len(binary) - start} bytes stand behind the inputs")
    return arrays


def _wanted(head: Mapping[str, Any], names: Sequence[str]) -> dict[str, bool]:
    """Names of the outputs that are asked for, and whether each is to be binary."""
    by_default = _flag(_parameters(head), "binary_data_output", False)
    asked = _objects(head, "outputs", required=False)
    found: dict[str, bool] = {}
    for told in asked:
        name, parameters = _name(told, "output"), _parameters(told)
        if name not in names:
            raise Refused(400, f"the model has no output {name!r}{candidates(name, names)}")
        if "classification" in parameters:
            raise Refused(400, f"output {name!r}: the classification extension is not known")
        found[name] = _flag(parameters, "binary_data", by_default)
    return found or dict.fromkeys(names, by_default)


def _check_id(head: Mapping[str, Any]) -> None:
    if not isinstance(head.get("id"), str | None):
        raise Refused(400, f"'id' is {shown(head['id'], 40)}, expected a string")


def _objects(head: Mapping[str, Any], key: str, required: bool) -> list[dict[str, Any]]:
    found = head.get(key)
    if found is None and not required:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise Refused(400, f"{key!r} must be a list of objects")
    if len(found) > _MOST_TENSORS:
        raise Refused(400, f"{key!r} has {len(found)} objects; at most {_MOST_TENSORS} are read")
    return found


def _name(told: Mapping[str, Any], kind: str) -> str:
    name = told.get("name")
    if not isinstance(name, str):
        raise Refused(400, f"an {kind} has name {shown(name, 40)}, expected a string")
    return name


def _shape(told: Mapping[str, Any]) -> tuple[int, ...]:
    shape = told.get("shape")
    if not isinstance(shape, list) or len(shape) > _MOST_AXES or not all(map(_is_count, shape)):
        raise Refused(
            400, f"input {told['name']!r} has shape {shown(shape, 80)}, expected a list of sizes"
        )
    return tuple(shape)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _parameters(told: Mapping[str, Any]) -> Mapping[str, Any]:
    found = told.get("parameters")
    if found is not None and not isinstance(found, dict):
        raise Refused(400, f"'parameters' of {shown(found, 40)}, expected an object")
    return found or {}


def _flag(parameters: Mapping[str, Any], key: str, default: bool) -> bool:
    value = parameters.get(key, default)
    if not isinstance(value, bool):
        raise Refused(400, f"parameter {key!r} is {shown(value, 40)}, expected a boolean")
    return value


# Responses ----------------------------------------------------------------------------------------


def _response(
    model: str, head: Mapping[str, Any], outputs: Mapping[str, Array], binary: Mapping[str, bool]
) -> Response:
    """Outputs as JSON, and those that are wanted so as bytes behind it."""
    parts = {
        name: values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        for name, values in outputs.items()
        if binary[name]
    }
    facts = tuple(
        (name, values.shape, values.dtype, len(parts[name]) if name in parts else None)
        for name, values in outputs.items()
    )
    if len(parts) == len(outputs) and head.get("id") is None:
        text = _cached_answer(model, facts)
    else:
        data = {n: to_json(values) for n, values in outputs.items() if n not in parts}
        text = _answer(model, facts, data, head.get("id"))
    if not parts:
        return Response(text, media_type="application/json")
    headers = {_HEADER: str(len(text))}
    content = b"".join((text, *parts.values()))
    return Response(content, media_type="application/octet-stream", headers=headers)


_Fact = tuple[str, tuple[int, ...], np.dtype[Any], int | None]


def _answer(
    model: str,
    outputs: Sequence[_Fact],
    data: Mapping[str, list[Any]],
    id_: str | None,
) -> bytes:
    """The JSON part of a response.

    Args:
        model: its name.
        outputs: name, shape, element type, and number of bytes of those that stand behind.
        data: elements of the others.
        id_: of the request; None: it has none.
    """
    rows = []
    for name, shape, dtype, size in outputs:
        row: dict[str, Any] = {"name": name, "shape": shape, "datatype": datatype_of(dtype)}
        if size is None:
            row["data"] = data[name]
        else:
            row["parameters"] = {"binary_data_size": size}
        rows.append(row)
    answer = {"model_name": model, "model_version": _VERSION, "outputs": rows}
    return _encode(answer if id_ is None else answer | {"id": id_}).encode()


@lru_cache(maxsize=64)
def _cached_answer(model: str, outputs: tuple[_Fact, ...]) -> bytes:
    """The JSON part of a response of binary outputs, which is the same for the same shapes."""
    return _answer(model, outputs, {}, None)
