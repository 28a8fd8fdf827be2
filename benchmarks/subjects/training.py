# SPDX-License-Identifier: Apache-2.0
"""A training step: forward, loss, backward, update; by Gluon, Module, torch, torch.compile."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx
from benchmarks.models.sizes import FULL, SMOKE, Sizes, batch_of, start_of
from benchmarks.subject import Case, Options, Subject, runtime_of

BATCHES = {"MLP": 32, "LeNet": 64, "LSTM": 32, "Transformer": 16, "ResNet-50": 8}
SPARED = ("ResNet-50",)  # not compared with torch: its convolutions have no biases there
RATE, MOMENTUM = 1e-3, 0.9
OPTIMIZERS = {"Transformer": "adam"}  # others have SGD with momentum
MODES = ("hybridized", "not hybridized")
# Peers that run some networks only, and have one mode.
VARIANTS: dict[str, tuple[str, ...]] = {
    "mxnova-module": ("MLP", "LeNet", "ResNet-50"),
    "torch-channels-last": ("LeNet", "ResNet-50"),
    "torch-inductor": tuple(BATCHES),
}
Step = Callable[[], np.ndarray]  # gives the losses


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
    data, label = batch_of(network, BATCHES[network], sizes)
    if peer == "mxnova-module":
        return Case(module_step(import_mx(peer), network, data, label, sizes))
    if runtime_of(peer) == "torch":
        step = torch_step(network, data, label, sizes, peer.partition("-")[2])
    else:
        step = gluon_step(import_mx(peer), network, mode, data, label, sizes)
    if runtime_of(peer) == "torch" and network in SPARED:
        return Case(step)
    # The losses of a second step show the gradients of the first.
    return Case(step, output=lambda: [step(), step()])


def gluon_step(
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


def module_step(mx: Any, network: str, data: np.ndarray, label: np.ndarray, sizes: Sizes) -> Step:
    """A step of a Module, whose last operator is the loss."""
    from benchmarks.models.gluon_net import blocks

    scores = blocks(mx, sizes)[network]()(mx.sym.var("data"))
    module = mx.mod.Module(mx.sym.SoftmaxOutput(scores, name="softmax"), context=mx.cpu())
    module.bind([("data", data.shape)], [("softmax_label", label.shape)])
    module.init_params(mx.init.Xavier())
    settings = {"learning_rate": RATE, "momentum": MOMENTUM}
    module.init_optimizer(kvstore=None, optimizer="sgd", optimizer_params=settings)
    batch = mx.io.DataBatch([mx.nd.array(data)], [mx.nd.array(label)])

    def step() -> np.ndarray:
        module.forward(batch, is_train=True)
        module.backward()
        module.update()
        mx.nd.waitall()
        return module.get_outputs()[0].asnumpy()

    return step


def torch_step(
    network: str, data: np.ndarray, label: np.ndarray, sizes: Sizes, variant: str = ""
) -> Step:
    """A step of torch: eagerly, channels-last, by torch.compile or under autocast to bfloat16."""
    import torch

    from benchmarks.models.torch_blocks import modules

    module = modules(sizes)[network]().train()
    with torch.no_grad():
        for place, parameter in enumerate(module.parameters()):
            parameter.copy_(torch.from_numpy(start_of(place, tuple(parameter.shape))))
    x, y = torch.from_numpy(data), torch.from_numpy(label)
    if variant and x.dim() == 4:
        module = module.to(memory_format=torch.channels_last)
        x = x.contiguous(memory_format=torch.channels_last)
    optimizer = _torch_optimizer(network, module.parameters())
    run = torch.compile(module) if variant == "inductor" else module

    def step() -> np.ndarray:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=variant == "autocast"):
            scores = run(x).flatten(0, -2) if y.dim() > 1 else run(x)
            loss = torch.nn.functional.cross_entropy(scores, y.flatten(), reduction="none")
        loss.mean().backward()
        optimizer.step()
        # Gluon's loss has the mean of each sample of the first axis.
        return loss.detach().float().reshape(len(y), -1).mean(1).numpy()

    return step


def _torch_optimizer(network: str, parameters: Iterable[Any]) -> Any:
    import torch

    if OPTIMIZERS.get(network) == "adam":
        return torch.optim.Adam(parameters, RATE)
    return torch.optim.SGD(parameters, RATE, MOMENTUM)


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
