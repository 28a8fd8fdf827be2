# SPDX-License-Identifier: Apache-2.0
"""Operators called with anything give results or an MXNetError; `scripts/sweep` asks for longer."""

from __future__ import annotations

from .operator_calls import TYPES, call
from .sweep import sweep

CALLS = 3000


def test_a_number_makes_one_call():
    assert str(call(5)) == str(call(5))
    assert {call(i).type for i in range(len(TYPES))} == set(TYPES)


def test_any_call_ends_well():
    assert list(sweep(0, CALLS)) == []
