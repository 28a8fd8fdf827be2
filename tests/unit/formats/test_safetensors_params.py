# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import numpy as np
import pytest

from mxnova.core.base.dtypes import DTYPES, dtype_of
from mxnova.core.base.errors import ArgumentError, FormatError
from mxnova.formats import params, safetensors
from mxnova.formats.params import ArrayRecord, ParamsFile
from mxnova.formats.safetensors_params import from_params, read_params, to_params

FILES = Path(__file__).parents[2] / "data" / "files"
F32, I64 = dtype_of("float32"), dtype_of("int64")


def dense(shape, dtype=F32, context=(1, 0)):
    return ArrayRecord("default", shape, dtype, np.ones(shape, dtype.numpy), (), context)


def csr(context=(1, 0)):
    data = np.arange(1, 4, dtype=np.float32)
    aux = (np.array([0, 2, 2, 3]), np.array([0, 2, 1]))
    return ArrayRecord("csr", (3, 4), F32, data, aux, context)


def row_sparse():
    return ArrayRecord("row_sparse", (5, 3), F32, np.ones((2, 3), "f"), (np.array([1, 4]),))


def through(file, np_shape=False):
    """Bytes of a file of parameters, before and behind a safetensors file."""
    middle = from_params(file, np_shape)
    content = safetensors.dumps(middle.arrays, middle.metadata)
    back, back_np_shape = to_params(safetensors.read(content))
    return (
        params.dumps(file.records, file.names, np_shape=np_shape),
        params.dumps(back.records, back.names, np_shape=back_np_shape),
    )


CASES = {
    "order": ParamsFile([dense((2,)), dense((1,)), dense((3,))], ["arg:z", "aux:a", "arg:m"]),
    "dtypes": ParamsFile([dense((2, 3), d) for d in DTYPES], [f"arg:{d.name}" for d in DTYPES]),
    "no prefix": ParamsFile([dense((2,)), dense((1,))], ["w", "arg:"]),
    "the same twice": ParamsFile([dense((2,)), dense((1,))], ["arg:w", "aux:w"]),
    "contexts": ParamsFile([dense((2,), context=(2, 3)), dense((2,))], ["arg:a", "arg:b"]),
    "sparse": ParamsFile([csr((2, 0)), row_sparse(), dense((1,))], ["arg:c", "arg:r", "aux:d"]),
    "names": ParamsFile([dense((1,))] * 3, ["arg:é.名", 'arg:"\n', "arg:arg:x"]),
    "none": ParamsFile([], []),
}


@pytest.mark.parametrize("case", CASES)
def test_bytes_come_back(case):
    before, after = through(CASES[case])
    assert before == after


def test_bytes_of_numpy_shapes_come_back():
    before, after = through(ParamsFile([dense(()), dense((0, 2))], ["a", "b"]), np_shape=True)
    assert before == after


@pytest.mark.parametrize("path", sorted(FILES.glob("*.params")), ids=lambda p: p.stem)
def test_files_of_mxnet_come_back(path):
    file, np_shape = read_params(path)
    if len(file.names) != len(file.records) or None in file.records:
        with pytest.raises(ArgumentError, match="safetensors"):
            from_params(file, np_shape)
        return
    before, after = through(file, np_shape)
    assert before == after


def test_keys_are_names_without_kinds():
    made = from_params(CASES["order"], facts={"mxnet.epoch": "3"})
    assert set(made.arrays) == {"z", "a", "m"}
    assert made.metadata["format"] == "pt"
    assert made.metadata["mxnet.epoch"] == "3"
    assert json.loads(made.metadata["mxnet.names"]) == {"z": "arg:z", "a": "aux:a", "m": "arg:m"}


def test_a_file_of_another_program_has_arguments():
    back, np_shape = to_params(safetensors.SafetensorsFile({"a.w": dense((2,))}, {}))
    assert (back.names, np_shape) == (["arg:a.w"], False)


@pytest.mark.parametrize(
    "file, text",
    [
        (ParamsFile([dense((1,))], []), "without names"),
        (ParamsFile([None], ["a"]), "'a' has no values"),
        (ParamsFile([dense((1,))] * 2, ["arg:a"] * 2), "two arrays are called 'arg:a'"),
        (ParamsFile([csr(), dense((1,))], ["c", "c.data"]), "names of others"),
    ],
)
def test_what_has_no_form_is_refused(file, text):
    with pytest.raises(ArgumentError, match=text):
        from_params(file)


def of(arrays, **metadata):
    texts = {f"mxnet.{name}": json.dumps(value) for name, value in metadata.items()}
    return safetensors.SafetensorsFile(arrays, texts)


INDICES = dense((1,), I64)
PARTS = {"c.data": dense((1, 2)), "c.indices": INDICES}


@pytest.mark.parametrize(
    "file, text",
    [
        (of({}, names={"a": "arg:a"}), "no array 'a'"),
        (of({"a": dense((1,)), "b": dense((1,))}, names={"a": "arg:a"}), "does not name 'b'"),
        (of({"a": dense((1,))}, names={"a": 1}), "does not name"),
        (of({}, names=[]), "must be an object"),
        (of({"a": dense((1,))}, names={"a": "a"}, layout={"contexts": {"a": [1]}}), "two values"),
        (of({"a": dense((1,))}, names={"a": "a"}, layout={"contexts": 1}), "two values"),
        (of({"a": dense((1,))}, names={"a": "a"}, layout={"contexts": {"a": [1, "x"]}}), "numbers"),
        (
            of(PARTS, names={"c": "c"}, layout={"sparse": {"c": ["row_sparse", [1, 2]]}}),
            "indices from 1",
        ),
        (of(PARTS, names={"c": "c"}, layout={"sparse": {"c": ["row_sparse", [9, 3]]}}), "sparse"),
        (of(PARTS, names={"c": "c"}, layout={"sparse": {"c": ["row_sparse", []]}}), "no shape"),
        (of(PARTS, names={"c": "c"}, layout={"sparse": {"c": ["csr", [9, 2]]}}), "no array"),
        (of(PARTS, names={"c": "c"}, layout={"sparse": {"c": [[], [9, 2]]}}), "no array"),
    ],
)
def test_metadata_that_contradict_are_refused(file, text):
    with pytest.raises(FormatError, match=text):
        to_params(file)
