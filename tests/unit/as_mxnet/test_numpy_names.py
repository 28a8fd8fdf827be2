# SPDX-License-Identifier: Apache-2.0
import builtins
import subprocess
import sys
import types

import numpy as np
import pytest

from mxnova.as_mxnet import numpy_names

LOST = [
    *numpy_names._BUILTINS,
    *numpy_names._RENAMED,
    *numpy_names._NUMBERS,
    *numpy_names._EXCEPTIONS,
]


@pytest.fixture(scope="module")
def module():
    """A copy of NumPy with the names."""
    copy = types.ModuleType("numpy")
    vars(copy).update(vars(np))
    numpy_names.add_names(copy)
    return copy


def test_nothing_that_numpy_has_is_changed(module):
    assert {n for n in vars(np) if vars(module)[n] is not vars(np)[n]} == set()


@pytest.mark.parametrize("name", LOST)
def test_every_name_is_there(module, name):
    assert hasattr(module, name)


@pytest.mark.parametrize("name", ["complex", "float", "int", "object", "str"])
def test_names_of_builtins_are_the_builtins(module, name):
    assert getattr(module, name) is getattr(builtins, name)


def test_numbers_and_functions(module):
    assert np.isnan(module.NaN)
    assert module.PINF == module.Inf == module.infty == np.inf == -module.NINF
    assert np.signbit(module.NZERO)
    assert module.asscalar(np.array([2.5])) == 2.5
    assert module.asfarray([1, 2]).dtype == np.float64
    assert module.asfarray([1, 2], "float32").dtype == np.float32
    assert module.in1d([[1, 2]], [2]).tolist() == [False, True]
    assert module.msort(np.array([[2, 1], [1, 2]])).tolist() == [[1, 1], [2, 2]]
    assert module.product([2, 3]) == 6
    assert module.float_ is np.float64


def test_what_programs_ask_of_types(module):
    assert module.find_common_type([np.float32], [np.int64, np.float64]) == np.float64
    assert module.issubclass_(np.float32, np.floating)
    assert not module.issubclass_("float32", np.floating)
    assert module.issubsctype("int8", np.signedinteger)
    assert module.sctypes["uint"] == [np.uint8, np.uint16, np.uint32, np.uint64]
    assert issubclass(module.VisibleDeprecationWarning, UserWarning)
    assert module.math.factorial(3) == 6


PROGRAM = """
import sys, warnings, importlib.util
warnings.simplefilter("error")
if {first!r}:
    import numpy
filters = list(warnings.filters)
import mxnova.as_mxnet
assert ("numpy" in sys.modules) == {first!r}
assert importlib.util.find_spec("numpy") is not None
import numpy as np, numpy
assert hasattr(np, "float") == {added!r}, "float"
assert np.__loader__.exec_module.__func__ is type(np.__loader__).exec_module
assert warnings.filters == filters or not {first!r}  # NumPy adds some
assert not any(getattr(f, "_name", None) == "numpy" for f in sys.meta_path)
"""


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("added", [True, False])
def test_numpy_gets_them_when_it_is_imported(first, added, monkeypatch):
    monkeypatch.setenv("MXNOVA_NUMPY_NAMES", str(int(added)))
    code = PROGRAM.format(first=first, added=added)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
