# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol V2 over HTTP, with its binary tensor data extension.

Also the repository's extension, by which clients list, load and unload models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .. import __version__
from ..core.base.errors import candidates, shown
from .endpoint import Call, Endpoint, PacedResponse, json_object
from .errors import Refused
from .loading import OPEN, Tensor
from .repository import Fed, Served
from .tensors import datatype_of, dtype_of, encode, encode_json, from_bytes, from_json

__all__ = ["routes"]

Array = np.ndarray[Any, Any]
_VERSION = "1"  # of every model: a new one takes the place of the old
_HEADER = "inference-header-content-length"
_DEPTH = 40  # of brackets: 32 axes, and what is around them
_CACHED_BYTES = 4 << 10
_MOST_TENSORS = 1 << 10
_MOST_AXES = 32


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

    async def server(self, _call: Call) -> Response:
        """Metadata of the server."""
        extensions = ["binary_tensor_data", "model_repository"]
        return JSONResponse({"name": "mxnova", "version": __version__, "extensions": extensions})

    async def live(self, _call: Call) -> Response:
        """Whether the process answers."""
        return JSONResponse({"live": True})

    async def ready(self, _call: Call) -> Response:
        """Whether models answer: they are loaded before the server listens."""
        return JSONResponse({"ready": True})

    async def _find_model(self, call: Call) -> Served:
        """Return the model that the address names, and perhaps its version."""
        version = call.path_params.get("version", _VERSION)
        if version != _VERSION:
            raise Refused(404, f"there is no version {shown(version, 80)}; models have {_VERSION}")
        return await self._endpoint.find_model(call)

    async def model(self, call: Call) -> Response:
        """Metadata of a model."""
        served = await self._find_model(call)
        return JSONResponse(
            {
                "name": served.name,
                "versions": [_VERSION],
                "platform": "mxnova",
                "inputs": [_described(tensor) for tensor in served.model.inputs],
                "outputs": [_described(tensor) for tensor in served.model.outputs],
            }
        )

    async def model_ready(self, call: Call) -> Response:
        """Whether a model answers."""
        served = await self._find_model(call)
        return JSONResponse({"name": served.name, "ready": True})

    async def infer(self, call: Call) -> Response:
        """Runs a model."""
        served = await self._find_model(call)
        endpoint, settings = self._endpoint, self._endpoint.settings
        n_text = _text_size(call)
        limit = endpoint.text_limit if n_text is None else settings.max_request_bytes
        if (n_text or 0) > endpoint.text_limit:
            raise Refused(413, f"the JSON part has more than {endpoint.text_limit:,} bytes")
        body = await endpoint.intake.read(call, limit)

        def parse(content: bytes) -> _Asked:
            asked = _parse(content, n_text, served, settings.max_elements)
            call.hold(asked.fed.own_bytes)
            return asked

        n_slow = len(body) if n_text is None else n_text
        asked = await endpoint.decode(call, body, n_slow, limit, parse)
        del body
        outputs = await endpoint.infer(call, served, asked.fed)
        wanted = {name: outputs[name] for name in asked.wanted}
        n_numbers = sum([v.size for n, v in wanted.items() if not asked.wanted[n]])
        n_bytes = sum([values.nbytes for values in wanted.values()])
        make = partial(_response, served.name, asked.id, wanted, asked.wanted, call.hold)
        return await endpoint.encode(call, n_numbers, n_bytes, make)

    async def index(self, call: Call) -> Response:
        """Models that are loaded, and those that may be."""
        asked = await self._endpoint.control_object(call)
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

    async def load(self, call: Call) -> Response:
        """Loads a model, or loads it again."""
        asked = await self._endpoint.control_object(call)
        if asked.get("parameters"):
            raise Refused(400, "parameters of load: none are known")
        name = call.path_params["model"]
        await self._repository.load(name, scope=call.scope)
        return JSONResponse({"name": name, "state": "READY"})

    async def unload(self, call: Call) -> Response:
        """Unloads a model."""
        await self._endpoint.control_object(call)
        name = call.path_params["model"]
        await self._repository.unload(name)
        return JSONResponse({"name": name, "state": "UNAVAILABLE"})


def _described(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "datatype": datatype_of(tensor.dtype),
        "shape": list(tensor.shape),
    }


# Requests -----------------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """The parsed body of an inference request.

    Attributes:
        fed: Inputs of the model.
        wanted: Names of outputs, and whether each is to be binary.
        id: Of the request; None: it has none.
    """

    fed: Fed
    wanted: dict[str, bool]
    id: str | None


def _text_size(call: Call) -> int | None:
    """Return how many bytes of the body are JSON; None: all."""
    text = call.headers.get(_HEADER)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 18:
        text = (
            f"Inference-Header-Content-Length {text[:80]!r}: the body has no such number of bytes"
        )
        raise Refused(400, text)
    return int(text)


def _parse(content: bytes, n_text: int | None, served: Served, most_elements: int) -> _Asked:
    """Return what a body asks for.

    Args:
        content: JSON, and binary data behind it.
        n_text: How many bytes of it are JSON; None: all.
        served: The model.
        most_elements: Of all inputs.
    """
    size = len(content) if n_text is None else n_text
    if size > len(content):
        raise Refused(
            400, f"Inference-Header-Content-Length {size}: the body has {len(content)} bytes"
        )
    inputs, outputs = served.model.inputs, served.model.outputs
    if n_text == 0:
        head = _of_raw(inputs, len(content))
    elif size < len(content) and size <= _CACHED_BYTES:
        head = _cached_head(content[:size])
    else:
        head = json_object(content[:size], _DEPTH)
    arrays = _inputs(head, memoryview(content)[size:], most_elements)
    wanted = _wanted(head, [tensor.name for tensor in outputs])
    id_ = head.get("id")
    if not isinstance(id_, str | None):
        raise Refused(400, f"'id' is {shown(id_, 40)}, expected a string")
    return _Asked(served.fit(arrays), wanted, id_)


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
    model: str,
    id_: str | None,
    outputs: Mapping[str, Array],
    binary: Mapping[str, bool],
    hold: Callable[[int], None],
) -> Response:
    """Return outputs as JSON, and those that are wanted so as bytes behind it.

    Args:
        model: Its name.
        id_: Of the request; None: it has none.
        outputs: Those that are wanted, by name.
        binary: Which of them are wanted as bytes.
        hold: See `encode_json`.
    """
    parts = {
        name: values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        for name, values in outputs.items()
        if binary[name]
    }
    facts = tuple(
        (name, values.shape, values.dtype, len(parts[name]) if name in parts else None)
        for name, values in outputs.items()
    )
    if len(parts) == len(outputs) and id_ is None:
        text = [_cached_answer(model, facts)]
    else:
        text = _answer(model, facts, outputs, id_, hold)
    if not parts:
        return PacedResponse(text, "application/json")
    headers = {_HEADER: str(sum(map(len, text)))}
    return PacedResponse([*text, *parts.values()], "application/octet-stream", headers)


_Fact = tuple[str, tuple[int, ...], np.dtype[Any], int | None]


def _answer(
    model: str,
    facts: Sequence[_Fact],
    outputs: Mapping[str, Array],
    id_: str | None,
    hold: Callable[[int], None],
) -> list[bytes]:
    """Return pieces of the JSON part of a response.

    Args:
        model: Its name.
        facts: Name, shape, dtype, and number of bytes of outputs that stand behind the JSON part.
        outputs: The others are taken from these.
        id_: Of the request; None: it has none.
        hold: See `encode_json`.
    """
    head = {"model_name": model, "model_version": _VERSION}
    before = encode(head if id_ is None else head | {"id": id_})[:-1] + ',"outputs":['
    pieces: list[bytes] = []
    for name, shape, dtype, size in facts:
        row: dict[str, Any] = {"name": name, "shape": shape, "datatype": datatype_of(dtype)}
        if size is not None:
            row["parameters"] = {"binary_data_size": size}
        text = before + encode(row)[:-1]
        if size is None:
            pieces.append(f'{text},"data":'.encode())
            pieces += encode_json(outputs[name].reshape(-1), hold)
        else:
            pieces.append(text.encode())
        before = "},"
    pieces.append(b"}]}")
    return pieces


@lru_cache(maxsize=64)
def _cached_answer(model: str, outputs: tuple[_Fact, ...]) -> bytes:
    """The JSON part of a response of binary outputs, which is the same for the same shapes."""
    return b"".join(_answer(model, outputs, {}, None, lambda n_bytes: None))
