# SPDX-License-Identifier: Apache-2.0
import builtins
import subprocess
import sys
import types

import numpy as np
import pytest

from mxnova.as_mxnet import numpy_names
from mxnova.core.base import dropped_numpy_names

LOST = [
    *dropped_numpy_names.BUILTINS,
    *dropped_numpy_names.RENAMED,
    *dropped_numpy_names.NUMBERS,
    *dropped_numpy_names.EXCEPTIONS,
]
OLD_NUMPY = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # which 1.26 has of its own


@pytest.fixture(scope="module")
def module():
    """A copy of NumPy with the names."""
    copy = types.ModuleType("numpy")
    vars(copy).update(vars(np))
    numpy_names.add_names(copy)
    return copy


def test_nothing_that_numpy_has_is_changed(module):
    changed = {n for n in vars(np) if vars(module)[n] is not vars(np)[n]}
    assert changed <= {"fromstring"}


@pytest.mark.filterwarnings("ignore:The binary mode of fromstring:DeprecationWarning")
@pytest.mark.parametrize(
    "args, expected",
    [  # as NumPy 1.23 gives them
        ((b"\1\0\2\0", np.int16), np.array([1, 2], np.int16)),
        ((b"abcd", "u1", 2), np.array([97, 98], np.uint8)),
        ((bytes(8),), np.array([0.0])),
        ((b"", np.uint8), np.array([], np.uint8)),
        (("abc", np.uint8), np.array([97, 98, 99], np.uint8)),
        (("\u00fc", np.uint8), np.array([195, 188], np.uint8)),
    ],
)
def test_bytes_are_read_by_fromstring(module, args, expected):
    found = module.fromstring(*args)
    assert found.dtype == expected.dtype
    assert found.flags.writeable
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:The binary mode of fromstring:DeprecationWarning")
def test_what_fromstring_refuses(module):
    assert module.fromstring("1 2", int, sep=" ").tolist() == [1, 2]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        module.fromstring(b"abc", np.int16)
    with pytest.raises(TypeError, match="read-only bytes-like object"):
        module.fromstring(bytearray(b"ab"), np.uint8)


@OLD_NUMPY
@pytest.mark.parametrize("name", LOST)
def test_every_name_is_there(module, name):
    assert hasattr(module, name)


@pytest.mark.parametrize("name", ["complex", "float", "int", "object", "str"])
def test_names_of_builtins_are_the_builtins(module, name):
    assert getattr(module, name) is getattr(builtins, name)


@OLD_NUMPY
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
    assert (module.rank([[1]]), module.alen([1, 2]), module.alen(3)) == (2, 2, 1)
    assert module.typeDict is np.sctypeDict


@OLD_NUMPY
def test_what_programs_ask_of_types(module):
    assert module.find_common_type([np.float32], [np.int64, np.float64]) == np.float32
    assert module.find_common_type([np.float32], [np.complex128]) == np.complex128
    assert module.find_common_type([np.float32, np.float64], []) == np.float64
    assert module.find_common_type([], [np.int32, np.float64]) == np.float64
    assert module.issubclass_(np.float32, np.floating)
    assert not module.issubclass_("float32", np.floating)
    assert module.issubsctype("int8", np.signedinteger)
    assert module.sctypes["uint"] == [np.uint8, np.uint16, np.uint32, np.uint64]
    assert issubclass(module.VisibleDeprecationWarning, UserWarning)
    assert module.math.factorial(3) == 6
    assert module.nbytes[np.float32] == module.nbytes["f"] == 4
    assert module.cast["int16"]([1.5, 2]).tolist() == module.cast[np.int16]([1, 2]).tolist()
    assert module.cast["f"](1).dtype == np.float32
    assert (module.obj2sctype("f"), module.sctype2char(np.float64)) == (np.float32, "d")


MODULES = """
import numpy, mxnova.as_mxnet
import numpy.lib.arraysetops, numpy.linalg.linalg
from numpy.lib.function_base import percentile
from numpy.lib import index_tricks
import numpy.fft.helper, numpy.testing.utils
from numpy.compat import asbytes, long
from numpy.compat.py3k import integer_types
assert asbytes("a") == b"a" and long is int and integer_types == (int,)
assert numpy.fft.helper.fftshift is numpy.fft.fftshift
assert numpy.testing.utils.assert_allclose is numpy.testing.assert_allclose
assert percentile is numpy.percentile and index_tricks.mgrid is numpy.mgrid
assert numpy.lib.arraysetops.isin is numpy.isin
assert numpy.lib.arraysetops.in1d([2, 3], [3]).tolist() == [False, True]
assert numpy.lib.function_base.trapz([0, 2]) == 1 == numpy.lib.function_base.msort([1])[0]
assert numpy.linalg.linalg.norm is numpy.linalg.norm
"""


@pytest.mark.parametrize("first", ["", "import mxnova.as_mxnet"])
def test_modules_have_their_former_names(first):
    command = [sys.executable, "-W", "ignore", "-c", f"{first}\n{MODULES}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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
