# SPDX-License-Identifier: Apache-2.0
"""A WebHDFS server for the files of a folder: as Hadoop's, it renames nothing to what is there."""

from __future__ import annotations

import json
import shutil
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.object_store import ObjectStore

__all__ = ["Handler", "ObjectStore"]


class Handler(BaseHTTPRequestHandler):
    """Answers to the operations that fsspec's ``webhdfs://`` asks for."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def answer(self):
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = urlsplit(self.path)
        self.options = {name: values[0] for name, values in parse_qs(asked.query).items()}
        self.place = self.of(unquote(asked.path).removeprefix("/webhdfs/v1"))
        operation = self.options["op"]
        if operation in ("CREATE", "APPEND") and "data" not in self.options:
            self.send(b"", 307, {"Location": f"http://{self.headers['Host']}{self.path}&data=1"})
            return
        try:
            self.send(getattr(self, operation.lower())(content))
        except FileNotFoundError as error:
            told = {"exception": "FileNotFoundException", "message": str(error)}
            self.send(json.dumps({"RemoteException": told}).encode(), 404)

    do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815 - as the base class calls them

    def send(self, content, status=200, headers=None):
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": len(content)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def of(self, path):
        return Path(self.server.folder) / path.lstrip("/")

    # Operations -----------------------------------------------------------------------------------

    def create(self, content):
        self.place.parent.mkdir(parents=True, exist_ok=True)
        self.place.write_bytes(content)
        return b""

    def append(self, content):
        with open(self.place, "ab") as file:
            file.write(content)
        return b""

    def open(self, _content):
        with open(self.place, "rb") as file:
            file.seek(int(self.options.get("offset", 0)))
            return file.read(int(self.options.get("length", -1)))

    def mkdirs(self, _content):
        self.place.mkdir(parents=True, exist_ok=True)
        return json.dumps({"boolean": True}).encode()

    def rename(self, _content):
        target = self.of(self.options["destination"])
        is_free = self.place.exists() and not target.exists()
        if is_free:
            self.place.rename(target)
        return json.dumps({"boolean": is_free}).encode()

    def delete(self, _content):
        is_there = self.place.exists()
        if self.place.is_dir():
            shutil.rmtree(self.place)
        elif is_there:
            self.place.unlink()
        return json.dumps({"boolean": is_there}).encode()

    def getfilestatus(self, _content):
        return json.dumps({"FileStatus": status(self.place, "")}).encode()

    def liststatus(self, _content):
        found = [status(path, path.name) for path in self.place.iterdir()]
        return json.dumps({"FileStatuses": {"FileStatus": found}}).encode()


def status(path, name):
    known = path.stat()
    kind = "DIRECTORY" if path.is_dir() else "FILE"
    size = 0 if path.is_dir() else known.st_size
    changed = known.st_mtime_ns // 1_000_000
    return {"pathSuffix": name, "type": kind, "length": size, "modificationTime": changed}
