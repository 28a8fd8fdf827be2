# SPDX-License-Identifier: Apache-2.0
"""Every operator as a torch module, as it runs and exported, over the operators' tables."""

import pytest
import torch

from mxnova.base import MXNetError
from mxnova.core.op.record import find

from .operator_modules import batch_of, draws, expected, exported, module_of, run, tables

TOLERANCE = {torch.float16: 2e-3, torch.float32: 2e-5, torch.float64: 1e-10}
ROWS = list(tables())


def refused(sample):
    return find(sample.op).of(sample.attrs).untraceable


def assert_same(found, wanted, exactly=False):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        tolerance = 0 if exactly else TOLERANCE.get(a.dtype, 0)
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("sample", ROWS, ids=str)
def test_row(sample):
    module, inputs = module_of(sample)
    found = run(module, inputs)
    if draws(sample):
        assert [(f.dtype, f.shape) for f in found] == [(e.dtype, e.shape) for e in expected(sample)]
    else:
        assert_same(found, expected(sample))
    if refused(sample):
        with pytest.raises(MXNetError, match=f"node '.*' .{find(sample.op).name}.: "):
            exported(module, inputs, ())
        return
    items, longer = batch_of(sample, module, inputs)
    program = exported(module, inputs, items).module(check_guards=False)
    results = run(program, inputs)
    if draws(sample):
        assert [(f.dtype, f.shape) for f in results] == [(f.dtype, f.shape) for f in found]
        return
    assert_same(results, found)
    if items:
        assert_same(run(program, longer), run(module, longer))


def test_nearly_all_rows_can_be_exported():
    assert sum(refused(sample) is None for sample in ROWS) >= 0.95 * len(ROWS)
