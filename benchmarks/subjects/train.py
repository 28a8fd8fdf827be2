# SPDX-License-Identifier: Apache-2.0
"""A training step: forward, backward, and SGD with momentum on every parameter."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, indices, normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, perceptron, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Subject

RATE, MOMENTUM = 1e-4, 0.9
Step = Callable[[], np.ndarray]  # gives the probabilities of its forward pass


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    networks = [(perceptron, 64), (convolutional, 32), (resnet50, 8)]
    return {
        f"{network.__name__}, batch {batch}": functools.partial(_case, peer, network, batch)
        for network, batch in (networks[:1] if options.smoke else networks)
    }


def _case(peer: str, network: Any, batch: int) -> Case:
    data = normal("data", (batch, *INPUT_SHAPES[network]))
    label = indices("label", (batch,), 10)
    if peer == "torch":
        step = _torch_step(network, data, label)
    else:
        step = _executor_step(import_mx(peer), network, data, label)
    # The outputs of a second step show the gradients of the first.
    return Case(step, output=lambda: [step(), step()])


def _executor_step(mx: Any, network: Any, data: np.ndarray, label: np.ndarray) -> Step:
    logits = network(SymbolNet(mx), mx.sym.Variable("data"))
    symbol = mx.sym.SoftmaxOutput(logits, name="softmax")
    arguments, auxiliary = array_parameters(mx, network)
    wanted = dict.fromkeys(arguments, "write")
    executor = symbol.simple_bind(mx.cpu(), grad_req=wanted, data=data.shape)
    executor.copy_params_from(arguments, auxiliary)
    inputs = {"data": mx.nd.array(data), "softmax_label": mx.nd.array(label)}
    updates = [
        (executor.arg_dict[n], executor.grad_dict[n], mx.nd.zeros(executor.arg_dict[n].shape))
        for n in arguments
    ]
    options = {"lr": RATE, "momentum": MOMENTUM, "rescale_grad": 1 / len(data)}

    def step() -> np.ndarray:
        executor.forward(is_train=True, **inputs)
        executor.backward()
        for weight, gradient, velocity in updates:
            mx.nd.sgd_mom_update(weight, gradient, velocity, out=weight, **options)
        mx.nd.waitall()
        return executor.outputs[0].asnumpy()

    return step


def _torch_step(network: Any, data: np.ndarray, label: np.ndarray) -> Step:
    import torch

    from benchmarks.models.torch_net import TorchNet

    module = TorchNet(network).train()
    optimizer = torch.optim.SGD(module.parameters(), lr=RATE, momentum=MOMENTUM)
    inputs, labels = torch.from_numpy(data), torch.from_numpy(label)

    def step() -> np.ndarray:
        optimizer.zero_grad()
        logits = module(inputs)
        torch.nn.functional.cross_entropy(logits, labels).backward()
        optimizer.step()
        return torch.softmax(logits.detach(), 1).numpy()

    return step


SUBJECT = Subject("A training step", ("mxnova", "torch", "mxnet"), cases, rounds=6, turn=0.5)
