# SPDX-License-Identifier: Apache-2.0
"""Operators on integers, each with what MXNet or mxnova gives for it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import mxnova as mx
from mxnova.core.op.schema import find
from tests.conformance import replay
from tests.unit.op.samples import Sample
from tests.unit.op.test_quantized import SAMPLES

RECORDED = Path(__file__).parents[3] / "data" / "onednn"
_RANDOM = np.random.default_rng(0)
_DATA = ("data", "other", "lhs", "rhs")
_IMAGES = _RANDOM.integers(-128, 128, (2, 3, 7, 6)).astype("int8")
_UNSIGNED = _RANDOM.integers(0, 256, (2, 3, 7, 6)).astype("uint8")
_KERNELS = _RANDOM.integers(-128, 128, (4, 3, 3, 2)).astype("int8")
_ROWS = _RANDOM.integers(-128, 128, (4, 6)).astype("int8")
_BIAS = np.array([1, -7, 101, 99], "int8")
_ENDS = [np.array([x], "float32") for x in (-1.5, 1.0, -0.5, 0.5, -1.9, 1.7)]
_POOL, _CONV = "_contrib_quantized_pooling", "_contrib_quantized_conv"
_LINEAR = "_contrib_quantized_fully_connected"
_WINDOW = {"kernel": (3, 2), "stride": (2, 2), "pad": (1, 0)}
_STEPS = {"max": {"pool_type": "max"}, "avg": {"pool_type": "avg", "count_include_pad": False}}
MORE = [
    *(
        Sample(_CONV, [x, _KERNELS, _BIAS, *_ENDS], {**_WINDOW, "num_filter": 4}, note=x.dtype.name)
        for x in (_IMAGES, _UNSIGNED)
    ),
    Sample(_LINEAR, [_IMAGES, _ROWS, _BIAS, *_ENDS], {"num_hidden": 4, "flatten": False}),
    *(Sample(_POOL, [_IMAGES, *_ENDS[:2]], {**_WINDOW, **kind}) for kind in _STEPS.values()),
    Sample(_POOL, [_UNSIGNED, *_ENDS[:2]], {"global_pool": True, "pool_type": "avg"}),
    Sample("_contrib_quantized_act", [_UNSIGNED, *_ENDS[:2]], {"act_type": "relu"}),
    *(
        Sample(
            "_contrib_quantized_batch_norm",
            [x, *(_RANDOM.uniform(0.5, 2, 3).astype("float32") for _ in range(4)), *_ENDS[:2]],
            {"min_calib_range": -3, "max_calib_range": 4, "eps": 1e-4},
            note=x.dtype.name,
        )
        for x in (_IMAGES, _UNSIGNED)
    ),
    Sample(
        "_contrib_quantized_rnn",
        [
            _RANDOM.integers(0, 256, (4, 2, 3)).astype("uint8"),
            _RANDOM.uniform(-0.5, 0.5, 4 * 5 * (3 + 5 + 2)).astype("float32"),
            *(_RANDOM.uniform(-1, 1, (1, 2, 5)).astype("float32") for _ in range(2)),
            np.array([80.5], "float32"),
            np.array([84.75], "float32"),
        ],
        {"state_size": 5, "num_layers": 1, "mode": "lstm", "state_outputs": True},
    ),
]


@dataclass
class Case:
    """One operator.

    Attributes:
        name: of the case.
        symbol: the operator on variables.
        arrays: what these are.
        outputs: what it gives.
    """

    name: str
    symbol: mx.sym.Symbol
    arrays: dict[str, np.ndarray]
    outputs: list[np.ndarray]

    def parameters(self, is_calibrated: bool) -> dict[str, torch.Tensor]:
        """What stays: all but data and, unless it is calibrated, the ends of their ranges."""
        stay = [n for n in self.arrays if not _is_data(n) and (is_calibrated or not _is_end(n))]
        return {n: torch.from_numpy(self.arrays[n]) for n in stay}


def _is_data(name):
    return name in _DATA or name.startswith("state") or re.fullmatch(r"arg\d+", name)


def _is_end(name):
    return "min" in name or "max" in name


def cases():
    """The operators' own table, MXNet's recorded results, and what oneDNN's layers gave."""
    for sample in (*SAMPLES, *MORE):
        yield _of_sample(sample)
    for name, case in replay.cases("ops/quant").items():
        known = replay.arrays("ops/quant")
        arrays = {n: known[k] for n, k in {**case["args"], **case["aux"]}.items()}
        symbol = mx.sym.load_json(case["symbol_json"])
        yield Case(name, symbol, arrays, [known[k] for k in case["outputs"]])
    with np.load(RECORDED / "layers.npz") as file:
        for i, case in enumerate(json.loads((RECORDED / "layers.json").read_text())):
            arrays = {n: file[f"{i}.{n}"] for n in case["inputs"]}
            symbol = mx.sym.load_json(json.dumps(case["symbol"]))
            outputs = [file[f"{i}.out{k}"] for k in range(case["outputs"])]
            yield Case(case["name"], symbol, arrays, outputs)


def _of_sample(sample):
    op = find(sample.op).of(sample.attrs)
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    arrays = dict(zip(op.inputs(), sample.arrays(), strict=True))
    symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in arrays], texts, name="op")
    tensors = [torch.from_numpy(a.copy()) for a in arrays.values()]
    found = op.forward(*tensors, **op.quiet_facts())
    outputs = [t.numpy() for t in (found if isinstance(found, tuple) else (found,))]
    return Case(str(sample), symbol, arrays, outputs)


def assert_within_a_step(found, wanted, name=""):
    """Equal, or of integers the next one."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-5, err_msg=name)
    else:
        assert np.abs(found.astype("i8") - wanted.astype("i8")).max() <= 1, name
