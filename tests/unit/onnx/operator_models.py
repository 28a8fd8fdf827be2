# SPDX-License-Identifier: Apache-2.0
"""The operators' own tables as ONNX models."""

import importlib
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.exec.backends.conversion.graph import CONVERTERS
from mxnova.core.op.schema import find
from mxnova.onnx.files import model_proto
from mxnova.onnx.model import Exported
from mxnova.onnx.opsets import DEFAULT
from tests.unit.exec.backends.test_model_backends import MORE
from tests.unit.op.samples import Sample

FOLDER = Path(__file__).parents[1] / "op"
TOLERANCE = {"float16": 1e-2, "float32": 2e-4, "float64": 1e-6}
MADE_BY_PASSES = {"_DequantizeLinear", "_FusedAttention", "_QuantizeLinear", "_Subsampled"}
RANDOM = {"_random_normal", "_random_normal_like", "_random_uniform", "_random_uniform_like"}
DRAWN = RANDOM | {"_sample_multinomial"}
STATISTICS = ("gamma", "beta", "moving_mean", "moving_var")
PARAMETERS = {
    "RNN": ("parameters",),
    **dict.fromkeys((n for n in CONVERTERS if "BatchNorm" in n), STATISTICS),
}
ORDERS = {"argmax", "argmin", "argsort", "sort", "topk"}
REGIONS = np.array([[0, 1, 2, 9, 12], [1, 4, 0, 15, 7], [0, 0, 0, 3, 3]], "float32")
NO_REGIONS = np.array([[-1, 0, 0, 0, 0], [1, 1, 2, 4, 6]], "float32")
LOW = np.random.default_rng(7).uniform(0, 50, (2, 30, 2))
SIZES = np.random.default_rng(8).uniform(5, 30, (2, 30, 2))
CLASSES = np.random.default_rng(9).integers(-1, 3, (2, 30, 1))
SCORES = np.random.default_rng(6).uniform(0, 1, (2, 30, 1))
BOXES = np.concatenate([CLASSES, SCORES, LOW, LOW + SIZES], 2).astype("float32")
INTEGERS = np.array([[7, 0, 2], [5, 9, 8]], "int64")
ANY_BOXES = np.random.default_rng(1).uniform(-1, 1, (2, 30, 6)).astype("float32")
ONLY_HERE = [
    *MORE,
    Sample("_npi_zeros", [], {"shape": (2, 3)}),
    Sample("_npi_less_equal", [(2, 3), (1, 3)]),
    Sample("cumsum", [np.arange(6, dtype="float16").reshape(2, 3)], {"axis": 1}),
    *(
        Sample(name, [(2, 3, 8, 9), REGIONS], {"pooled_size": (2, 3), "spatial_scale": 0.5})
        for name in ("ROIPooling", "_contrib_ROIAlign")
    ),
    Sample(
        "_contrib_ROIAlign",
        [(2, 3, 8, 9), NO_REGIONS],
        {"pooled_size": (2, 3), "spatial_scale": 1},
    ),
    Sample("mean", [np.array([[7, -8, 2], [5, 9, 8]], "int32")], {"axis": 1}),
    Sample("mean", [np.array([-7, 2], "int64")]),
    *(Sample(name, [(2, 3), INTEGERS]) for name in ("_npi_less", "_npi_maximum", "_npi_add")),
    *(
        Sample(name, [(2, 3), INTEGERS], {"num_args": 2, "axis": 1})
        for name in ("_npi_concatenate", "_npi_stack")
    ),
    Sample("_npi_where", [INTEGERS, (2, 3), INTEGERS]),
    Sample("_npi_matmul", [INTEGERS, (3, 2)]),
    Sample(
        "_contrib_box_nms",
        [BOXES],
        {"coord_start": 2, "id_index": 0, "overlap_thresh": 0.3, "topk": 20},
    ),
    # Boxes of negative sizes, and fractions of classes between -1 and 1.
    *(
        Sample(
            "_contrib_box_nms", [ANY_BOXES], {"overlap_thresh": 0.1, "valid_thresh": 0.1, **more}
        )
        for more in (
            {},
            {"id_index": 0},
            {"in_format": "center"},
            {"coord_start": 1, "score_index": 5},
        )
    ),
]


def tables():
    yield from ONLY_HERE
    for path in sorted(FOLDER.glob("test_*.py")):
        module = importlib.import_module(f"tests.unit.op.{path.stem}")
        yield from getattr(module, "SAMPLES", ())


def can_be_compared(sample):
    """Runtimes order NaN as they like, and refuse regions of images that there are not."""
    name = find(sample.op).name
    if name not in CONVERTERS or name in DRAWN or sample.train:
        return False
    if name in ("ROIPooling", "_contrib_ROIAlign"):
        images, regions = sample.arrays()
        least = 0 if name == "ROIPooling" else -1
        return bool((regions[:, 0] < len(images)).all() and (regions[:, 0] >= least).all())
    return name not in ORDERS or not any(np.isnan(a).any() for a in sample.arrays())


def expected(sample):
    """What mxnova gives."""
    op = find(sample.op).of(sample.attrs)
    tensors = [torch.from_numpy(a.copy()) for a in sample.arrays()]
    found = op.forward(*tensors, **sample.facts(op))
    return [t.numpy() for t in (found if isinstance(found, tuple) else (found,))][: op.n_visible()]


def exported(sample, opset=DEFAULT):
    """(the model, its inputs by name)."""
    op, arrays = find(sample.op).of(sample.attrs), sample.arrays()
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    given = dict(zip(op.inputs(), arrays, strict=True))
    symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in given], texts, name="op")
    stays = PARAMETERS.get(op.name, ())
    values = {n: torch.from_numpy(given.pop(n)) for n in stays if n in given}
    facts = {n: (a.shape, torch.from_numpy(a).dtype) for n, a in given.items()}
    with mx.util.np_shape(True):
        return model_proto(Exported(symbol, values, facts, version=opset).ops), given


def taken():
    for sample in filter(can_be_compared, tables()):
        try:
            yield pytest.param(sample, *exported(sample), id=str(sample))
        except MXNetError as error:
            REFUSED.append((find(sample.op).name, str(error)))


REFUSED = []
TAKEN = list(taken())
