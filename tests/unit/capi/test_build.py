"""What `mxnova capi build` makes, and what it says when it cannot."""

import builtins
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from mxnova.capi.build import _c_text, build
from mxnova.core.base.errors import ArgumentError, FileError, MXNetError

CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project(version C)
find_package(mxnet REQUIRED)
add_executable(version main.c)
target_link_libraries(version mxnet::mxnet)
"""
SOURCE = """\
#include <mxnet/c_api.h>
#include <stdio.h>
int main(void) { int v; return MXGetVersion(&v) || printf("%d\\n", v) < 0; }
"""


def test_command_prints_how_to_link(tmp_path):
    command = [sys.executable, "-m", "mxnova", "capi", "build", "--out", str(tmp_path / "made")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines()[0] == str(tmp_path / "made" / "lib" / "libmxnet.so")
    assert f"-L{tmp_path}/made/lib -lmxnet" in done.stdout
    assert (tmp_path / "made" / "include" / "nnvm" / "c_api.h").is_file()
    assert sorted(os.listdir(tmp_path / "made")) == ["include", "lib"]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_cmake(built, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "main.c").write_text(SOURCE)
    prefix = f"-DCMAKE_PREFIX_PATH={built.headers.parent}"
    for step in (["cmake", prefix, "."], ["cmake", "--build", "."]):
        subprocess.run(step, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    done = subprocess.run([tmp_path / "version"], capture_output=True, text=True, timeout=120)
    assert done.stdout == "10901\n", done.stderr


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config")
def test_pkg_config(built, tmp_path):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(built.library.parent / "pkgconfig")}
    done = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "mxnet"],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert "-lmxnet" in done.stdout
    assert "include" in done.stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_folder_of_any_name(tmp_path):
    out = tmp_path / "-a, b'\"c $x;%d\u00fc"
    made = build(out)
    (tmp_path / "main.c").write_text(SOURCE)
    words = ["cc", str(tmp_path / "main.c"), "-o", str(tmp_path / "main")]
    subprocess.run([*words, *shlex.split(made.links)], check=True, timeout=120)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, timeout=120)
    assert done.stdout == "10901\n", done.stderr


def test_paths_become_text_of_c():
    assert _c_text('a"\\\n') == r'"\141\042\134\012"'


@pytest.mark.parametrize(
    ("command", "kind", "text"),
    [
        ("cc 'unclosed", ArgumentError, 'CC="cc \'unclosed": No closing quotation'),
        (f"{sys.executable} -c import(os).x", MXNetError, "failed"),
    ],
)
def test_commands_that_are_no_compilers(command, kind, text, monkeypatch, tmp_path):
    monkeypatch.setenv("CC", command)
    with pytest.raises(kind, match=re.escape(text)):
        build(tmp_path / "made")


def test_a_file_where_a_folder_is_needed(tmp_path):
    (tmp_path / "made").write_text("mine")
    with pytest.raises(FileError, match=re.escape(str(tmp_path / "made"))):
        build(tmp_path / "made")
    assert (tmp_path / "made").read_text() == "mine"


def test_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(MXNetError, match="a C compiler is needed"):
        build(tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_no_cffi(monkeypatch, tmp_path):
    real = builtins.__import__

    def without_cffi(name, *args):
        if name == "cffi":
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without_cffi)
    with pytest.raises(MXNetError, match=r"cffi is needed: pip install 'mxnova\[capi\]'"):
        build(tmp_path / "made")


def test_a_compiler_that_fails_leaves_the_old_library(monkeypatch, tmp_path):
    old = tmp_path / "made" / "lib" / "libmxnet.so"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    monkeypatch.setenv("CC", "false")
    with pytest.raises(MXNetError, match="false failed"):
        build(tmp_path / "made")
    assert old.read_text() == "old"
    assert os.listdir(tmp_path / "made") == ["lib"]
