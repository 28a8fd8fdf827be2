# SPDX-License-Identifier: Apache-2.0
"""What NumPy's arrays did in MXNet's time, as NumPy 1.23 does it."""

import copy
import math
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest

import mxnova as mx
from mxnova.as_mxnet import old_arrays
from mxnova.as_mxnet.old_arrays import OldArray

OLD = np.array([2.5], np.float32).view(OldArray)


@pytest.mark.parametrize("array", [OLD, OLD.reshape(1, 1), OLD + 0, OLD[:], OLD.copy()])
def test_an_array_of_one_element_is_a_number(array):
    assert (float(array), int(array), complex(array)) == (2.5, 2, 2.5 + 0j)
    assert (math.floor(array), f"{float(array):.1f}", "%.2f" % array) == (2, "2.5", "2.50")  # noqa: UP031
    numbers = np.zeros(2)
    numbers[0] = array
    assert numbers.tolist() == [2.5, 0]


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("kind", [float, int, complex])
def test_an_array_of_more_is_none(n, kind):
    with pytest.raises(TypeError, match="only size-1 arrays can be converted"):
        kind(np.zeros(n).view(OldArray))


def test_what_becomes_of_arrays():
    for array in (OLD * 2, OLD[:], np.concatenate([np.zeros(3), OLD]), np.exp(OLD), OLD.T):
        assert type(array) is OldArray
    for number in (OLD[0], OLD.sum(), np.mean(OLD), OLD.max(), np.dot(OLD, OLD)):
        assert type(number) is np.float32
    assert type(pickle.loads(pickle.dumps(OLD))) is np.ndarray
    assert type(np.array(OLD)) is np.ndarray
    assert copy.deepcopy(OLD).tolist() == [2.5]
    assert repr(OLD) == repr(np.array([2.5], np.float32))
    assert OLD.tostring() == np.float32(2.5).tobytes()
    assert mx.nd.array(OLD).dtype == np.float32


def test_a_class_of_arrays_gives_them_where_numpy_refuses(monkeypatch):
    class NDArray:
        """Of one element."""

        def asnumpy(self):
            """A copy."""
            return np.ones((1,))

    monkeypatch.setattr(np, "array", np.array)
    monkeypatch.setattr(old_arrays, "_refuses", lambda act: True)
    old_arrays.activate(types.SimpleNamespace(NDArray=NDArray))
    assert type(NDArray().asnumpy()) is OldArray
    assert NDArray.asnumpy.__doc__ == "A copy."


PROGRAM = """
import numpy as np
import mxnet as mx
for array in (mx.nd.ones((1,)), mx.np.ones((1, 1)), mx.nd.ones((1, 1)).tostype("csr")):
    assert float(array.asnumpy()) == 1.0
assert np.array([1, 2], copy=False).tolist() == [1, 2]
assert np.array(np.ones(2), dtype="f", copy=False).dtype == np.float32
x = np.ones(2)
assert np.array(x, copy=False) is x and np.array(x) is not x
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", ["import mxnova.as_mxnet", "import numpy, mxnova.as_mxnet"])
def test_a_variable_of_the_environment_asks_for_them(monkeypatch, first):
    monkeypatch.setenv("MXNOVA_NUMPY_COMPAT", "1")
    command = [sys.executable, "-W", "ignore", "-c", f"{first}\n{PROGRAM}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_it_nothing_is_imported():
    code = (
        "import mxnova.as_mxnet, mxnet, sys; assert not any('old_arrays' in m for m in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
