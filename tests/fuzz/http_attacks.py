# SPDX-License-Identifier: Apache-2.0
"""Clients of `mxnova serve` that cost it as much memory, time and connections as they can.

Each attack is a function of a port and a random generator that returns when the attack is over.
The server may answer it, refuse it or close the connection.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
import time
import zlib
from collections.abc import Callable

import numpy as np

__all__ = ["ATTACKS", "connect"]

MODEL = "wide"  # takes data of [-1, 4] and has large outputs
INFER, INVOKE = f"/v2/models/{MODEL}/infer", f"/models/{MODEL}/invoke"
PATIENCE = 10  # seconds


def post(path: str, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    """Return the bytes of a request."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", *headers]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def exchange(port: int, request: bytes) -> None:
    """Send a request, and receive for some seconds what the server sends."""
    end = time.monotonic() + PATIENCE
    with contextlib.suppress(OSError), connect(port) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        while client.recv(1 << 20) and time.monotonic() < end:
            pass


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def send_large_text(port: int, rng: random.Random) -> None:
    """JSON and CSV of the largest size that is read, of elements that take long to parse."""
    size = 4 << 20
    unit, kind = rng.choice(
        ((b"1,", "application/json"), (b"[1,2],", "application/json"), (b"1,", "text/csv"),
         (b'"NaN",', "application/json"), (b"1\n", "text/csv"), (b'{"a":1},', "application/json"))
    )  # fmt: skip
    text = unit * ((size - 8) // len(unit))
    body = text + b"1" if kind == "text/csv" else b"[" + text[:-1] + b"]"
    exchange(port, post(INVOKE, body, kind=kind))


def send_bomb(port: int, rng: random.Random) -> None:
    """A small body that inflates to a large one, some that are read as numbers."""
    raw = rng.choice((b"[" + b"1," * (2 << 20), bytes(15 << 20)))
    kind = rng.choice(("application/json", "application/x-npy"))
    exchange(port, post(INVOKE, zlib.compress(raw, 9), "Content-Encoding: deflate", kind=kind))


def send_binary(port: int, rng: random.Random) -> None:
    """Binary data that is converted, of many rows."""
    rows = rng.choice((64, 1 << 14))
    kind = rng.choice(("FP16", "BF16", "UINT8", "FP64"))
    content = bytes(rows * 4 * {"FP64": 8, "UINT8": 1}.get(kind, 2))
    exchange(port, infer(rows, kind, content, is_binary=rng.random() < 0.5))


def infer(rows: int, kind: str, content: bytes, is_binary: bool) -> bytes:
    tensor = {"name": "data", "shape": [rows, 4], "datatype": kind}
    tensor["parameters"] = {"binary_data_size": len(content)}
    head = {"inputs": [tensor], "parameters": {"binary_data_output": is_binary}}
    text = json.dumps(head).encode()
    return post(INFER, text + content, f"Inference-Header-Content-Length: {len(text)}")


def send_many_parts(port: int, rng: random.Random) -> None:
    """Many headers, chunks or requests, each of them small."""
    ping = b"GET /ping HTTP/1.1\r\nHost: localhost\r\n"
    chunked = post(INVOKE, b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    request = rng.choice((
        ping + b"a:b\r\n" * 50_000 + b"\r\n",
        chunked + b"1\r\n1\r\n" * 40_000 + b"0\r\n\r\n",
        (ping + b"\r\n") * 3000,
        post("/models/dense/invoke", b"[[1,2,3,4]]") * 2000,
    ))  # fmt: skip
    exchange(port, request)


def send_slowly(port: int, rng: random.Random) -> None:
    """Bodies and headers that do not end."""
    request = infer(1 << 15, "FP32", bytes(1 << 19), is_binary=True)
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        for _ in range(8):
            client = stack.enter_context(connect(port))
            client.sendall(request[: rng.choice((10, 100, len(request) - 1))])
        time.sleep(rng.uniform(0, 4))


def receive_slowly(port: int, rng: random.Random) -> None:
    """Large responses that nobody receives."""
    request = infer(16, "FP32", bytes(256), is_binary=rng.random() < 0.7)
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        for _ in range(8):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.sendall(request)
        time.sleep(rng.uniform(0, 12))


def stay_idle(port: int, rng: random.Random) -> None:
    """Connections that send nothing."""
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        for _ in range(50):
            stack.enter_context(connect(port))
        time.sleep(rng.uniform(0, 3))


def reset(port: int, rng: random.Random) -> None:
    """Requests whose clients are gone before the response."""
    request = infer(rng.choice((1, 256)), "FP32", b"", is_binary=False)
    request = rng.choice((request, post(INVOKE, b"[[1,2,3,4]]")))
    for _ in range(20):
        with contextlib.suppress(OSError), connect(port) as client:
            client.sendall(request)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def change_models(port: int, rng: random.Random) -> None:
    """Loads and unloads, with names and paths that are there, or cannot be."""
    name = rng.choice(("a", "b", "a" * 200, "%00", "..", f"n{rng.randrange(10**9)}"))
    verb = rng.choice(("load", "load", "unload"))
    exchange(port, post(f"/v2/repository/models/{name}/{verb}", b""))
    url = rng.choice(("/\0", "\ud800", "../..", "/etc", "\x1b[31m", "x" * 5000))
    exchange(port, post("/models", json.dumps({"model_name": "c", "url": url}).encode()))


def send_images(port: int, rng: random.Random) -> None:
    """Bytes that are no image and no array, to a model that takes neither."""
    kind = rng.choice(("image/png", "image/jpeg", "application/x-npy"))
    exchange(port, post(INVOKE, np.random.default_rng().bytes(1 << 16), kind=kind))


ATTACKS: tuple[Callable[[int, random.Random], None], ...] = (
    send_large_text, send_bomb, send_binary, send_many_parts, send_slowly, receive_slowly,
    stay_idle, reset, change_models, send_images,
)  # fmt: skip
