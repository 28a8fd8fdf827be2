# SPDX-License-Identifier: Apache-2.0
"""Inference with products in bfloat16, against libraries that have it, and against float32."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.subject import Case, Options, Subject
from benchmarks.subjects import inference

__all__ = ["SUBJECT"]


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    precision = "float32" if peer == "mxnet" else "bfloat16"  # MXNet's is slower
    return inference.cases(peer, options, precision)


SUBJECT = Subject(
    "Inference, bfloat16; MXNet: float32",
    ("mxnova-auto", "mxnova", "openvino", "torch-channels-last", "mxnet"),
    cases,
    also="mxnova",
    rounds=6,
    turn=0.3,
    targets={
        (f"ResNet-50, batch {n}", peer): ratio
        for n in (1, 8)
        for peer, ratio in (("openvino", 1.05), ("mxnet", 0.22))
    },
)
