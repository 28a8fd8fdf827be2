"""Every function that MXNet's library exports is exported."""

import ctypes
import re
from importlib import import_module
from pathlib import Path

import pytest

from mxnova.capi.declarations import HEADERS, declarations

NAMES = (Path(__file__).parents[2] / "data" / "capi" / "exported.txt").read_text().split()


def test_every_function_of_mxnet_is_declared():
    assert len(NAMES) == 294
    assert set(NAMES) <= declarations().functions.keys()


def test_every_function_is_exported(library):
    missing = [name for name in declarations().functions if not hasattr(library, name)]
    assert not missing


def test_declarations_are_read_whole():
    """As many as there are lines with the macro of exported functions."""
    texts = [path.read_text() for path in sorted(HEADERS.rglob("*.h"))]
    declared = [n for text in texts for n in re.findall(r"^\w+_DLL [^;]*?\b(\w+)\(", text, re.M)]
    assert set(declared) == declarations().functions.keys()
    assert "uintptr_t NDArrayHandle" in declarations().types


def test_only_what_cannot_be_is_refused():
    """Compiled libraries of operators, and what MXNet 1.9.1 refuses, too."""
    import_module("mxnova.capi.library").load_all()
    border = import_module("mxnova.capi.entry_points")
    assert border.FUNCTIONS.keys() == declarations().functions.keys()
    assert border.REFUSED.keys() == {
        *("MXLoadLib", "MXLoadTVMOp", "MXTVMBridge"),
        *("MXRtcCreate", "MXRtcPush", "MXRtcFree"),
    }


@pytest.mark.parametrize("name", ["MXLoadLib", "MXLoadTVMOp"])
def test_what_cannot_be_says_so(library, name):
    assert getattr(library, name)(ctypes.c_char_p(b"x.so"), 0) == -1
    assert name.encode() in library.MXGetLastError()
