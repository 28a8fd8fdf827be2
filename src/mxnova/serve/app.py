# SPDX-License-Identifier: Apache-2.0
"""The ASGI application: both contracts, and what people look at."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from importlib.resources import files
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from . import openapi, sagemaker, v2
from .endpoint import Endpoint, refused
from .errors import Refused
from .settings import Settings

__all__ = ["create_app"]

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_HEADER_BYTES = 32 << 10
# The page may run its own script and styles, and talk to its own server.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
_POLICY += "img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"


def create_app(settings: Settings) -> Starlette:
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
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        endpoint.repository.close()

    for_people = [
        Route("/", page),
        Route("/docs", described),
        Route("/openapi.json", document),
        Route("/metrics", metrics),
    ]
    endpoint.repository.start()
    return Starlette(
        routes=[*contracts, *for_people],
        middleware=[Middleware(_Guard, is_local=settings.host in _LOOPBACK)],
        exception_handlers={HTTPException: _no_route},
        lifespan=lifespan,
    )


async def _no_route(request: Request, error: Exception) -> Response:
    """An address that is not there, or not for this method."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        text = f"{request.method} is not for this address; /docs lists what is"
        return refused(Refused(405, text, error.headers))
    return refused(Refused(404, "this server has no such address; /docs lists them"))


class _Guard:
    """Refuses large headers, and what other web pages have a browser send.

    A browser sends any page's POST to any server; the header Origin says whose page it is. Names
    that lead to this machine, but are not its own, are refused where only this machine may come.
    """

    def __init__(self, app: ASGIApp, is_local: bool) -> None:
        self._app, self._is_local = app, is_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refused(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refused | None:
        headers = scope["headers"]
        if sum(len(name) + len(value) for name, value in headers) > _HEADER_BYTES:
            return Refused(431, f"the headers have more than {_HEADER_BYTES:,} bytes")
        n_hosts = sum(name == b"host" for name, _ in headers)
        if n_hosts > 1 or (not n_hosts and scope["http_version"] != "1.0"):
            return Refused(400, f"there are {n_hosts} headers Host; HTTP has one")
        host, origin = _first(headers, b"host") or "", _first(headers, b"origin")
        if origin is not None and origin.partition("://")[2] != host:
            return Refused(403, "requests of other web pages are refused")
        if self._is_local and _without_port(host) not in (*_LOOPBACK, ""):
            return Refused(403, f"Host {host[:80]!r}: the server is bound to this machine only")
        return None


def _first(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The value of a header, in lower case."""
    return next((v.decode("latin-1").lower() for n, v in headers if n == name), None)


def _without_port(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets that hold no address
        return host
