# SPDX-License-Identifier: Apache-2.0
"""Good and hostile requests to `mxnova serve`, and what must be said of the answers.

A good request is answered with the right numbers; a hostile one with a status from 400 to 499 and a
sentence, or by the end of the connection where what was sent is no HTTP. Every request follows from
a seed and a number.
"""

from __future__ import annotations

import contextlib
import gzip
import http.client
import io
import json
import random
import socket
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Request", "check", "make"]

MODEL = "dense"  # takes data of [-1, 4]
INFER, INVOKE = f"/v2/models/{MODEL}/infer", f"/models/{MODEL}/invoke"
JSON = {"Content-Type": "application/json"}
TIMEOUT = 120


@dataclass
class Request:
    """A request.

    Attributes:
        kind: of it, for reports.
        wanted: input whose outputs are the right answer; None: it must be refused, or, where
            `may_pass`, answered.
        raw: bytes that are sent as they are, in the place of everything else.
    """

    kind: str
    method: str = "POST"
    path: str = INFER
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))
    wanted: np.ndarray | None = None
    may_pass: bool = False
    raw: bytes | None = None


def make(seed: int, number: int) -> Request:
    """Request `number` of a seed; every other one is good."""
    rng = random.Random(f"{seed}:{number}")
    return rng.choice(GOOD if number % 2 == 0 else HOSTILE)(rng)


def check(port: int, request: Request, answer: Callable[[np.ndarray], np.ndarray]) -> str | None:
    """Sends a request; what is wrong with the answer, if anything."""
    if request.raw is not None:
        return _check_raw(port, request)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    with contextlib.closing(connection):
        with contextlib.suppress(ConnectionError):  # refused before all of it was sent
            connection.request(request.method, request.path, request.body, request.headers)
        try:
            response = connection.getresponse()
            content = response.read()
        except (ConnectionError, http.client.HTTPException) as error:
            return None if request.kind in ("large", "headers") else f"{request.kind}: {error!r}"
    if request.wanted is not None:
        return _check_good(request, response.status, content, answer(request.wanted))
    if response.status == 200 and request.may_pass:
        return None
    return _check_refused(request, response.status, content)


def _check_good(request: Request, status: int, content: bytes, wanted: np.ndarray) -> str | None:
    if status != 200:
        return f"{request.kind}: {status} {content[:200]!r}"
    value = json.loads(content)
    found = value["outputs"][0]["data"] if isinstance(value, dict) else value
    found = np.array(found, np.float32).reshape(wanted.shape)
    if not np.allclose(found, wanted, rtol=1e-4, atol=1e-6):
        return f"{request.kind}: {found} instead of {wanted}"
    return None


def _check_refused(request: Request, status: int, content: bytes) -> str | None:
    if not 400 <= status <= 499:
        return f"{request.kind}: {status} {content[:200]!r}"
    if content in (b"Invalid HTTP request received.", b"The headers are too long."):
        return None
    try:
        is_told = request.method == "HEAD" or len(json.loads(content)["error"]) > 8
    except (ValueError, KeyError, TypeError):
        is_told = False
    return None if is_told else f"{request.kind}: {status} without a sentence: {content[:200]!r}"


def _check_raw(port: int, request: Request) -> str | None:
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        received = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(request.raw)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(1 << 16):
                received += part
    if received and not received.startswith(b"HTTP/1.1 4"):
        return f"{request.kind}: {received[:200]!r}"
    return None


# Good ---------------------------------------------------------------------------------------------


def _values(rng: random.Random) -> np.ndarray:
    rows = rng.choice((1, 1, 1, 2, 3, 9))
    return np.array([[rng.uniform(-3, 3) for _ in range(4)] for _ in range(rows)], np.float32)


def _tensor(values: np.ndarray, **changed: object) -> dict[str, object]:
    told = {"name": "data", "shape": list(values.shape), "datatype": "FP32"}
    return {**told, "data": values.ravel().tolist(), **changed}


def _infer(values: np.ndarray, **changed: object) -> bytes:
    return json.dumps({"inputs": [_tensor(values, **changed)]}).encode()


def _good_json(rng: random.Random) -> Request:
    values = _values(rng)
    return Request("json", body=_infer(values), wanted=values)


def _good_binary(rng: random.Random) -> Request:
    values = _values(rng)
    body, headers = _binary(values)
    return Request("binary", body=body, headers=headers, wanted=values)


def _binary(values: np.ndarray, size: int | None = None) -> tuple[bytes, dict[str, str]]:
    content = values.tobytes()
    size = len(content) if size is None else size
    tensor = _tensor(values, parameters={"binary_data_size": size})
    del tensor["data"]
    head = json.dumps({"inputs": [tensor]}).encode()
    return head + content, {**JSON, "Inference-Header-Content-Length": str(len(head))}


def _good_gzip(rng: random.Random) -> Request:
    values = _values(rng)
    headers = {**JSON, "Content-Encoding": "gzip"}
    return Request("gzip", body=gzip.compress(_infer(values)), headers=headers, wanted=values)


def _good_list(rng: random.Random) -> Request:
    values = _values(rng)
    return Request("list", path=INVOKE, body=json.dumps(values.tolist()).encode(), wanted=values)


def _good_csv(rng: random.Random) -> Request:
    values = _values(rng)
    text = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    headers = {"Content-Type": "text/csv"}
    return Request("csv", path=INVOKE, body=text.encode(), headers=headers, wanted=values)


def _npy(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def _good_npy(rng: random.Random) -> Request:
    values = _values(rng)
    headers = {"Content-Type": "application/x-npy"}
    return Request("npy", path=INVOKE, body=_npy(values), headers=headers, wanted=values)


GOOD = (_good_json, _good_binary, _good_gzip, _good_list, _good_csv, _good_npy)


# Hostile ------------------------------------------------------------------------------------------


def _cut(rng: random.Random) -> Request:
    """A good request whose body ends too early."""
    request = rng.choice((_good_json, _good_binary, _good_gzip, _good_list, _good_npy))(rng)
    request.body = request.body[: rng.randrange(len(request.body))]
    request.kind, request.wanted = f"cut {request.kind}", None
    return request


def _damaged(rng: random.Random) -> Request:
    """A good request some of whose bytes are others; it may still be one."""
    request = rng.choice(GOOD)(rng)
    body = bytearray(request.body)
    for _ in range(rng.randint(1, 4)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    request.kind, request.wanted, request.may_pass = f"damaged {request.kind}", None, True
    request.body = bytes(body)
    return request


_SHAPES = ([], [4], [1, 5], [2, 4], [0, 4], [-1, 4], [1, 4, 1], [1 << 60, 1 << 60], [1.5, 4], "4",
           None, [[1, 4]], [True, 4], [1] * 40)  # fmt: skip


def _shapes(rng: random.Random) -> Request:
    shape = rng.choice(_SHAPES)
    values = np.ones((1, 4), np.float32)
    return Request(f"shape {shape}", body=_infer(values, shape=shape))


_DATA = (None, 7, "1234", [], [1], [1, 2, 3, None], [[1, 2], [3]], [1, 2, 3, "four"], {"a": 1},
         [1, 2, 3, {}], [1, 2, 3, True, 5], [1, 2, 3, 10**19], [[[1]]] * 4 + [2])  # fmt: skip


def _data(rng: random.Random) -> Request:
    data = rng.choice(_DATA)
    passes = data == [1, 2, 3, 10**19]
    values = np.ones((1, 4), np.float32)
    return Request(f"data {data}"[:60], body=_infer(values, data=data), may_pass=passes)


def _nan(rng: random.Random) -> Request:
    word = rng.choice(("NaN", "Infinity", "-Infinity", "nan", "1e", "0x10", "--1", "9" * 5000))
    body = _infer(np.ones((1, 4), np.float32)).replace(b"1.0]", word.encode() + b"]")
    return Request(f"number {word[:10]}", body=body)


def _nested(rng: random.Random) -> Request:
    depth = rng.choice((50, 1000, 100_000))
    return Request("nested", path=rng.choice((INFER, INVOKE)), body=b"[" * depth)


def _many(rng: random.Random) -> Request:
    body = rng.choice((b"[" + b"[]," * 10_000 + b"[]]", b"{" + b'"a":{},' * 5_000 + b'"b":1}'))
    return Request("many values", path=INVOKE, body=body)


_BOMBS = {"gzip": gzip.compress(bytes(1 << 24)), "deflate": zlib.compress(bytes(1 << 24))}


def _bomb(rng: random.Random) -> Request:
    coding = rng.choice(list(_BOMBS))
    return Request("bomb", body=_BOMBS[coding], headers={**JSON, "Content-Encoding": coding})


def _picture(rng: random.Random) -> Request:
    side = rng.choice((0, 1, 70_000, 1 << 30))
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + header
        + struct.pack(">I", zlib.crc32(header))
    )
    return Request("picture", path=INVOKE, body=body, headers={"Content-Type": "image/png"})


def _array(rng: random.Random) -> Request:
    """A .npy file that lies about its shape, or holds no numbers."""
    good = _npy(np.ones((1, 4), np.float32))
    body = rng.choice((
        good.replace(b"(1, 4), }        ", b"(99999999, 4), } "),
        good.replace(b"'<f4'", b"'|O8'"),
        good.replace(b"(1, 4)", b"(-1,4)"),
        good[:8] + b"\xff\xff" + good[10:],
        _npy(np.array(["a"])),
        rng.randbytes(rng.randrange(200)),
    ))  # fmt: skip
    return Request("array", path=INVOKE, body=body, headers={"Content-Type": "application/x-npy"})


def _lengths(rng: random.Random) -> Request:
    body, headers = _binary(np.ones((1, 4), np.float32), rng.choice((0, 15, 17, 1 << 62, -1)))
    if rng.random() < 0.5:
        body, headers = _binary(np.ones((1, 4), np.float32))
        wrong = rng.choice(("-1", "abc", "9" * 40, str(len(body) + 1), "1"))
        headers["Inference-Header-Content-Length"] = wrong
    return Request("length", body=body, headers=headers)


def _addresses(rng: random.Random) -> Request:
    letters = "abc/.%20~:@?&é\\"
    path = "/" + "".join(rng.choice(letters) for _ in range(rng.randrange(1, 60)))
    path = rng.choice((path, f"/v2/models/{path}/infer", "/v2/models/../infer", "/models/%00"))
    method = rng.choice(("POST", "DELETE", "PUT", "OPTIONS", "HEAD"))
    path = path.encode("ascii", "ignore").decode()
    return Request("address", method, path, b"{}", may_pass=method == "HEAD")  # of a page


def _headers(rng: random.Random) -> Request:
    size = rng.choice((33_000, 100_000))
    if rng.random() < 0.5:
        headers = {"X-Large": "x" * size}
    else:
        headers = {f"X-{i}": "y" * 30 for i in range(size // 30)}
    return Request("headers", body=_infer(np.ones((1, 4), np.float32)), headers=headers)


def _large(_rng: random.Random) -> Request:
    return Request("large", body=b"", headers={**JSON, "Content-Length": str(1 << 40)})


def _types(rng: random.Random) -> Request:
    kind = rng.choice(
        ("text/html", "multipart/form-data; boundary=x", "application/x-image", "\x7f" * 50)
    )
    headers = {"Content-Type": kind}
    if rng.random() < 0.5:
        headers = {**JSON, "Content-Encoding": rng.choice(("br", "gzip, gzip", "x" * 999))}
    return Request("type", path=INVOKE, body=b"[[1,2,3,4]]", headers=headers)


_RAW = (
    b"",
    b"\r\n\r\n",
    b"\0" * 100,
    b"GET / HTTP/x\r\n\r\n",
    b"POST /ping HTTP/1.1\r\n\r\n",
    b"GET /ping HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n[",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /ping HTTP/1.1\r\nHost: localhost\r\nX" + b"x" * 40_000,
)


def _raw(rng: random.Random) -> Request:
    return Request("raw", raw=rng.choice((*_RAW, rng.randbytes(rng.randrange(1, 300)))))


HOSTILE = (
    _cut, _cut, _damaged, _damaged, _shapes, _data, _nan, _nested, _many, _bomb, _picture, _array,
    _lengths, _addresses, _headers, _large, _types, _raw,
)  # fmt: skip
