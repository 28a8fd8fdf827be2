"""What C is told of operators, and of what they refuse."""

import ctypes
import json
from pathlib import Path

import pytest

from .c import Handle, UInt, created, handles, texts

HERE = Path(__file__).parents[2]
TOLD = {e["name"]: e for e in json.loads((HERE / "data/golden/op_schema.json").read_text())}
DEVIATIONS = json.loads((HERE / "meta/op_deviations.json").read_text())
Results = ctypes.POINTER(Handle)
Text = ctypes.c_char_p
Texts = ctypes.POINTER(Text)


@pytest.fixture
def describe(call):
    """What is told of an operator: its canonical name, arguments, counter and result."""

    def describe(name):
        operator = created(call, "NNGetOpHandle", name.encode())
        kinds = (Text, Text, UInt, Texts, Texts, Texts, Text, Text)
        values = [kind() for kind in kinds]
        call("MXSymbolGetAtomicSymbolInfo", operator, *map(ctypes.byref, values))
        real, _, count, names, types, _, counted, result = values
        arguments = [(names[i].decode(), types[i].decode()) for i in range(count.value)]
        return real.value.decode(), arguments, counted.value.decode(), result.value

    return describe


ADDED = ("_NDArray", "_Native")  # known to C only


@pytest.mark.parametrize("name", [n for n in TOLD if n in ADDED or n not in DEVIATIONS])
def test_operators_are_told_as_by_mxnet(describe, name):
    theirs = TOLD[name]
    real, arguments, counted, result = describe(name)
    assert (real, counted, result) == (theirs["real"], theirs["key_var_num_args"], None)
    assert arguments == [(a["name"], a["type"]) for a in theirs["args"]]


def test_aliases_have_one_handle(call):
    found = {
        created(call, "NNGetOpHandle", name).value
        for name in (b"add_n", b"ElementWiseSum", b"_sparse_add_n")
    }
    assert len(found) == 1


# Errors -------------------------------------------------------------------------------------------


@pytest.fixture
def run(call):
    """Runs an operator and waits for its results."""

    def run(name, *inputs, outs=(), **parameters):
        count = ctypes.c_int(len(outs))
        results = ctypes.cast(handles(*outs), Results) if outs else Results()
        call(
            "MXImperativeInvoke", created(call, "NNGetOpHandle", name.encode()),
            len(inputs), handles(*inputs), ctypes.byref(count), ctypes.byref(results),
            len(parameters), texts(*parameters), texts(*parameters.values()),
        )  # fmt: skip
        for result in results[: count.value]:
            call("MXNDArrayWaitToRead", Handle(result))

    return run


X = [[1.0, 2.0], [3.0, 4.0]]

# operator, inputs, parameters -> the kind that its error begins with in MXNet
REFUSED = [
    ("FullyConnected", [X], {}, "MXNetError"),
    ("slice_axis", [X], {"axis": 7, "begin": 0, "end": 1}, "MXNetError"),
    ("take", [X, [5.0]], {"mode": "raise"}, "MXNetError"),
    ("gather_nd", [X, [[5.0]]], {}, "IndexError"),
    ("_np_transpose", [X], {"axes": (0, 0)}, "ValueError"),
    ("_np_transpose", [X], {"axes": (0, 5)}, "MXNetError"),
    ("_npi_normal", [], {"loc": 0.0, "scale": -1.0, "size": (2,)}, "ValueError"),
    ("_npi_normal", [], {"loc": 0.0, "scale": -1.0, "size": (2,), "dtype": "x"}, "MXNetError"),
    ("_npi_gamma", [], {"shape": -1.0, "scale": 1.0, "size": (2,)}, "ValueError"),
    ("_npi_pareto", [[0.0]], {"size": (1,)}, "ValueError"),
    ("_npi_bernoulli", [], {"prob": 2.0, "logit": None, "size": (2,), "is_logit": False}, "ValueError"),
    ("_npi_percentile", [X], {"q_scalar": 101.0}, "ValueError"),
    ("_npi_diff", [X], {"n": -1}, "MXNetError"),
    ("_npi_diag_indices_from", [[1.0]], {}, "ValueError"),
    ("_npi_polyval", [X, [1.0]], {}, "ValueError"),
    ("_npi_dsplit", [X], {"indices": (), "sections": 2}, "ValueError"),
]  # fmt: skip


@pytest.mark.parametrize("name, inputs, parameters, kind", REFUSED)
def test_errors_begin_with_their_kind(run, array, name, inputs, parameters, kind):
    with pytest.raises(RuntimeError, match=f"^{kind}: {name}"):
        run(name, *map(array, inputs), **parameters)


def test_a_constraint(run, array, call):
    answers = created(call, "MXNDArrayCreateNone")
    run("_npi_equal_scalar", array(X), outs=[answers], scalar=1.0)
    with pytest.raises(RuntimeError, match="^ValueError: .*not one"):
        run("_npx_constraint_check", answers, msg="not one")


def test_answers_are_written_to_truth_values_only(run, array):
    with pytest.raises(RuntimeError, match="^TypeError: _npi_isnan: out has type float32"):
        run("_npi_isnan", array(X), outs=[array(X)])
