# SPDX-License-Identifier: Apache-2.0
"""Temporary folders beside the places of what they hold; files are tested by `test_atomic`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mxnova.formats import temporary
from mxnova.formats.staging import staged
from mxnova.formats.temporary import temporary_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="folders are locked")


def test_a_folder_is_there_until_the_end(tmp_path):
    with pytest.raises(KeyboardInterrupt), temporary_folder(str(tmp_path)) as path:  # noqa: PT012
        assert os.listdir(tmp_path) == [os.path.basename(path)]
        open(os.path.join(path, "a"), "w").close()
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []
    assert not temporary._live


HALF = """
import sys
from mxnova.formats.staging import staged
with staged(sys.argv[1]) as path:
    open(path, "w").close()
    print("ready", flush=True)
    sys.stdin.read()
"""


@posix
def test_what_a_killed_process_left_is_removed_by_the_next_alone(tmp_path):
    command = [sys.executable, "-c", HALF]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    killed, lives = (
        subprocess.Popen([*command, str(tmp_path / name)], **pipes) for name in ("a", "b")
    )
    for process in (killed, lives):
        assert process.stdout.readline() == b"ready\n"
    killed.kill()
    killed.communicate()
    (tmp_path / ".mxnova-of-others").mkdir()
    assert len(os.listdir(tmp_path)) == 3
    with staged(str(tmp_path / "c")) as path:
        open(path, "w").close()
    assert len(os.listdir(tmp_path)) == 3  # that of the one that lives, that of others, and c
    lives.communicate()
    assert sorted(os.listdir(tmp_path)) == [".mxnova-of-others", "b", "c"]


@posix
def test_a_folder_that_was_taken_for_abandoned_is_made_again(tmp_path, monkeypatch):
    lock, taken = temporary.fcntl.flock, []

    def remove_first(file, how):
        if not taken:
            taken.extend(os.listdir(tmp_path))
            os.rmdir(tmp_path / taken[0])
        lock(file, how)

    monkeypatch.setattr(temporary.fcntl, "flock", remove_first)
    with temporary_folder(str(tmp_path)) as path:
        assert os.path.isdir(path)
    assert len(taken) == 1
    assert os.listdir(tmp_path) == []
