# SPDX-License-Identifier: Apache-2.0
"""Results at NaN, infinities and extreme numbers depend on neither array sizes nor paths."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.op.schema import find

NUMBERS = np.array(
    [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 1e30, -1e30, 0.3, -0.7, 2.5]
)
# Vectors of a processor and their rest.
COPIES = 101
RTOL = {"float16": 2e-3, "float32": 2e-5}
LEAST = 1e-37  # Kernels may flush smaller numbers to 0.


def pointwise_samples():
    """Yield one row of the operators' tables for each pointwise operator and its parameters."""
    found = {}
    for path in sorted((Path(__file__).parents[1] / "unit" / "op").glob("test_*.py")):
        module = importlib.import_module(f"tests.unit.op.{path.stem}")
        for sample in getattr(module, "SAMPLES", ()):
            op = find(sample.op).of(sample.attrs)
            is_random = "rng" in op.type.signature.facts
            arrays = sample.arrays()
            takes_floats = all(a.dtype == np.float32 and a.ndim for a in arrays)
            if op.pointwise and not is_random and takes_floats:
                found.setdefault((sample.op, str(sample.attrs)), sample)
    return found.values()


def texts_of(op):
    return {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}


def inputs_of(op, dtype, copies):
    numbers = [np.roll(NUMBERS, 3 * i).astype(dtype) for i in range(len(op.inputs()))]
    return [mx.nd.array(np.tile(x, copies), dtype=dtype) for x in numbers]


def eager(name, op, arrays):
    return [mx.nd.invoke(name, arrays, texts_of(op))]


def recorded(name, op, arrays):
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        (output,) = eager(name, op, arrays)
    output.backward()
    return [output, *(x.grad for x in arrays)]


def bound(name, op, arrays):
    variables = [mx.sym.var(f"x{i}") for i in range(len(arrays))]
    symbol = mx.sym.invoke(name, variables, texts_of(op))
    gradients = [mx.nd.zeros_like(x) for x in arrays]
    executor = symbol.bind(mx.cpu(), arrays, gradients)
    (output,) = executor.forward(is_train=True)
    executor.backward(mx.nd.ones_like(output))
    return [output, *gradients]


def numbers_of(run, sample, dtype, copies):
    """The results of one path, (copies, numbers) each; None where the data type is refused."""
    op = find(sample.op).of(sample.attrs)
    try:
        results = run(sample.op, op, inputs_of(op, dtype, copies))
    except mx.base.MXNetError:
        return None
    arrays = [x.asnumpy().astype("float64").reshape(copies, -1) for x in results]
    return [np.where(np.abs(x) < LEAST, 0, x) for x in arrays]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("sample", pointwise_samples(), ids=str)
def test_pointwise_results_depend_neither_on_size_nor_on_path(sample, dtype):
    with np.errstate(all="ignore"):
        expected = numbers_of(recorded, sample, dtype, 1)
        if expected is None:
            expected = numbers_of(eager, sample, dtype, 1)
        for run in (eager, recorded, bound):
            for copies in (1, COPIES):
                results = numbers_of(run, sample, dtype, copies)
                for result, wanted in zip(results or (), expected or (), strict=False):
                    wanted = np.broadcast_to(wanted, result.shape)
                    np.testing.assert_allclose(result, wanted, RTOL[dtype], 0, err_msg=run.__name__)
