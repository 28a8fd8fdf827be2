# SPDX-License-Identifier: Apache-2.0
"""What is exported and imported again gives what it gave: for every operator, over the operators' tables."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.op.record import find

pytest.importorskip("onnx")

from ..operator_models import TAKEN, TOLERANCE

REFUSED = {
    "NonMaxSuppression": "box_nms",
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.onnx"


def run(symbol, arguments, states, inputs):
    arrays = {
        n: mx.nd.NDArray(torch.from_numpy(np.atleast_1d(a).copy())) for n, a in inputs.items()
    }
    given = {n: arrays[n] for n in symbol.list_arguments() if n in arrays}
    bound = symbol.bind(mx.cpu(), {**given, **arguments}, aux_states=states, grad_req="null")
    return [x.asnumpy() for x in bound.forward()]


@pytest.mark.parametrize("sample, model, inputs", TAKEN)
def test_it_gives_what_it_gave(sample, model, inputs, path):
    path.write_bytes(model.SerializeToString())
    imported = mx.onnx.import_model(path)
    results = run(*imported, inputs)
    op = find(sample.op).of(sample.attrs)
    tensors = [torch.from_numpy(a.copy()) for a in sample.arrays()]
    expected = op.forward(*tensors, **sample.facts(op))
    expected = expected if isinstance(expected, tuple) else (expected,)
    for found, wanted in zip(results, expected, strict=False):
        wanted = wanted.numpy()
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape or (1,))
        tolerance = TOLERANCE.get(str(found.dtype), 0)
        np.testing.assert_allclose(
            found, wanted.reshape(found.shape), rtol=tolerance, atol=tolerance / 10
        )
