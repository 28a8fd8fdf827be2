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


# Gradients of rows --------------------------------------------------------------------------------

LAZY = "sgd_mom_update"


def mixed(stypes=("row_sparse", "default", "default")):
    """`groups`, of which the first has all arrays stored so, and the second a row_sparse gradient."""
    made = groups()
    rows = mx.nd.array([2, 0])
    made[0] = [array.tostype(stypes[0]) for array in made[0]]
    made[2][0] = mx.nd.random.normal(shape=(4, 3))
    made[2][2] = mx.nd.random.normal(shape=(4, 3))
    made[2][1] = mx.nd.ones((4, 3)).tostype("row_sparse")
    for group in (made[0], made[2]):
        group[1] = mx.nd.sparse.retain(group[1].tostype("row_sparse"), rows)
    return made


def one_by_one(groups, **options):
    for weight, *others in groups:
        function_of(LAZY)(weight, *others, out=weight, lr=0.1, wd=0.01, **options)


@pytest.mark.parametrize("stype", ["row_sparse", "default"])
@pytest.mark.parametrize("reasons", [set(), {"somebody looks"}])
def test_rows_are_updated_beside_dense_weights(stype, reasons, monkeypatch):
    monkeypatch.setattr("mxnova.core.nd.updates.SLOW_PATH", reasons)
    mx.random.seed(1)
    mine = mixed((stype,))
    others = [[array.copy() for array in group] for group in mine]
    update = UpdateOfSeveral(NAME, LAZY)
    assert update.takes(flat(mine), 3, lazily=True)
    for _ in range(2):
        by_update(update, mine, [0.1] * 3, [0.01] * 3, momentum=0.9, rescale_grad=0.5)
        one_by_one(others, momentum=0.9, rescale_grad=0.5)
    equal(mine, others)
    assert [a.stype for a in flat(mine)] == [a.stype for a in flat(others)]


def test_a_weight_without_some_rows_gets_them():
    mine = mixed()
    for at in (0, 2):
        mine[0][at] = mx.nd.sparse.zeros("row_sparse", (3, 4))
    by_update(UpdateOfSeveral(NAME, LAZY), mine, [0.5] * 3, [0.0] * 3)
    weight, gradient, _ = mine[0]
    np.testing.assert_array_equal(weight.asnumpy(), -0.5 * gradient.asnumpy())
    assert weight.indices.asnumpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("stypes", "lazy", "lazily", "expected"),
    [
        ("default default default", None, False, True),
        ("default row_sparse default", LAZY, True, True),
        ("row_sparse row_sparse row_sparse", LAZY, True, True),
        ("row_sparse row_sparse row_sparse", LAZY, False, False),
        ("row_sparse row_sparse row_sparse", None, True, False),
        ("row_sparse default row_sparse", LAZY, True, False),
        ("row_sparse row_sparse default", LAZY, True, False),
        ("default row_sparse row_sparse", LAZY, True, False),
        ("default csr default", LAZY, True, False),
    ],
)
def test_what_goes_together(stypes, lazy, lazily, expected):
    dense = [mx.nd.ones((2, 2)) for _ in range(3)]
    stored = [mx.nd.ones((2, 2)).tostype(stype) for stype in stypes.split()]
    assert UpdateOfSeveral(NAME, lazy).takes([*dense, *stored], 2, lazily) is expected


def test_rows_outside_of_a_weight_are_refused():
    mine = mixed()
    mine[2][1] = mx.nd.sparse.row_sparse_array((np.ones((1, 3)), [5]), shape=(6, 3))
    with pytest.raises(mx.MXNetError, match=NAME):
        by_update(UpdateOfSeveral(NAME, LAZY), mine, [0.1] * 3, [0.0] * 3)
