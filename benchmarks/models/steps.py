# SPDX-License-Identifier: Apache-2.0
"""Steps of training by Gluon, Module and torch: forward, loss, backward, update."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

import numpy as np

from benchmarks.gpu import context_on
from benchmarks.models.sizes import Sizes, start_of

__all__ = ["Step", "gluon_step", "module_step", "torch_step", "values"]

RATE, MOMENTUM = 1e-3, 0.9
OPTIMIZERS = {"Transformer": "adam"}  # others have SGD with momentum
Step = Callable[[], Any]  # gives the losses, as an array that may not be there yet


def values(losses: Any) -> np.ndarray:
    """What a step gives, in NumPy; waits for it."""
    return losses.asnumpy() if hasattr(losses, "asnumpy") else losses.cpu().numpy()


def gluon_step(
    mx: Any,
    network: str,
    data: np.ndarray,
    label: np.ndarray,
    sizes: Sizes,
    *,
    device: str = "cpu",
    hybridize: dict[str, Any] | None = None,
    amp: Any = None,
) -> Step:
    """A step of Gluon.

    Args:
        mx: mxnova or MXNet.
        network: its name.
        data: inputs.
        label: what to learn.
        sizes: of the network.
        device: where.
        hybridize: options of the network's ``hybridize``; None: it is not called.
        amp: the module ``contrib.amp`` after its ``init``, where losses are scaled.
    """
    from benchmarks.models.gluon_net import blocks

    context = context_on(mx, device)
    net = blocks(mx, sizes)[network]()
    net.initialize(mx.init.Xavier(), ctx=context)
    x, y = (mx.nd.array(a, ctx=context) for a in (data, label))
    net(x)
    learned = [p for p in net.collect_params().values() if p.grad_req != "null"]
    for place, parameter in enumerate(learned):
        parameter.set_data(mx.nd.array(start_of(place, parameter.shape), ctx=context))
    if hybridize is not None:
        net.hybridize(static_alloc=True, **hybridize)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    kind = OPTIMIZERS.get(network, "sgd")
    settings = {"learning_rate": RATE, **({"momentum": MOMENTUM} if kind == "sgd" else {})}
    trainer = mx.gluon.Trainer(net.collect_params(), kind, settings)
    if amp is not None:
        amp.init_trainer(trainer)

    def step() -> Any:
        with mx.autograd.record():
            loss = loss_of(net(x), y)
            with nullcontext(loss) if amp is None else amp.scale_loss(loss, trainer) as scaled:
                pass  # only multiplies
        scaled.backward()
        trainer.step(len(label))
        return loss

    return step


def module_step(
    mx: Any,
    network: str,
    data: np.ndarray,
    label: np.ndarray,
    sizes: Sizes,
    *,
    device: str = "cpu",
) -> Step:
    """A step of a Module, whose last operator is the loss; gives the probabilities."""
    from benchmarks.models.gluon_net import blocks

    context = context_on(mx, device)
    scores = blocks(mx, sizes)[network]()(mx.sym.var("data"))
    module = mx.mod.Module(mx.sym.SoftmaxOutput(scores, name="softmax"), context=context)
    module.bind([("data", data.shape)], [("softmax_label", label.shape)])
    module.init_params(mx.init.Xavier())
    settings = {"learning_rate": RATE, "momentum": MOMENTUM}
    module.init_optimizer(kvstore=None, optimizer="sgd", optimizer_params=settings)
    arrays = [[mx.nd.array(a, ctx=context)] for a in (data, label)]
    batch = mx.io.DataBatch(*arrays)

    def step() -> Any:
        module.forward(batch, is_train=True)
        module.backward()
        module.update()
        return module.get_outputs()[0]

    return step


def torch_step(
    network: str,
    data: np.ndarray,
    label: np.ndarray,
    sizes: Sizes,
    *,
    device: str = "cpu",
    channels_last: bool = False,
    compiled: str = "",
    low: str = "",
    **optimizer_options: Any,
) -> Step:
    """A step of torch.

    Args:
        network: its name.
        data: inputs.
        label: what to learn.
        sizes: of the network.
        device: where.
        channels_last: images lie so.
        compiled: mode of ``torch.compile``; empty: not compiled.
        low: element type of ``torch.autocast``, whose gradients are scaled for float16.
        optimizer_options: further ones, such as ``fused``.
    """
    import torch

    from benchmarks.models.torch_blocks import modules

    module = modules(sizes)[network]().train()
    with torch.no_grad():
        for place, parameter in enumerate(module.parameters()):
            parameter.copy_(torch.from_numpy(start_of(place, tuple(parameter.shape))))
    module = module.to(device)
    x, y = (torch.from_numpy(a).to(device) for a in (data, label))
    if channels_last and x.dim() == 4:
        module = module.to(memory_format=torch.channels_last)
        x = x.contiguous(memory_format=torch.channels_last)
    optimizer = _torch_optimizer(network, module.parameters(), optimizer_options)
    run = torch.compile(module, mode=compiled) if compiled else module
    scaler = torch.amp.GradScaler(device, enabled=low == "float16")
    dtype = getattr(torch, low or "float32")

    def step() -> Any:
        optimizer.zero_grad()
        with torch.autocast(device, dtype, enabled=bool(low)):
            scores = run(x).flatten(0, -2) if y.dim() > 1 else run(x)
            loss = torch.nn.functional.cross_entropy(scores, y.flatten(), reduction="none")
        scaler.scale(loss.mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        # Gluon's loss has the mean of each sample of the first axis.
        return loss.detach().float().reshape(len(y), -1).mean(1)

    return step


def _torch_optimizer(network: str, parameters: Iterable[Any], options: dict[str, Any]) -> Any:
    import torch

    if OPTIMIZERS.get(network) == "adam":
        return torch.optim.Adam(parameters, RATE, **options)
    return torch.optim.SGD(parameters, RATE, MOMENTUM, **options)
