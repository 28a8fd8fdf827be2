# SPDX-License-Identifier: Apache-2.0
"""Remote files change as a whole, or not at all."""

from __future__ import annotations

import contextlib
import logging
import os

import pytest

from mxnova.core.base.errors import FileError
from mxnova.formats.atomic import replacing
from mxnova.formats.paths import names_in
from mxnova.formats.remote import stores, writing
from mxnova.formats.source import discard, open_regular, read_file


@pytest.fixture(params=["at once", "in parts", "beside it"])
def way(request, monkeypatch):
    """The three ways in which stores take files."""
    if request.param == "in parts":
        monkeypatch.setattr(writing, "_WHOLE", 4)
    if request.param == "beside it":
        monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    return request.param


def test_a_file_is_replaced(memory, way):
    for content in (b"first content", b"second", b""):
        with replacing(f"{memory}/a") as file:
            file.write(content)
            assert file.tell() == len(content)
        assert read_file(f"{memory}/a") == content
    assert names_in(memory) == ["a"]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_error_while_it_is_written(memory, way, kind):
    with replacing(f"{memory}/a") as file:
        file.write(b"old")
    with pytest.raises(kind), replacing(f"{memory}/a") as file:  # noqa: PT012
        file.write(b"half of the new")
        raise kind
    assert read_file(f"{memory}/a") == b"old"
    assert names_in(memory) == ["a"]


def test_no_room_on_this_machine(memory):
    text = f"{memory}/a: No space left"
    with pytest.raises(FileError, match=text), replacing(f"{memory}/a"):
        raise OSError(28, "No space left on device")
    assert names_in(memory) == []


@pytest.mark.parametrize("failing", ["pipe_file", "mv", "info"])
@pytest.mark.parametrize("kind", [ConnectionResetError, KeyboardInterrupt])
def test_an_error_while_it_is_sent(memory, settings, monkeypatch, failing, kind):
    import fsspec

    monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    with replacing(f"{memory}/a") as file:
        file.write(b"old")

    def fail(*_args, **_options):
        raise kind

    with monkeypatch.context() as broken:
        broken.setattr(type(fsspec.filesystem("memory")), failing, fail)
        expected = FileError if issubclass(kind, Exception) else kind
        with pytest.raises(expected), replacing(f"{memory}/a") as file:
            file.write(b"new")
    assert read_file(f"{memory}/a") == b"old"
    assert names_in(memory) == ["a"]


def test_errors_that_pass(memory, settings, monkeypatch):
    import fsspec

    files = type(fsspec.filesystem("memory"))
    put, failures = files.pipe_file, [TimeoutError(), ConnectionResetError()]

    def flaky(*args, **options):
        if failures:
            raise failures.pop()
        put(*args, **options)

    monkeypatch.setattr(files, "pipe_file", flaky)
    with replacing(f"{memory}/a") as file:
        file.write(b"new")
    assert read_file(f"{memory}/a") == b"new"


def test_a_store_that_cuts_files_off(memory, settings, monkeypatch):
    import fsspec

    files = type(fsspec.filesystem("memory"))
    put = files.pipe_file
    monkeypatch.setattr(files, "pipe_file", lambda self, path, value: put(self, path, value[:2]))
    text = "3 bytes were sent, and the store has 2"
    with pytest.raises(FileError, match=text), replacing(f"{memory}/a") as file:
        file.write(b"new")


def test_a_parted_upload_that_fails_is_given_up(settings, monkeypatch):
    seen = []

    class Target:
        def write(self, _content):
            raise ConnectionResetError

        def discard(self):
            seen.append("discard")

    class Files:
        def open(self, *_args, **options):
            seen.append(options)
            return Target()

    import io

    with pytest.raises(ConnectionResetError):
        writing._put_in_parts(Files(), "a", io.BytesIO(b"content"))
    assert seen == [{"autocommit": False}, "discard"]


def test_an_opened_file_is_sent_when_it_is_closed(memory):
    file = open_regular(f"{memory}/a", "wb")
    file.write(b"content")
    assert names_in(memory) == []
    file.close()
    file.close()
    assert read_file(f"{memory}/a") == b"content"


def test_an_opened_file_is_discarded(memory):
    file = open_regular(f"{memory}/a", "wb")
    file.write(b"content")
    assert discard(file)
    file.close()
    assert names_in(memory) == []


def test_a_file_that_was_forgotten(memory, caplog):
    with caplog.at_level(logging.WARNING, "mxnova"):
        open_regular(f"{memory}/a", "wb").write(b"content")
    assert "is lost" in caplog.text
    assert names_in(memory) == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_process_that_inherits_a_file_does_not_send_it(memory):
    file = open_regular(f"{memory}/a", "wb")
    file.write(b"content")
    child = os.fork()
    if not child:
        writing._send = None
        file.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    file.close()
    assert read_file(f"{memory}/a") == b"content"


SAYING = {"in its words": FileExistsError, "by some error": OSError, "not at all": None}


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("says", SAYING)
def test_stores_that_replace_nothing_lose_nothing(memory, settings, monkeypatch, says, fails):
    import fsspec

    monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    with replacing(f"{memory}/a") as file:
        file.write(b"old")
    files, failures = type(fsspec.filesystem("memory")), [ConnectionResetError()]
    move = files.mv

    def careful(self, source, target, **options):
        if source.endswith(".old") and failures:
            raise failures.pop()
        if self.exists(target):
            if SAYING[says] is not None:
                raise SAYING[says](target)
        elif fails and not source.endswith(".old") and not target.endswith(".old"):
            raise PermissionError(target)
        else:
            move(self, source, target, **options)

    monkeypatch.setattr(files, "mv", careful)
    expected = pytest.raises(FileError) if fails else contextlib.nullcontext()
    with expected, replacing(f"{memory}/a") as file:
        file.write(b"new")
    assert read_file(f"{memory}/a") == (b"old" if fails else b"new")
    assert names_in(memory) == ["a"]


CAUSES = [
    PermissionError(13, "denied"),
    OSError(5, "broken"),
    OSError(28, "full"),
    OSError(122, "quota"),
]


@pytest.mark.parametrize("cause", CAUSES, ids=str)
def test_an_error_with_a_cause_leaves_the_old_file_alone(memory, settings, monkeypatch, cause):
    import fsspec

    settings(retries=0)
    monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    with replacing(f"{memory}/a") as file:
        file.write(b"old")
    moved = []

    def fail(_files, source, _target):
        moved.append(source)
        raise cause

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "mv", fail)
    with pytest.raises(FileError), replacing(f"{memory}/a") as file:
        file.write(b"new")
    assert len(moved) == 1 and read_file(f"{memory}/a") == b"old" and names_in(memory) == ["a"]


@pytest.mark.parametrize("replaces", [True, False])
@pytest.mark.parametrize("call", range(1, 5))
@pytest.mark.parametrize("has_acted", [True, False])
def test_moves_whose_answers_are_lost(memory, settings, monkeypatch, replaces, call, has_acted):
    import fsspec

    monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    with replacing(f"{memory}/a") as file:
        file.write(b"old")
    files, n_calls = type(fsspec.filesystem("memory")), 0
    move = files.mv

    def flaky(self, source, target):
        nonlocal n_calls
        n_calls += 1
        if n_calls != call or has_acted:
            if not self.exists(source):
                raise FileNotFoundError(source)
            if replaces or not self.exists(target):
                move(self, source, target)
        if n_calls == call:
            raise ConnectionResetError

    monkeypatch.setattr(files, "mv", flaky)
    with replacing(f"{memory}/a") as file:
        file.write(b"newer")
    assert read_file(f"{memory}/a") == b"newer" and names_in(memory) == ["a"]


def test_a_question_after_the_move_that_fails(memory, settings, monkeypatch):
    import fsspec

    monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    files, failures = type(fsspec.filesystem("memory")), []
    move, info = files.mv, files.info

    def moved(self, source, target):
        move(self, source, target)
        failures.append(ConnectionResetError())

    def flaky(self, path):
        if failures:
            raise failures.pop()
        return info(self, path)

    monkeypatch.setattr(files, "mv", moved)
    monkeypatch.setattr(files, "info", flaky)
    with replacing(f"{memory}/a") as file:
        file.write(b"new")
    assert read_file(f"{memory}/a") == b"new" and names_in(memory) == ["a"]


def test_where_a_file_is_that_cannot_be_put_back(memory, settings, monkeypatch, caplog):
    import fsspec

    settings(retries=0)
    monkeypatch.setattr(stores, "_WHOLE_PUTS", set())
    with replacing(f"{memory}/a") as file:
        file.write(b"old")
    files = type(fsspec.filesystem("memory"))
    move = files.mv

    def stuck(self, source, target):
        if self.exists(target):
            raise FileExistsError(target)
        if not target.endswith(".old"):
            raise PermissionError(target)
        move(self, source, target)

    monkeypatch.setattr(files, "mv", stuck)
    with pytest.raises(FileError), replacing(f"{memory}/a") as file:
        file.write(b"new")
    (aside,) = names_in(memory)
    assert aside in caplog.text and read_file(f"{memory}/{aside}") == b"old"
