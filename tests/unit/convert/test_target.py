# SPDX-License-Identifier: Apache-2.0
"""Whatever goes wrong, the files of a target are all old or all new, and nothing else is left."""

import os
import shutil
import signal
import subprocess
import sys
import threading

import pytest

from mxnova.convert import convert
from mxnova.core.base.errors import ArgumentError, FileError
from mxnova.formats.staging import staged

from .conftest import SHAPES

NAMES = "a", "b"


@pytest.fixture
def old(tmp_path):
    """A folder with two files that shall be replaced."""
    for name in NAMES:
        (tmp_path / name).write_text("old")
    return tmp_path


def contents(folder):
    return {path.name: path.read_text() if path.is_file() else "" for path in folder.iterdir()}


def write(path):
    for name in NAMES:
        with open(os.path.join(os.path.dirname(path), name), "w") as file:
            file.write("new")


def test_all_files_take_their_places(old):
    with staged(str(old / "a")) as path:
        write(path)
        stage = os.path.basename(os.path.dirname(path))
        assert contents(old) == {**dict.fromkeys(NAMES, "old"), stage: ""}
    assert contents(old) == dict.fromkeys(NAMES, "new")


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, FileError(28, "no space", "x")])
def test_after_an_error_all_is_old(old, error):
    kind = type(error) if isinstance(error, Exception) else error
    with pytest.raises(kind), staged(str(old / "a")) as path:  # noqa: PT012
        write(path)
        raise error
    assert contents(old) == dict.fromkeys(NAMES, "old")


@pytest.mark.parametrize("linked", [True, False])
def test_what_cannot_take_its_place_takes_all_back(old, monkeypatch, linked):
    replace = os.replace

    def fail(a, b):
        if b == str(old / "b") and not a.endswith(".old"):
            raise OSError(5, "Input/output error")
        replace(a, b)

    def cannot(*args, **more):
        raise OSError(1, "no links here")

    monkeypatch.setattr("mxnova.formats.staging.os.replace", fail)
    if not linked:
        monkeypatch.setattr("mxnova.formats.staging.os.link", cannot)
    with pytest.raises(FileError, match="Input/output error"), staged(str(old / "a")) as path:
        write(path)
    assert contents(old) == dict.fromkeys(NAMES, "old")


def test_the_old_file_stays_until_the_new_one_is_there(old, monkeypatch):
    replace = os.replace

    def look(a, b):
        assert os.path.exists(b)
        replace(a, b)

    monkeypatch.setattr("mxnova.formats.staging.os.replace", look)
    with staged(str(old / "a")) as path:
        write(path)
    assert contents(old) == dict.fromkeys(NAMES, "new")


@pytest.mark.parametrize("where", ["os.replace", "shutil.rmtree"])
def test_ctrl_c_waits_for_files_that_move(old, monkeypatch, interrupts, where):
    module, name = where.split(".")
    function = getattr({"os": os, "shutil": shutil}[module], name)

    def interrupted(*args, **more):
        signal.raise_signal(signal.SIGINT)
        return function(*args, **more)

    monkeypatch.setattr(f"mxnova.formats.staging.{where}", interrupted)
    with pytest.raises(KeyboardInterrupt), staged(str(old / "a")) as path:
        write(path)
    monkeypatch.undo()
    assert contents(old) == dict.fromkeys(NAMES, "new")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_write_files_too(old):
    def work():
        with staged(str(old / "a")) as path:
            write(path)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert contents(old) == dict.fromkeys(NAMES, "new")


def test_errors_name_the_file_that_was_asked_for(old):
    with pytest.raises(FileError) as caught, staged(str(old / "a")) as path:
        raise FileError(28, "No space left on device", os.path.join(os.path.dirname(path), "b"))
    assert str(caught.value) == f"{old / 'b'}: No space left on device"
    assert caught.value.errno == 28


FULL = """
import resource, sys
import mxnova.cli
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
sys.argv = ["mxnova", "convert", *sys.argv[1:]]
mxnova.cli.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE")
def test_a_full_disk(checkpoint, tmp_path):
    target, failing = "x.py", "x.safetensors"
    (tmp_path / target).write_text("old")
    args = checkpoint, str(tmp_path / target), "--force", "-s", "data=N,3,16,16"
    command = [sys.executable, "-c", FULL, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert done.stderr == f"error: {tmp_path / failing}: File too large\n"
    assert contents(tmp_path) == {target: "old"}


def test_numbers_of_a_source_are_no_target(checkpoint, tmp_path):
    onnx = pytest.importorskip("onnx")
    convert(checkpoint, tmp_path / "x.onnx", shapes=SHAPES, prove=False)
    model = onnx.load(tmp_path / "x.onnx")
    onnx.save_model(
        model, tmp_path / "y.onnx", save_as_external_data=True, location="w.params",
        size_threshold=0,
    )  # fmt: skip
    before = (tmp_path / "w.params").read_bytes()
    with pytest.raises(ArgumentError, match=r"w.params: the target is a source, too"):
        convert(tmp_path / "y.onnx", tmp_path / "w.params", force=True)
    assert (tmp_path / "w.params").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(checkpoint, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="Permission denied"):
        convert(checkpoint, tmp_path / "x.safetensors")
    tmp_path.chmod(0o700)
    assert contents(tmp_path) == {}
