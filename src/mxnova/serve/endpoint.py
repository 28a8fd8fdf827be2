# SPDX-License-Identifier: Apache-2.0
"""What both contracts do with a request: bounds, errors as JSON, metrics, time-outs."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..core.base.errors import FormatError, MXNetError, OutOfMemoryError, bounded
from ..core.base.printable import printable
from ..formats import bounded_json
from .bodies import Call, Intake, Memory
from .errors import Refused
from .metrics import Metrics
from .pools import BoundedPool, wait_for_result
from .repository import Fed, Repository, Served
from .settings import Settings

__all__ = ["Call", "Endpoint", "PacedResponse", "json_object", "json_value"]

_log = logging.getLogger("mxnova")

Array = np.ndarray[Any, Any]
Act = Callable[["Call"], Awaitable[Response]]
T = TypeVar("T")

_SHARE = 8  # The number of requests of the largest size that fit into memory.
_DECODING_THREADS = 2  # More would only keep the event loop waiting longer for the GIL.
_QUICK_TEXT = 16 << 10  # Bytes of text that are parsed in less than a millisecond.
_QUICK_NUMBERS = 1 << 10  # Numbers that are formatted in less than a millisecond.
_QUICK_BYTES = 1 << 20  # Bytes that are copied or converted in about a millisecond.
_CONTROL_BYTES = 64 << 10  # The largest body of a request that loads or unloads models.
_BLOCK_BYTES = 256 << 10  # Bytes of a response that a connection buffers.


class Endpoint:
    """What handlers of requests share.

    Args:
        settings: Of the server.

    Attributes:
        settings: The same.
        metrics: Of the process.
        repository: Its models.
        intake: Reads bodies.
        memory: Counts the bytes that requests hold.
        text_limit: Bytes of JSON or CSV that a body may have.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.repository = Repository(settings, self.metrics)
        self.intake = Intake(settings.timeout)
        self.text_limit = min(settings.max_text_bytes, settings.max_request_bytes)
        self.memory = Memory(_SHARE * settings.max_request_bytes)
        self._decoding = BoundedPool("decoding", _DECODING_THREADS, settings.max_queue)

    def close(self) -> None:
        """End the threads when they have nothing to do."""
        self._decoding.executor.shutdown(cancel_futures=True)
        self.repository.close()
        self.metrics.flush()

    def route(self, method: str, path: str, act: Act) -> Route:
        """Return a route whose errors are responses, and whose responses are counted."""
        handler = _Handler(self, path, act)
        return Route(path, handler, methods=[method], name=f"{method} {path}")

    async def answer(self, call: Call, act: Act) -> Response:
        """Return the response of `act`, or the one that describes its error."""
        try:
            response = await act(call)
            if isinstance(response, PacedResponse) and response.size > _BLOCK_BYTES:
                call.release()
                call.hold(response.size)
            return response
        except Refused as refusal:
            return refused(refusal)
        except (MemoryError, OutOfMemoryError):
            return refused(Refused(507, "there is not enough memory"))
        except MXNetError as error:  # the model did not take what passed all checks
            return refused(Refused(400, str(error)))
        except Exception as error:  # noqa: BLE001 - a fault of ours; the process goes on
            frames = "".join(traceback.format_tb(error.__traceback__))
            told = f"{call.method} {call.url.path}: {type(error).__name__}: {error}"
            _log.error("%s\n%s", printable(bounded(told)), printable(frames, keep="\n"))
            return refused(Refused(500, "a fault of the server, which its log describes"))

    async def find_model(self, call: Call) -> Served:
        """Return the model that the address names."""
        return await self.repository.get(call.path_params["model"], call.scope)

    async def decode(
        self, call: Call, body: bytes, n_slow: int, limit: int, parse: Callable[[bytes], T]
    ) -> T:
        """Decompress and parse a body: a small one at once, others in a thread.

        Args:
            call: The request.
            body: As it was sent.
            n_slow: How many of its bytes are text or otherwise slow to parse.
            limit: How many bytes it may have when it is decompressed.
            parse: Called with the body without its Content-Encoding.

        Raises:
            Refused: It is not what it must be, or the threads have too much to do.
        """
        if n_slow <= _QUICK_TEXT and len(body) <= _QUICK_BYTES and not call.coding:
            return parse(body)
        return await self._decoding.run(
            lambda: parse(self.intake.decompress(call, body, limit)),
            call.scope, self.settings.timeout, "the body was not decoded",
        )  # fmt: skip

    async def infer(self, call: Call, served: Served, fed: Fed) -> dict[str, Array]:
        """Return the outputs of a model by name.

        Raises:
            Refused: Too many requests wait, or there were no outputs in time.
        """
        future = served.submit(fed, call.hold)
        outputs = await wait_for_result(
            future, call.scope, self.settings.timeout, "the model did not answer"
        )
        call.hold(sum([values.nbytes for values in outputs]))
        return dict(zip(served.model.predictor.output_names, outputs, strict=True))

    async def encode(
        self, call: Call, n_slow: int, n_bytes: int, make: Callable[[], Response]
    ) -> Response:
        """Make a response: a small one at once, others in a thread.

        Args:
            call: The request.
            n_slow: How many numbers are written as text.
            n_bytes: How many bytes the outputs have.
            make: Makes the response.
        """
        if n_slow <= _QUICK_NUMBERS and n_bytes <= _QUICK_BYTES:
            return make()
        seconds = self.settings.timeout
        return await self._decoding.run(make, call.scope, seconds, "the response was not encoded")

    async def control_object(self, call: Call) -> dict[str, Any]:
        """Return the JSON object of a request about models, empty if there is no body."""
        body = await self.intake.read(call, _CONTROL_BYTES)
        text = self.intake.decompress(call, body, _CONTROL_BYTES)
        return json_object(text, 8) if text.strip() else {}


class PacedResponse(Response):
    """A response that is sent in blocks, each when the client has received most of the one before.

    The rest counts as held meanwhile. `server.Protocol` bounds the time.

    Args:
        pieces: Of the body.
        media_type: Of the body.
        headers: Besides its type and length.

    Attributes:
        size: Bytes of the body.
    """

    def __init__(
        self, pieces: Sequence[bytes], media_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.size = sum(map(len, pieces))
        self._pieces = pieces
        length = {"content-length": str(self.size)}
        super().__init__(None, headers={**(headers or {}), **length}, media_type=media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        if self.size <= _BLOCK_BYTES:
            await send({"type": "http.response.body", "body": b"".join(self._pieces)})
            return
        n_sent = 0
        for block in self._blocks():
            n_sent += len(block)
            await send(
                {"type": "http.response.body", "body": block, "more_body": n_sent < self.size}
            )

    def _blocks(self) -> Iterator[bytes]:
        """Yield the body in blocks of similar sizes."""
        block = bytearray()
        for piece in self._pieces:
            for start in range(0, len(piece), _BLOCK_BYTES):
                block += piece[start : start + _BLOCK_BYTES]
                if len(block) >= _BLOCK_BYTES:
                    yield bytes(block)
                    block.clear()
        if block:
            yield bytes(block)


class _Handler:
    """The ASGI application of an address."""

    def __init__(self, endpoint: Endpoint, path: str, act: Act) -> None:
        self._endpoint, self._path, self._act = endpoint, path, act
        self.summary = (act.__doc__ or "").partition("\n")[0]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.monotonic()
        call = Call(scope, receive, self._endpoint.memory)
        try:
            response = await self._endpoint.answer(call, self._act)
            name = scope["path_params"].get("model", "")
            known = name if self._endpoint.repository.has(name) else ""
            seconds = time.monotonic() - start
            self._endpoint.metrics.responded(self._path, known, response.status_code, seconds)
            await response(scope, receive, send)
        finally:
            call.release(has_ended=True)


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
