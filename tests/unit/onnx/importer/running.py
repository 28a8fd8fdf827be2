# SPDX-License-Identifier: Apache-2.0
"""Imported models, run."""

import numpy as np
import torch

import mxnova as mx


def run(model, inputs, input_shapes=None, folder=None):
    """What an ONNX model gives after it was imported from a file.

    Args:
        model: a ModelProto.
        inputs: NumPy arrays by name.
        input_shapes: as `import_model`.
        folder: where the file goes.
    """
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return outputs(*mx.onnx.import_model(path, input_shapes), inputs)


def outputs(symbol, arguments, states, inputs):
    arrays = {n: array(a) for n, a in inputs.items()}
    given = {n: arrays[n] for n in symbol.list_arguments() if n in arrays}
    bound = symbol.bind(mx.cpu(), {**given, **arguments}, aux_states=states, grad_req="null")
    return [x.asnumpy() for x in bound.forward()]


def array(numbers):
    return mx.nd.NDArray(torch.from_numpy(np.atleast_1d(numbers).copy()))


def assert_equal(found, wanted, tolerance):
    """Arrays without axes have one here."""
    wanted = np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape or (1,))
    wanted = wanted.reshape(found.shape)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance / 10)
