# SPDX-License-Identifier: Apache-2.0
"""Copies by one thread: the same values and version counts as ATen's, whatever lies where."""

from __future__ import annotations

import pytest
import torch

from mxnova.core.kernels.copying import copy

MANY = 40_000  # elements, which ATen would share out


def _case(kind: str) -> tuple[torch.Tensor, torch.Tensor]:
    values = torch.arange(2.0 * MANY).reshape(200, -1)
    targets = {
        "same": torch.zeros_like(values),
        "few": torch.zeros(200, 3),
        "wider": torch.zeros(values.shape, dtype=torch.float64),
        "turned": torch.zeros(values.T.shape).T,
        "bfloat16": torch.zeros(values.shape, dtype=torch.bfloat16),
    }
    sources = {
        "few": values[:, :3],
        "bfloat16": values.to(torch.bfloat16),
    }
    return targets[kind], sources.get(kind, values)


@pytest.mark.parametrize("kind", ["same", "few", "wider", "turned", "bfloat16"])
def test_values_arrive_and_the_version_tells(kind: str) -> None:
    target, source = _case(kind)
    version = target._version
    copy(target, source)
    assert torch.equal(target, source.to(target.dtype))
    assert target._version == version + 1


def test_a_row_is_broadcast() -> None:
    target = torch.zeros(2, MANY)
    copy(target, torch.arange(float(MANY)))
    assert torch.equal(target[0], target[1])
    assert target[1, -1] == MANY - 1


def test_parts_of_one_memory_may_overlap() -> None:
    memory = torch.arange(MANY + 1.0)
    copy(memory[1:], memory[:-1])
    assert torch.equal(memory[1:], torch.arange(float(MANY)))


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RuntimeError, match="must match"):
        copy(torch.zeros(MANY), torch.zeros(MANY + 1))


def test_a_view_of_the_same_memory_is_copied_as_it_was():
    values = torch.arange(9.0).reshape(3, 3)
    wanted = values.T.clone()
    copy(values, values.T)
    assert torch.equal(values, wanted)
