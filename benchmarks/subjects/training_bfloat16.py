# SPDX-License-Identifier: Apache-2.0
"""A training step in mixed precision, bfloat16, against torch's autocast and MXNet in float32."""

from __future__ import annotations

import functools
from collections.abc import Callable

from benchmarks.inputs import import_mx
from benchmarks.models.sizes import FULL, SMOKE, Sizes, batch_of
from benchmarks.models.steps import gluon_step, torch_step
from benchmarks.subject import Case, Options, Subject, runtime_of
from benchmarks.subjects.training import BATCHES, awaited

__all__ = ["SUBJECT"]

NETWORKS = ("LeNet", "ResNet-50")


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    sizes = SMOKE if options.smoke else FULL
    networks = NETWORKS[:1] if options.smoke else NETWORKS
    return {_name(n): functools.partial(_case, peer, n, sizes) for n in networks}


def _name(network: str) -> str:
    return f"{network}, batch {BATCHES[network]}"


def _case(peer: str, network: str, sizes: Sizes) -> Case:
    batch = batch_of(network, BATCHES[network], sizes)
    if runtime_of(peer) == "torch":
        step = torch_step(network, *batch, sizes, channels_last=True, low="bfloat16")
    else:
        if runtime_of(peer) == "mxnova":
            from mxnova.contrib import amp

            amp.init("bfloat16")
        step = gluon_step(import_mx(peer), network, *batch, sizes, hybridize={})
    return Case(awaited(peer, step))


SUBJECT = Subject(
    "A training step in bfloat16; MXNet: float32",
    ("mxnova", "torch-autocast", "mxnet"),
    cases,
    rounds=6,
    turn=0.5,
    targets={(_name("ResNet-50"), "torch-autocast"): 0.95, (_name("ResNet-50"), "mxnet"): 0.45},
)
