# SPDX-License-Identifier: Apache-2.0
"""SageMaker's contract with containers, that of multi-model endpoints included."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .endpoint import Endpoint, json_object
from .errors import Refused
from .payloads import accepted, decoded, encoded
from .repository import Served

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

    async def ping(self, _request: Request) -> Response:
        """Whether the server answers."""
        return Response(b"\n", media_type="application/json")

    async def invocations(self, request: Request) -> Response:
        """Runs the model that the server was told of first."""
        name = self._repository.default()
        return await self._invoked(request, await self._repository.get(name))

    async def invoke(self, request: Request) -> Response:
        """Runs a model."""
        return await self._invoked(request, await self._endpoint.served(request))

    async def _invoked(self, request: Request, served: Served) -> Response:
        settings = self._endpoint.settings
        kind = accepted(request.headers.get("accept", self._default_accept))
        content_type = request.headers.get("content-type", "")
        async with self._endpoint.intake.body(request) as body:
            work = partial(
                decoded,
                content_type,
                body,
                served.model,
                settings.max_elements,
                settings.max_pixels,
            )
            arrays = await asyncio.get_running_loop().run_in_executor(None, work)
            start = time.monotonic()
            outputs = await self._endpoint.infer(served, arrays)
            milliseconds = (time.monotonic() - start) * 1000
            told = content_type.partition(";")[0].strip().lower() or "application/json"
            answer = encoded(kind, outputs, told, body, served.model.labels)
        timing = {"Server-Timing": f"model;dur={milliseconds:.3f}"}
        return Response(answer, media_type=kind, headers=timing)

    async def models(self, request: Request) -> Response:
        """The models that are loaded, in pages."""
        names = self._repository.names()
        token = request.query_params.get("next_page_token", "0")
        if not token.isdecimal() or len(token) > 9:
            raise Refused(400, f"next_page_token {token[:80]!r}: none that was given out")
        start = int(token)
        answer: dict[str, object] = {
            "models": [self._described(name) for name in names[start : start + _PAGE]]
        }
        if start + _PAGE < len(names):
            answer["nextPageToken"] = str(start + _PAGE)
        return JSONResponse(answer)

    async def model(self, request: Request) -> Response:
        """A model that is loaded."""
        return JSONResponse(self._described(request.path_params["model"]))

    def _described(self, name: str) -> dict[str, str]:
        return {"modelName": name, "modelUrl": self._repository.url(name)}

    async def load(self, request: Request) -> Response:
        """Loads a model from the folder of models."""
        async with self._endpoint.intake.body(request) as body:
            asked = json_object(body, 8)
        name, url = asked.get("model_name"), asked.get("url")
        if not isinstance(name, str) or not isinstance(url, str):
            raise Refused(400, "expected an object of two strings, 'model_name' and 'url'")
        await self._repository.load(name, url, is_new=True)
        return JSONResponse(self._described(name))

    async def unload(self, request: Request) -> Response:
        """Unloads a model."""
        await self._repository.unload(request.path_params["model"])
        return JSONResponse({})
