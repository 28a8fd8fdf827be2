# SPDX-License-Identifier: Apache-2.0
"""What travels: bytes, codes of two bits."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore.compression import Levels, TwoBitCompression

from .workers import run

RECORDED = json.loads(Path(__file__, "../../../../data/kvstore.json").resolve().read_text())
SHAPES = [(100,), (64, 32), (500, 801), (1500, 1000), (10,)]


def _bytes(rank, kind):
    kv = mx.kv.create("dist_sync")
    if kind == "trained":
        kv.set_optimizer(mx.optimizer.create("sgd", momentum=0.9))
    keys = list(range(len(SHAPES)))
    kv.init(keys, [mx.nd.zeros(shape) for shape in SHAPES])
    values = [mx.nd.ones(shape) for shape in SHAPES]
    kv.handle.connections.sent.clear()
    for _ in range(3):
        kv.pushpull(keys, values, out=values)
    mx.nd.waitall()
    return {purpose: n / 3 for purpose, n in kv.handle.connections.sent.items()}


@pytest.mark.parametrize("n, kind", [(2, "trained"), (4, "trained"), (4, "summed")])
def test_a_step_sends_little_more_than_a_ring_would(n, kind):
    results = run(n, _bytes, kind)
    n_bytes = 4 * sum(int(np.prod(shape)) for shape in SHAPES)
    sent = sum(sum(result.values()) for result in results) / n
    assert sent <= 1.1 * 2 * (n - 1) / n * n_bytes


def _coded_bytes(rank):
    """Return the bytes that a worker sends in a compressed step, its gradient, and the sum."""
    kv = mx.kv.create("dist_sync")
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    kv.init("a", mx.nd.zeros(SIZE))
    kv.handle.connections.sent.clear()
    rng = np.random.default_rng(rank)
    codes = rng.choice([-0.5, 0.0, 0.5], SIZE)
    out = mx.nd.zeros(SIZE)
    kv.pushpull("a", mx.nd.array(codes), out=out)
    total = out.asnumpy()  # waits for it
    return sum(kv.handle.connections.sent.values()), codes, total


SIZE = 400_000


# The share of a step's bytes without compression: codes of gradients and, from three workers on, of sums.
@pytest.mark.parametrize("n, part", [(2, 19.5), (3, 13), (4, 13), (8, 9)])
def test_compressed_step_sends_a_fraction_of_the_bytes(n, part):
    results = run(n, _coded_bytes)
    sent = sum(n_bytes for n_bytes, _, _ in results) / n
    total = sum(codes for _, codes, _ in results)
    for _, _, out in results:
        np.testing.assert_allclose(out, total, atol=1e-6)
    assert sent <= 2 * (n - 1) / n * 4 * SIZE / part


def _forging(rank, n_bytes):
    kv = mx.kv.create("dist_sync")
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    kv.init("a", mx.nd.zeros((10_000,)))
    if rank:
        Levels.encode = lambda self, values: torch.zeros(n_bytes, dtype=torch.uint8)
    out = mx.nd.zeros((10_000,))
    try:
        kv.pushpull("a", mx.nd.ones((10_000,)), out=out)
        out.wait_to_read()
    except MXNetError as error:
        return str(error)
    return "nothing was noticed"


@pytest.mark.parametrize("n_bytes", [1, 1999, 2001])
def test_contribution_of_wrong_size_ends_the_store(n_bytes):
    assert "worker 1 cannot be understood" in run(2, _forging, n_bytes)[0]


@pytest.mark.parametrize("n", [0, 1, 4, 5, 1000])
def test_codes_are_read_as_they_were_written(n):
    codec = TwoBitCompression(0.25)
    passed = codec("key", 0, torch.randn(n, generator=torch.Generator().manual_seed(n)))
    code = codec.levels.encode(passed)
    assert code.numel() == codec.levels.n_bytes(n) == (n + 4) // 5
    assert torch.equal(codec.levels.decode(code, n), passed)


@pytest.mark.parametrize("n_terms", [2, 3, 4, 8, 200])
def test_sums_are_read_as_they_were_written(n_terms):
    levels = TwoBitCompression(0.1).levels.of_sums(n_terms)
    counts = torch.arange(-n_terms, n_terms + 1)
    total = torch.zeros(len(counts))
    for _ in range(n_terms):  # each worker's share, one after the other: with their errors
        total += torch.where(counts.abs() > _, counts.sign() * 0.1, 0.0)
    back = levels.decode(levels.encode(total), len(counts))
    assert torch.equal(back, counts * torch.tensor(0.1))


def _optimized(rank, n, name):
    """Values, and the bytes of states, of compressed pushes; and what one process makes of them."""
    kv, alone = mx.kv.create("dist_sync"), mx.kv.create("local")
    codecs = [TwoBitCompression(0.5) for _ in range(n)]
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    shapes = {"a": (7,), "b": (60, 20), "c": (3, 2, 5)}
    for store in (kv, alone):
        store.set_optimizer(mx.optimizer.create(name, learning_rate=0.05))
        store.init(list(shapes), [mx.nd.ones(shape) for shape in shapes.values()])
    outs = [{key: mx.nd.zeros(shape) for key, shape in shapes.items()} for _ in range(2)]
    for step in range(4):
        for key, shape in shapes.items():
            values = [np.random.default_rng([r, step]).normal(size=shape) for r in range(n)]
            values = [torch.tensor(value, dtype=torch.float32) for value in values]
            kv.push(key, mx.nd.array(values[rank].numpy()))
            passed = sum(codecs[r](key, 0, value) for r, value in enumerate(values))
            alone.push(key, mx.nd.array(passed.numpy()))
            for store, out in zip((kv, alone), outs):
                store.pull(key, out[key])
                if name == "nadam":  # All keys share a factor, which depends on their order.
                    out[key].wait_to_read()
    for key in shapes:
        np.testing.assert_array_equal(outs[0][key].asnumpy(), outs[1][key].asnumpy())
    return kv.handle.get_states(False), alone.handle.get_states(False)


@pytest.mark.parametrize(
    "n, name", [(2, "sgd"), (2, "adam"), (3, "adam"), (4, "nadam"), (2, "lamb")]
)
def test_compressed_updates_have_the_bits_of_one_process(n, name):
    for mine, alone in run(n, _optimized, n, name, MXNET_KVSTORE_BIGARRAY_BOUND="100"):
        assert mine == alone


def _compressed_midway(rank):
    kv = mx.kv.create("dist_sync")
    kv.set_optimizer(mx.optimizer.create("sgd", learning_rate=1, momentum=0.5))
    kv.init(["a", "b"], [mx.nd.zeros((4,)), mx.nd.zeros((300,))])
    outs = [mx.nd.zeros((4,)), mx.nd.zeros((300,))]
    for step in range(3):
        if step == 1:
            kv.set_gradient_compression({"type": "2bit", "threshold": 1})
        kv.pushpull(["a", "b"], [mx.nd.ones((4,)), mx.nd.ones((300,))], out=outs)
    return [sorted(set(out.asnumpy().tolist())) for out in outs]


def test_states_move_when_compression_begins():
    for values in run(2, _compressed_midway, MXNET_KVSTORE_BIGARRAY_BOUND="100"):
        assert values == [[-2 - 3 - 3.5]] * 2


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
