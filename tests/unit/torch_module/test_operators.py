# SPDX-License-Identifier: Apache-2.0
"""Every operator as a torch module, as it runs and exported, over the operators' tables."""

from inspect import signature

import pytest
import torch

from mxnova.base import MXNetError
from mxnova.core.op.schema import find

from .export_limits import exporting
from .operator_modules import batch_of, draws, expected, exported, module_of, run, tables

TOLERANCE = {torch.float16: 2e-3, torch.float32: 2e-5, torch.float64: 1e-10}
ROWS = list(tables())
# Guards would refuse the longer batches; torch 2.6 has none.
_GUARDED = "check_guards" in signature(torch.export.ExportedProgram.module).parameters
UNGUARDED = {"check_guards": False} if _GUARDED else {}
# Rows whose exported programs have a fixed size along axis 0.
FIXED = {
    # It holds time, boxes, or what parameters cut, and no items.
    "RNN(mode=lstm,state_size=3,num_layers=2,bidirectional=True,state_outputs=True,"
    "use_sequence_length=True)",
    "SequenceReverse(use_sequence_length=True)",
    "SequenceReverse(use_sequence_length=True) longer",
    "_contrib_box_nms(coord_start=1,score_index=0,overlap_thresh=0.4)",
    "_contrib_box_nms(in_format=center,overlap_thresh=0.4)",
    "_contrib_hawkesll()",
    "_slice_assign(begin=(3, 1),end=(1, 3),step=(-1, 1))",
    "_slice_assign_scalar(scalar=-3.7,begin=(1,),end=(3,))",
    "_slice_assign_scalar(scalar=1.5,begin=(1,),end=(3,))",
    "slice(begin=(1,),end=(4,),step=(-1,))",
    "slice(begin=(4,),end=(1,))",
    # torch fixes it, or bounds it.
    "SequenceLast(use_sequence_length=True,axis=1)",
    "_sparse_retain()",
    "_contrib_DeformableConvolution(kernel=(3, 2),num_filter=4)",
    "_contrib_ModulatedDeformableConvolution(kernel=(3, 2),num_filter=4)",
    "_contrib_ROIAlign(spatial_scale=0.5,pooled_size=(2, 3),aligned=True)",
    "one_hot(depth=3,on_value=2.5,off_value=-1,dtype=uint8)",
    "one_hot(depth=5)",
}


def refused(sample):
    return find(sample.op).of(sample.attrs).untraceable


def assert_same(found, wanted, exactly=False):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        tolerance = 0 if exactly else TOLERANCE.get(a.dtype, 0)
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def gives_sparse(sample):
    return sample.attrs.get("stype", "default") != "default"


@pytest.mark.parametrize("sample", ROWS, ids=str)
def test_a_row_runs(sample):
    if gives_sparse(sample):
        with pytest.raises(MXNetError, match="it gives arrays stored as"):
            module_of(sample)
        return
    module, inputs = module_of(sample)
    found = run(module, inputs)
    if draws(sample):
        assert [(f.dtype, f.shape) for f in found] == [(e.dtype, e.shape) for e in expected(sample)]
    else:
        assert_same(found, expected(sample))


def to_export():
    """The rows: of each operator the first, the others in the run of what takes minutes."""
    seen = set()
    for sample in ROWS:
        if not gives_sparse(sample):
            marks = [pytest.mark.huge] if sample.op in seen else []
            seen.add(sample.op)
            yield pytest.param(sample, marks=marks, id=str(sample))


@pytest.mark.parametrize("sample", [*to_export()])
def test_a_row_is_exported(sample):
    module, inputs = module_of(sample)
    found = run(module, inputs)
    if refused(sample):
        with pytest.raises(MXNetError, match=f"node '.*' .{find(sample.op).name}.: "):
            exported(module, inputs, ())
        return
    items, longer = batch_of(sample, module, inputs)
    with exporting():
        program = exported(module, inputs, items).module(**UNGUARDED)
        results = run(program, inputs)
    if draws(sample):
        assert [(f.dtype, f.shape) for f in results] == [(f.dtype, f.shape) for f in found]
        return
    assert_same(results, found)
    if items and str(sample) not in FIXED:
        with exporting():
            of_longer = run(program, longer)
        assert_same(of_longer, run(module, longer))


def test_nearly_all_rows_can_be_exported():
    taken = [s for s in ROWS if not refused(s) and not gives_sparse(s)]
    fixed = [s for s in taken if str(s) in FIXED]
    assert len(taken) - len(fixed) >= 0.95 * len(ROWS)
