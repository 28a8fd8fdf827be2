# SPDX-License-Identifier: Apache-2.0
"""What is exported and imported again gives what it gave: for every operator, over the operators' tables."""

import re

import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.op.schema import find

pytest.importorskip("onnx")

from ..operator_models import TAKEN, TOLERANCE
from .running import assert_equal, run


def suppresses(param):
    return any(node.op_type == "NonMaxSuppression" for node in param.values[1].graph.node)


@pytest.mark.parametrize("sample, model, inputs", [p for p in TAKEN if not suppresses(p)])
def test_it_gives_what_it_gave(sample, model, inputs, tmp_path):
    results = run(model, inputs, folder=tmp_path)
    op = find(sample.op).of(sample.attrs)
    tensors = [torch.from_numpy(a.copy()) for a in sample.arrays()]
    expected = op.forward(*tensors, **sample.facts(op))
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(results) == op.n_visible()
    for found, wanted in zip(results, expected):
        assert_equal(found, wanted.numpy(), TOLERANCE.get(str(found.dtype), 0))


@pytest.mark.parametrize("sample, model, inputs", [*filter(suppresses, TAKEN)])
def test_results_whose_size_depends_on_numbers_are_refused(sample, model, inputs, tmp_path):
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    text = "import_model: MXNet has no operators for NonMaxSuppression (node '"
    with pytest.raises(MXNetError, match=re.escape(text)):
        mx.onnx.import_model(tmp_path / "model.onnx")
