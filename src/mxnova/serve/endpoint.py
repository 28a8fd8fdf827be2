# SPDX-License-Identifier: Apache-2.0
"""What both contracts do with a request: bounds, errors as JSON, metrics, time-outs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..core.base.errors import FormatError, MXNetError, OutOfMemoryError
from ..formats import bounded_json
from .bodies import Intake
from .errors import Refused
from .metrics import Metrics
from .repository import Repository, Served
from .settings import Settings

__all__ = ["Endpoint", "json_object", "json_value"]

_log = logging.getLogger("mxnova")

Array = np.ndarray[Any, Any]
Act = Callable[[Request], Awaitable[Response]]


class Endpoint:
    """What handlers of requests share.

    Args:
        settings: of the server.

    Attributes:
        settings: the same.
        metrics: of the process.
        repository: its models.
        intake: reads bodies.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.repository = Repository(settings, self.metrics)
        self.intake = Intake(settings.max_request_bytes, settings.timeout)

    def route(self, method: str, path: str, act: Act) -> Route:
        """A route whose errors are responses, and whose responses are counted."""
        handler = _Handler(self, path, act)
        return Route(path, handler, methods=[method], name=f"{method} {path}")

    async def answer(self, request: Request, act: Act) -> Response:
        """The response of `act`, or the one that tells its error."""
        try:
            return await act(request)
        except Refused as refusal:
            return refused(refusal)
        except (MemoryError, OutOfMemoryError):
            return refused(Refused(507, "there is not enough memory"))
        except MXNetError as error:  # the model did not take what passed all checks
            return refused(Refused(400, str(error)))
        except Exception:  # noqa: BLE001 - a fault of ours; the process goes on
            _log.exception("%s %s", request.method, request.url.path)
            return refused(Refused(500, "a fault of the server, which its log describes"))

    async def served(self, request: Request) -> Served:
        """The model that the address names."""
        return await self.repository.get(request.path_params["model"])

    async def infer(self, served: Served, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs of a model.

        Raises:
            Refused: inputs that it does not take, too many requests, or no outputs in time.
        """
        seconds = self.settings.timeout
        future = served.submit(arrays)
        timer = asyncio.get_running_loop().call_later(seconds, _give_up, future, seconds)
        try:
            outputs = await future
        finally:
            timer.cancel()
        return dict(zip(served.model.predictor.output_names, outputs, strict=True))

    async def optional_object(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request that need not have one."""
        async with self.intake.body(request) as body:
            return json_object(body, 8) if body.strip() else {}


class _Handler:
    """The ASGI application of an address."""

    def __init__(self, endpoint: Endpoint, path: str, act: Act) -> None:
        self._endpoint, self._path, self._act = endpoint, path, act
        self.summary = (act.__doc__ or "").partition("\n")[0]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.monotonic()
        response = await self._endpoint.answer(Request(scope, receive), self._act)
        name = scope["path_params"].get("model", "")
        known = name if self._endpoint.repository.has(name) else ""
        seconds = time.monotonic() - start
        self._endpoint.metrics.responded(self._path, known, response.status_code, seconds)
        await response(scope, receive, send)


def _give_up(future: asyncio.Future[Any], seconds: float) -> None:
    if not future.done():
        future.set_exception(Refused(504, f"the model did not answer in {seconds:g} seconds"))


def refused(refusal: Refused) -> Response:
    """The response to a request that is refused."""
    return JSONResponse({"error": refusal.text}, refusal.status, refusal.headers)


def json_value(text: bytes, max_depth: int) -> Any:
    """The value of a JSON text.

    Raises:
        Refused: it is none, or exceeds a bound.
    """
    try:
        return bounded_json.loads(text, max_depth=max_depth, unique=True, finite=True)
    except FormatError as error:
        hint = ""
        if "is no number of JSON" in str(error):
            hint = "; send binary data, or one of the strings NaN, Infinity and -Infinity"
        raise Refused(400, f"the body is no JSON that is read here: {error}{hint}") from None
    except ValueError as error:  # such as a number of thousands of digits
        raise Refused(400, f"the body is no JSON that is read here: {error}") from None


def json_object(text: bytes, max_depth: int) -> dict[str, Any]:
    """The object of a JSON text.

    Raises:
        Refused: it is none, or exceeds a bound.
    """
    value = json_value(text, max_depth)
    if not isinstance(value, dict):
        raise Refused(400, "the body is no JSON object")
    return value
