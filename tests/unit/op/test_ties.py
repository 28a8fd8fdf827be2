# SPDX-License-Identifier: Apache-2.0
"""Equal elements come out as MXNet 1.9.1 leaves them: `ties.json` has rows and what topk gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from mxnova.core.op import library  # noqa: F401 - registers operators
from mxnova.core.op.schema import find
from mxnova.core.op.tensor.ties import order

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "ties.json").read_text())


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.uint8])
def test_topk_is_that_of_mxnet(dtype):
    for row, k, ascending, expected in RECORDED:
        op = find("topk").of({"k": k, "is_ascend": ascending, "dtype": "int64"})
        assert op.forward(torch.tensor(row, dtype=dtype)).tolist() == expected


def test_argsort_is_a_whole_topk():
    whole = [(row, expected) for row, k, up, expected in RECORDED if up and k == len(row)]
    for row, k, _up, _expected in RECORDED:
        found = find("argsort").of({"dtype": "int32"}).forward(torch.tensor(row)).tolist()
        assert sorted(found) == list(range(len(row)))
        assert found == order(row, len(row))
        if k == len(row):
            whole.append((row, found))
    assert whole


def test_each_row_of_each_axis_is_sorted_by_itself():
    rows = torch.tensor([row for row, *_ in RECORDED if len(row) == 40][:4])
    across = find("argsort").of({"axis": 1}).forward(rows)
    down = find("argsort").of({"axis": 0}).forward(rows.T.contiguous())
    assert torch.equal(across, down.T)
    assert [r.tolist() for r in across.long()] == [order(r.tolist(), 40) for r in rows]


@pytest.mark.parametrize("keys", [[], [3], [2, 1], list(range(200)), list(range(200))[::-1]])
def test_different_keys_are_just_sorted(keys):
    for wanted in {len(keys), len(keys) // 9 or len(keys)}:
        assert [keys[i] for i in order(keys, wanted)] == sorted(keys)[:wanted]


def test_a_bad_pivot_each_time_ends_in_a_heap():
    keys = [0.0] * 500 + [float(i % 7) for i in range(500)]
    assert [keys[i] for i in order(keys, 1000)] == sorted(keys)
