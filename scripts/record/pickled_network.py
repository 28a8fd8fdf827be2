# SPDX-License-Identifier: Apache-2.0
"""Pickles a network, as MXNet does it; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/pickled_network.py tests/data/gluon/network.pickle
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def trained() -> tuple[nn.HybridSequential, nd.NDArray]:
    """A network after a step of training, and its inputs."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(2, 3), nn.BatchNorm(), nn.Activation("tanh"), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    inputs = nd.arange(50).reshape((2, 1, 5, 5)) / 50
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with autograd.record():
        loss = net(inputs).sum()
    loss.backward()
    trainer.step(2)
    return net, inputs


def main(path: Path) -> None:
    net, inputs = trained()
    path.write_bytes(pickle.dumps((net, inputs, net(inputs)), protocol=4))
    print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
