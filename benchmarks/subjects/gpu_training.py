# SPDX-License-Identifier: Apache-2.0
"""A training step on a GPU, the host not waiting for it: forward, loss, backward, update.

``mxnova`` is a hybridized Gluon network with a Trainer; ``torch-fused`` has images channels-last
and fused optimizers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks import gpu
from benchmarks.inputs import import_mx
from benchmarks.models.sizes import FULL, SMOKE, batch_of
from benchmarks.models.steps import Step, gluon_step, module_step, torch_step, values
from benchmarks.subject import Case, Options, Skip, Subject, runtime_of
from benchmarks.subjects.training import SPARED

__all__ = ["SUBJECT", "cases_of"]

BATCHES = (("MLP", 64), ("LeNet", 64), ("LSTM", 32), ("Transformer", 16))
RESNETS = (("ResNet-50", 32), ("ResNet-50", 64))
# What a variant of torch gets.
TORCH: dict[str, dict[str, Any]] = {
    "": {},
    "channels-last": {"channels_last": True},
    "fused": {"channels_last": True, "fused": True},
    "compile": {"channels_last": True, "compiled": "reduce-overhead", "fused": True},
}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    return cases_of(peer, options, (*BATCHES, *RESNETS), "float32")


def cases_of(
    peer: str, options: Options, batches: tuple[tuple[str, int], ...], precision: str
) -> dict[str, Callable[[], Case]]:
    """The cases of networks and batch sizes, ``float16``: mixed with float32."""
    gpu.started()
    chosen = [b for b in batches if not options.smoke or b[0] != "ResNet-50"]
    if peer == "mxnova-module":
        chosen = [b for b in chosen if b[0] in ("MLP", "LeNet", "ResNet-50")]
    return {
        f"{network}, batch {batch}": functools.partial(
            _case, peer, network, batch, options, precision
        )
        for network, batch in chosen
    }


def _case(peer: str, network: str, batch: int, options: Options, precision: str) -> Case:
    device = gpu.device_for(options)
    if device == "cpu" and peer == "mxnova-cudagraph":
        raise Skip("a CUDA graph needs a GPU")
    step = _step(peer, network, batch, options, precision, device)
    is_alike = peer != "mxnova-module" and network not in SPARED
    # The losses of a second step show the gradients of the first.
    output = (lambda: [values(step()), values(step())]) if is_alike else None
    return Case(step, finish=gpu.waiter(device), output=output)


def _step(
    peer: str, network: str, batch: int, options: Options, precision: str, device: str
) -> Step:
    variant = peer.partition("-")[2]
    sizes = SMOKE if options.smoke else FULL
    given = (network, *batch_of(network, batch, sizes), sizes)
    if runtime_of(peer) == "torch":
        low = "float16" if precision == "float16" else ""
        return torch_step(*given, device=device, low=low, **TORCH[variant])
    mx = import_mx(peer)
    if variant == "module":
        return module_step(mx, *given, device=device)
    amp = None
    if precision == "float16":
        from mxnova.contrib import amp

        amp.init("float16")
    hybridize = {"backend": variant} if variant else {}
    return gluon_step(mx, *given, device=device, hybridize=hybridize, amp=amp)


SUBJECT = Subject(
    "A training step on a GPU, float32",
    (
        "mxnova",
        "mxnova-module",
        "mxnova-cudagraph",
        "mxnova-inductor",
        "torch",
        "torch-channels-last",
        "torch-fused",
        "torch-compile",
    ),
    cases,
    also="mxnova-cudagraph",
    rounds=6,
    turn=0.3,
)
