"""The library, made once for all tests and workers of a run."""

import ctypes
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from mxnova.capi.build import build

Handle = ctypes.c_void_p


@pytest.fixture(scope="session")
def built(tmp_path_factory, worker_id):
    """What `build` made."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    pytest.importorskip("cffi")
    return build(tmp_path_factory.mktemp("capi") / worker_id)


@pytest.fixture(scope="session")
def library(built):
    """The library in this Python."""
    loaded = ctypes.CDLL(str(built.library))
    loaded.MXGetLastError.restype = ctypes.c_char_p
    loaded.NNGetLastError.restype = ctypes.c_char_p
    return loaded


@pytest.fixture(scope="session")
def call(library):
    """Calls a function; raises RuntimeError with the error's text where it returns -1."""

    def call(name, *arguments):
        status = getattr(library, name)(*arguments)
        if status != 0:
            raise RuntimeError(library.MXGetLastError().decode())

    return call


@pytest.fixture
def program(built, tmp_path):
    """Makes a C or C++ program of a source and runs it; its standard output."""
    import subprocess

    def program(source: Path, *arguments):
        compiler = "cc" if source.suffix == ".c" else "c++"
        if shutil.which(compiler) is None:
            pytest.skip(f"no {compiler}")
        made = tmp_path / source.stem
        command = [compiler, "-Wall", "-Werror", str(source), "-o", str(made), *built.links.split()]
        subprocess.run(command, check=True, timeout=120)
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [str(made), *map(str, arguments)],
            capture_output=True, text=True, timeout=240, env=environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return program


@pytest.fixture
def array(call):
    """Makes an array of NumPy's values."""

    def array(values):
        values = np.ascontiguousarray(values, np.float32)
        shape = (ctypes.c_uint32 * values.ndim)(*values.shape)
        out = Handle()
        call("MXNDArrayCreateEx", shape, values.ndim, 1, 0, 0, 0, ctypes.byref(out))
        call(
            "MXNDArraySyncCopyFromCPU",
            out,
            Handle(values.ctypes.data),
            ctypes.c_size_t(values.size),
        )
        return out

    return array


@pytest.fixture
def values(call):
    """NumPy's values of an array."""

    def values(handle):
        ndim, sizes = ctypes.c_int(), ctypes.POINTER(ctypes.c_int)()
        call("MXNDArrayGetShapeEx", handle, ctypes.byref(ndim), ctypes.byref(sizes))
        out = np.empty(sizes[: ndim.value], np.float32)
        call("MXNDArraySyncCopyToCPU", handle, Handle(out.ctypes.data), ctypes.c_size_t(out.size))
        return out

    return values
