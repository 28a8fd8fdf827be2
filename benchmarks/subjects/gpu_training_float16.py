# SPDX-License-Identifier: Apache-2.0
"""A training step on a GPU in mixed precision, float16 with scaled losses."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.subject import Case, Options, Subject
from benchmarks.subjects.gpu_training import RESNETS, cases_of

__all__ = ["SUBJECT"]


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    return cases_of(peer, options, (("LeNet", 64), *RESNETS), "float16")


SUBJECT = Subject(
    "A training step on a GPU, float16 and float32",
    ("mxnova", "mxnova-cudagraph", "torch", "torch-channels-last", "torch-fused", "torch-compile"),
    cases,
    also="mxnova-cudagraph",
    rounds=6,
    turn=0.3,
)
