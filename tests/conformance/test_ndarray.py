# SPDX-License-Identifier: Apache-2.0
"""Replays how MXNet 1.9.1's NDArray behaves, recorded by scripts/record/ndarray.py."""

import copy
import json
import operator
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

nd = mx.nd
CASES = json.loads((Path(__file__).parent.parent / "data" / "ndarray.json").read_text())
SETUP = """
x = nd.array([[0, 1, 2], [3, 4, 5]])
i = nd.array([[0, 1, 2], [3, 4, 5]], dtype='int32')
u = nd.array([[0, 1, 2], [3, 4, 255]], dtype='uint8')
h = nd.array([[0.5, 1.5, -2], [3, 4, 5]], dtype='float16')
d = nd.array([[0.5, 1.5, -2], [3, 4, 5]], dtype='float64')
l = nd.array([[0, 1, 2], [3, 4, 5]], dtype='int64')
b = nd.array([[0, 1, 0], [1, 1, 0]], dtype='bool')
v = nd.array([1, 2, 4])
s = nd.array([2.5])
a = np.array([[1, 2, 3], [4, 5, 6]], 'float32')
"""
ERRORS = {
    "AssertionError": (mx.MXNetError, ValueError),
    "AttributeError": (AttributeError, TypeError),
    "IndexError": IndexError,
    "KeyError": mx.MXNetError,
    "MXNetError": mx.MXNetError,
    "NameError": NameError,
    "TypeError": TypeError,
    "ValueError": ValueError,
}
# What differs -> code -> what mxnova does. The rows of docs/deviations.md say why.
DEVIATIONS = json.loads(Path(__file__).with_name("ndarray_deviations.json").read_text())
PINNED = {code: found for group in DEVIATIONS.values() for code, found in group.items()}


def run(code):
    names = {"mx": mx, "nd": nd, "np": np, "copy": copy, "pickle": pickle, "operator": operator}
    exec(SETUP, names)
    *before, last = code.split("; ")
    exec("\n".join(before), names)
    try:
        compiled = compile(last, "case", "eval")
    except SyntaxError:
        exec(last, names)
        return None
    return eval(compiled, names)


def described(value):
    if isinstance(value, nd.NDArray):
        return {"array": value.stype, **described(value.asnumpy())}
    if isinstance(value, np.ndarray):
        shown = value.astype("float64") if value.dtype.kind in "biuf" else value.astype(str)
        return {
            "shape": list(value.shape),
            "dtype": value.dtype.name,
            "values": shown.ravel().tolist(),
        }
    if isinstance(value, (list, tuple)):
        return {"sequence": type(value).__name__, "items": [described(v) for v in value]}
    if type(value) in (int, float, str, bool, type(None)):
        return value
    return {"type": type(value).__name__, "text": str(value)}


def same(got, wanted):
    if isinstance(wanted, dict):
        assert isinstance(got, dict)
        assert set(got) == set(wanted)
        for key in wanted:
            if key == "values":
                tolerance = 1e-3 if wanted["dtype"] == "float16" else 1e-6
                np.testing.assert_allclose(
                    [float(v) for v in got["values"]],
                    [float(v) for v in wanted["values"]],
                    rtol=tolerance,
                    atol=1e-6,
                )
            else:
                same(got[key], wanted[key])
    elif isinstance(wanted, list):
        assert isinstance(got, list)
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted):
            same(g, w)
    elif isinstance(wanted, str):
        assert str(got).replace("numpy.bool_", "numpy.bool") == wanted.replace(
            "numpy.bool_", "numpy.bool"
        )
    else:
        assert got == wanted


@pytest.fixture
def own_modes():
    """Leaves recording and training as they were, whatever the code does to them."""
    with mx.autograd.pause():
        yield


@pytest.mark.parametrize("code, wanted", CASES)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("own_modes")
def test_behaviour(code, wanted):
    if (
        re.search(r"np\.(int32|float64|array)\(", code)
        and np.lib.NumpyVersion(np.__version__) < "2.0.0"
    ):
        pytest.skip("NumPy 1 promotes scalars by their values")
    found = PINNED.get(code, wanted)
    if isinstance(found, dict) and "error" in found:
        with pytest.raises(ERRORS[found["error"]]):
            run(code)
        return
    same(described(run(code)), found)


def test_what_is_pinned_was_recorded():
    recorded = dict(CASES)
    assert [code for code, found in PINNED.items() if recorded[code] == found] == []
