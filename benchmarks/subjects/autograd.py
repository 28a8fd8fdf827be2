# SPDX-License-Identifier: Apache-2.0
"""What a recorded step costs: ``(a * b + b).sum()`` and its gradient, small and large."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.subject import Case, Options, Subject

SHAPES = {"step, 10x10": (10, 10), "step, 1000x1000": (1000, 1000)}
FORWARD = "forward, 10x10"


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    made = _torch_case if peer == "torch" else functools.partial(_mx_case, import_mx(peer))
    shapes = {n: (4, 4) if options.smoke else s for n, s in SHAPES.items()}
    small = shapes["step, 10x10"]
    return {
        FORWARD: functools.partial(made, small, False),
        **{name: functools.partial(made, shape, True) for name, shape in shapes.items()},
    }


def _torch_case(shape: tuple[int, int], differentiated: bool) -> Case:
    import torch

    a = torch.from_numpy(normal("a", shape)).requires_grad_()
    b = torch.from_numpy(normal("b", shape))

    def forward() -> Any:
        return (a * b + b).sum()

    def step() -> None:
        a.grad = None
        forward().backward()

    def output() -> list[np.ndarray]:
        step()
        return [forward().detach().numpy().reshape(-1), a.grad.numpy()]

    return Case(step if differentiated else forward, output=output)


def _mx_case(mx: Any, shape: tuple[int, int], differentiated: bool) -> Case:
    a, b = mx.nd.array(normal("a", shape)), mx.nd.array(normal("b", shape))
    a.attach_grad()

    def forward() -> Any:
        with mx.autograd.record():
            return (a * b + b).sum()

    def step() -> None:
        forward().backward()

    def output() -> list[np.ndarray]:
        step()
        return [forward().asnumpy(), a.grad.asnumpy()]

    return Case(step if differentiated else forward, finish=mx.nd.waitall, output=output)


SUBJECT = Subject(
    "A recorded step: multiply, add, sum, backward",
    ("mxnova", "torch", "mxnet"),
    cases,
    targets={
        ("step, 10x10", "torch"): 2.5,
        ("step, 10x10", "mxnet"): 0.6,
        ("step, 1000x1000", "torch"): 1.1,
    },
)
