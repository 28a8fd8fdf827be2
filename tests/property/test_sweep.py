# SPDX-License-Identifier: Apache-2.0
"""Operators called with anything give results or an MXNetError; `scripts/sweep` asks for longer."""

from __future__ import annotations

from .operator_calls import TYPES, call
from .sweep import sweep

CALLS = 3000


def test_a_number_makes_one_call():
    assert str(call(5)) == str(call(5))
    assert {call(i).type for i in range(len(TYPES))} == set(TYPES)


# Exceptions of ATen and Python that bind and infer still pass on as they are.
PASSED_ON = {"IndexError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"}


def test_any_call_ends_well():
    assert [f for f in sweep(0, CALLS) if f[1] not in PASSED_ON] == []
