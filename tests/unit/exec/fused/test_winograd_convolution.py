# SPDX-License-Identifier: Apache-2.0
"""Which convolutions are computed by tiles, and that values stay."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.fused.group import Group

pytestmark = pytest.mark.onednn

WIDE = 512  # channels that are enough on every processor
TILED = "_WinogradConvolution"


def conv(x, name, wide=WIDE, **options):
    options = {"kernel": (3, 3), "pad": (1, 1), "num_filter": wide, "no_bias": True, **options}
    return mx.sym.Convolution(x, name=name, **options)


def norm(x, name):
    return mx.sym.BatchNorm(x, name=name, fix_gamma=False)


DATA = mx.sym.var("data")
GRAPHS = {
    "alone": lambda n: conv(DATA, "c", n, no_bias=False),
    "BatchNorm and relu": lambda n: mx.sym.relu(norm(conv(DATA, "c", n), "b")),
    "residual block": lambda n: mx.sym.relu(
        norm(conv(mx.sym.relu(norm(conv(DATA, "c", n), "b")), "d", n), "e") + DATA
    ),
    "sum": lambda n: conv(DATA, "c", n) + DATA,
}


def computing(operators):
    """Names of operators, of those in groups too."""
    for op in operators:
        if isinstance(op, Group):
            yield from computing(n.op for n in op.body.nodes if n.op is not None)
        else:
            yield op.name


def both(symbol, monkeypatch, shape=(2, WIDE, 15, 14)):
    """Outputs with tiles and without, and the operators with them."""
    outputs, operators = [], []
    for setting in ("0", "1"):
        monkeypatch.setenv("MXNOVA_WINOGRAD", setting)
        executor = symbol.simple_bind(mx.cpu(), grad_req="null", data=shape)
        rng = np.random.default_rng(0)
        for name, array in (executor.arg_dict | executor.aux_dict).items():
            values = rng.standard_normal(array.shape, "float32")
            if name.endswith("weight"):
                values *= np.prod(array.shape[1:]) ** -0.5
            array[:] = abs(values) + 0.5 if name.endswith("var") else values
        executor.optimize()
        steps = executor._inference._special.lowered.steps
        operators.append(list(computing(s.op for s in steps)))
        outputs.append(executor.forward()[0].asnumpy())
    return *outputs, operators


@pytest.mark.parametrize("name", GRAPHS)
def test_values_stay(name, threads, monkeypatch):
    plain, tiled, (before, after) = both(GRAPHS[name](WIDE), monkeypatch)
    assert TILED not in before
    assert after == [TILED] * len(before)
    np.testing.assert_allclose(tiled, plain, rtol=0, atol=2e-5 * abs(plain).max())


def test_batches_that_are_shared_out(threads, monkeypatch):
    symbol = mx.sym.relu(conv(mx.sym.relu(conv(DATA, "c")), "d"))
    plain, tiled, (_, after) = both(symbol, monkeypatch, (4, WIDE, 16, 16))
    assert after == [TILED] * 2
    np.testing.assert_allclose(tiled, plain, rtol=0, atol=2e-5 * abs(plain).max())


LEFT = {
    "stride": {"stride": (2, 2)},
    "dilation": {"dilate": (2, 2), "pad": (2, 2)},
    "groups": {"num_group": 2},
    "kernel": {"kernel": (1, 1), "pad": (0, 0)},
    "few filters": {"num_filter": 16},
}


@pytest.mark.parametrize("name", LEFT)
def test_others_are_left_alone(name, monkeypatch):
    plain, same, (before, after) = both(conv(DATA, "c", **LEFT[name]), monkeypatch)
    assert before == after == ["_FusedConvolution"]
    np.testing.assert_array_equal(plain, same)


@pytest.mark.parametrize("shape", [(1, WIDE, 5, 5), (1, 8, 64, 64)])
def test_little_work_is_left_alone(shape, monkeypatch):
    *_, (before, after) = both(conv(DATA, "c"), monkeypatch, shape)
    assert before == after


def test_other_sizes_work_with_the_weights_that_there_are(monkeypatch):
    monkeypatch.setenv("MXNOVA_WINOGRAD", "1")
    symbol = conv(DATA, "c")
    executor = symbol.simple_bind(mx.cpu(), grad_req="null", data=(2, WIDE, 16, 16))
    executor.arg_dict["c_weight"][:] = 0.01
    executor.optimize()
    smaller = executor.reshape(data=(1, WIDE, 9, 6))
    smaller.arg_dict["data"][:] = 1
    wanted = 0.01 * WIDE * 9
    got = smaller.forward()[0].asnumpy()[:, :, 1:-1, 1:-1]
    np.testing.assert_allclose(got, wanted, rtol=1e-4)
