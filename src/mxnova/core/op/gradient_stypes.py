# SPDX-License-Identifier: Apache-2.0
"""Storage types of gradients, by which executors make the arrays that gradients go to."""

from __future__ import annotations

from collections.abc import Sequence

from .record import Op

__all__ = ["gradient_stypes"]

# Each input's gradient is stored as that of the output.
_PASSING = frozenset(
    """
    negative _copy _mul_scalar _div_scalar _plus_scalar _minus_scalar _scatter_plus_scalar
    _scatter_minus_scalar elemwise_add elemwise_sub _grad_add add_n _contrib_gradientmultiplier
    _contrib_round_ste _contrib_sign_ste cast_storage _identity_with_attr_like_rhs exp
    """.split()  # noqa: SIM905 - a table to read
)
# So it is where the input is stored so too.
_MATCHING = frozenset("abs square relu".split())  # noqa: SIM905
# MXNet has the gradient zero for them, in the storage of the input.
_CONSTANT = frozenset(
    "sign round rint ceil floor trunc fix BlockGrad zeros_like ones_like".split()  # noqa: SIM905
)


def gradient_stypes(op: Op, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
    """Storage types of the inputs' gradients.

    Args:
        op: the operator.
        heads: storage types of its outputs' gradients.
        stypes: storage types of its inputs.
    """
    if op.name in _PASSING or (op.name in _MATCHING and heads[0] == stypes[0]):
        return (heads[0],) * len(stypes)
    if op.name in _CONSTANT or not op.differentiable:
        return tuple(stypes)
    if op.name == "dot" and stypes[0] == "csr":
        plain = not op.attr("transpose_a") and not op.attr("transpose_b")
        plain = plain and op.attr("forward_stype") != "csr"
        return ("default", "row_sparse") if plain else ("default", "default")
    if op.name == "_contrib_SparseEmbedding" or (op.name == "Embedding" and op.attr("sparse_grad")):
        return ("default", "row_sparse")
    if op.name == "where":  # the condition has the gradient zero
        return (stypes[0], "default", "default")
    if op.name in ("_square_sum", "_sparse_retain") and stypes[0] == "row_sparse":
        return ("row_sparse", *("default",) * (len(stypes) - 1))
    return ("default",) * len(stypes)
