# SPDX-License-Identifier: Apache-2.0
"""What is exported gives in ONNX Runtime what it gives here: for every operator, over the operators' tables."""

import re

import numpy as np
import pytest
import torch

from mxnova.core.exec.backends.conversion.graph import CONVERTERS
from mxnova.core.op.schema import find
from mxnova.onnx.opsets import DEFAULT
from tests.unit.op.samples import Sample

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented  # noqa: E402

from .operator_models import (  # noqa: E402 - needs onnx
    DRAWN,
    MADE_BY_PASSES,
    RANDOM,
    REFUSED,
    TAKEN,
    TOLERANCE,
    exported,
)


@pytest.mark.parametrize("sample, model, inputs", TAKEN)
def test_it_gives_what_mxnova_gives(sample, model, inputs):
    op = find(sample.op).of(sample.attrs)
    onnx.checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
    except NotImplemented as reason:
        pytest.skip(f"ONNX Runtime {onnxruntime.__version__}: {reason}")
    results = session.run(None, {i.name: inputs[i.name] for i in session.get_inputs()})
    tensors = [torch.from_numpy(a.copy()) for a in sample.arrays()]
    expected = op.forward(*tensors, **sample.facts(op))
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(results) == op.n_visible()
    for found, wanted in zip(results, expected):
        assert (found.dtype, found.shape) == (wanted.numpy().dtype, tuple(wanted.shape))
        tolerance = TOLERANCE.get(str(found.dtype), 0)
        np.testing.assert_allclose(found, wanted.numpy(), rtol=tolerance, atol=tolerance / 10)


def test_every_converter_is_tried():
    tried = {find(param.values[0].op).name for param in TAKEN}
    later = {name for name, each in CONVERTERS.items() if each.since > DEFAULT}  # test_opsets
    # Samples have no auxiliary states: tests/unit/convert/test_heads.py converts this one.
    others = {"IdentityAttachKLSparseReg"}
    known = CONVERTERS.keys() - MADE_BY_PASSES - DRAWN - later - others
    assert {find(n).name for n in known} - tried == set()


@pytest.mark.parametrize("name, text", REFUSED)
def test_what_cannot_be_said_is_named(name, text):
    assert re.match(
        rf"export_model: node '\w+' \({name}\): .+\. Replace such nodes by operators", text
    )


@pytest.mark.parametrize("name", sorted(RANDOM))
def test_random_numbers_follow_their_distribution(name):
    uniform, like = "uniform" in name, "like" in name
    attrs = {"low": 2, "high": 4} if uniform else {"loc": 3, "scale": 0.5}
    inputs = [np.zeros((100, 100), "float32")] if like else []
    sample = Sample(name, inputs, attrs if like else {**attrs, "shape": (100, 100)})
    model, given = exported(sample)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (found,) = session.run(None, {i.name: given[i.name] for i in session.get_inputs()})
    assert found.shape == (100, 100)
    assert abs(found.mean() - 3) < 0.05
    assert abs(found.std() - (1 / np.sqrt(3) if uniform else 0.5)) < 0.05
    assert (found.min() >= 2 and found.max() <= 4) == uniform


def test_classes_follow_their_chances():
    chances = np.array([[0.1, 0.2, 0.7], [1, 0, 0]], "float32")
    model, inputs = exported(Sample("_sample_multinomial", [chances], {"shape": (10000,)}))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (found,) = session.run(None, inputs)
    assert (found.dtype, found.shape) == (np.int32, (2, 10000))
    shares = [np.bincount(row, minlength=3) / 10000 for row in found]
    np.testing.assert_allclose(shares, chances, atol=0.03)
