# SPDX-License-Identifier: Apache-2.0
"""Whole models that MXNet saved give the outputs that MXNet gave."""

import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.predictor import Predictor
from tests.conformance.replay import GOLDEN, assert_close

MODELS = {m["name"]: m for m in json.loads((GOLDEN / "models/models.json").read_text())["models"]}


def recorded(name, kind):
    with np.load(GOLDEN / "models" / f"{name}-{kind}.npz") as archive:
        return dict(archive)


@pytest.mark.parametrize("name", MODELS)
def test_executor(name):
    symbol, args, aux = mx.model.load_checkpoint(str(GOLDEN / "models" / name), 0)
    args, aux = ({n: a.copyto(mx.cpu()) for n, a in arrays.items()} for arrays in (args, aux))
    inputs = recorded(name, "input")
    args.update({n: mx.nd.array(inputs[n]) for n in MODELS[name]["inputs"]})
    executor = symbol.bind(mx.cpu(), args, grad_req="null", aux_states=aux)
    for _ in range(3):  # plain, then rewritten, then rewritten again
        for i, output in enumerate(executor.forward()):
            want = recorded(name, "output")[f"output{i}"]
            assert_close(output.asnumpy(), want, MODELS[name], f"output {i}")


@pytest.mark.parametrize("name", MODELS)
def test_predictor(name):
    inputs = {n: recorded(name, "input")[n] for n in MODELS[name]["inputs"]}
    shapes = {n: a.shape for n, a in inputs.items()}
    predictor = Predictor.from_checkpoint(str(GOLDEN / "models" / name), 0, shapes, ctx=mx.cpu())
    for i, output in enumerate(predictor.predict(**inputs)):
        assert_close(output, recorded(name, "output")[f"output{i}"], MODELS[name], f"output {i}")
