# SPDX-License-Identifier: Apache-2.0
"""Operators stay on the device of their arrays, and make nobody wait for it without need.

All rows of this package's tables run on a stand-in of a GPU, forwards and backwards.
"""

import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from mxnova.core.base.parameter_types import REQUIRED
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find

from ..fake_gpu import CUDA, FakeGpu, GpuStream, GpuTensor, on_gpu
from .samples import Sample

# What reads values on the host, and why it has to.
WAITS = {
    "_contrib_boolean_mask": "the shape of the result",
    "_contrib_box_nms": "how many boxes are left",
    "_contrib_MultiProposal": "how many boxes are left",
    "_contrib_Proposal": "how many boxes are left",
    "_contrib_RROIAlign": "how many samples the largest region asks for",
    "_cvcopyMakeBorder": "OpenCV's, on the CPU",
    "_cvimresize": "OpenCV's, on the CPU",
    "_histogram": "ATen counts so",
    "_image_random_color_jitter": "the order of the changes",
    "_npi_advanced_indexing": "indices out of range are refused",
    "_npi_bincount": "the shape of the result",
    "_npi_boolean_mask_assign_tensor": "how many places there are",
    "_npi_delete": "the shape of the result",
    "_npi_eig": "complex eigenvalues are refused",
    "_npi_eigvals": "complex eigenvalues are refused",
    "_npi_insert_tensor": "places out of range are refused",
    "_npi_multinomial": "shares that sum to more than 1 are refused",
    "_npi_percentile": "percentages out of range are refused",
    "_npi_unique": "the shape of the result",
    "_npx_constraint_check": "the answer",
    "_npx_nonzero": "the shape of the result",
    "_sample_unique_zipfian": "until enough numbers are different",
    "PSROIPooling": "how many pixels the bins have",
    "ROIPooling": "how many pixels the bins have",
    "_contrib_PSROIPooling": "how many pixels the bins have",
    "_contrib_ROIAlign": "how many pixels the bins have",
    "RNN": "ATen packs sequences by lengths on the CPU",
    "take": "places out of range are refused, where asked for",
}

DISTRIBUTIONS = {
    "uniform": 2,
    "normal": 2,
    "exponential": 1,
    "gamma": 2,
    "poisson": 1,
    "negative_binomial": 2,
    "generalized_negative_binomial": 2,
}
UPDATES = """
    adam_update _adamw_update _mp_adamw_update rmsprop_update
    rmspropalex_update ftrl_update ftml_update lamb_update_phase1 mp_lamb_update_phase1
    sgd_update sgd_mom_update nag_mom_update mp_sgd_update mp_sgd_mom_update mp_nag_mom_update
    signsgd_update signum_update
""".split()
MULTIPLE_UPDATES = """
    _multi_adam_update _multi_mp_adam_update _multi_adamw_update _multi_mp_adamw_update
    _multi_lamb_update _multi_mp_lamb_update _multi_nag_mom_update _multi_signum_update
    _multi_rmsprop_update _multi_rmspropalex_update _multi_ftrl_update multi_sgd_update
    multi_mp_sgd_update multi_sgd_mom_update multi_mp_sgd_mom_update
""".split()


def _row(op, size=(2, 3), **attrs):
    """A row whose arrays all have one shape; parameters that must be given are 1."""
    attrs = {f.name: "1" for f in find(op).fields if f.default is REQUIRED} | attrs
    names = find(op).of(attrs).inputs()
    return Sample(op, [size] * len(names), attrs, gradient=False, low=0.1, high=0.9)


def _of_two(op):
    """An update of two weights."""
    fields = {f.name for f in find(op).fields}
    attrs = {"learning_rates": (0.1, 0.2), "lrs": (0.1, 0.2), "wds": (0.0, 0.1), "etas": (1, 1)}
    attrs |= {"num_weights": 2, "num_tensors": 2, "step_count": (1, 1)}
    return _row(op, **{n: v for n, v in attrs.items() if n in fields})


def _pads(kind, kernel, layout):
    """Parameters of a pooling operator."""
    return {"kernel": kernel, "pad": (1,) * len(kernel), "pool_type": kind, "layout": layout}


MORE = [
    *[_row(f"_random_{name}", shape=(3,)) for name in DISTRIBUTIONS],
    *[_row(f"_random_{name}_like") for name in DISTRIBUTIONS],
    *[_row(f"_sample_{name}", (2,)) for name in DISTRIBUTIONS],
    *[
        Sample(f"_random_pdf_{name}", [(2, 3), *[(2,)] * n], gradient=False, low=0.1, high=0.9)
        for name, n in DISTRIBUTIONS.items()
    ],
    _row("_random_randint", low=0, high=5, shape=(3,)),
    _row("_sample_multinomial"),
    _row("_sample_unique_zipfian", range_max=10, shape=(1, 3)),
    _row("_shuffle"),
    Sample("_npi_multinomial", [(2,)], {"n": 4}, gradient=False, low=0.1, high=0.4),
    Sample("_contrib_Proposal", [(1, 24, 2, 2), (1, 48, 2, 2), (1, 3)], low=1),
    Sample("_contrib_group_adagrad_update", [(2, 3), (2, 3), (2, 1)], {"lr": 0.1}, gradient=False),
    *[_row(name) for name in UPDATES],
    *[_of_two(name) for name in MULTIPLE_UPDATES],
    _row("reset_arrays", num_arrays=2),
    _row("_linalg_gelqf"),
    _row("_npi_unique"),
    _row("_npx_nonzero"),
    _row(
        "_image_random_color_jitter",
        (4, 4, 3),
        brightness=0.1,
        contrast=0.1,
        saturation=0.1,
        hue=0.1,
    ),
    _row("_image_random_lighting", (4, 4, 3)),
    _row("_image_random_flip_left_right", (4, 4, 3)),
    Sample("Dropout", train=True),
    Sample("BatchNorm", [(4, 3), *[(3,)] * 4], low=0.1, train=True),
    Sample("BatchNorm", [(4, 3), *[(3,)] * 4], low=0.1),
    Sample("Pooling", [(2, 5, 5, 3)], _pads("avg", (3, 3), "NHWC")),
    Sample("Pooling", [(2, 5, 5, 3)], _pads("sum", (3, 3), "NHWC")),
    Sample("Pooling", [(2, 5, 3)], _pads("avg", (3,), "NWC")),
    Sample("_npi_bincount", [np.array([0, 1, 1])], {"minlength": 2}, gradient=False),
    Sample("_contrib_boolean_mask", [(3, 2), np.array([0, 1, 1])], gradient=False),
    Sample("IdentityAttachKLSparseReg", [(2, 3), (3,)], low=0.1, high=0.9, train=True),
]


def _rows():
    """All rows, by the name of their operator."""
    found = defaultdict(list)
    here = Path(__file__).parent
    for module in pkgutil.iter_modules([str(here)]):
        if module.name.startswith("test_") and module.name != Path(__file__).stem:
            for table in vars(importlib.import_module(f"{__package__}.{module.name}")).values():
                if isinstance(table, list) and table and all(isinstance(s, Sample) for s in table):
                    for sample in table:
                        found[find(sample.op).name].append(sample)
    for sample in MORE:
        found[find(sample.op).name].append(sample)
    return found


ROWS = _rows()


@pytest.mark.parametrize("name", sorted(ROWS))
def test_operator_stays_on_its_gpu(name):
    waits = []
    with FakeGpu() as gpu:
        for sample in ROWS[name]:
            _run(sample)  # what is known before is taken to the GPU once
            gpu.waits.clear()
            _run(sample)
            waits += gpu.waits
    assert bool(waits) == (name in WAITS), f"what waits for the GPU: {waits or 'nothing'}"


def _run(sample):
    op = find(sample.op).of(sample.attrs)
    tensors = [on_gpu(torch.from_numpy(a.copy())) for a in sample.arrays()]
    _forward(op.forward, op, sample, tensors)
    if sample.d_expected is None and not (sample.gradient and op.differentiable):
        return
    leaves = [t for t, n in zip(tensors, op.inputs()) if n not in op.aux and t.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_()
    results = [r for r in _forward(recorded(op), op, sample, tensors) if r.requires_grad]
    if results:
        heads = [torch.ones_like(r) for r in results]
        torch.autograd.grad(results, leaves, heads, allow_unused=True)


def _forward(function, op, sample, tensors):
    facts = {**sample.facts(op)}
    if "rng" in facts:
        facts["rng"] = GpuStream()
    with torch.device(CUDA if not tensors else "cpu"):
        results = function(*tensors, **facts)
    results = results if isinstance(results, tuple) else (results,)
    assert all(isinstance(r, GpuTensor) for r in results), f"{sample}: a result is on the CPU"
    return results


@pytest.mark.parametrize(
    "name, attrs",
    [
        ("sgd_update", {}),
        ("sgd_mom_update", {"momentum": 0.9}),
        ("adam_update", {}),
        ("_adamw_update", {"eta": 1}),
    ],
)
def test_updates_of_no_rows_and_of_one(name, attrs):
    """Where strides are not what they are of more."""
    for n, strides in ((0, (0, 0)), (1, (7, 1))):
        op = find(name).of({"lr": 0.1, **attrs})
        with FakeGpu():
            tensors = [on_gpu(torch.zeros(n, 4)) for _ in op.inputs()]
            tensors[1] = on_gpu(torch.zeros(8)).as_strided((n, 4), strides)
            if "rescale_grad" in op.inputs():
                tensors[-1] = on_gpu(torch.ones(1))
            _forward_of(op, tensors)


def _forward_of(op, tensors):
    facts = {"out": (tensors[0],)} if "out" in op.type.signature.facts else {}
    op.forward(*tensors, **facts)
