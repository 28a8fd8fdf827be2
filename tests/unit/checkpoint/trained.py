# SPDX-License-Identifier: Apache-2.0
"""Small networks with optimizers, and their files."""

import numpy as np

import mxnova as mx
from mxnova import autograd, gluon


def network():
    net = gluon.nn.HybridSequential()
    net.add(
        gluon.nn.Dense(64, in_units=32),
        gluon.nn.BatchNorm(in_channels=64),
        gluon.nn.Dense(7, in_units=64),
    )
    return net


def trained(optimizer="adam", n_steps=2, seed=0, **options):
    """A network and its trainer, after some steps."""
    mx.random.seed(seed)
    net = network()
    net.initialize(mx.init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), optimizer, **options)
    train(net, trainer, n_steps)
    return net, trainer


def train(net, trainer, n_steps):
    for _ in range(n_steps):
        with autograd.record():
            loss = (net(mx.nd.random.uniform(shape=(4, 32))) ** 2).sum()
        loss.backward()
        trainer.step(4)


def files_of(net, trainer, folder):
    """The bytes of the files that they write themselves."""
    net.save_parameters(str(folder / "own.params"))
    trainer.save_states(str(folder / "own.states"))
    return (folder / "own.params").read_bytes(), (folder / "own.states").read_bytes()


def files_from(checkpoint, folder):
    """The bytes of the files that are made of a checkpoint."""
    checkpoint.save_parameters(folder / "made.params")
    checkpoint.save_states(folder / "made.states")
    return (folder / "made.params").read_bytes(), (folder / "made.states").read_bytes()


def save_all(folder, step, world, *args, **options):
    """What the workers do, in one process; the folder of the checkpoint."""
    savings = [
        mx.checkpoint.save(folder, step, *args, rank=rank, world=world, **options)
        for rank in range(world)
    ]
    paths = [saving.wait() for saving in savings]
    return paths[0]


def next_numbers():
    """What random numbers come next."""
    import random

    drawn = mx.nd.random.uniform(shape=(3,)).asnumpy().tolist()
    return drawn, np.random.rand(3).tolist(), random.random()
