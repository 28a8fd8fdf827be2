# SPDX-License-Identifier: Apache-2.0
"""Replays what MXNet 1.9.1 does with `x[key]` and `x[key] = value`; see scripts/record/indexing.py.

Where mxnova differs on purpose it does what NumPy does, and that is checked instead.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

nd = mx.nd
FOLDER = Path(__file__).parent.parent / "data" / "indexing"
NAMES = {"np": np, "nd": nd, "mx": mx}
ERRORS = {
    "IndexError": IndexError,
    "ValueError": ValueError,
    "TypeError": TypeError,
    "MXNetError": mx.MXNetError,
    "AssertionError": mx.MXNetError,
}
# What differs -> the cases, by `identity`. The rows of docs/deviations.md say why.
DEVIATIONS = {
    "arrays and lists of truth values are masks": (
        r"bool\)|'bool'|\[(True|False)\] \*|(array\(|\[|, )\[(True|False), |% \d =="
    ),
    "a single truth value is an integer": r"\[(True|False)\] =|np\.array\(True|np\.True_|\[True, \[",
    "selections may be empty": (
        r"\((5|3x4)\) \[(3:1|2:1|0:0|3:)\]|\[1, 3:1|:, 5:|:, 4:|, 5:|:, 0:0|0, 5:, 1|(?<!0\], )\[\]|array\(\[\]"
        r"|range\(0\)|\((0x3|3x0)\) \[(None|\.\.\.|:, 1:|:, ::-1|:, \[0, 1\])\]$"
    ),
    "0-d arrays are indices": r"np\.array\([12]\)[],]",
    "NumPy's integers of all sizes are indices": r"np\.uint8",
    "0-d arrays can be indexed": r" \(\) \[(\.\.\.,?|None|\(None, None\)|\(\.\.\.,\))\]| \(\) .* = \[7\]",
    "with NumPy's shapes there are 0-d results": r"np float32 .* \[(0, \.\.\.|\.\.\., 0|0, \.\.\., 1|\.\.\., 0, 1)\]$",
    "overlapping memory": r"\[:, ::-1\] = x$",
    "index arrays out of range are refused, negative ones count from the end": (
        r"\[(\[3\]|\[-4\]|\[-1\]|:, \[4\]|nd\.array\(\[9\]\))\] = 7"
    ),
    "values may have the key's new axes": r"\[:, None\] = ",
    "arrays of truth values can be written in part": r"bool \(3x4\) \[[^[]*\] = \[7\]",
    "NumPy's truth values can be written": r"= np\.bool_",
}


def identity(case):
    value = f" = {case['value']}" if "value" in case else ""
    shape = "x".join(map(str, case["shape"]))
    semantics = "np" if case["np_shape"] else "legacy"
    return f"{semantics} {case['dtype']} ({shape}) [{case['key']}]{value}"


def cases(name):
    found = json.loads((FOLDER / f"{name}.json").read_text())
    return [pytest.param(c, id=identity(c)) for c in found]


def is_deviation(case):
    return any(re.search(pattern, identity(case)) for pattern in DEVIATIONS.values())


def numpy_base(case):
    return np.arange(math.prod(case["shape"])).reshape(case["shape"]).astype(case["dtype"])


def base(case):
    return nd.from_numpy(numpy_base(case), zero_copy=True).copyto(mx.cpu())


def get(x, case, arrays=nd):
    return eval(f"x[{case['key']}]", {**NAMES, "nd": arrays, "x": x})


def put(x, case, arrays=nd):
    exec(f"x[{case['key']}] = {case['value']}", {**NAMES, "nd": arrays, "x": x})


def flat(array):
    return array.asnumpy().astype("f8").ravel().tolist()


def numbers(values):
    return [float(v) for v in values]


@pytest.fixture(autouse=True)
def _semantics(case):
    with mx.util.np_shape(case["np_shape"]):
        yield


@pytest.mark.parametrize("case", cases("get"))
def test_get(case):
    wanted, x = case["result"], base(case)
    if is_deviation(case):
        wanted = numpys_selection(case)
    if "error" in wanted:
        with pytest.raises(ERRORS[wanted["error"]]):
            get(x, case)
        return
    y = get(x, case)
    assert list(y.shape) == wanted["shape"]
    assert np.dtype(y.dtype) == wanted["dtype"]
    np.testing.assert_equal(flat(y), numbers(wanted["values"]))
    if "is_x" in wanted:
        assert (y is x) == wanted["is_x"]
    if "view" in wanted:
        check_memory(x, y, wanted["view"])
    if case["dtype"] == "float32" and y.size:
        check_gradient(case, wanted)


def in_numpys_terms(case):
    """The case with single truth values as integers, and numbers for 0-d arrays."""
    key = re.sub(r"^True\b|np\.array\(True\)|np\.True_", "1", case["key"])
    key = re.sub(r"^False\b", "0", key)
    if case["shape"] == [] and "value" in case:
        return {**case, "key": key.replace(":", "()"), "value": "7"}
    return {**case, "key": key}


def numpys_selection(case):
    x = numpy_base(case)
    try:
        y = np.asarray(get(x, in_numpys_terms(case), np))
    except IndexError:
        return {"error": "IndexError"}
    shape = list(y.shape) or ([] if case["np_shape"] else [1])
    return {"shape": shape, "dtype": case["dtype"], "values": y.ravel().tolist()}


def check_memory(x, y, is_view):
    """Writes to either are seen in the other, or in neither."""
    x[:] = 0
    y[:] = 1
    assert bool(x.asnumpy().any()) == is_view
    x[:] = 0
    assert bool(y.asnumpy().any()) != is_view


def check_gradient(case, wanted):
    x = base(case)
    x.attach_grad()
    with mx.autograd.record():
        y = get(x, case)
        z = y * nd.array(np.arange(1, y.size + 1).reshape(y.shape))
    z.backward()
    gradient = wanted.get("grad")
    if not isinstance(gradient, list):  # MXNet crashed; the selected values say where they were
        gradient = np.bincount(np.int64(flat(y)), np.arange(1, y.size + 1), x.size)
    assert flat(x.grad) == numbers(gradient)


@pytest.mark.parametrize("case", cases("set"))
def test_set(case):
    wanted, x = case["result"], base(case)
    if is_deviation(case):
        wanted = numpys_assignment(case)
    if "error" in wanted:
        with pytest.raises(ERRORS[wanted["error"]]):
            put(x, case)
        np.testing.assert_equal(x.asnumpy(), numpy_base(case))
        return
    put(x, case)
    np.testing.assert_equal(flat(x), numbers(wanted["values"]))
    if "leaf" in wanted:
        check_recording(case, wanted)


def numpys_assignment(case):
    x = numpy_base(case)
    try:
        put(x, in_numpys_terms(case), np)
    except (IndexError, ValueError) as error:
        return {"error": type(error).__name__}
    return {"values": x.ravel().tolist()}


def check_recording(case, wanted):
    """Writing to a leaf, and to a result, while autograd records."""
    leaf = base(case)
    leaf.attach_grad()
    with mx.autograd.record():
        for x, error in [(leaf, wanted["leaf"]), (leaf * 1, wanted["recorded"])]:
            if error is None:
                put(x, case)
            else:
                with pytest.raises(ERRORS[error]):
                    put(x, case)
