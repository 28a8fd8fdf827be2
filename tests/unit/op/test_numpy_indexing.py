# SPDX-License-Identifier: Apache-2.0
"""Operator `_npi_advanced_indexing`; tests/unit/graph/test_numpy_symbol.py has the keys of graphs."""

import numpy as np
import pytest
import torch

from mxnova.core.base.errors import MXNetError
from mxnova.core.op.numpy.indexing import ARRAY, MASK, key_text
from mxnova.core.op.schema import find

from .inference import inferred_dtypes
from .samples import Sample

OP = "_npi_advanced_indexing"
INDEX = np.array([2, 0, -1])


def _scattered(d, x, index):
    gradient = np.zeros_like(x)
    np.add.at(gradient, index.astype(int), d)
    return gradient


# fmt: off
SAMPLES = [
    Sample(OP, [(3, 2), INDEX], {"num_args": 2, "key": "array"}, lambda x, i: x[i],
           d_expected=lambda d, x, i: (_scattered(d, x, i), None)),
    Sample(OP, [(3, 2), INDEX], {"num_args": 2, "key": "array,0"}, lambda x, i: x[i, 0], gradient=False),
    Sample(OP, [(3, 2)], {"num_args": 1, "key": "...,None,1:"}, lambda x: x[..., None, 1:], gradient=False),
]
# fmt: on


def test_key_text_writes_parts():
    parts = (0, slice(None), slice(1, None, -2), None, ..., ARRAY, MASK)
    assert key_text(parts) == "0,:,1::-2,None,...,array,mask"


def test_arrays_that_the_key_does_not_need_are_refused():
    for count, key in ((1, "array"), (3, "array"), (2, "0")):
        with pytest.raises(MXNetError, match=f"num_args={count}"):
            inferred_dtypes(OP, {"num_args": count, "key": key}, [torch.float32] * count)


def test_inputs_are_as_many_as_num_args():
    assert find(OP).of({"num_args": 2, "key": "array"}).inputs() == ("arg0", "arg1")
