# SPDX-License-Identifier: Apache-2.0
"""An object store on the loopback: files of a folder over HTTP, in ranges, after a latency."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["Handler", "ObjectStore"]

_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class ObjectStore(ThreadingHTTPServer):
    """Serves the files of `folder` at a free port.

    Args:
        folder: of the files.
        latency: seconds from a request to its answer.
        handler: of requests.

    Attributes:
        url: of the folder.
        requests: ranges of files that were asked for.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        folder: Path,
        latency: float = 0.0,
        handler: type[BaseHTTPRequestHandler] | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", 0), handler or Handler)
        self.folder, self.latency = folder, latency
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.requests: list[tuple[str, str]] = []

    def handle_error(self, *_args: Any) -> None:
        """Says nothing of clients that have gone."""


class Handler(BaseHTTPRequestHandler):
    """Answers to GET, with a part of the file where that is asked for."""

    protocol_version = "HTTP/1.1"
    server: ObjectStore

    def setup(self) -> None:
        """Has answers leave at once."""
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *_args: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """Answers after the latency."""
        time.sleep(self.server.latency)
        asked = self.headers.get("Range", "")
        self.server.requests.append((self.path, asked))
        self.answer(self.server.folder / self.path.split("?")[0].lstrip("/"), asked)

    def answer(self, path: Path, asked: str) -> None:
        """Sends what was asked for of a file."""
        if not path.is_file():
            self.empty(404)
            return
        size = path.stat().st_size
        found = _RANGE.fullmatch(asked)
        start, end = (int(found[1]), int(found[2] or size) + 1) if found else (0, size)
        end = min(end, size)
        if found and start >= size:
            self.empty(416, {"Content-Range": f"bytes */{size}"})
            return
        told = {"Content-Range": f"bytes {start}-{end - 1}/{size}"} if found else {}
        self.begin(206 if found else 200, end - start, {**told, "ETag": self.tag(path)})
        self.send(path, start, end)

    def send(self, path: Path, start: int, end: int) -> None:
        """Sends a part of a file."""
        self.wfile.flush()
        with open(path, "rb") as file:
            self.connection.settimeout(None)
            while start < end:
                start += os.sendfile(self.connection.fileno(), file.fileno(), start, end - start)

    def tag(self, path: Path) -> str:
        """The ETag of a file."""
        status = path.stat()
        text = f"{status.st_mtime_ns} {status.st_size}"
        return f'"{hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()}"'

    def begin(self, status: int, length: int | None, headers: dict[str, str]) -> None:
        """Sends a status and headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def empty(self, status: int, headers: dict[str, str] | None = None) -> None:
        """Sends an answer without a body."""
        self.begin(status, 0, headers or {})


def main() -> None:
    """Serves a folder until it is killed, and prints the URL."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("latency", type=float)
    arguments = parser.parse_args()
    server = ObjectStore(arguments.folder, arguments.latency)
    print(server.url, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
