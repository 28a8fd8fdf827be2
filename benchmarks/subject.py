# SPDX-License-Identifier: Apache-2.0
"""What a subject states: its peers, and the cases that each of them can run."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["SUBJECTS", "Case", "Options", "Skip", "Subject", "find", "runtime_of"]

SUBJECTS = (
    "import_time",
    "params",
    "recordio",
    "dispatch",
    "autograd",
    "first_use",
    "operators",
    "tuning",
    "seeds",
    "sparse",
    "engine",
    "capi",
    "resnet50",
    "inference",
    "inference_bfloat16",
    "inference_int8",
    "ablation",
    "train",
    "training",
    "training_bfloat16",
    "data_loader",
    "image_records",
    "predictor_threads",
    "kvstore",
    "gpu_calls",
    "gpu_data",
    "gpu_inference",
    "gpu_training",
    "gpu_training_float16",
)


class Skip(Exception):  # noqa: N818 - no error
    """A peer cannot run a case; the text says why."""


@dataclass(frozen=True)
class Options:
    """What the cases of all peers have in common.

    Attributes:
        threads: threads that one computation may use.
        smoke: sizes that only show that it runs.
        directory: where cases may write files.
    """

    threads: int = 2
    smoke: bool = False
    directory: str = "."


@dataclass(frozen=True)
class Case:
    """Something to time.

    Attributes:
        statement: a callable, or Python source where even the call of a function would count.
        names: what the source refers to.
        finish: waits until everything is done; its time counts.
        output: arrays that must be equal for all peers.
        number: runs of the statement in one sample; chosen by its duration when None.
        items: things that one run does; times are for one of them.
    """

    statement: str | Callable[[], Any]
    names: Mapping[str, Any] = field(default_factory=dict)
    finish: Callable[[], Any] | None = None
    output: Callable[[], Sequence[Any]] | None = None
    number: int | None = None
    items: int = 1


@dataclass(frozen=True)
class Subject:
    """A set of cases that several peers run.

    Attributes:
        title: what is measured.
        peers: ``runtime`` or ``runtime-variant``; ratios are those of the first to each other one.
        cases: (peer, options) -> case name -> maker of the case, called in the peer's process.
        rounds: how often each peer has its turn.
        turn: seconds of one turn; at least one sample is taken.
        targets: (case, peer) -> ratio that must not be exceeded.
        also: a second peer whose ratios to the others are shown, too.
        processes: peer -> variables of each of its processes, the first of which answers; None: it
            has one.
    """

    title: str
    peers: tuple[str, ...]
    cases: Callable[[str, Options], Mapping[str, Callable[[], Case]]]
    rounds: int = 10
    turn: float = 0.2
    targets: Mapping[tuple[str, str], float] = field(default_factory=dict)
    also: str | None = None
    processes: Callable[[str], Sequence[Mapping[str, str]]] | None = None


def find(name: str) -> Subject:
    """The subject called `name`."""
    subject: Subject = importlib.import_module(f"benchmarks.subjects.{name}").SUBJECT
    return subject


def runtime_of(peer: str) -> str:
    """The library that a peer is a variant of: torch for torch-channels-last."""
    return peer.partition("-")[0]
