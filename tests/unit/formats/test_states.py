# SPDX-License-Identifier: Apache-2.0
"""Optimizer states: files of MXNet 1.9.1 and of Python 2, and hostile pickles."""

from __future__ import annotations

import dataclasses
import io
import pickle
import struct
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mxnova.core.base.dtypes import dtype_of
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, FormatError
from mxnova.formats import source
from mxnova.formats.inert_pickle import Global
from mxnova.formats.params import ArrayRecord, dumps_array
from mxnova.formats.states import ObjectRecord, StatesFile, dumps_states, read_states

FILES = Path(__file__).parents[2] / "data" / "files"
MEBIBYTE = 1 << 20


def array(shape=(2, 3), dtype="float32"):
    """An array counted up from 0, as in the recorded files."""
    kind = dtype_of(dtype)
    data = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind.numpy)
    return ArrayRecord("default", shape, kind, data)


def rows():
    """What the recorded row_sparse states hold: row 0 is not all zero, so both rows are there."""
    record = array()
    indices = np.array([0, 1], np.int64)
    return dataclasses.replace(record, stype="row_sparse", aux=(indices,))


def assert_same(got, want):
    assert type(got) is type(want)
    if isinstance(want, ArrayRecord):
        assert (got.stype, got.shape, got.dtype) == (want.stype, want.shape, want.dtype)
        np.testing.assert_array_equal(got.data, want.data)
        assert len(got.aux) == len(want.aux)
        for a, b in zip(got.aux, want.aux, strict=True):
            np.testing.assert_array_equal(a, b)
    elif isinstance(want, ObjectRecord):
        assert (got.module, got.name) == (want.module, want.name)
        assert_same(got.state, want.state)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        assert_same(list(got.values()), list(want.values()))
    elif isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            assert_same(a, b)
    else:
        assert got == want


# -- what MXNet writes

RECORDED = {
    "sgd": ("SGD", array()),
    "sgd_module": (None, array()),
    "sgd_no_state": ("SGD", None),
    "sgd_numpy_numbers": ("SGD", array()),
    "sgd_fp16": ("SGD", (array(), array())),
    "adam": ("Adam", (array(), array())),
    "adam_fp16": ("Adam", (array(), (array(), array()))),
    "adam_row_sparse": ("Adam", (rows(), rows())),
    "adam_numpy_shapes": ("Adam", (array(), array())),
    "ftml": (None, (array(), array(), array())),
    **{f"sgd_protocol{protocol}": ("SGD", array()) for protocol in range(6)},
}


@pytest.mark.parametrize("name", RECORDED)
def test_reads_what_mxnet_wrote(name):
    optimizer, state = RECORDED[name]
    file = read_states(FILES / f"{name}.states")
    if optimizer is None:
        assert file.optimizer is None
    else:
        module = "mxnet.optimizer.optimizer"
        assert (file.optimizer.module, file.optimizer.name) == (module, optimizer)
    assert list(file.states) == [0]
    if name == "sgd_fp16":
        momentum, weight = state
        weight = dataclasses.replace(weight, data=np.arange(6, dtype="f4").reshape(2, 3))
        state = momentum, weight
    assert_same(file.states[0], state)


def test_attributes_of_the_optimizer_and_of_its_scheduler():
    optimizer = read_states(FILES / "sgd.states").optimizer
    assert optimizer.state["momentum"] == 0.9
    assert optimizer.state["clip_gradient"] is None
    assert optimizer.state["idx2name"] == {0: "w"}
    assert optimizer.state["_all_index_update_counts"] == {0: {0: 1}}
    scheduler = optimizer.state["lr_scheduler"]
    assert (scheduler.module, scheduler.name) == ("mxnet.lr_scheduler", "MultiFactorScheduler")
    assert scheduler.state["step"] == [2, 5]


def test_every_protocol_gives_the_same():
    want = read_states(FILES / "sgd.states")
    for protocol in range(6):
        assert_same(read_states(FILES / f"sgd_protocol{protocol}.states"), want)


def test_numpy_numbers_become_plain_ones():
    state = read_states(FILES / "sgd_numpy_numbers.states").optimizer.state
    assert (type(state["lr"]), state["lr"]) == (float, 0.25)
    assert (type(state["momentum"]), state["momentum"]) == (float, 0.5)


@pytest.mark.parametrize("protocol", range(3))
@pytest.mark.parametrize("module", ["pickle", "cpickle"])
def test_reads_what_python_2_wrote(module, protocol):
    states, optimizer, _ = read_states(FILES / f"python2_{module}{protocol}.states")
    assert_same(states, {0: array((3,)), 1: None, 2: (array((1,)), array((2,)))})
    assert (optimizer.module, optimizer.name) == ("mxnet.optimizer", "SGD")
    assert (optimizer.state["lr"], optimizer.state["wd"]) == (0.1, 1e-30)
    assert optimizer.state["idx2name"] == {0: "wé\n\\\"'", 1: "ж\\u"}
    scheduler = optimizer.state["lr_scheduler"]
    assert (scheduler.module, scheduler.name) == ("mxnet.lr_scheduler", "FactorScheduler")
    assert scheduler.state == {
        "step": 10**12,
        "big": 2**70,
        "stop": True,
        "nothing": None,
        "steps": [1, (2, 3, 4, 5)],
    }


def test_reads_every_kind_of_source():
    path = FILES / "adam.states"
    want = read_states(path)
    for opened in (str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert_same(read_states(opened), want)


# -- other objects


class Tuned:
    """An optimizer of the user's, with NumPy arrays and a class among its attributes."""

    def __init__(self):
        self.table = np.arange(6, dtype=np.int16).reshape(2, 3).T
        self.empty = ()
        self.count = np.int64(-5)
        self.flag = np.bool_(True)
        self.kind = np.float32
        self.raw = b"\0\xff"


@pytest.mark.parametrize("protocol", range(6))
def test_objects_of_unknown_classes_are_records(protocol):
    states, optimizer, _ = read_states(pickle.dumps(({}, Tuned()), protocol))
    assert states == {}
    assert (optimizer.module, optimizer.name) == (__name__, "Tuned")
    np.testing.assert_array_equal(optimizer.state.pop("table"), [[0, 3], [1, 4], [2, 5]])
    assert optimizer.state == {
        "empty": (),
        "count": -5,
        "flag": True,
        "kind": Global("numpy", "float32"),
        "raw": b"\0\xff",
    }


def test_arrays_own_their_memory_and_can_be_written():
    data = bytearray(dumps_states({0: array((64,)), 1: array((3, 5), "float64")}))
    states = read_states(data).states
    data[:] = bytes(len(data))
    states[0].data[0] = 9
    np.testing.assert_array_equal(states[1].data.ravel(), np.arange(15))


def test_large_arrays_of_the_oldest_protocols():
    values = array((30_000,), "uint8")
    content = dumps_array(values).decode("latin-1")
    for protocol in range(3):
        text = pickle.dumps(content, protocol)
        text = (text[2:] if protocol == 2 else text)[:-1]
        name = b"cmxnet.ndarray\nNDArray\n(NtR"
        call = b"c__builtin__\nbytearray\n(" + text + b"S'latin-1'\ntR"
        got = read_states(b"(dI0\n" + name + b"(dS'handle'\n" + call + b"sbs.").states[0]
        assert_same(got, values)


# -- writing

VARIETY = {
    0: None,
    1: array(),
    2: (array((1,), "float16"), (None, array((4,), "int8"))),
    "3": ArrayRecord(
        "csr",
        (2, 4),
        dtype_of("float64"),
        np.array([1.0, 2.0]),
        (np.array([0, 1, 2]), np.array([3, 0])),
    ),
    4: [rows()],
}


def test_what_is_written_is_read():
    optimizer = read_states(FILES / "sgd.states").optimizer
    assert_same(read_states(dumps_states(VARIETY)), StatesFile(VARIETY, None))
    assert_same(read_states(dumps_states(VARIETY, optimizer)), StatesFile(VARIETY, optimizer))
    progress = {"num_update": 3, "_index_update_count": {0: 3, "a": 2}}
    content = dumps_states(VARIETY, progress=progress)
    assert content.startswith(dumps_states(VARIETY))
    assert_same(read_states(content), StatesFile(VARIETY, None, progress))


def test_numpy_shapes_are_written_when_asked_for():
    states = {0: array(()), 1: array((0, 2))}
    assert_same(read_states(dumps_states(states, np_shape=True)).states, states)
    with pytest.raises(ArgumentError, match="a scalar"):
        dumps_states(states)


class Recorder(pickle.Unpickler):
    """Unpickles with stand-ins of MXNet's classes, and notes the classes."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data))
        self.names = set()

    def find_class(self, module, name):
        self.names.add((module, name))
        return bytearray if name == "bytearray" else type(name, (StandIn,), {})


class StandIn:
    def __init__(self, handle=()):
        self.handle = handle


def test_the_pickle_names_the_classes_of_mxnet():
    optimizer = read_states(FILES / "sgd.states").optimizer
    unpickler = Recorder(dumps_states(VARIETY, optimizer))
    states, made = unpickler.load()
    assert unpickler.names == {
        ("builtins", "bytearray"),
        ("mxnet.ndarray.ndarray", "NDArray"),
        ("mxnet.ndarray.sparse", "CSRNDArray"),
        ("mxnet.ndarray.sparse", "RowSparseNDArray"),
        ("mxnet.optimizer.optimizer", "SGD"),
        ("mxnet.lr_scheduler", "MultiFactorScheduler"),
    }
    assert states[1].handle == bytearray(dumps_array(VARIETY[1]))
    assert states[0] is None
    assert made.momentum == 0.9
    assert not hasattr(made, "handle")  # objects are made without __init__, arrays by a call
    assert made.lr_scheduler.step == [2, 5]


def test_classes_that_are_not_mxnets_are_not_written():
    for module, name in [("os", "system"), ("mxnetos", "x"), ("mxnet.base", "os.system")]:
        with pytest.raises(ArgumentError, match="may not be named"):
            dumps_states({}, ObjectRecord(module, name, {}))
    with pytest.raises(ArgumentError, match="may not be named"):
        dumps_states({0: Global("os", "system")})


def test_only_plain_data_is_written():
    with pytest.raises(ArgumentTypeError, match="a set has no place"):
        dumps_states({0: {1}})


# -- hostile files

ARRAY = b"cmxnet.ndarray.ndarray\nNDArray\n(NtR"


def in_states(value):
    return b"}K\0" + value + b"s."


def holding(content):
    return ARRAY + b"}U\x06handleB" + struct.pack("<I", len(content)) + content + b"sb"


HOSTILE = {
    "a call": (in_states(b"cos\nsystem\n(S'x'\ntR"), r"it calls os\.system, which reading never"),
    "eval": (in_states(b"c__builtin__\neval\n(S'x'\ntR"), r"__builtin__\.eval"),
    "builtins": (in_states(b"\x8c\x08builtins\x8c\x04exec\x93)R"), r"builtins\.exec"),
    "getattr": (in_states(b"cbuiltins\ngetattr\n)R"), r"builtins\.getattr"),
    "object with arguments": (in_states(b"csubprocess\nPopen\n(S'x'\nt\x81"), "Popen"),
    "call of an optimizer": (in_states(b"cmxnet.optimizer.optimizer\nSGD\n)R"), "SGD"),
    "a number": (b"K\1.", "a pickled int, expected states by index"),
    "a list": (b"].", "a pickled list"),
    "an optimizer alone": (b"cm\nC\n)\x81.", "a pickled ObjectRecord"),
    "two dictionaries": (b"}}\x86.", "a pickled tuple"),
    "three": (b"}NN\x87.", "a pickled tuple"),
    "array without state": (in_states(ARRAY), "a dict is missing"),
    "array of text": (in_states(ARRAY + b"}U\x06handleX\1\0\0\0\xc4\x80"[:-2] + b"asb"), "bytes"),
    "array of number": (in_states(ARRAY + b"}U\x06handleK\1sb"), "no bytes where bytes"),
    "array cut": (in_states(holding(b"\xc9\xfa\x93\xf9\0\0")), "pickle: array 0 at offset 4"),
    "many arguments": (in_states(b"cbuiltins\nbytearray\n(NNNNNtR"), "5 arguments"),
    "encoding": (in_states(b"cbuiltins\nbytearray\nU\1aU\x05utf-8\x86R"), "no bytes"),
    "wide text": (
        in_states(b"cbuiltins\nbytearray\nX\2\0\0\0\xc4\x80U\x06latin1\x86R"),
        "text that stands for bytes",
    ),
    "state that is a list": (in_states(b"cm\nC\n)\x81]b"), "whose state is no dictionary"),
    "base class": (
        in_states(b"ccopy_reg\n_reconstructor\n(cm\nC\nc__builtin__\nint\nK\1tR"),
        "base",
    ),
    "reconstructor": (in_states(b"ccopy_reg\n_reconstructor\n)R"), "a Global is missing"),
    "dtype": (
        in_states(b"cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nU\1O\x85RC\1a\x86R"),
        "NumPy dtype 'O'",
    ),
    "big-endian": (
        in_states(
            b"cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nU\2f4\x85R(K\3U\1>tbC\4aaaa\x86R"
        ),
        "little-endian",
    ),
    "dtype of another name": (
        in_states(b"cnumpy.core.multiarray\nscalar\ncos\ndtype\nU\2f4\x85RC\4aaaa\x86R"),
        "NumPy dtype",
    ),
    "scalar": (
        in_states(b"cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nU\2f4\x85RC\3aaa\x86R"),
        "of 3 bytes for shape",
    ),
    "nesting": (in_states(b")" + b"\x85" * 50), "nested more than 32 deep"),
    "itself": (b"}\x94K\0h\0s.", "nested more than 32 deep"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refuses(case):
    data, reason = HOSTILE[case]
    with pytest.raises(FormatError, match=f"^<bytes>: .*{reason}"):
        read_states(data)


def test_a_system_call_is_not_made(tmp_path):
    class Attack:
        def __reduce__(self):
            return Path.touch, (tmp_path / "touched",)

    for protocol in range(6):
        with pytest.raises(FormatError):
            read_states(pickle.dumps({0: Attack()}, protocol))
    assert not list(tmp_path.iterdir())


def doubling(n):
    """A tuple of two times a tuple of two times…"""
    levels = b"".join(b"(h" + bytes([i]) + b"h" + bytes([i]) + b"t\x94" for i in range(n))
    return in_states(b"()\x94" + levels + b"t")


HEADER = dumps_array(array((0,), "uint8"))
EMPTY_CSR = struct.pack(
    "<Iiiqiqqiiiiiqiiq", 0xF993FAC9, 2, 1, 0, 2, 90_000, 3, 1, 0, 0, 6, 1, 0, 6, 1, 0
)
LONG = b"X" + struct.pack("<I", 100_000) + b"a" * 100_000
AMPLIFYING = {
    "doubling": doubling(28),
    "arrays": in_states(b"(" + holding(HEADER) + b"\x94" + b"h\0" * 5_000 + b"t"),
    "row pointers": in_states(b"(" + holding(EMPTY_CSR) + b"\x94" + b"h\0" * 50 + b"t"),
    "long text": in_states(
        b"(cbuiltins\nbytearray\n" + LONG + b"U\x06latin1\x86R\x94" + b"h\0" * 500 + b"t"
    ),
    "bytes": in_states(
        b"(B" + struct.pack("<I", 100_000) + bytes(100_000) + b"\x94" + b"h\0" * 500 + b"t"
    ),
    "items": in_states(b"(" + b"N" * 500 + b"t\x94(" + b"h\0" * 500 + b"t\x86"),
}


@pytest.mark.parametrize("case", AMPLIFYING)
def test_memory_and_time_are_bounded(case, monkeypatch):
    monkeypatch.setattr(source, "_SLACK", MEBIBYTE)
    data = AMPLIFYING[case]
    start = time.process_time()
    tracemalloc.start()
    with pytest.raises(FormatError, match="bytes of memory"):
        read_states(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= len(data) + 2 * MEBIBYTE
    assert time.process_time() - start < 5
