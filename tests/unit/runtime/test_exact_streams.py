# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.runtime import resource
from mxnova.core.runtime.exact_streams import Engines, ExactStream, blocks, parts

OF_SEED_3 = [0.5853022, 0.4216575, 0.4413911]  # MXNet 1.9.1
ONE = slice(0, 1)
OF_SEED_0 = [0.5488135, 0.5928446, 0.7151894]


@pytest.fixture(autouse=True)
def _exact():
    yield
    mx.random.seed(0, exact=False)


def drawn(n=3, ctx=None):
    return mx.nd.random.uniform(shape=(n,), ctx=ctx).asnumpy().tolist()


def test_engines_keep_what_was_only_looked_at():
    engines, alone = Engines(3, 5), Engines(1, 6)
    both, second = slice(1, 3), slice(1, 2)
    expected = alone.take(slice(0, 1), 5000)[0].tolist()
    assert engines.peek(both, 4)[0].tolist() == expected[:4]
    engines.skip(second, 1)
    assert engines.take(both, 2)[0].tolist() == expected[1:3]
    engines.skip(both, np.array([-1, 0]))
    assert engines.take(second, 1).tolist() == [expected[2:3]]
    found = [number for _ in range(20) for number in engines.take(both, 200)[0].tolist()]
    assert found == expected[3:4003]
    assert engines.take(second, 900)[0].tolist() == expected[4003:4903]
    engines.restart(5)
    assert engines.take(both, 3000)[0].tolist() == expected[:3000]


@pytest.mark.parametrize(
    ("size", "wanted"),
    [(1, (1, 1, 1)), (64, (1, 64, 64)), (65, (2, 33, 32)), (65_537, (1009, 65, 17))],
)
def test_blocks_divide_an_array(size, wanted):
    grid = blocks(size)
    assert grid == wanted
    filled = np.zeros((grid.rows, grid.length), int)
    for rows, columns, lacking in parts(grid, 30, 100):
        filled[rows, columns] += 1
        assert 0 <= lacking <= filled[rows, columns].shape[1]
        if lacking:
            filled[-1, columns.stop - lacking : columns.stop] -= 1
    assert (filled.reshape(-1)[:size] == 1).all()
    assert not filled.reshape(-1)[size:].any()


def test_a_restarted_stream_begins_every_sequence_anew():
    def words(stream):
        return stream.parallel.take(slice(0, 4), 50).tolist(), stream.in_order.take(ONE, 3).tolist()

    stream = ExactStream(3)
    first = words(stream)
    stream.restart(4)
    assert words(stream) != first
    stream.restart(3)
    assert words(stream) == first


def test_the_mode_stays_until_it_is_ended():
    mx.random.seed(3)
    plain = drawn()
    mx.random.seed(3, exact=True)
    np.testing.assert_allclose(drawn(), OF_SEED_3, rtol=1e-6)
    mx.random.seed(4)
    assert not np.allclose(drawn(), OF_SEED_3)
    mx.random.seed(3)
    np.testing.assert_allclose(drawn(), OF_SEED_3, rtol=1e-6)
    mx.random.seed(3, exact=False)
    assert drawn() == plain


def test_cpu_contexts_share_the_stream():
    mx.random.seed(3, exact=True)
    both = drawn(2, mx.cpu(0)) + drawn(1, mx.cpu(1))
    np.testing.assert_allclose(both, OF_SEED_3, rtol=1e-6)
    mx.random.seed(3, mx.cpu(5))
    np.testing.assert_allclose(drawn(), OF_SEED_3, rtol=1e-6)


def test_the_mode_begins_with_a_seed_for_one_context():
    drawn(1, mx.cpu(1))
    mx.random.seed(3, mx.cpu(1), exact=True)
    np.testing.assert_allclose(drawn(), OF_SEED_3, rtol=1e-6)


def test_draws_of_nothing_take_nothing():
    mx.random.seed(3, exact=True)
    with mx.util.np_shape(True):
        assert mx.nd.random.normal(shape=(0,)).shape == (0,)
        assert mx.np.random.normal(size=(0,)).shape == (0,)
    np.testing.assert_allclose(drawn(), OF_SEED_3, rtol=1e-6)


def test_the_environment_asks_for_it():
    program = "import mxnova as mx; print(mx.nd.random.uniform(shape=3).asnumpy().tolist())"
    env = {**os.environ, "MXNET_RANDOM": "exact"}
    output = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    ).stdout
    found = [float(number) for number in output.strip("[]\n").split(",")]
    np.testing.assert_allclose(found, OF_SEED_0, rtol=1e-6)


def test_loops_draw_from_it():
    def body(data, state):
        return data + mx.nd.random.uniform(shape=(1,)), state

    mx.random.seed(3, exact=True)
    found, _ = mx.nd.contrib.foreach(body, mx.nd.zeros((3, 1)), [])
    np.testing.assert_allclose(found.asnumpy().ravel(), OF_SEED_3, rtol=1e-6)


@pytest.mark.parametrize("draw", ["uniform", "normal"])
def test_threads_that_share_it_divide_the_sequence_among_them(draw):
    """Two numbers at a time: pairs of the sequence, in any order, none twice and none missing."""
    n_threads, n_draws = 4, 100

    def pairs(_=None):
        function = getattr(mx.np.random, draw)
        return [tuple(function(size=(2,)).asnumpy().tolist()) for _ in range(n_draws)]

    mx.random.seed(3, exact=True)
    expected = [pair for _ in range(n_threads) for pair in pairs()]
    mx.random.seed(3)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(n_threads) as pool:
            found = [pair for part in pool.map(pairs, range(n_threads)) for pair in part]
    finally:
        sys.setswitchinterval(interval)
    assert sorted(found) == sorted(expected)


class Gpu:
    """A context of a GPU that need not be there."""

    device_type, device_id, device = "gpu", 0, torch.device("cuda:0")


def test_gpus_keep_the_generators_of_pytorch(monkeypatch):
    made = []

    class Recorded(torch.Generator):
        def __new__(cls, device):
            made.append(str(device))
            return super().__new__(cls, device="cpu")

    mx.random.seed(3, exact=True)
    monkeypatch.setattr(resource.torch, "Generator", Recorded)
    manager = resource.ResourceManager()
    manager.seed(3, exact=True)
    context = Gpu()
    gpu = manager.random(context)
    assert (made, type(gpu)) == (["cuda:0"], Recorded)
    manager.seed(4)
    assert manager.random(context) is gpu
    assert type(manager.random(mx.cpu(0))) is ExactStream
