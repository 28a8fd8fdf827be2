# SPDX-License-Identifier: Apache-2.0
"""The default backend: passes over the graph that serve ATen's kernels on the CPU.

In order: layers that MXNet has fused are opened, or their integers made (`prepared_layers`), copies
and chains go (`simplification`), convolutions pad for themselves (`padding_merge`), what parameters
decide is computed (`constant_folding`), attention becomes one kernel (`fused_attention`), strides
move to where values are made (`unread_positions`), convolutions and products take over what follows
them and have their weights laid out (`convolution_fusion`, `fused_linear`), large convolutions by
3×3 go by tiles (`tiled_convolution`), values between them go bfloat16 where that is asked for
(`low_precision`), batches are shared out among threads (`batch_split`), and sums go where their
summand was (`in_place_sums`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...base import env
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.nn.fully_connected import FullyConnected
from ...runtime.threads import run_single_threaded
from ...runtime.torch_api import has_onednn_kernels
from ..fused.mkldnn_layers import FusedLayer
from ..passes import low_precision
from ..passes.attention_fusion import with_fused_attention
from ..passes.batch_split import images_at_once, with_batches_apart
from ..passes.constant_folding import with_constants_folded, with_own_outputs
from ..passes.convolution_fusion import parameters_of_convolutions, with_fused_convolutions
from ..passes.in_place_sums import with_sums_in_place
from ..passes.linear_fusion import is_worth_fusing, with_fused_products
from ..passes.matching import is_image_convolution
from ..passes.mkldnn_layer_lowering import (
    parameters_of_layers,
    with_layers_opened,
    with_layers_prepared,
)
from ..passes.padding_fusion import with_padding_merged
from ..passes.simplification import simplified
from ..passes.stride_hoisting import without_unread_positions
from .request import lowest_precision, parameters_of

if TYPE_CHECKING:
    from ..program.program import Program

__all__ = ["Aten"]


class Aten:
    """The backend."""

    def supports(self, program: Program) -> bool:
        """Dense graphs on the CPU with convolutions or large products, unless MXNOVA_FUSE=0."""
        facts = program.facts
        return (
            bool(env.get("MXNOVA_FUSE"))
            and has_onednn_kernels()
            and not facts.groups
            and facts.context.device.type == "cpu"
            and all(a.stype == "default" for a in facts.inputs.values())
            and (any(map(_is_worth_compiling, program.symbol.nodes)) or _has_products(program))
        )

    def parameters(self, symbol: Symbol) -> set[str]:
        """Names of the weights of convolutions and products, and what belongs to them."""
        symbol = with_layers_opened(symbol)
        found = parameters_of_convolutions(symbol) | parameters_of_layers(symbol)
        for node in symbol.nodes:
            if isinstance(node.op, FullyConnected):
                found |= {e.node.name for e in node.inputs[1:] if e.node.op is None}
        return found

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol after all passes."""
        dtype = _dtype(program.symbol)
        symbol = with_layers_opened(program.symbol)
        dtypes, shapes = program.facts.dtypes(symbol), program.facts.shapes(symbol)
        symbol = with_layers_prepared(symbol, constants, dtypes, shapes)
        symbol = with_padding_merged(simplified(symbol))
        symbol = with_constants_folded(symbol, constants)
        symbol = with_fused_attention(symbol, program.facts.dtypes(symbol))
        symbol = without_unread_positions(symbol, program.facts.shapes(symbol))
        dtypes, shapes = program.facts.dtypes(symbol), program.facts.shapes(symbol)
        images = images_at_once(symbol, shapes)

        def fused() -> Symbol:
            made = with_fused_convolutions(symbol, shapes, dtypes, constants, dtype, images)
            return with_fused_products(made, program.facts.shapes(made), constants, dtype)

        symbol = run_single_threaded(fused) if images else fused()
        if dtype is torch.bfloat16:
            symbol = low_precision.with_casts(symbol)
        if images:
            parameters = parameters_of(symbol) | constants.keys()
            shapes = program.facts.shapes(symbol)
            symbol = with_batches_apart(
                symbol, shapes, images, parameters, constants, with_sums_in_place
            )
        return with_own_outputs(with_sums_in_place(symbol))


def _is_worth_compiling(node: Node) -> bool:
    return is_image_convolution(node) or isinstance(node.op, FusedLayer)


def _has_products(program: Program) -> bool:
    nodes = program.symbol.nodes
    if not any(isinstance(n.op, FullyConnected) for n in nodes):
        return False
    shapes = program.facts.shapes(program.symbol)
    return any(is_worth_fusing(node, shapes) for node in nodes)


def _dtype(symbol: Symbol) -> torch.dtype:
    """What products are computed in: what the nodes ask for.

    Raises:
        MXNetError: the processor cannot.
    """
    if lowest_precision(symbol) == "float32":
        return torch.float32
    low_precision.check_bfloat16()
    return torch.bfloat16
