# SPDX-License-Identifier: Apache-2.0
"""The default backend: passes over the graph that serve ATen's kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...base import env
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.nn.fully_connected import FullyConnected
from ...runtime.torch_api import has_onednn_kernels
from ..fused.mkldnn_layers import FusedLayer
from ..passes import low_precision
from ..passes.attention_fusion import gives_attention
from ..passes.convolution_fusion import parameters_of_convolutions
from ..passes.definition import Target
from ..passes.linear_fusion import is_worth_fusing
from ..passes.matching import is_image_convolution, parameter_names
from ..passes.mkldnn_layer_lowering import (
    parameters_of_layers,
    with_layers_opened,
)
from ..passes.pipeline import GPU_INFERENCE, INFERENCE, enabled, rewritten
from ..passes.qdq import is_quantized
from .request import lowest_precision

if TYPE_CHECKING:
    from ..program.program import Program

__all__ = ["Aten"]


class Aten:
    """The backend."""

    def supports(self, program: Program) -> bool:
        """Dense graphs on one device with something that is better fused, unless MXNOVA_FUSE=0."""
        facts = program.facts
        return (
            bool(env.get("MXNOVA_FUSE"))
            and not facts.groups
            and all(a.stype == "default" for a in facts.inputs.values())
            and (_is_for_gpu if facts.on_gpu else _is_for_cpu)(program)
        )

    def parameters(self, symbol: Symbol) -> set[str]:
        """Names of the weights of convolutions and products, and what belongs to them."""
        symbol = with_layers_opened(symbol)
        found = parameters_of_convolutions(symbol) | parameters_of_layers(symbol.nodes)
        found |= parameter_names(filter(is_quantized, symbol.nodes))
        for node in symbol.nodes:
            if isinstance(node.op, FullyConnected):
                found |= {e.node.name for e in node.inputs[1:] if e.node.op is None}
        return found

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol after the passes for its device."""
        passes = enabled()
        if program.facts.on_gpu:
            target = Target(program.facts, passes, constants, images=0)
            return rewritten(GPU_INFERENCE, program.symbol, target)
        dtype = _dtype(program.symbol) if "low_precision" in passes else torch.float32
        target = Target(program.facts, passes, constants, dtype)
        return rewritten(INFERENCE, program.symbol, target)


def _is_for_gpu(program: Program) -> bool:
    return any(is_image_convolution(n) or gives_attention(n) for n in program.symbol.nodes)


def _is_for_cpu(program: Program) -> bool:
    if not has_onednn_kernels() or program.facts.context.device.type != "cpu":
        return False
    return any(map(_is_worth_compiling, program.symbol.nodes)) or _has_products(program)


def _is_worth_compiling(node: Node) -> bool:
    return is_image_convolution(node) or isinstance(node.op, FusedLayer) or is_quantized(node)


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
