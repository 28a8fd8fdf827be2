# SPDX-License-Identifier: Apache-2.0
"""A training step of Gluon: forward, loss, backward and `Trainer.step`; torch runs eagerly."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx
from benchmarks.models.sizes import FULL, SMOKE, Sizes, batch_of, start_of
from benchmarks.subject import Case, Options, Subject

BATCHES = {"MLP": 32, "LeNet": 64, "LSTM": 32, "Transformer": 16, "ResNet-50": 8}
SPARED = ("ResNet-50",)  # not compared with torch: its convolutions have no biases there
RATE, MOMENTUM = 1e-3, 0.9
OPTIMIZERS = {"Transformer": "adam"}  # others have SGD with momentum
MODES = ("hybridized", "not hybridized")
Step = Callable[[], np.ndarray]  # gives the losses


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    sizes = SMOKE if options.smoke else FULL
    batches = {n: b for n, b in BATCHES.items() if not (options.smoke and n == "ResNet-50")}
    return {
        _name(network, mode): functools.partial(_case, peer, network, mode, batch, sizes)
        for network, batch in batches.items()
        for mode in MODES
    }


def _name(network: str, mode: str) -> str:
    return f"{network}, batch {BATCHES[network]}, {mode}"


def _case(peer: str, network: str, mode: str, batch: int, sizes: Sizes) -> Case:
    data, label = batch_of(network, batch, sizes)
    if peer == "torch":
        step = _torch_step(network, data, label, sizes)
    else:
        step = _gluon_step(import_mx(peer), network, mode, data, label, sizes)
    if peer == "torch" and network in SPARED:
        return Case(step)
    # The losses of a second step show the gradients of the first.
    return Case(step, output=lambda: [step(), step()])


def _gluon_step(
    mx: Any, network: str, mode: str, data: np.ndarray, label: np.ndarray, sizes: Sizes
) -> Step:
    from benchmarks.models.gluon_net import blocks

    net = blocks(mx, sizes)[network]()
    net.initialize(mx.init.Xavier())
    x, y = mx.nd.array(data), mx.nd.array(label)
    net(x)
    learned = [p for p in net.collect_params().values() if p.grad_req != "null"]
    for place, parameter in enumerate(learned):
        parameter.set_data(mx.nd.array(start_of(place, parameter.shape)))
    if mode == "hybridized":
        net.hybridize(static_alloc=True)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    kind = OPTIMIZERS.get(network, "sgd")
    settings = {"learning_rate": RATE, **({"momentum": MOMENTUM} if kind == "sgd" else {})}
    trainer = mx.gluon.Trainer(net.collect_params(), kind, settings)

    def step() -> np.ndarray:
        with mx.autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(label))
        mx.nd.waitall()
        return loss.asnumpy()

    return step


def _torch_step(network: str, data: np.ndarray, label: np.ndarray, sizes: Sizes) -> Step:
    import torch

    from benchmarks.models.torch_blocks import modules

    module = modules(sizes)[network]().train()
    with torch.no_grad():
        for place, parameter in enumerate(module.parameters()):
            parameter.copy_(torch.from_numpy(start_of(place, tuple(parameter.shape))))
    optimizer = _torch_optimizer(network, module.parameters())
    x, y = torch.from_numpy(data), torch.from_numpy(label)

    def step() -> np.ndarray:
        optimizer.zero_grad()
        scores = module(x).flatten(0, -2) if y.dim() > 1 else module(x)
        loss = torch.nn.functional.cross_entropy(scores, y.flatten(), reduction="none")
        loss.mean().backward()
        optimizer.step()
        # Gluon's loss has the mean of each sample of the first axis.
        return loss.detach().reshape(len(y), -1).mean(1).numpy()

    return step


def _torch_optimizer(network: str, parameters: Iterable[Any]) -> Any:
    import torch

    if OPTIMIZERS.get(network) == "adam":
        return torch.optim.Adam(parameters, RATE)
    return torch.optim.SGD(parameters, RATE, MOMENTUM)


TARGETS = {"MLP": 1.0, "LeNet": 1.0, "LSTM": 0.75, "Transformer": 0.75}
SUBJECT = Subject(
    "A training step of Gluon",
    ("mxnova", "torch", "mxnet"),
    cases,
    rounds=6,
    turn=0.5,
    targets={(_name(n, "hybridized"), "mxnet"): target for n, target in TARGETS.items()},
)
