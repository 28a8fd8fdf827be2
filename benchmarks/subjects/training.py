# SPDX-License-Identifier: Apache-2.0
"""A training step: forward, loss, backward, update; by Gluon, Module, torch, torch.compile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx
from benchmarks.models.sizes import FULL, SMOKE, Sizes, batch_of
from benchmarks.models.steps import Step, gluon_step, module_step, torch_step, values
from benchmarks.subject import Case, Options, Subject, runtime_of

BATCHES = {"MLP": 32, "LeNet": 64, "LSTM": 32, "Transformer": 16, "ResNet-50": 8}
SPARED = ("ResNet-50",)  # not compared with torch: its convolutions have no biases there
MODES = ("hybridized", "not hybridized")
# Peers that run some networks only, and have one mode.
VARIANTS: dict[str, tuple[str, ...]] = {
    "mxnova-module": ("MLP", "LeNet", "ResNet-50"),
    "torch-channels-last": ("LeNet", "ResNet-50"),
    "torch-inductor": tuple(BATCHES),
}

# What `hybridize` gets; None: it is not called.
HYBRIDIZE: dict[str, dict[str, Any] | None] = {MODES[0]: {}, MODES[1]: None}
TORCH: dict[str, dict[str, Any]] = {
    "": {},
    "channels-last": {"channels_last": True},
    "inductor": {"channels_last": True, "compiled": "default"},
}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    sizes = SMOKE if options.smoke else FULL
    networks = [n for n in BATCHES if not (options.smoke and n == "ResNet-50")]
    return {
        _name(network, mode): functools.partial(_case, peer, network, mode, sizes)
        for network in networks
        for mode in (MODES[:1] if peer in VARIANTS else MODES)
        if network in VARIANTS.get(peer, networks)
    }


def _name(network: str, mode: str) -> str:
    return f"{network}, batch {BATCHES[network]}, {mode}"


def _case(peer: str, network: str, mode: str, sizes: Sizes) -> Case:
    batch = batch_of(network, BATCHES[network], sizes)
    if peer == "mxnova-module":
        made = module_step(import_mx(peer), network, *batch, sizes)
    elif runtime_of(peer) == "torch":
        made = torch_step(network, *batch, sizes, **TORCH[peer.partition("-")[2]])
    else:
        made = gluon_step(import_mx(peer), network, *batch, sizes, hybridize=HYBRIDIZE[mode])
    step = awaited(peer, made)
    if peer == "mxnova-module" or (runtime_of(peer) == "torch" and network in SPARED):
        return Case(step)
    # The losses of a second step show the gradients of the first.
    return Case(step, output=lambda: [step(), step()])


def awaited(peer: str, step: Step) -> Callable[[], np.ndarray]:
    """A step that ends when its updates are made; an engine makes them after the losses."""
    wait = None if runtime_of(peer) == "torch" else import_mx(peer).nd.waitall

    def whole_step() -> np.ndarray:
        losses = step()
        if wait is not None:
            wait()
        return values(losses)

    return whole_step


# Network -> what mxnova may take, by peer.
TARGETS: dict[str, dict[str, float]] = {
    "MLP": {"mxnet": 0.8, "torch": 0.95},
    "LeNet": {"mxnet": 0.8, "torch": 0.95},
    "LSTM": {"mxnet": 0.6, "torch": 1.0},
    "Transformer": {"mxnet": 0.6, "torch": 1.0},
    "ResNet-50": {"mxnet": 0.95, "torch-channels-last": 0.85, "torch-inductor": 0.9},
}
SUBJECT = Subject(
    "A training step",
    ("mxnova", "mxnova-module", "torch", "torch-channels-last", "torch-inductor", "mxnet"),
    cases,
    also="mxnova-module",
    rounds=6,
    turn=0.5,
    targets={
        (_name(network, "hybridized"), peer): target
        for network, targets in TARGETS.items()
        for peer, target in targets.items()
    },
)
