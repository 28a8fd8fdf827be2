# SPDX-License-Identifier: Apache-2.0
"""One worker that reads blocks from a server with latency, several at a time: bytes a second."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["server"]

_SECONDS = 3.0


def server(latency: float, block: int) -> ThreadingHTTPServer:
    """A server of this machine that gives a block of bytes after `latency` seconds."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections stay

        def do_GET(self) -> None:
            time.sleep(latency)
            self.send_response(200)
            self.send_header("Content-Length", str(block))
            self.end_headers()
            self.wfile.write(bytes(block))

        def log_message(self, *_: object) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made


def main(port: int, at_a_time: int) -> None:
    """Reads for some seconds, with so many threads."""
    begin = time.perf_counter()

    def read(_: int) -> int:
        n, connection = 0, HTTPConnection("127.0.0.1", port)
        while time.perf_counter() < begin + _SECONDS:
            connection.request("GET", "/")
            n += len(connection.getresponse().read())
        return n

    with ThreadPoolExecutor(at_a_time) as pool:
        total = sum(pool.map(read, range(at_a_time)))
    if os.environ["RANK"] == "0":
        print(json.dumps(total / (time.perf_counter() - begin)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
