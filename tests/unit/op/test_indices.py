# SPDX-License-Identifier: Apache-2.0
"""Where numbers lie among others, against searches and sums one by one."""

import math

import pytest
import torch

from mxnova.core.op.sparse.indices import (
    bags,
    distinct,
    found_among,
    grouped,
    nonzero,
    put_rows,
    rising,
    united,
)
from mxnova.core.runtime import tuning

# numbers, a bound of theirs: few and many, equal ones, below zero, too large to be packed
NUMBERS = [
    ([], 1),
    ([3], 4),
    ([3, 0, 3, 1, 0, 3], 4),
    ([5, -2, 5, -7], 8),
    ([1 << 61, 5, 1 << 61], 1 << 62),
    (torch.randint(0, 300, (1000,), generator=torch.Generator().manual_seed(1)).tolist(), 300),
    (list(range(50)), 50),
]


@pytest.mark.parametrize("numbers, bound", NUMBERS)
def test_equal_numbers_are_grouped(numbers, bound):
    numbers = torch.tensor(numbers, dtype=torch.int64)
    groups = grouped(numbers, bound)
    wanted, owner = torch.unique(numbers, return_inverse=True)
    assert torch.equal(groups.numbers, wanted)
    assert torch.equal(distinct(numbers), wanted)
    assert torch.equal(groups.order, numbers.argsort(stable=True))
    for dtype in (torch.float32, torch.float64, torch.int32, torch.float16):
        for width in ((), (1,), (3,), (2, 3), (0,)):
            data = torch.randint(-3, 4, (len(numbers), *width)).to(dtype)
            sums = data.new_zeros(len(wanted), *width).index_add_(0, owner, data)
            assert torch.equal(groups.sums(data), sums)


@pytest.mark.parametrize("bound", [8, 1 << 40])  # by a table, by a search
@pytest.mark.parametrize("stored", [[], [0], [2, 3, 7], list(range(8))])
@pytest.mark.parametrize("wanted", [[], [3, 0, 7, 3, 6], [-1, 8, 2]])
def test_places_of_what_is_there(stored, wanted, bound):
    at, missing = found_among(
        *(torch.tensor(n, dtype=torch.int64) for n in (stored, wanted)), bound
    )
    assert missing.tolist() == [i for i, n in enumerate(wanted) if n not in stored]
    assert at.tolist() == [stored.index(n) if n in stored else 0 for n in wanted]


@pytest.mark.parametrize(
    "first, second",
    [
        ([], []),
        ([1, 4], []),
        ([1, 4, 6], [0, 4, 9]),
        ([4, 1], [0, 4]),  # not in order
        ([1, 1, 3], [1]),  # not distinct
        ([1, 1 << 62], [0, 1]),  # too large for a number that says whose it is, too
    ],
)
def test_numbers_of_two_vectors_united(first, second):
    both, *owners = united(*(torch.tensor(n, dtype=torch.int64) for n in (first, second)))
    assert both.tolist() == sorted({*first, *second})
    for numbers, owner in zip((first, second), owners, strict=True):
        assert both[owner].tolist() == numbers


def test_bags_are_weighted_sums():
    table = torch.arange(12.0).reshape(4, 3)
    found = bags(
        table, torch.tensor([1, 3, 0]), torch.tensor([0, 2, 2, 3]), torch.tensor([1.0, 2.0, 3.0])
    )
    assert torch.equal(found, torch.stack([table[1] + 2 * table[3], 0 * table[0], 3 * table[0]]))


def test_rising_and_nonzero():
    assert rising(torch.tensor([0, 1, 5]))
    assert not rising(torch.tensor([0, 1, 1]))
    assert rising(torch.tensor([], dtype=torch.int64))
    assert nonzero(torch.tensor([0.0, -0.0, 2.0, float("nan")])).tolist() == [2, 3]


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.int8,
        torch.int64,
        torch.bool,
    ],
)
@pytest.mark.parametrize("row", [(), (1,), (3,), (2, 3), (0,)])
@pytest.mark.parametrize("least", [1, 1 << 40])
def test_rows_are_put_in_their_places(dtype, row, least, monkeypatch):
    monkeypatch.setattr(tuning, "PUT_ROWS_MIN_BYTES", least)
    target = torch.arange(5 * math.prod(row)).reshape(5, *row).to(dtype)
    rows, data = torch.tensor([3, 0]), target[[1, 4]].clone()
    for places in (rows, rows.int()):
        found = target.clone()
        want, version = found.clone().index_copy_(0, rows, data), found._version
        assert put_rows(found, places, data) is found
        assert torch.equal(found, want)
        assert found._version > version  # who watches parameters sees it
    turned = torch.zeros(2, 5).t()
    assert put_rows(turned, rows, torch.ones(2, 2)).tolist() == [
        [1, 1],
        [0, 0],
        [0, 0],
        [1, 1],
        [0, 0],
    ]


@pytest.mark.parametrize("least", [1, 1 << 40])
@pytest.mark.parametrize(
    "rows, data, error",
    [
        ([3], torch.ones(1, 2), IndexError),
        ([0, 1], torch.ones(1, 2), IndexError),
        ([0], torch.ones(2, 2), IndexError),
        ([0], torch.ones(1, 4), RuntimeError),
        ([0], torch.ones(1, 2, dtype=torch.float64), RuntimeError),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows, data, error, least, monkeypatch):
    monkeypatch.setattr(tuning, "PUT_ROWS_MIN_BYTES", least)
    target = torch.zeros(3, 2)
    with pytest.raises(error):
        put_rows(target, torch.tensor(rows), data)
    assert not target.any()
