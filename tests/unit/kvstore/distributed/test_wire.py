# SPDX-License-Identifier: Apache-2.0
"""What travels: bytes, codes of two bits."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.kvstore.compression import TwoBitCompression

from .workers import run

RECORDED = json.loads(Path(__file__, "../../../../data/kvstore.json").resolve().read_text())
SHAPES = [(100,), (64, 32), (500, 801), (1500, 1000), (10,)]


def _bytes(rank, kind, compressing):
    kv = mx.kv.create("dist_sync")
    if compressing:
        kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    if kind == "trained":
        kv.set_optimizer(mx.optimizer.create("sgd", momentum=0.9))
    keys = list(range(len(SHAPES)))
    kv.init(keys, [mx.nd.zeros(shape) for shape in SHAPES])
    values = [mx.nd.ones(shape) for shape in SHAPES]
    kv.handle.links.sent.clear()
    for _ in range(3):
        kv.pushpull(keys, values, out=values)
    mx.nd.waitall()
    return {purpose: n / 3 for purpose, n in kv.handle.links.sent.items()}


@pytest.mark.parametrize("n, kind", [(2, "trained"), (4, "trained"), (4, "summed")])
def test_a_step_sends_little_more_than_a_ring_would(n, kind):
    results = run(n, _bytes, kind, False)
    n_bytes = 4 * sum(int(np.prod(shape)) for shape in SHAPES)
    sent = sum(sum(result.values()) for result in results) / n
    assert sent <= 1.1 * 2 * (n - 1) / n * n_bytes


@pytest.mark.parametrize("n", [2, 4])
def test_compressed_gradients_are_a_fourteenth(n):
    plain, short = (run(n, _bytes, "trained", compressing) for compressing in (False, True))
    total = [sum(r["push"] + r["agreement"] for r in results) for results in (plain, short)]
    assert total[1] <= total[0] / 14


@pytest.mark.parametrize("n", [0, 1, 4, 5, 1000])
def test_codes_are_read_as_they_were_written(n):
    codec = TwoBitCompression(0.25)
    passed = codec("key", 0, torch.randn(n, generator=torch.Generator().manual_seed(n)))
    code = codec.encoded(passed)
    assert code.numel() == codec.n_bytes(n) == (n + 3) // 4
    assert torch.equal(codec.decoded(code, n), passed)


def _compressed(rank, case):
    kv = mx.kv.create("dist_sync")
    kv.set_gradient_compression({"type": "2bit", "threshold": case["threshold"]})
    kv.init(3, mx.nd.zeros((9,)))
    out, pulled = mx.nd.zeros((9,)), []
    for values in case["pushed"]:
        kv.push(3, mx.nd.array(values[rank]))
        kv.pull(3, out)
        pulled.append(out.asnumpy().tolist())
    return pulled


CASES = [case for case in RECORDED["compression"] if {len(v) for v in case["pushed"]} == {2}]


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_two_devices(case):
    for pulled in run(2, _compressed, case):
        np.testing.assert_allclose(pulled, case["pulled"], rtol=1e-6)
