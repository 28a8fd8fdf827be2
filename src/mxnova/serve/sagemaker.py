# SPDX-License-Identifier: Apache-2.0
"""SageMaker's contract with containers, that of multi-model endpoints included."""

from __future__ import annotations

import os
import time

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..core.base.printable import printable
from .endpoint import Call, Endpoint, PacedResponse
from .errors import Refused
from .payloads import (
    CSV,
    IMAGES,
    JSON,
    NPY,
    choose_content_type,
    content_type_of,
    decode_inputs,
    encode_body,
    has_instances,
)
from .repository import Fed, Served

__all__ = ["routes"]

_PAGE = 1000  # models of a list


def routes(endpoint: Endpoint) -> list[Route]:
    """The contract's addresses."""
    contract = _Contract(endpoint)
    table = [
        ("GET", "/ping", contract.ping),
        ("POST", "/invocations", contract.invocations),
        ("GET", "/models", contract.models),
        ("POST", "/models", contract.load),
        ("GET", "/models/{model}", contract.model),
        ("DELETE", "/models/{model}", contract.unload),
        ("POST", "/models/{model}/invoke", contract.invoke),
    ]
    return [endpoint.route(method, path, act) for method, path, act in table]


class _Contract:
    """Each method answers one address."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint, self._repository = endpoint, endpoint.repository
        self._default_accept = os.environ.get("SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT", "*/*")

    async def ping(self, _call: Call) -> Response:
        """Whether the server answers."""
        return Response(b"\n", media_type="application/json")

    async def invocations(self, call: Call) -> Response:
        """Runs the model that the server was told of first."""
        name = self._repository.default()
        return await self._invoke_model(call, await self._repository.get(name, call.scope))

    async def invoke(self, call: Call) -> Response:
        """Runs a model."""
        return await self._invoke_model(call, await self._endpoint.find_model(call))

    async def _invoke_model(self, call: Call, served: Served) -> Response:
        endpoint, settings = self._endpoint, self._endpoint.settings
        kind = choose_content_type(call.headers.get("accept", self._default_accept))
        content_type = content_type_of(call.headers.get("content-type", ""))
        is_text = content_type in (JSON, CSV)
        limit = endpoint.text_limit if is_text else settings.max_request_bytes
        body = await endpoint.intake.read(call, limit)

        def parse(content: bytes) -> tuple[Fed, bool]:
            bounds = settings.max_elements, settings.max_pixels
            fed = served.fit(decode_inputs(content_type, content, served.model, *bounds))
            call.hold(fed.own_bytes)
            return fed, content_type == JSON and has_instances(content)

        # Images take long to decode for their size.
        n_slow = settings.max_request_bytes if content_type in IMAGES else len(body)
        fed, is_of_instances = await endpoint.decode(call, body, n_slow, limit, parse)
        del body
        start = time.monotonic()
        outputs = await endpoint.infer(call, served, fed)
        milliseconds = (time.monotonic() - start) * 1000
        labels = served.model.labels if content_type in IMAGES else ()

        def make() -> Response:
            pieces = encode_body(kind, outputs, labels, call.hold)
            if is_of_instances and kind == JSON:
                pieces = [b'{"predictions": ', *pieces, b"}"]
            timing = {"Server-Timing": f"model;dur={milliseconds:.3f}"}
            return PacedResponse(pieces, kind, timing)

        n_numbers = 0 if kind == NPY else sum([values.size for values in outputs.values()])
        n_bytes = sum([values.nbytes for values in outputs.values()])
        return await endpoint.encode(call, n_numbers, n_bytes, make)

    async def models(self, call: Call) -> Response:
        """The models that are loaded, in pages."""
        names = self._repository.names()
        token = call.query_params.get("next_page_token", "0")
        if not token.isdecimal() or len(token) > 9:
            raise Refused(400, f"next_page_token {token[:80]!r}: none that was given out")
        start = int(token)
        answer: dict[str, object] = {
            "models": [self._described(name) for name in names[start : start + _PAGE]]
        }
        if start + _PAGE < len(names):
            answer["nextPageToken"] = str(start + _PAGE)
        return JSONResponse(answer)

    async def model(self, call: Call) -> Response:
        """A model that is loaded."""
        return JSONResponse(self._described(call.path_params["model"]))

    def _described(self, name: str) -> dict[str, str]:
        return {"modelName": name, "modelUrl": printable(self._repository.url(name))}

    async def load(self, call: Call) -> Response:
        """Loads a model from the folder of models."""
        asked = await self._endpoint.control_object(call)
        name, url = asked.get("model_name"), asked.get("url")
        if not isinstance(name, str) or not isinstance(url, str):
            raise Refused(400, "expected an object of two strings, 'model_name' and 'url'")
        await self._repository.load(name, url, is_new=True, scope=call.scope)
        return JSONResponse(self._described(name))

    async def unload(self, call: Call) -> Response:
        """Unloads a model."""
        await self._repository.unload(call.path_params["model"])
        return JSONResponse({})
