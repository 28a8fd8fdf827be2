# SPDX-License-Identifier: Apache-2.0
"""Whole models that MXNet saved, as torch modules: outputs of an executor, exported with an open batch."""

import inspect

import numpy as np
import pytest
import torch

import mxnova as mx
from tests.conformance.replay import GOLDEN, assert_close
from tests.conformance.test_models import MODELS, recorded
from tests.unit.torch_module.export_limits import exporting

# Executors take other kernels for these: fused attention, weights of recurrent layers taken apart.
ROUNDED = {"bert_interleaved", "lstm_lm"}
# Their sequences have as many steps as they have when they are traced, or sizes that a reshape fixes.
FIXED = {
    "bert_batch_dot",
    "bert_interleaved",
    "control_flow",
    "gru_lm",
    "lstm_lm",
    "ssd",
    "stn_norms",
}


def model_of(name):
    """(the module, its inputs, an executor over the same arrays)."""
    symbol, arguments, states = mx.model.load_checkpoint(str(GOLDEN / "models" / name), 0)
    module = mx.to_torch(symbol, arguments, aux=states)
    given = recorded(name, "input")
    arrays = {n: mx.nd.array(given[n]) for n in MODELS[name]["inputs"]}
    inputs = [torch.from_numpy(arrays[n].asnumpy()) for n in module.input_names if n in arrays]
    executor = symbol.bind(mx.cpu(), {**arguments, **arrays}, grad_req="null", aux_states=states)
    return module, inputs, executor


def run(module, inputs):
    with torch.no_grad():
        results = module(*inputs)
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("name", MODELS)
def test_module(name, monkeypatch):
    monkeypatch.setenv("MXNOVA_FUSE", "0")
    module, inputs, executor = model_of(name)
    found = run(module, inputs)
    for i, (output, want) in enumerate(zip(found, executor.forward())):
        tolerance = 1e-6 if name in ROUNDED else 0
        np.testing.assert_allclose(output, want.asnumpy(), rtol=tolerance, atol=tolerance)
        assert_close(output.numpy(), recorded(name, "output")[f"output{i}"], MODELS[name], f"{i}")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_exported(name):
    module, inputs, _ = model_of(name)
    is_open = name not in FIXED
    sizes = tuple({0: torch.export.Dim.DYNAMIC} if is_open else {} for _ in inputs)
    names = list(inspect.signature(module.forward).parameters)
    example = [torch.cat([t, t]) for t in inputs] if is_open else inputs
    with exporting():
        program = torch.export.export(
            module, tuple(example), dynamic_shapes=dict(zip(names, sizes)), strict=False
        ).module()
    for given in [example, [torch.cat([t] * 3) for t in inputs]] if is_open else [inputs]:
        for a, b in zip(run(program, given), run(module, given)):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
