# SPDX-License-Identifier: Apache-2.0
"""Copies of arrays in memory that is used again."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import mxnova as mx
from mxnova.checkpoint import staging
from mxnova.checkpoint.commit import Commit
from mxnova.checkpoint.staging import Staging
from mxnova.core.base.errors import MXNetError

ARRAYS = [
    np.arange(7, dtype=np.int8),
    np.array(2.5),
    np.zeros((3, 0, 2), np.float32),
    np.arange(24, dtype=np.float16).reshape(2, 3, 4).transpose(2, 0, 1),
    np.arange(10, dtype=np.float64)[::-2],
    np.array([True, False]),
]


@pytest.fixture(autouse=True)
def no_spare(monkeypatch):
    monkeypatch.setattr(staging, "_spare", [])


@pytest.mark.parametrize("arrays", [[], ARRAYS, ARRAYS[2:3]], ids=["none", "many", "empty"])
def test_copies_are_contiguous_and_equal(arrays):
    made = Staging(arrays)
    assert len(made.copies) == len(arrays)
    for array, copy in zip(arrays, made.copies, strict=True):
        assert copy.dtype == array.dtype and copy.flags.c_contiguous and copy.flags.aligned
        assert not np.shares_memory(copy, array)
        np.testing.assert_array_equal(copy, array, strict=True)


@pytest.mark.parametrize(("n", "again"), [(1000, True), (990, True), (1100, False), (400, False)])
def test_memory_of_about_the_same_size_is_used_again(n, again):
    first = Staging([np.zeros(1000)])
    copy = first.copies[0]
    first.release()
    assert np.shares_memory(copy, Staging([np.zeros(n)]).copies[0]) == again


def test_memory_that_is_in_use_is_left_alone():
    first, second = Staging([np.ones(100)]), Staging([np.zeros(100)])
    assert not np.shares_memory(first.copies[0], second.copies[0])
    first.release()
    second.release()
    assert len(staging._spare) == 1


def test_a_save_does_not_change_what_another_one_writes(tmp_path, monkeypatch):
    """Two folders are written at a time, from different memory; both leave theirs."""
    go, write = threading.Event(), Commit.write

    def held(commit, snapshot):
        go.wait()
        return write(commit, snapshot)

    monkeypatch.setattr(Commit, "write", held)
    for value in (1, 2):
        mx.checkpoint.save(tmp_path / str(value), 0, {"a": mx.nd.full((1000,), value)})
    go.set()
    mx.checkpoint.wait()
    for value in (1, 2):
        found = mx.checkpoint.read(tmp_path / str(value)).parameters()["a"]
        assert (found.asnumpy() == value).all()


def test_memory_is_kept_until_the_program_waits(tmp_path):
    arrays = {"a": mx.nd.ones((1000,))}
    mx.checkpoint.save(tmp_path, 0, arrays).wait()
    assert staging._spare
    mx.checkpoint.wait()
    assert not staging._spare


@pytest.mark.parametrize("is_told_by", ["wait", "Saving.wait"])
def test_a_save_that_fails_keeps_no_memory(tmp_path, monkeypatch, is_told_by):
    def full(_commit, _snapshot):
        raise MXNetError("full")

    monkeypatch.setattr(Commit, "write", full)
    saving = mx.checkpoint.save(tmp_path, 0, {"a": mx.nd.ones((1000,))})
    with pytest.raises(MXNetError, match="full"):
        (saving if is_told_by == "Saving.wait" else mx.checkpoint).wait()
    assert not staging._spare
    mx.checkpoint.wait()
