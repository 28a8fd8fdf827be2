# SPDX-License-Identifier: Apache-2.0
"""Operators that make each element of the output of one element of each input, all of one shape."""

from __future__ import annotations

__all__ = ["POINTWISE"]

# Those that networks are made of: what passes over graphs may run on a part of the elements.
POINTWISE = frozenset(
    (
        *("Activation", "_copy", "_div_scalar", "_minus_scalar", "_mul_scalar", "_plus_scalar"),
        *("add_n", "clip", "elemwise_add", "elemwise_mul", "elemwise_sub", "exp", "relu"),
        *("sigmoid", "sqrt", "square", "tanh"),
    )
)
