# SPDX-License-Identifier: Apache-2.0
"""The package `mxnet` of an environment, in folders and in an environment with pip."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

import pytest

from mxnova.cli import environment
from mxnova.core.base.errors import MXNetError

THIRD_PARTY = "Metadata-Version: 2.1\nName: other\nVersion: 1\nRequires-Dist: mxnet>=1.5\n"


@pytest.fixture(autouse=True)
def no_other_mxnet(monkeypatch):
    monkeypatch.setattr(sys, "path", [sysconfig.get_path("stdlib")])


def files(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_install_and_remove_leave_nothing(tmp_path):
    (tmp_path / "other.py").write_text("")
    assert environment.find(tmp_path) is None
    for _ in range(2):  # again: renewed
        assert environment.install(tmp_path) == tmp_path / "mxnet"
    assert environment.find(tmp_path) == (tmp_path / "mxnet" / "__init__.py", True)
    (tmp_path / "mxnet" / "__pycache__").mkdir()
    (tmp_path / "mxnet" / "__pycache__" / "x.pyc").write_text("")
    assert environment.remove(tmp_path) == tmp_path / "mxnet"
    assert [p.name for p in tmp_path.iterdir()] == ["other.py"]
    assert environment.remove(tmp_path) is None


def test_files_of_others_stay(tmp_path):
    environment.install(tmp_path)
    (tmp_path / "mxnet" / "mine.py").write_text("")
    environment.remove(tmp_path)
    assert files(tmp_path) == ["mxnet/mine.py"]


@pytest.mark.parametrize(
    "path", ["mxnet/__init__.py", "mxnet.py", "mxnet-1.9.1.dist-info/METADATA"]
)
@pytest.mark.parametrize("further", [False, True])
def test_another_mxnet_is_left_alone(tmp_path, monkeypatch, path, further):
    folder = tmp_path / "site-packages"
    there = (tmp_path / "further" if further else folder) / path
    folder.mkdir()
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_text("")
    if further:
        if "dist-info" in path:
            pytest.skip("metadata elsewhere is no package")
        monkeypatch.setattr(sys, "path", [str(tmp_path / "further")])
    before = files(tmp_path)
    for act in (environment.install, environment.remove):
        with pytest.raises(MXNetError, match="mxnova's"):
            act(folder)
    assert files(tmp_path) == before
    assert not environment.find(folder).ours


def test_a_failure_leaves_nothing(tmp_path, monkeypatch):
    contents = environment._contents()
    (tmp_path / "mxnet-1.9.1.dist-info").mkdir()
    (tmp_path / "mxnet-1.9.1.dist-info" / "RECORD").mkdir()  # cannot be written to
    monkeypatch.setattr(environment, "find", lambda folder: None)
    with pytest.raises(OSError):
        environment.install(tmp_path)
    assert contents
    assert files(tmp_path) == []


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An environment that sees what this one does."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    name = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    program = str(folder / name)

    def run(*args, interpreter=program):
        path = os.pathsep.join(p for p in sys.path if p)
        environ = {"PATH": "", "PYTHONPATH": path}
        done = subprocess.run(
            [interpreter, *args], env=environ, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    purelib = run("-c", code)[1].strip()
    run.folder, run.program = purelib, program
    return run


USE = """
import mxnet as mx, mxnet.ndarray as nd, mxnova, importlib.metadata
from mxnet.recordio import MXRecordIO
assert mx.nd is nd is mxnova.nd
assert MXRecordIO is mxnova.recordio.MXRecordIO
print(mx.__version__, importlib.metadata.version("mxnet"))
"""


def pip(python, *args):
    return python("-m", "pip", "--python", python.program, *args, interpreter=sys.executable)


def test_an_environment_has_mxnet(python, monkeypatch):
    monkeypatch.undo()
    assert python("-m", "mxnova", "alias", "status") == (
        0,
        f"not installed: no mxnet in {python.folder}\n",
    )
    assert "No module named 'mxnet'" in python("-c", USE)[1]
    assert python("-m", "mxnova", "alias", "install")[0] == 0
    assert python("-c", USE) == (0, "1.9.1 1.9.1\n")
    assert python("-m", "mxnova", "alias", "status")[1].startswith("installed: ")
    code = "import mxnet.tvmop"
    assert "mxnova does not have mxnet.tvmop yet" in python("-c", code)[1]


def test_pip_knows_it(python, monkeypatch):
    monkeypatch.undo()
    python("-m", "mxnova", "alias", "install")
    other = os.path.join(python.folder, "other-1.dist-info")
    os.makedirs(other, exist_ok=True)
    with open(os.path.join(other, "METADATA"), "w", encoding="utf-8") as file:
        file.write(THIRD_PARTY)
    listed = pip(python, "list", "--path", python.folder)[1].split()
    assert listed[listed.index("mxnet") + 1] == "1.9.1"
    assert "other 1 requires mxnet" not in pip(python, "check")[1]
    assert "uninstalled mxnet-1.9.1" in pip(python, "uninstall", "-y", "mxnet")[1]
    assert not os.path.exists(os.path.join(python.folder, "mxnet"))
    assert "other 1 requires mxnet" in pip(python, "check")[1]
