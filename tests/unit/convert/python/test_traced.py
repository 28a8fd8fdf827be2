# SPDX-License-Identifier: Apache-2.0
"""Operators printed as Python give what they give, over the operators' tables."""

import random
import re

import pytest
import torch
import torch.nn.functional as F

import mxnova as mx
from mxnova.convert.python.spellings import UntraceableError
from mxnova.convert.python.traced import traced
from mxnova.core.op.schema import find
from tests.unit.torch_module.export_limits import OLD

from ...torch_module.operator_modules import draws, expected, tables

TOLERANCE = {torch.float16: 2e-3, torch.float32: 2e-5, torch.float64: 1e-10}
ROWS = [s for s in tables() if not draws(s) and not s.train]
ROWS = [s for s in ROWS if s.attrs.get("stype", "default") == "default"]
SOME = random.Random(0).sample(ROWS, 40)


def printed(sample):
    """(the step of a sample, its inputs)."""
    op, arrays = find(sample.op).of(sample.attrs), sample.arrays()
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    names = [f"input{i}" for i in range(len(arrays))]
    with mx.util.np_shape(True):
        symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in names], texts)
    tensors = [torch.from_numpy(a.copy()) for a in arrays]
    shapes = [tuple(t.shape) for t in tensors]
    return traced(symbol.entries[0].node, names, tensors, shapes), tensors


def evaluated(step, tensors):
    """What a step's text gives; the scope holds torch alone."""
    scope = {"torch": torch, "F": F, **{f"input{i}": t.clone() for i, t in enumerate(tensors)}}
    if step.function is not None:
        exec(step.function, scope)
    fields = {str(i): f"input{i}" for i in range(len(tensors))}
    text = step.constant or step.template
    for key, name in {**fields, "f": "forward"}.items():
        text = text.replace(f"{{{key}}}", name)
    with torch.no_grad():
        found = eval(text, scope)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def check(sample):
    refused = find(sample.op).of(sample.attrs).untraceable
    if refused:
        with pytest.raises(UntraceableError, match=re.escape(refused)):
            printed(sample)
        return
    step, tensors = printed(sample)
    found, wanted = evaluated(step, tensors), expected(sample)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        tolerance = TOLERANCE.get(a.dtype, 0)
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("sample", SOME, ids=str)
def test_some_operators(sample):
    check(sample)


@pytest.mark.huge
@pytest.mark.parametrize("sample", ROWS, ids=str)
def test_every_operator(sample):
    check(sample)


@pytest.mark.skipif(OLD, reason="torch of these releases slices once more")
def test_sizes_that_are_open_are_read():
    node = mx.sym.UpSampling(mx.sym.var("x"), scale=2, sample_type="nearest").entries[0].node
    step = traced(node, ["x"], [torch.zeros(2, 2, 3, 4)], [(None, 2, 3, 4)])
    assert step.template == 'F.interpolate({0}, [6, 8], mode="nearest")'
    node = mx.sym.slice_like(mx.sym.var("x"), mx.sym.var("y")).entries[0].node
    step = traced(node, ["x", "y"], [torch.zeros(4, 2), torch.zeros(2, 2)], [(4, 2), (None, 2)])
    assert step.template == "{0}[:{1}.shape[0]][:, :2]"


def test_tracing_leaves_no_fake_tensors_in_caches():
    node = mx.sym.contrib.MultiBoxPrior(mx.sym.var("x"), sizes=(0.123,)).entries[0].node
    traced(node, ["x"], [torch.zeros(1, 2, 3, 4)], [(1, 2, 3, 4)])
    boxes = mx.nd.contrib.MultiBoxPrior(mx.nd.zeros((1, 2, 3, 4)), sizes=(0.123,))
    assert boxes.asnumpy().shape == (1, 12, 4)
