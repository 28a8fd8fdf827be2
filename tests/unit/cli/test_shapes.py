# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.cli.shapes import inputs_of, shapes_of
from mxnova.core.base.errors import ArgumentError

GOOD = {
    "data=1,3,224,224": ("data", "", (1, 3, 224, 224)),
    "data=N, 3": ("data", "", ("N", 3)),
    "data:uint8=N,4": ("data", "uint8", ("N", 4)),
    "valid_length:int32=N": ("valid_length", "int32", ("N",)),
    "data:bfloat16=2,4": ("data", "bfloat16", (2, 4)),
    "input:0=2,4": ("input:0", "", (2, 4)),
    "input:0:int64=2,4": ("input:0", "int64", (2, 4)),
    "a=b:float16=2": ("a=b", "float16", (2,)),
}
BAD = {
    "data": "must be NAME=1,3,224,224",
    "=2": "must be NAME=1,3,224,224",
    ":int32=2": "must be NAME=1,3,224,224",
    "data=": "must be NAME=1,3,224,224",
    "data=0": "'0' is neither a size",
    "data=-1": "'-1' is neither a size",
    "data:int23=2": "no dtype is called 'int23'; did you mean 'int32'",
}


@pytest.mark.parametrize("text", GOOD)
def test_inputs_of_parses_name_dtype_and_sizes(text):
    name, dtype, sizes = GOOD[text]
    assert inputs_of([text]) == ({name: sizes}, {name: dtype} if dtype else {})
    assert shapes_of([text]) == {name: sizes}


@pytest.mark.parametrize("text", BAD)
def test_inputs_of_rejects_other_texts(text):
    with pytest.raises(ArgumentError, match=f"--shape {text}: .*{BAD[text]}"):
        inputs_of([text])


def test_inputs_of_rejects_an_input_that_is_given_twice():
    with pytest.raises(ArgumentError, match="data is given twice"):
        inputs_of(["data=2,4", "data:uint8=2,4"])
