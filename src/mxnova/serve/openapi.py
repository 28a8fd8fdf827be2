# SPDX-License-Identifier: Apache-2.0
"""The addresses of a server as an OpenAPI document, made from its routes."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from starlette.routing import Route

from .. import __version__

__all__ = ["document", "page"]

_JSON: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
_ANY_JSON: dict[str, Any] = {"application/json": {"schema": {}}}
_BYTES: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_INFER = {
    "application/json": {
        "schema": {
            "type": "object",
            "required": ["inputs"],
            "properties": {
                "id": {"type": ["string", "null"]},
                "inputs": {"type": "array", "items": {"$ref": "#/components/schemas/Tensor"}},
                "outputs": {"type": "array", "items": {"type": "object"}},
            },
        }
    },
    "application/octet-stream": _BYTES,
}
_INVOKE = {
    **_ANY_JSON,
    "text/csv": {"schema": {"type": "string"}},
    "application/x-npy": _BYTES,
    "image/jpeg": _BYTES,
    "image/png": _BYTES,
}
_BODIES: dict[str, Any] = {
    "infer": _INFER,
    "invoke": _INVOKE,
    "invocations": _INVOKE,
    "index": _JSON,
    "load": _JSON,
    "unload": _JSON,
    "models": _JSON,
}
_ERRORS = {
    "4XX": "a request that cannot be answered",
    "503": "too many requests; Retry-After says when to come again",
}
_TENSOR = {
    "type": "object",
    "required": ["name", "shape", "datatype"],
    "properties": {
        "name": {"type": "string"},
        "shape": {"type": "array", "items": {"type": "integer"}},
        "datatype": {"type": "string"},
        "data": {"type": "array", "items": {}},
        "parameters": {"type": "object"},
    },
}
_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}}


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """The OpenAPI document of `routes`, whose names are ``METHOD path``."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        method, _, path = route.name.partition(" ")
        paths.setdefault(path, {})[method.lower()] = _operation(method, path, route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "mxnova serve", "version": __version__},
        "paths": paths,
        "components": {"schemas": {"Tensor": _TENSOR, "Error": _ERROR}},
    }


def _operation(method: str, path: str, route: Route) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    found: dict[str, Any] = {
        "summary": getattr(route.endpoint, "summary", ""),
        "responses": {
            "200": {"description": "the answer", "content": _ANY_JSON},
            **{s: {"description": text, "content": error} for s, text in _ERRORS.items()},
        },
    }
    names = re.findall(r"\{(\w+)\}", path)
    if names:
        found["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ]
    body = _BODIES.get(path.rpartition("/")[2])
    if method == "POST" and body is not None:
        found["requestBody"] = {"content": body}
    return found


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>mxnova serve: addresses</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem }}
td {{ padding: .2rem 1rem .2rem 0; vertical-align: top }}
</style>
<h1>Addresses</h1>
<p>The machine-readable form is <a href="openapi.json">openapi.json</a> (OpenAPI {version}).</p>
<table>{rows}</table>
"""


def page(api: dict[str, Any]) -> str:
    """The document for people, as HTML."""
    rows = []
    for path, operations in api["paths"].items():
        for method, told in operations.items():
            takes = ", ".join(told.get("requestBody", {}).get("content", ()))
            cells = (method.upper(), path, told["summary"], takes)
            rows.append("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>")
    return _PAGE.format(version=api["openapi"], rows="\n".join(rows))
