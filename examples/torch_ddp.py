# SPDX-License-Identifier: Apache-2.0
"""A Module's network, trained further by PyTorch on two processes: python -m examples.torch_ddp.

A Module learns digits for one epoch and saves a checkpoint. `mx.to_torch` makes it a module of
PyTorch's, which two processes train by AdamW and DistributedDataParallel, with MXNet's own
SoftmaxOutput as the loss. `mx.from_torch` writes it back, and a Module scores both checkpoints.
The exit status is 1 where training in PyTorch has not helped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.nn.parallel import DistributedDataParallel

import mxnova as mx
from examples.data import digits
from examples.progress import epochs

EPOCHS, WORKERS, BATCH = 4, 2, 32


def network() -> Any:
    """Convolution, BatchNorm, Dropout and two dense layers under SoftmaxOutput."""
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=16, name="conv")
    net = mx.sym.BatchNorm(net, fix_gamma=False, name="norm")
    net = mx.sym.Activation(net, act_type="relu")
    net = mx.sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max")
    net = mx.sym.Dropout(mx.sym.FullyConnected(net, num_hidden=64, name="hidden"), p=0.2)
    net = mx.sym.FullyConnected(net, num_hidden=10, name="output")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def score(prefix: str, epoch: int, images: np.ndarray, labels: np.ndarray) -> float:
    """The share of images that a Module knows."""
    module = mx.mod.Module.load(prefix, epoch)
    batches = mx.io.NDArrayIter(images, labels, BATCH)
    module.bind(batches.provide_data, batches.provide_label, for_training=False)
    return float(dict(module.score(batches, "acc"))["accuracy"])


def work(rank: int, prefix: str, place: str, count: int) -> None:
    """One of the processes: trains on its part of the images; the first one writes the result."""
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=WORKERS)
    images, labels = (torch.from_numpy(a[rank::WORKERS]) for a in digits()[:2])
    module = mx.to_torch(prefix, epoch=1, copy=True).train()
    parallel = DistributedDataParallel(module)
    optimizer = torch.optim.AdamW(module.parameters(), lr=2e-3, weight_decay=1e-2)
    batches = torch.randperm(len(images)).split(BATCH)
    for epoch in epochs(count, batches, "images", shown=rank == 0):
        for places in epoch:
            optimizer.zero_grad()
            # The gradient is SoftmaxOutput's: whatever is summed, it does not look.
            parallel(images[places], labels[places]).sum().backward()
            optimizer.step()
            epoch.show(len(places))
    if rank == 0:
        mx.from_torch(parallel, prefix, 1 + count)
    dist.destroy_process_group()


def main(arguments: list[str] | None = None) -> int:
    """Trains, exports, trains on, imports, compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="in PyTorch")
    count = parser.parse_args(arguments).epochs
    mx.random.seed(0)
    np.random.seed(0)  # NDArrayIter shuffles with NumPy
    x, y, x_test, y_test = digits()
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "digits")
        module = mx.mod.Module(network())
        batches = mx.io.NDArrayIter(x, y, BATCH, shuffle=True)
        settings = {"learning_rate": 0.02, "momentum": 0.9}
        module.fit(batches, num_epoch=1, initializer=mx.init.Xavier(), optimizer_params=settings)
        module.save_checkpoint(prefix, 1)
        before = score(prefix, 1, x_test, y_test)
        place = f"file://{folder}/meeting"
        multiprocessing.spawn(work, (prefix, place, count), WORKERS)
        after = score(prefix, 1 + count, x_test, y_test)
    print(f"accuracy {before:.1%} of {len(x_test)} images before, {after:.1%} after")
    return int(after <= before)


if __name__ == "__main__":
    sys.exit(main())
