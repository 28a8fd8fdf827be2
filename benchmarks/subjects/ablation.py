# SPDX-License-Identifier: Apache-2.0
"""What each pass of the default backend is worth: inference without it; and with other backends."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

from benchmarks.models.networks import resnet50, squeezenet, transformer
from benchmarks.subject import Case, Options, Subject
from benchmarks.subjects import inference
from benchmarks.subjects.inference import SMOKE_WORKS, Work
from mxnova.core.exec.passes.pipeline import INFERENCE

__all__ = ["SUBJECT", "SWITCHES", "WORKS"]

WORKS = {
    "ResNet-50, batch 1": Work(resnet50, 1),
    "ResNet-50, batch 8": Work(resnet50, 8),
    "SqueezeNet 1.1, batch 8": Work(squeezenet, 8),
    "Transformer encoder, batch 8": Work(transformer, 8),
}


# Passes for graphs that none of these networks is: quantized layers, bfloat16.
_ELSEWHERE = (
    "mkldnn_layer_opening",
    "integer_lowering",
    "integer_fusion",
    "mkldnn_layer_preparation",
    "low_precision",
)
# Peer -> what its environment says: one pass less each, in the order of the passes.
SWITCHES: dict[str, dict[str, str]] = {
    "mxnova-without-passes": {"MXNOVA_FUSE": "0"},
    "mxnova-without-tiles": {"MXNOVA_WINOGRAD": "0"},
    **{
        f"mxnova-without-{each.name}": {"MXNOVA_PASSES": f"-{each.name}"}
        for each in INFERENCE
        if each.name not in _ELSEWHERE
    },
}
BACKENDS = ("mxnova-onednn", "mxnova-openvino", "mxnova-onnxruntime", "mxnova-inductor")


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    works = SMOKE_WORKS if options.smoke else WORKS
    if peer == "mxnova-inductor":  # compiles for a minute
        works = dict(list(works.items())[:1])
    return {name: functools.partial(_case, peer, work, options) for name, work in works.items()}


def _case(peer: str, work: Work, options: Options) -> Case:
    os.environ.update(SWITCHES.get(peer, {}))
    runs_as = peer if peer in BACKENDS else "mxnova"
    return inference.case_of(runs_as, work, options)


SUBJECT = Subject(
    "Inference without one pass, or by another backend",
    ("mxnova", *SWITCHES, *BACKENDS),
    cases,
    rounds=6,
    turn=0.3,
)
