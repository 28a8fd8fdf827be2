# SPDX-License-Identifier: Apache-2.0
"""The ASGI application: both contracts, and what people look at."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from functools import lru_cache
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from . import openapi, sagemaker, v2
from .endpoint import Endpoint, refused
from .errors import Refused
from .settings import Settings

__all__ = ["Application", "create_app"]

_LOOPBACK = (b"127.0.0.1", b"::1", b"localhost")
# An address in brackets or a name, and a port. HTTP/1.0 needs no host.
_HOST = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]*))(?::([0-9]{0,5}))?")
_LONGEST_HOST = 300
_LARGEST_PORT = 65535
_HEADER_BYTES = 32 << 10
# The page may run its own script and styles, and talk to its own server.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
_POLICY += "img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"


def create_app(settings: Settings) -> Application:
    """The application, with all models loaded.

    Raises:
        MXNetError: a model cannot be loaded.
    """
    endpoint = Endpoint(settings)
    contracts = [*v2.routes(endpoint), *sagemaker.routes(endpoint)]
    api = openapi.document(contracts)
    drop = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    docs = openapi.page(api)

    async def page(_request: Request) -> Response:
        return HTMLResponse(drop, headers={"Content-Security-Policy": _POLICY})

    async def described(_request: Request) -> Response:
        return HTMLResponse(docs, headers={"Content-Security-Policy": _POLICY})

    async def document(_request: Request) -> Response:
        return JSONResponse(api)

    async def metrics(_request: Request) -> Response:
        content_type, text = endpoint.metrics.text()
        return Response(text, headers={"Content-Type": content_type})

    @contextlib.asynccontextmanager
    async def lifespan(_app: Application) -> AsyncIterator[None]:
        yield
        endpoint.close()

    for_people = [
        Route("/", page),
        Route("/docs", described),
        Route("/openapi.json", document),
        Route("/metrics", metrics),
    ]
    endpoint.repository.start()
    router = Router([*contracts, *for_people], lifespan=lifespan)
    return Application(router, settings.host.encode() in _LOOPBACK)


class Application:
    """Routes, behind what no request may have: large headers, and what other web pages send.

    A browser sends any page's POST to any server; the header Origin says whose page it is. Names
    that lead to this machine, but are not its own, are refused where only this machine may come.

    It takes the place of Starlette's class of that purpose, whose layers take 5 µs of a request:
    handlers answer their errors themselves.

    Args:
        router: of the routes.
        is_local: whether only this machine may come.

    Attributes:
        router: the same.
    """

    def __init__(self, router: Router, is_local: bool) -> None:
        self.router, self._is_local = router, is_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            scope["app"] = self  # has Starlette raise what it would answer with plain text
            try:
                await self.router(scope, receive, send)
            except HTTPException as error:
                refusal = _no_route(scope, error)
        if refusal is not None:
            await refused(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refused | None:
        n_bytes = n_hosts = 0
        host, origins = b"", []
        for name, value in scope["headers"]:
            n_bytes += len(name) + len(value)
            if name == b"host":
                host, n_hosts = value, n_hosts + 1
            elif name == b"origin":
                origins.append(value.lower())
        if n_bytes > _HEADER_BYTES:
            return Refused(431, f"the headers have more than {_HEADER_BYTES:,} bytes")
        if n_hosts > 1 or (not n_hosts and scope["http_version"] != "1.0"):
            return Refused(400, f"there are {n_hosts} headers Host; HTTP has one")
        own = (b"http://" + host.lower(), b"https://" + host.lower())
        if any(origin not in own for origin in origins):
            return Refused(403, "requests of other web pages are refused")
        name = _name_of(host)
        if self._is_local and name not in (*_LOOPBACK, b""):
            text = f"Host {host[:80].decode('latin-1')!r}: the server is bound to this machine only"
            return Refused(403, text)
        if name is None:
            return Refused(400, f"Host {host[:80].decode('latin-1')!r} is not a name and a port")
        return None


def _no_route(scope: Scope, error: HTTPException) -> Refused:
    """An address that is not there, or not for this method."""
    if error.status_code == 405:
        text = f"{scope['method']} is not for this address; /docs lists what is"
        return Refused(405, text, error.headers)
    return Refused(404, "this server has no such address; /docs lists them")


@lru_cache(maxsize=16)
def _name_of(host: bytes) -> bytes | None:
    """Return the name or address in a header Host, in lower case; None if it is malformed."""
    match = _HOST.fullmatch(host) if len(host) <= _LONGEST_HOST else None
    if match is None or int(match[3] or 0) > _LARGEST_PORT:
        return None
    return bytes(match[1] or match[2]).lower()
