# SPDX-License-Identifier: Apache-2.0
"""Initial states follow the batch, whatever it is."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError


def unrolled():
    cell = mx.rnn.GRUCell(5, prefix="gru_")
    outputs, _ = cell.unroll(3, mx.sym.var("data"), layout="NTC", merge_outputs=True)
    return mx.sym.concat(outputs, mx.sym.zeros(shape=(0, 3, 2)), dim=2)


@pytest.fixture
def arrays():
    rng = np.random.default_rng(1)
    shapes = dict(zip(unrolled().list_arguments(), unrolled().infer_shape(data=(2, 3, 4))[0]))
    return {n: mx.nd.array(rng.normal(size=s)) for n, s in shapes.items() if n != "data"}


def test_any_batch(arrays):
    module = mx.to_torch(unrolled(), arrays, shapes={"data": (2, 3, 4)})
    program = torch.export.export(
        module, (torch.ones(2, 3, 4),), dynamic_shapes={"data": {0: torch.export.Dim.DYNAMIC}},
        strict=False,
    ).module()  # fmt: skip
    for batch in (2, 7):
        data = np.random.default_rng(2).normal(size=(batch, 3, 4)).astype("float32")
        want = unrolled().eval(data=mx.nd.array(data), **arrays)[0].asnumpy()
        with torch.no_grad():
            for run in (module, program):
                np.testing.assert_allclose(run(torch.from_numpy(data)), want, rtol=1e-5, atol=1e-6)


def test_shapes_that_are_needed(arrays):
    with pytest.raises(MXNetError, match=r"node '.*begin_state.*' \(_zeros\): .* shapes=.*; node "):
        mx.to_torch(unrolled(), arrays)


def test_a_module_knows_its_shapes(arrays):
    module = mx.mod.Module(unrolled(), label_names=None)
    module.bind([("data", (2, 3, 4))], for_training=False)
    module.init_params(arg_params=arrays)
    with torch.no_grad():
        assert mx.to_torch(module)(torch.ones(5, 3, 4)).shape == (5, 3, 7)
