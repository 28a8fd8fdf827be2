# SPDX-License-Identifier: Apache-2.0
"""One image from a DataLoader of two processes, in batches of 64."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, indices
from benchmarks.subject import Case, Options, Subject

WORKERS, BATCH, EDGE = 2, 64, 64
IMAGES = 2048
MEAN, DEVIATION = (0.5, 0.4, 0.3), (0.2, 0.3, 0.4)


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    count = 2 * BATCH if options.smoke else IMAGES
    return {
        "uint8 images": functools.partial(_case, peer, count, False),
        "to float32, normalized": functools.partial(_case, peer, count, True),
    }


def _case(peer: str, count: int, normalized: bool) -> Case:
    images = indices("images", (count, EDGE, EDGE, 3), 256).astype(np.uint8)
    labels = indices("labels", (count,), 10).astype(np.float32)
    make = _torch_loader if peer == "torch" else functools.partial(_gluon_loader, import_mx(peer))
    loader = make(images, labels, normalized)

    def epoch() -> np.ndarray:
        seen = 0
        for batch, _ in loader:
            seen += len(batch)
            first = batch
        if seen != count:
            raise RuntimeError(f"{seen} images of {count}")
        return first

    def output() -> list[np.ndarray]:
        last = epoch()
        return [last.numpy() if peer == "torch" else last.asnumpy()]

    return Case(epoch, output=output, number=1, items=count)


def _gluon_loader(mx: Any, images: np.ndarray, labels: np.ndarray, normalized: bool) -> Any:
    data, transforms = mx.gluon.data, mx.gluon.data.vision.transforms
    dataset = data.ArrayDataset(mx.nd.array(images, dtype="uint8"), labels)
    if normalized:
        steps = [transforms.ToTensor(), transforms.Normalize(MEAN, DEVIATION)]
        dataset = dataset.transform_first(transforms.Compose(steps))
    return data.DataLoader(dataset, BATCH, num_workers=WORKERS)


def _torch_loader(images: np.ndarray, labels: np.ndarray, normalized: bool) -> Any:
    import torch
    from torch.utils.data import DataLoader, Dataset, TensorDataset

    tensors = torch.from_numpy(images), torch.from_numpy(labels)
    mean, deviation = (torch.tensor(v).reshape(3, 1, 1) for v in (MEAN, DEVIATION))

    class Normalized(Dataset):
        def __len__(self) -> int:
            return len(labels)

        def __getitem__(self, index: int) -> tuple[Any, Any]:
            image = tensors[0][index].permute(2, 0, 1).to(torch.float32) / 255
            return (image - mean) / deviation, tensors[1][index]

    dataset = Normalized() if normalized else TensorDataset(*tensors)
    return DataLoader(dataset, BATCH, num_workers=WORKERS, persistent_workers=True)


SUBJECT = Subject(
    "A DataLoader with 2 processes, 64x64 images",
    ("mxnova", "torch", "mxnet"),
    cases,
    rounds=4,
    turn=0.5,
    targets={("uint8 images", "mxnet"): 1.0, ("to float32, normalized", "mxnet"): 1.0},
)
