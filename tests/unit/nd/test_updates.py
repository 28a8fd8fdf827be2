"""Updates of several weights in one call are what calls of the operator's function are."""

import time

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.nd.functions import function_of
from mxnova.core.nd.updates import UpdateOfSeveral

NAME = "multi_sgd_mom_update"
SHAPES = [(3, 4), (4,), (2, 1, 5)]


def groups(dtype="float32"):
    """For each weight: weight, gradient, momentum."""
    random = np.random.RandomState(0)
    return [[mx.nd.array(random.randn(*s), dtype=dtype) for _ in range(3)] for s in SHAPES]


def flat(groups):
    return [array for group in groups for array in group]


def values(groups):
    return [array.asnumpy() for array in flat(groups)]


def equal(mine, others):
    for a, b in zip(values(mine), values(others), strict=True):
        np.testing.assert_array_equal(a, b)


def by_function(groups, lrs, wds, **options):
    weights = [group[0] for group in groups]
    n = len(weights)
    function_of(NAME)(*flat(groups), out=weights, num_weights=n, lrs=lrs, wds=wds, **options)


def by_update(update, groups, lrs, wds, **options):
    update(flat(groups), [group[0] for group in groups], lrs, wds, **options)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("lrs", [[0.1] * 3, [0.1, 0.2, 0.1]])
def test_it_gives_what_the_function_gives(lrs, dtype):
    mine, others = groups(dtype), groups(dtype)
    update = UpdateOfSeveral(NAME)
    for momentum in (0.9, 0.9, 0.5):
        options = {"momentum": momentum, "rescale_grad": 0.5, "clip_gradient": 1.0}
        by_update(update, mine, lrs, [0.0, 0.01, 0.0], **options)
        by_function(others, lrs, [0.0, 0.01, 0.0], **options)
        equal(mine, others)


def test_numbers_that_change_count():
    mine, others = groups(), groups()
    update = UpdateOfSeveral(NAME)
    for lr, wd, options in [
        (0.1, 0.0, {"momentum": 0.9}),
        (0.2, 0.0, {"momentum": 0.9}),
        (0.2, 0.3, {"momentum": 0.9}),
        (0.2, 0.3, {"rescale_grad": 0.9}),
        (0.2, 0.3, {"momentum": 0.9, "rescale_grad": 0.9}),
    ]:
        by_update(update, mine, [lr] * 3, [wd] * 3, **options)
        by_function(others, [lr] * 3, [wd] * 3, **options)
        equal(mine, others)


def test_what_watches_versions_sees_the_writes():
    mine = groups()
    before = [array._raw._version for array in flat(mine)]
    by_update(UpdateOfSeveral(NAME), mine, [0.1] * 3, [0.0] * 3, momentum=0.9)
    after = [array._raw._version for array in flat(mine)]
    grown = [b > a for a, b in zip(before, after, strict=True)]
    assert grown == [True, False, True] * 3  # weights and momenta


def test_it_waits_for_the_engine():
    mine, others = groups(), groups()
    gradient = mine[0][1]

    def work():
        time.sleep(0.05)
        gradient[:] = 7

    mx.engine.push(work, write=[gradient])
    by_update(UpdateOfSeveral(NAME), mine, [0.1] * 3, [0.0] * 3)
    others[0][1][:] = 7
    by_function(others, [0.1] * 3, [0.0] * 3)
    equal(mine, others)


def test_recorded_weights_are_refused():
    mine = groups()
    mine[0][0].attach_grad()
    with mx.autograd.record(), pytest.raises(mx.MXNetError, match="recorded"):
        by_update(UpdateOfSeveral(NAME), mine, [0.1] * 3, [0.0] * 3)


@pytest.mark.parametrize("lr", ["fast", True, None])
def test_numbers_are_refused_as_by_the_function(lr):
    mine = groups()
    update = UpdateOfSeveral(NAME)
    by_update(update, mine, [1.0] * 3, [0.0] * 3)
    with pytest.raises(mx.MXNetError) as of_function:
        by_function(mine, [lr] * 3, [0.0] * 3)
    with pytest.raises(mx.MXNetError) as of_update:
        by_update(update, mine, [lr] * 3, [0.0] * 3)
    assert str(of_update.value) == str(of_function.value)


def test_shapes_that_do_not_fit_are_refused():
    mine = groups()
    mine[1][1] = mx.nd.zeros((5,))
    with pytest.raises(mx.MXNetError, match=NAME):
        by_update(UpdateOfSeveral(NAME), mine, [0.1] * 3, [0.0] * 3)
