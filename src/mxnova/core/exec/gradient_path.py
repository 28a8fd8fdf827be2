# SPDX-License-Identifier: Apache-2.0
"""Where gradients flow in a graph: what needs them, what lets them through, what has none."""

from __future__ import annotations

from collections.abc import Collection

from ..base.errors import MXNetError
from ..graph.node import Node
from ..graph.symbol import Symbol

__all__ = ["gradient_path", "refuse_without_gradient"]

# Operators that MXNet refuses to bind where gradients are wanted. All others that have no gradient
# give zeros.
# fmt: off
_WITHOUT_GRADIENT = frozenset({
    "_adamw_update", "_contrib_allclose", "_contrib_calibrate_entropy",
    "_contrib_dgl_adjacency", "_contrib_edge_id", "_contrib_getnnz",
    "_contrib_group_adagrad_update", "_contrib_quantized_act",
    "_contrib_quantized_elemwise_add", "_cvcopyMakeBorder", "_cvimdecode", "_cvimresize",
    "_histogram", "_mp_adamw_update", "_multi_adamw_update", "_multi_lamb_update",
    "_multi_mp_adamw_update", "_multi_mp_lamb_update", "_npi_delete", "_npi_insert_scalar",
    "_npi_insert_slice", "_npi_insert_tensor", "_npi_share_memory", "_onehot_encode",
    "_scatter_set_nd", "_shuffle", "_slice_assign", "_slice_assign_scalar",
    "_sparse_adagrad_update", "adam_update", "all_finite", "argmax_channel", "batch_take",
    "fill_element_0index", "ftml_update", "ftrl_update", "khatri_rao", "lamb_update_phase1",
    "lamb_update_phase2", "mp_lamb_update_phase1", "mp_lamb_update_phase2", "mp_nag_mom_update",
    "mp_sgd_mom_update", "mp_sgd_update", "multi_all_finite", "multi_lars",
    "multi_mp_sgd_mom_update", "multi_mp_sgd_update", "multi_sgd_mom_update",
    "multi_sgd_update", "multi_sum_sq", "nag_mom_update", "preloaded_multi_mp_sgd_mom_update",
    "preloaded_multi_mp_sgd_update", "preloaded_multi_sgd_mom_update",
    "preloaded_multi_sgd_update", "rmsprop_update", "rmspropalex_update", "sgd_mom_update",
    "sgd_update", "signsgd_update", "signum_update",
})
# fmt: on


def gradient_path(symbol: Symbol, arguments: Collection[str]) -> list[Node]:
    """The nodes of operators that a gradient passes on its way from an output to an argument.

    Args:
        symbol: a graph.
        arguments: names of those whose gradients are wanted.
    """
    reached = {id(e.node) for e in symbol.entries}  # by gradients, from the outputs
    for node in reversed(symbol.nodes):
        if id(node) in reached and not _stops(node):
            reached.update(id(e.node) for e in node.inputs)
    needing: set[int] = set()  # what is computed from the arguments
    path: list[Node] = []
    for node in symbol.nodes:
        if node.op is None:
            wanted = node.name in arguments
        else:
            wanted = not _stops(node) and any(id(e.node) in needing for e in node.inputs)
        if wanted:
            needing.add(id(node))
            if node.op is not None and id(node) in reached:
                path.append(node)
    return path


def _stops(node: Node) -> bool:
    op = node.op
    return op is not None and not op.differentiable and op.name not in _WITHOUT_GRADIENT


def refuse_without_gradient(symbol: Symbol, arguments: Collection[str]) -> None:
    """Raises where wanted gradients pass an operator that has none, and no zeros in its place.

    Args:
        symbol: a graph.
        arguments: names of those whose gradients are wanted.

    Raises:
        MXNetError: the text names the node.
    """
    for node in gradient_path(symbol, arguments):
        op = node.op
        if op is not None and not op.differentiable:
            raise MXNetError(
                f"bind: node {node.name!r}: operator {op.name} has no gradient; give its inputs "
                f"grad_req='null', or put BlockGrad around it"
            )
