# SPDX-License-Identifier: Apache-2.0
"""The passes in the order in which they run, and running them.

``MXNOVA_PASSES`` chooses among them by name, to find the one that a difference comes from.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...base import env
from ...base.errors import UnknownNameError, argument_error, candidates
from ...graph.lint import lint
from ...graph.symbol import Symbol
from . import (
    attention_fusion,
    batch_split,
    blocked_layout,
    constant_folding,
    convolution_fusion,
    in_place_sums,
    integer_fusion,
    integer_lowering,
    linear_fusion,
    low_precision,
    mkldnn_layer_lowering,
    padding_fusion,
    pooling_before_activation,
    separate_rnn_weights,
    simplification,
    stride_before_activation,
    stride_hoisting,
)
from .definition import Pass, Target

__all__ = ["GPU_INFERENCE", "INFERENCE", "NAMES", "TRAINING", "enabled", "rewritten"]

_FIRST: tuple[Pass, ...] = (simplification.PASS, padding_fusion.PASS, stride_hoisting.PASS)
_LAYERS: tuple[Pass, ...] = (
    constant_folding.PASS,
    attention_fusion.PASS,
    convolution_fusion.PASS,
)

GPU_INFERENCE: tuple[Pass, ...] = (*_FIRST, *_LAYERS)
"""On a GPU, with inputs that stay, outside training."""

INFERENCE: tuple[Pass, ...] = (
    mkldnn_layer_lowering.OPENING,
    integer_lowering.PASS,
    *_FIRST,
    integer_fusion.PASS,
    mkldnn_layer_lowering.PREPARATION,
    *_LAYERS,
    linear_fusion.PASS,
    low_precision.PASS,
    batch_split.PASS,
    in_place_sums.PASS,
)
"""The same on the CPU."""

TRAINING: tuple[Pass, ...] = (
    pooling_before_activation.PASS,
    stride_before_activation.PASS,
    blocked_layout.PASS,
    separate_rnn_weights.PASS,
)
"""For passes that gradients are taken of."""

NAMES = tuple(each.name for each in (*INFERENCE, *TRAINING))


def enabled() -> frozenset[str]:
    """Names of the passes that ``MXNOVA_PASSES`` leaves on.

    ``-a,-b`` leaves out these two, ``a,b`` all but these two; empty: all run.

    Raises:
        UnknownNameError: it names what is no pass.
        ArgumentError: it has names of both kinds.
    """
    text = env.get("MXNOVA_PASSES")
    words = text.replace(",", " ").split()
    off = {word[1:] for word in words if word.startswith("-")}
    on = {word for word in words if not word.startswith("-")}
    for name in (*off, *on):
        if name not in NAMES:
            hint = candidates(name, NAMES)
            raise UnknownNameError(
                f"MXNOVA_PASSES={text}: there is no pass {name!r}{hint}; known: {', '.join(NAMES)}"
            )
    if off and on:
        why = "must be names to leave out, with '-' before each, or names of all that run"
        raise argument_error("environment", "MXNOVA_PASSES", text, why)
    return frozenset(on or set(NAMES) - off)


def rewritten(passes: Iterable[Pass], symbol: Symbol, target: Target) -> Symbol:
    """`symbol` as the passes leave it that are among those of `target`.

    With ``MXNOVA_LINT_PASSES=1`` what each gives is checked.

    Args:
        passes: in order.
        symbol: any symbol; it stays as it is.
        target: what it is rewritten for.

    Raises:
        MXNetError: a pass broke the graph; with checks only.
    """
    checks = env.get("MXNOVA_LINT_PASSES")
    for each in passes:
        if each.name not in target.passes:
            continue
        before, symbol = symbol, each.apply(symbol, target)
        if checks and symbol is not before:
            known = {name: facts.shape for name, facts in target.facts.inputs.items()}
            lint(symbol, each.name, before, known)
    return symbol
