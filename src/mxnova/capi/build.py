# SPDX-License-Identifier: Apache-2.0
"""Making `libmxnet.so`: cffi writes C around the functions' names, a compiler does the rest."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..core.base.errors import ArgumentError, FileError, MXNetError, shown
from ..formats.atomic import replacing
from .declarations import HEADERS, declarations

__all__ = ["Built", "build"]

_HERE = Path(__file__).parent
_MODULE = "_mxnova_capi"
# What Python calls of start.c and gate.c; and how C's calls pass the gate.
_OURS = "".join(
    f"\nvoid mxnova_{name}(void);" for name in ("restore", "settle", "enter", "leave", "close")
)
_GATE = """
#define _cffi_call_python(function, result)                                             \\
    do {                                                                                \\
        if (mxnova_admit((function)->name, result, (function)->size_of_result)) {       \\
            _cffi_call_python(function, result);                                        \\
            mxnova_leave();                                                             \\
        }                                                                               \\
    } while (0)
"""
# What cffi's functions do where Python does not start: they return 0, which is success.
_PRETENDS = "memset(args, 0, externpy->size_of_result)"
_FAILS = (
    "mxnova_answer(args, externpy->size_of_result, -1,"
    ' "Python cannot start: see the standard error")'
)
_VERSION = "1.9.1"  # of MXNet, whose interface it is


class Built(NamedTuple):
    """What was made.

    Attributes:
        library: the library.
        headers: the folder to search for headers.
        links: the compiler's options for a program that uses it.
    """

    library: Path
    headers: Path
    links: str


def build(out: str | os.PathLike[str]) -> Built:
    """Makes the library, its headers, and what pkg-config and CMake know it by.

    Args:
        out: the folder that gets `lib` and `include`; there may be older ones.

    Raises:
        MXNetError: cffi, a C compiler or Python's own headers are not to be had, or the compiler
            fails; the text says what. FileError: the folder cannot be written.
    """
    compiler = _compiler()
    folder = Path(out).resolve()
    library = folder / "lib" / "libmxnet.so"
    try:
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = Path(scratch, "libmxnet.so")
            _run([*compiler, *_options(), *_sources(Path(scratch)), *_libraries(), "-o", str(made)])
            made.replace(library)
        _describe(folder)
    except OSError as error:
        raise FileError.of(error, error.filename2 or error.filename or folder) from None
    words = [f"-I{folder}/include", f"-L{folder}/lib", "-lmxnet"]
    rpath = ["-Xlinker", "-rpath", "-Xlinker", f"{folder}/lib"]  # -Wl would end at a comma
    return Built(library, folder / "include", shlex.join(words + rpath))


def _compiler() -> list[str]:
    """The command of a C compiler: $CC, the one that Python was built with, or cc."""
    wanted = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    for command in filter(None, wanted):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ArgumentError(f"capi build: CC={shown(command)}: {error}") from None
        if words and shutil.which(words[0]):
            return words
    raise MXNetError("capi build: a C compiler is needed, and none of $CC, cc, gcc, clang is there")


def _sources(scratch: Path) -> list[str]:
    try:
        from cffi import FFI
    except ImportError:
        raise MXNetError("capi build: cffi is needed: pip install 'mxnova[capi]'") from None
    declared = declarations()
    interface = FFI()
    interface.cdef(declared.types + _OURS)
    interface.embedding_api("\n".join(declared.functions.values()))
    start = (_HERE / "startup.py").read_text(encoding="utf-8")
    interface.embedding_init_code(start.replace('"@ROOT@"', repr(str(_HERE.parents[1]))))
    includes = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
    interface.set_source(_MODULE, includes + declared.types + _OURS + _GATE)
    written = scratch / "interface.c"
    with contextlib.redirect_stdout(io.StringIO()):  # cffi tells what it writes
        interface.emit_c_code(str(written))
    code = written.read_text(encoding="utf-8")
    if code.count(_PRETENDS) != 1:
        raise MXNetError("capi build: this release of cffi writes code that is not known here")
    written.write_text(code.replace(_PRETENDS, _FAILS), encoding="utf-8")
    return [str(written), *map(str, sorted(_HERE.glob("*.c")))]


def _options() -> list[str]:
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").is_file():
        raise MXNetError(f"capi build: Python's headers are needed, and not in {headers}")
    return [
        *("-shared", "-fPIC", "-O2", "-DNDEBUG", "-pthread", "-w", "-fvisibility=hidden"),
        *("-Wl,-soname,libmxnet.so", "-Wl,-z,nodelete"),  # Python cannot be taken out again
        "-DPy_InitializeEx=mxnova_initialize",
        *(["-DPyCapsule_Type=mxnova_lock"] if sys.version_info < (3, 12) else []),  # see start.c
        f"-DMXNOVA_PYTHON={_c_text(sys.executable)}",
        *(f"-I{headers}", "-include", str(_HERE / "gate.h")),
    ]


def _c_text(text: str) -> str:
    """A literal of C that holds the bytes of a path; octal, as hexadecimal escapes have no end."""
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'


def _libraries() -> list[str]:
    """Options for libpython, where there is a shared one.

    Without it the library is of use in a running Python only.
    """
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LDLIBRARY")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED") or not str(name).startswith("libpython"):
        return []
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", f"-l{Path(name).stem.removeprefix('lib')}"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise MXNetError(f"capi build: {command[0]} failed: {done.stderr.strip()[-2000:]}")


def _describe(folder: Path) -> None:
    """The headers, and files that tell pkg-config and CMake where all is."""
    headers = sorted(path for path in HEADERS.rglob("*") if path.is_file())
    files = {f"include/{path.relative_to(HEADERS)}": path.read_bytes() for path in headers}
    files["lib/pkgconfig/mxnet.pc"] = _PKG_CONFIG.encode()
    files["lib/cmake/mxnet/mxnet-config.cmake"] = _CMAKE.encode()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content.replace(b"@VERSION@", _VERSION.encode()))


_PKG_CONFIG = """\
prefix=${pcfiledir}/../..
libdir=${prefix}/lib

Name: mxnet
Description: MXNet's C interface, by mxnova
Version: @VERSION@
Cflags: -I${prefix}/include
Libs: -L${libdir} -lmxnet -Wl,-rpath,${libdir}
"""

_CMAKE = """\
get_filename_component(_mxnet "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(mxnet_VERSION @VERSION@)
if(NOT TARGET mxnet::mxnet)
  add_library(mxnet::mxnet SHARED IMPORTED)
  set_target_properties(mxnet::mxnet PROPERTIES
    IMPORTED_LOCATION "${_mxnet}/lib/libmxnet.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_mxnet}/include")
endif()
"""
