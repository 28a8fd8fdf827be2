# SPDX-License-Identifier: Apache-2.0
"""Converted models beside their sources, in this process: proofs start a process for each."""

from __future__ import annotations

import runpy

import numpy as np
import onnxruntime
import torch

from mxnova.convert import convert
from mxnova.convert.proof.inputs import feeds, ranges_of
from mxnova.convert.proof.mxnet import MXNetRunner
from mxnova.convert.request import Request
from mxnova.convert.source import load as load_model


def check(source, target, shapes, types=None, dtype=None, tolerance=1e-5):
    """Convert a model without a proof, and compare the outputs of source and target."""
    convert(source, target, shapes=shapes, types=types, dtype=dtype, prove=False)
    model = load_model(source, types=types)
    request = Request(model, shapes, dtype)
    dtypes, kinds = request.source_types, request.typed[1]
    ranges = ranges_of(model.graph, dtypes, {})
    (feed,) = feeds([request.examples[0]], ranges, dtypes, seed=0)
    expected = MXNetRunner(model).outputs(feed)
    fed = {name: values.astype(kinds[name]) for name, values in feed.items()}
    if target.suffix == ".py":
        module = runpy.run_path(str(target))["load"]()
        with torch.no_grad():
            found = module(*[torch.from_numpy(fed[name]) for name in request.shapes])
        found = [t.detach().numpy() for t in (found if isinstance(found, tuple) else (found,))]
    else:
        session = onnxruntime.InferenceSession(str(target), providers=["CPUExecutionProvider"])
        found = session.run(None, {i.name: fed[i.name] for i in session.get_inputs()})
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
