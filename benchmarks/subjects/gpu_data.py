# SPDX-License-Identifier: Apache-2.0
"""What surrounds networks on a GPU: copies, batches that are loaded, updates, stores, rows."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import gpu
from benchmarks.inputs import import_mx, indices, normal
from benchmarks.models.networks import convolutional, resnet50
from benchmarks.models.parameters import is_auxiliary, parameters_of
from benchmarks.subject import Case, Options, Subject

RATE, MOMENTUM = 1e-3, 0.9
LOADED, BATCH, EDGE = 1024, 64, 224


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    gpu.started()
    make = _Torch if peer == "torch" else _Mx
    made = functools.cache(lambda: make(gpu.device_for(options), options))
    return {
        "64 MB of NumPy to the GPU": lambda: made().upload(),
        "64 MB of pinned memory to the GPU": lambda: made().upload_pinned(),
        "64 MB of the GPU to NumPy": lambda: made().download(),
        "an image by a DataLoader, pinned": lambda: made().loader(),
        "SGD, ResNet-50's parameters": lambda: made().update("sgd"),
        "Adam, ResNet-50's parameters": lambda: made().update("adam"),
        "store: sum of 100 MB in 25 arrays": lambda: made().store(),
        "embedding, SGD step of few rows": lambda: made().rows(),
    }


class _Inputs:
    """What the cases of all peers begin with."""

    def __init__(self, device: str, options: Options) -> None:
        self.device, self.wait = device, gpu.waiter(device)
        self.is_smoke = options.smoke
        self.n_workers = 0 if options.smoke else 2
        self.large = np.ones(1000 if options.smoke else 16_000_000, np.float32)
        self.table = (50, 4) if options.smoke else (1_000_000, 64)

    def case(self, statement: Callable[[], Any], items: int = 1) -> Case:
        """`statement`, awaited at the end."""
        return Case(statement, finish=self.wait, items=items)

    def parameters(self) -> list[np.ndarray]:
        """Those that learn."""
        arrays = parameters_of(convolutional if self.is_smoke else resnet50)
        return [a for n, a in arrays.items() if not is_auxiliary(n)]

    def images(self) -> tuple[np.ndarray, np.ndarray]:
        """uint8 images and their labels."""
        count, edge = (2 * BATCH, 8) if self.is_smoke else (LOADED, EDGE)
        images = indices("images", (count, 3, edge, edge), 256).astype(np.uint8)
        return images, np.arange(count, dtype=np.float32)

    def parts(self) -> list[np.ndarray]:
        """Gradients of 100 MB."""
        return [np.ones(10 if self.is_smoke else 1_000_000, np.float32) for _ in range(25)]

    def index(self) -> np.ndarray:
        """Rows of the table."""
        return indices("index", (8 if self.is_smoke else 1024,), self.table[0])


class _Mx(_Inputs):
    def __init__(self, device: str, options: Options) -> None:
        super().__init__(device, options)
        self.mx = import_mx("mxnova")
        self.place = gpu.context_on(self.mx, device)

    def _there(self, arrays: list[np.ndarray]) -> list[Any]:
        return [self.mx.nd.array(a, ctx=self.place) for a in arrays]

    def upload(self) -> Case:
        return self.case(lambda: self.mx.nd.array(self.large, ctx=self.place))

    def upload_pinned(self) -> Case:
        pinned = self.mx.nd.array(self.large, ctx=self.mx.cpu_pinned())
        return self.case(lambda: pinned.as_in_context(self.place))

    def download(self) -> Case:
        return self.case(self.mx.nd.array(self.large, ctx=self.place).asnumpy)

    def loader(self) -> Case:
        data = self.mx.gluon.data
        images, labels = self.images()
        dataset = data.ArrayDataset(self.mx.nd.array(images, dtype="uint8"), labels)
        loader = data.DataLoader(dataset, BATCH, num_workers=self.n_workers, pin_memory=True)

        def epoch() -> None:
            for batch in loader:
                for part in batch:
                    part.as_in_context(self.place)

        return self.case(epoch, items=len(labels))

    def update(self, kind: str) -> Case:
        weights = self._there(self.parameters())
        gradients = [w * 0.01 for w in weights]
        settings = {"momentum": MOMENTUM} if kind == "sgd" else {}
        optimizer = self.mx.optimizer.create(kind, learning_rate=RATE, **settings)
        updater = self.mx.optimizer.get_updater(optimizer)
        keys = list(range(len(weights)))
        return self.case(lambda: updater(keys, gradients, weights))

    def store(self) -> Case:
        gradients = self._there(self.parts())
        out = [g.zeros_like() for g in gradients]
        store = self.mx.kv.create("device")
        keys = list(range(len(gradients)))
        store.init(keys, gradients)

        def run() -> None:
            store.push(keys, gradients)
            store.pull(keys, out=out)

        return self.case(run)

    def rows(self) -> Case:
        nd, record = self.mx.nd, self.mx.autograd.record
        table, index = self._there([normal("table", self.table), self.index()])
        table.attach_grad(stype="row_sparse")
        sizes = dict(zip(("input_dim", "output_dim"), self.table, strict=True))

        def step() -> None:
            with record():
                loss = nd.Embedding(index, table, sparse_grad=True, **sizes).square().sum()
            loss.backward()
            nd.sgd_update(table, table.grad, out=table, lr=RATE)

        return self.case(step)


class _Torch(_Inputs):
    def __init__(self, device: str, options: Options) -> None:
        import torch

        super().__init__(device, options)
        self.torch = torch

    def _there(self, arrays: list[np.ndarray]) -> list[Any]:
        return [self.torch.from_numpy(a).to(self.device) for a in arrays]

    def upload(self) -> Case:
        return self.case(lambda: self.torch.tensor(self.large, device=self.device))

    def upload_pinned(self) -> Case:
        tensor = self.torch.from_numpy(self.large)
        pinned = tensor.pin_memory() if self.device == "cuda" else tensor
        return self.case(lambda: pinned.to(self.device, non_blocking=True))

    def download(self) -> Case:
        there = self.torch.from_numpy(self.large).to(self.device)
        return self.case(lambda: there.cpu().numpy())

    def loader(self) -> Case:
        from torch.utils.data import DataLoader, TensorDataset

        tensors = [self.torch.from_numpy(a) for a in self.images()]
        options = {"pin_memory": self.device == "cuda", "num_workers": self.n_workers}
        keeps = self.n_workers > 0
        loader = DataLoader(TensorDataset(*tensors), BATCH, persistent_workers=keeps, **options)

        def epoch() -> None:
            for batch in loader:
                for part in batch:
                    part.to(self.device, non_blocking=True)

        return self.case(epoch, items=len(tensors[0]))

    def update(self, kind: str) -> Case:
        weights = self._there(self.parameters())
        for weight in weights:
            weight.grad = weight * 0.01
        optim = self.torch.optim
        if kind == "sgd":
            return self.case(optim.SGD(weights, RATE, MOMENTUM, fused=True).step)
        return self.case(optim.Adam(weights, RATE, fused=True).step)

    def store(self) -> Case:
        gradients = self._there(self.parts())
        stored, out = ([self.torch.zeros_like(g) for g in gradients] for _ in range(2))

        def run() -> None:
            self.torch._foreach_copy_(stored, gradients)
            self.torch._foreach_copy_(out, stored)

        return self.case(run)

    def rows(self) -> Case:
        table, index = self._there([normal("table", self.table), self.index()])
        table.requires_grad_()
        optimizer = self.torch.optim.SGD([table], RATE)
        embedding = self.torch.nn.functional.embedding

        def step() -> None:
            optimizer.zero_grad()
            embedding(index, table, sparse=True).square().sum().backward()
            optimizer.step()

        return self.case(step)


SUBJECT = Subject("Around networks on a GPU", ("mxnova", "torch"), cases, rounds=4, turn=0.3)
