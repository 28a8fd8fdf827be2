# SPDX-License-Identifier: Apache-2.0
"""Forwards give one output as a tensor, several as a tuple."""

from __future__ import annotations

import mxnova as mx
from mxnova.core.nd.calls.validation import check
from tests.property.operator_calls import TYPES, call


def test_no_tuple_of_one_leaks():
    seen, leaks = set(), set()
    for number in range(12 * len(TYPES)):
        chosen = call(number, tame=True)
        try:
            op = chosen.type.of(chosen.attrs)
            given = zip(chosen.shapes, chosen.dtypes, strict=True)
            tensors = [mx.nd.ones(s, dtype=d)._tensor for s, d in given]
            check(op, tensors)
            result = op.forward(*tensors, **op.quiet_facts())
        except Exception:  # noqa: BLE001 - only what runs is looked at
            continue
        seen.add(op.name)
        if isinstance(result, tuple) != (len(op.outputs()) != 1):
            leaks.add(op.name)
    assert leaks == set()
    assert len(seen) > len(TYPES) // 2
