# SPDX-License-Identifier: Apache-2.0
"""What each pass of the default backend is worth: inference without it; and with other backends."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any

from benchmarks.models.networks import resnet50, squeezenet, transformer
from benchmarks.subject import Case, Options, Subject
from benchmarks.subjects import inference
from benchmarks.subjects.inference import SMOKE_WORKS, Work

__all__ = ["SUBJECT", "WITHOUT", "place_of"]

WORKS = {
    "ResNet-50, batch 1": Work(resnet50, 1),
    "ResNet-50, batch 8": Work(resnet50, 8),
    "SqueezeNet 1.1, batch 8": Work(squeezenet, 8),
    "Transformer encoder, batch 8": Work(transformer, 8),
}


def _unchanged(symbol: Any, *_rest: Any) -> Any:
    return symbol


# Peer -> module and name there of a pass, and what stands in for it.
WITHOUT: dict[str, tuple[str, str, Any]] = {
    "mxnova-without-simplification": ("backends.aten", "simplified", _unchanged),
    "mxnova-without-padding": ("backends.aten", "with_padding_merged", _unchanged),
    "mxnova-without-constants": ("backends.aten", "with_constants_folded", _unchanged),
    "mxnova-without-attention": ("backends.aten", "with_fused_attention", _unchanged),
    "mxnova-without-unread-positions": ("backends.aten", "without_unread_positions", _unchanged),
    "mxnova-without-convolutions": ("backends.aten", "with_fused_convolutions", _unchanged),
    "mxnova-without-products": ("backends.aten", "with_fused_products", _unchanged),
    "mxnova-without-gelu-in-place": ("passes.linear_fusion", "HAS_AVX512", True),
    "mxnova-without-sums-in-place": ("backends.aten", "with_sums_in_place", _unchanged),
    "mxnova-without-shared-batches": ("backends.aten", "images_at_once", lambda *_: 0),
}
# Peer -> what is 0 in its environment.
SWITCHES = {"mxnova-without-passes": "MXNOVA_FUSE", "mxnova-without-tiles": "MXNOVA_WINOGRAD"}
BACKENDS = ("mxnova-onednn", "mxnova-openvino", "mxnova-onnxruntime", "mxnova-inductor")


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    works = SMOKE_WORKS if options.smoke else WORKS
    if peer == "mxnova-inductor":  # compiles for a minute
        works = dict(list(works.items())[:1])
    return {name: functools.partial(_case, peer, work, options) for name, work in works.items()}


def place_of(peer: str) -> Any:
    """The module where a pass is called that `peer` does without."""
    return importlib.import_module(f"mxnova.core.exec.{WITHOUT[peer][0]}")


def _case(peer: str, work: Work, options: Options) -> Case:
    if peer in SWITCHES:
        os.environ[SWITCHES[peer]] = "0"
    if peer in WITHOUT:
        name, replacement = WITHOUT[peer][1:]
        setattr(place_of(peer), name, replacement)
    runs_as = peer if peer in BACKENDS else "mxnova"
    return inference.case_of(runs_as, work, options)


SUBJECT = Subject(
    "Inference without one pass, or by another backend",
    ("mxnova", *SWITCHES, *WITHOUT, *BACKENDS),
    cases,
    rounds=6,
    turn=0.3,
)
