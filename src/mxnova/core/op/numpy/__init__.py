# SPDX-License-Identifier: Apache-2.0
"""Operators with the rules of NumPy: 0-d arrays, mixed types, bool results."""

from . import (  # noqa: F401
    binary,
    calculus,
    creation,
    indexing,
    join,
    linalg,
    masking,
    products,
    random,
    random_discrete,
    reduce,
    scalar,
    select,
    shape,
    unary,
)
