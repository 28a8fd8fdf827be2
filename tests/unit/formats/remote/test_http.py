# SPDX-License-Identifier: Apache-2.0
"""Servers of HTTP: those that keep to their words, and those that do not."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import threading

import pytest

from benchmarks.object_store import Handler
from mxnova.core.base.errors import FileError, FilePermissionError, MissingFileError
from mxnova.formats.source import open_buffer, read_file
from tests.ports import free_port

CONTENT = os.urandom(300_000)
SIZE = 1 << 16


class Hostile(Handler):
    """Does what the name of the file says, the first time or always."""

    def answer(self, path, asked):
        act = vars(Hostile).get(path.name, Handler.answer)
        act(self, path.with_name("file") if act is not Handler.answer else path, asked)

    def no_ranges(self, path, _asked):
        self.begin(200, len(CONTENT), {})
        self.wfile.write(CONTENT)

    def no_validator(self, path, asked):
        start, end = map(int, asked.removeprefix("bytes=").split("-"))
        content = path.read_bytes()
        part = content[start : end + 1]
        told = {"Content-Range": f"bytes {start}-{start + len(part) - 1}/{len(content)}"}
        self.begin(206, len(part), told)
        self.wfile.write(part)

    def no_length(self, path, _asked):
        self.begin(200, None, {"Connection": "close"})
        self.wfile.write(CONTENT)
        self.close_connection = True

    def endless(self, path, _asked):
        self.begin(200, None, {"Connection": "close"})
        self.forever()

    def endless_part(self, path, _asked):
        self.begin(
            206, None, {"Connection": "close", "Content-Range": f"bytes 0-{SIZE - 1}/{SIZE}"}
        )
        self.forever()

    def forever(self):
        self.close_connection = True
        for _ in range(1 << 16):
            self.wfile.write(bytes(1 << 16))

    def huge(self, path, _asked):
        self.begin(206, SIZE, {"Content-Range": f"bytes 0-{SIZE - 1}/{10**17}"})
        self.wfile.write(bytes(SIZE))

    def huge_whole(self, path, _asked):
        self.begin(200, 10**15, {})
        self.close_connection = True

    def truncated(self, path, _asked):
        self.begin(206, SIZE, {"Content-Range": f"bytes 0-{SIZE - 1}/{SIZE}"})
        self.wfile.write(bytes(100))
        self.close_connection = True

    def other_part(self, path, _asked):
        self.begin(206, 10, {"Content-Range": "bytes 5-14/300000"})
        self.wfile.write(bytes(10))

    def no_part(self, path, _asked):
        self.begin(206, 10, {})
        self.wfile.write(bytes(10))

    def packed(self, path, _asked):
        part = {"Content-Range": "bytes 0-9/10", "Content-Encoding": "gzip"}
        self.begin(206, 10, part)
        self.wfile.write(bytes(10))

    def to_file(self, path, _asked):
        self.empty(302, {"Location": "file:///etc/passwd"})

    def circle(self, path, _asked):
        self.empty(302, {"Location": self.path})

    def forbidden(self, path, _asked):
        self.empty(403)

    def broken(self, path, _asked):
        self.empty(503)

    def slow(self, path, _asked):
        self.server.is_asked_no_more.wait(60)

    def wrong_hash(self, path, _asked):
        self.begin(200, 4, {"Content-MD5": base64.b64encode(bytes(16)).decode()})
        self.wfile.write(b"text")

    # Those that recover -----------------------------------------------------------------------

    def flaky(self, path, asked):
        n = self.server.requests.count((self.path, asked))
        if n % 3 == 1:
            self.empty(503)
        elif n % 3 == 2:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        else:
            Handler.answer(self, path, asked)

    def hashed(self, path, _asked):
        digest = base64.b64encode(hashlib.sha256(CONTENT).digest()).decode()
        self.begin(200, len(CONTENT), {"Repr-Digest": f"sha-256=:{digest}:"})
        self.wfile.write(CONTENT)


@pytest.fixture
def server(serve, settings, tmp_path):
    settings(request_size=SIZE, cache=1 << 20)
    (tmp_path / "file").write_bytes(CONTENT)
    return serve(handler=Hostile)


@pytest.mark.parametrize(
    "name", ["file", "no_ranges", "no_length", "no_validator", "flaky", "hashed"]
)
def test_whole_files(server, name):
    assert read_file(f"{server.url}/{name}") == CONTENT


@pytest.mark.parametrize("name", ["file", "no_ranges", "no_length", "no_validator", "flaky"])
def test_slices(server, name):
    found = open_buffer(f"{server.url}/{name}")
    assert len(found) == len(CONTENT)
    for start, end in [
        (0, 8),
        (65_530, 65_540),
        (131_072, 131_072),
        (10, 299_999),
        (299_990, 400_000),
    ]:
        assert found[start:end] == CONTENT[start:end]
    found.close()
    assert found[5:9] == CONTENT[5:9]


def test_an_empty_file(server, tmp_path):
    (tmp_path / "empty").touch()
    assert read_file(f"{server.url}/empty") == b""
    assert len(open_buffer(f"{server.url}/empty")) == 0


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("absent", MissingFileError, "HTTP status 404"),
        ("forbidden", FilePermissionError, "HTTP status 403"),
        ("broken", FileError, r"HTTP status 503.*3 attempts"),
        ("endless", FileError, "more than 1048576 bytes"),
        ("endless_part", FileError, "more than 65536 bytes"),
        ("huge", FileError, "MXNOVA_REMOTE_MAX_SIZE allows"),
        ("huge_whole", FileError, "MXNOVA_REMOTE_CACHE"),
        ("truncated", FileError, "3 attempts"),
        ("other_part", FileError, "answers with the part"),
        ("no_part", FileError, "no part of a file"),
        ("packed", FileError, "no part of a file"),
        ("to_file", FileError, "to_file"),
        ("circle", FileError, "circle"),
        ("wrong_hash", FileError, "another checksum"),
    ],
)
def test_hostile_answers(server, name, kind, text):
    with pytest.raises(kind, match=text) as caught:
        read_file(f"{server.url.replace('//', '//user:secret@')}/{name}?signature=secret")
    assert type(caught.value) is kind
    assert f"{server.url}/{name}: " in str(caught.value)
    assert "secret" not in f"{caught.value} {caught.value.filename} {caught.value!r}"


def test_a_slow_server(server, settings):
    settings(timeout=0.2, retries=1)
    server.is_asked_no_more = threading.Event()
    with pytest.raises(FileError, match=r"in time \(2 attempts\)"):
        read_file(f"{server.url}/slow")
    server.is_asked_no_more.set()


def test_a_server_that_is_not_there(settings):
    pytest.importorskip("aiohttp")
    with pytest.raises(FileError, match="3 attempts"):
        read_file(f"http://127.0.0.1:{free_port()}/file")


def test_a_file_that_changes_while_it_is_read(server, tmp_path):
    found = open_buffer(f"{server.url}/file")
    assert found[:10] == CONTENT[:10]
    (tmp_path / "file").write_bytes(CONTENT[::-1])
    with pytest.raises(FileError, match="has changed"):
        found[200_000:200_010]


def test_small_file_without_validator_is_read_by_one_request(server, tmp_path):
    found = open_buffer(f"{server.url}/no_validator")
    (tmp_path / "file").write_bytes(CONTENT[::-1])
    assert found[:] == CONTENT


def test_large_file_without_validator_warns_once(server, tmp_path, settings):
    settings(read_ahead=SIZE)
    url = f"{server.url}/no_validator"
    with pytest.warns(UserWarning, match="/no_validator: .* neither an ETag nor a modification"):
        open_buffer(url)
    assert read_file(url) == CONTENT  # a second warning is an error here


def test_http_has_no_folders(server):
    from mxnova import checkpoint

    with pytest.raises(FileError, match="no folders"):
        checkpoint.steps(server.url)


def test_a_server_that_takes_no_files(server):
    from mxnova.formats.atomic import replacing

    with pytest.raises(FileError, match="HTTP status 501"), replacing(f"{server.url}/new") as file:
        file.write(b"content")
