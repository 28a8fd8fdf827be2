# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

import mxnova.core.op.nn.dropout  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.op.schema import find
from mxnova.core.runtime.exact_streams import ExactStream
from tests.unit.op.inference import inferred_shapes


def run(data, train=True, seed=3, **attrs):
    op = find("Dropout").of(attrs)
    return op.forward(data, train=train, rng=torch.Generator().manual_seed(seed))


def test_the_share_p_is_dropped_and_the_rest_scaled_up():
    result = run(torch.ones(100, 1000), p=0.3)
    assert result.unique().tolist() == pytest.approx([0, 1 / 0.7])
    # 100,000 draws: the standard error of the share is 0.00145.
    assert (result == 0).float().mean().item() == pytest.approx(0.3, abs=0.006)


@pytest.mark.parametrize("train, attrs", [(False, {}), (True, {"p": 0.0})])
def test_nothing_happens_outside_of_training_or_with_p_0(train, attrs):
    data = torch.randn(3, 4)
    assert torch.equal(run(data, train, **attrs), data)


def test_mode_always_drops_outside_of_training_too():
    assert (run(torch.ones(1000), train=False, mode="always") == 0).any()


def test_the_random_stream_decides():
    data = torch.ones(100)
    assert torch.equal(run(data), run(data))
    assert not torch.equal(run(data), run(data, seed=4))


@pytest.mark.parametrize("axes, first_draw_stays", [((), True), ((1,), False)])
def test_exact_draws_that_equal_the_share_that_stays(axes, first_draw_stays):
    p = (
        1 - 0.5853022336959839
    )  # the first draw of seed 3; such a draw stays, but for masks with axes
    op = find("Dropout").of({"p": p, "axes": axes})
    result = op.forward(torch.ones(1, 3 if axes else 1), train=True, rng=ExactStream(3))
    assert bool(result.all()) is first_draw_stays


def test_along_axes_all_are_dropped_together():
    result = run(torch.ones(50, 3, 2), axes=(1,))
    assert torch.equal(result, result[:, :1].expand(50, 3, 2))
    assert 0 < (result == 0).float().mean().item() < 1
    assert not torch.equal(result[..., 0], result[..., 1])


def test_the_gradient_is_that_of_the_elements_kept():
    data = torch.ones(200, requires_grad=True)
    result = run(data)
    result.sum().backward()
    assert torch.equal(data.grad, result.detach())


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_types(dtype):
    assert run(torch.ones(10, dtype=dtype)).dtype == dtype


def test_bad_arguments_are_named():
    with pytest.raises(ArgumentError, match="p=1.5"):
        find("Dropout").of({"p": 1.5})
    with pytest.raises(MXNetError, match=r"axes=\(2,\): data has axes 0 to 1"):
        inferred_shapes("Dropout", {"axes": (2,)}, [(3, 4)])
