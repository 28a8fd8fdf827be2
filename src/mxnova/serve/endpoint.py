# SPDX-License-Identifier: Apache-2.0
"""What both contracts do with a request: bounds, errors as JSON, metrics, time-outs."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

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

        async def answer(request: Request) -> Response:
            start = time.monotonic()
            response = await self._answered(request, act)
            name = request.path_params.get("model", "")
            known = name if name in self.repository.names() else ""
            self.metrics.responded(path, known, response.status_code, time.monotonic() - start)
            return response

        answer.summary = (act.__doc__ or "").partition("\n")[0]  # type: ignore[attr-defined]
        return Route(path, answer, methods=[method], name=f"{method} {path}")

    async def _answered(self, request: Request, act: Act) -> Response:
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
        try:
            with anyio.fail_after(seconds):
                outputs = await served.submit(arrays)
        except TimeoutError:
            raise Refused(504, f"the model did not answer in {seconds:g} seconds") from None
        return dict(zip(served.model.predictor.output_names, outputs, strict=True))

    async def optional_object(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request that need not have one."""
        async with self.intake.body(request) as body:
            return json_object(body, 8) if body.strip() else {}


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
