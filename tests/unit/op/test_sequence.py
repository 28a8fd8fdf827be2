# SPDX-License-Identifier: Apache-2.0
import numpy as np
import torch

import mxnova.core.op.tensor.sequence  # noqa: F401
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

_ = UNKNOWN
X = (3, 2, 2)
LENGTHS = np.array([1, 3], "int32")
USE = {"use_sequence_length": True}


def masked(x, value):
    x = x.copy()
    x[1:, 0] = value
    return x


def reversed_steps(x, *lengths):
    x = x.copy()
    for b, n in enumerate(lengths):
        x[:n, b] = x[:n, b][::-1]
    return x


# fmt: off
SAMPLES = [
    Sample("SequenceMask", [X], {}, lambda x: x),
    Sample("SequenceMask", [X, LENGTHS], {**USE, "value": -1.5}, lambda x, n: masked(x, -1.5)),
    Sample("SequenceMask", [(2, 3, 2), LENGTHS], {**USE, "axis": 1}, lambda x, n: masked(x.swapaxes(0, 1), 0).swapaxes(0, 1)),
    Sample("SequenceMask", [np.ones((3, 2), "int32"), LENGTHS], {**USE, "value": -1.5}, masked(np.ones((3, 2)), -1), gradient=False),
    Sample("SequenceMask", [X, np.array([9, 9], "int32")], USE, lambda x, n: x, note=" longer"),
    Sample("SequenceLast", [X], {}, lambda x: x[-1]),
    Sample("SequenceLast", [X, LENGTHS], USE, lambda x, n: np.stack([x[0, 0], x[2, 1]])),
    Sample("SequenceLast", [(2, 3), LENGTHS], {**USE, "axis": 1}, lambda x, n: x[[0, 1], [0, 2]]),
    Sample("SequenceReverse", [X], {}, lambda x: x[::-1]),
    Sample("SequenceReverse", [X, np.array([0, 2], "int32")], USE, lambda x, n: reversed_steps(x, 0, 2)),
    Sample("SequenceReverse", [X, np.array([9, 1], "int32")], USE, lambda x, n: reversed_steps(x, 3, 1), note=" longer"),
]
# fmt: on


INFERRED = [
    ("SequenceMask", USE, [(5, 4, 2), None], "[5,4,2], [4] -> [5,4,2]"),
    ("SequenceMask", {**USE, "axis": 1}, [(5, _, 2), None], "[5,?,2], [5] -> [5,?,2]"),
    ("SequenceLast", USE, [(_, 4, 2), None], "[?,4,2], [4] -> [4,2]"),
    ("SequenceLast", {"axis": 1}, [(3, 2)], "[3,2] -> [3]"),
    ("SequenceReverse", USE, [(_, 4, 2), None], "[?,4,2], [4] -> [?,4,2]"),
]
REFUSED = [
    ("SequenceMask", {"axis": 2}, [(5, 4, 2)], "axis=2: must be 0 or 1"),
    ("SequenceReverse", {"axis": 1}, [(5, 4, 2)], "axis=1: must be 0"),
    ("SequenceLast", {}, [(5,)], "batch axis"),
    ("SequenceMask", USE, [(5, 4), (5,)], "[5]"),
]


def test_lengths_have_a_type_of_their_own():
    given = [torch.float16, torch.int32]
    assert inferred_dtypes("SequenceMask", USE, given) == "float16, int32 -> float16"
    given = [torch.float16, None]
    assert inferred_dtypes("SequenceMask", USE, given) == "float16, float16 -> float16"


def test_lengths_are_no_input_unless_they_are_used():
    assert find("SequenceLast").of({}).inputs() == ("data",)
    assert find("SequenceLast").of(USE).inputs() == ("data", "sequence_length")
