# SPDX-License-Identifier: Apache-2.0
"""One image of a record file, decoded, cropped and mirrored at random, in float32 batches of 64.

The peer `mxnova-dataset` reads by RecordDataset's threads into tensors that are used again; the
others are ImageRecordIter.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.inputs import import_mx, indices
from benchmarks.subject import Case, Options, Subject

THREADS, BATCH, EDGE = 2, 64, 224
IMAGES = 1280


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    count = 2 * BATCH if options.smoke else IMAGES
    return {"224x224": functools.partial(_case, peer, count, options.directory)}


def _case(peer: str, count: int, folder: str) -> Case:
    path = os.path.join(folder, f"{peer}-images.rec")
    _write(import_mx(peer), path, count)
    epoch = _dataset(path) if peer == "mxnova-dataset" else _iterator(import_mx(peer), path)

    def run() -> None:
        if (seen := epoch()) != count:
            raise RuntimeError(f"{seen} images of {count}")

    return Case(run, number=1, items=count)


def _write(mx: Any, path: str, count: int) -> None:
    import cv2

    recordio = mx.recordio
    writer = recordio.MXIndexedRecordIO(path[:-4] + ".idx", path, "w")
    for i in range(count):
        small = indices(f"image{i}", (24, 32, 3), 256).astype("uint8")
        image = cv2.resize(small, (340, 256), interpolation=cv2.INTER_CUBIC)
        writer.write_idx(i, recordio.pack_img(recordio.IRHeader(0, i % 10, i, 0), image))
    writer.close()


def _iterator(mx: Any, path: str) -> Callable[[], int]:
    iterator = mx.io.ImageRecordIter(
        path_imgrec=path,
        path_imgidx=path[:-4] + ".idx",
        data_shape=(3, EDGE, EDGE),
        batch_size=BATCH,
        shuffle=True,
        rand_crop=True,
        rand_mirror=True,
        preprocess_threads=THREADS,
    )

    def epoch() -> int:
        iterator.reset()
        seen = 0
        for batch in iterator:
            batch.data[0].wait_to_read()
            seen += batch.data[0].shape[0] - batch.pad
        return seen

    return epoch


def _dataset(path: str) -> Callable[[], int]:
    import torch

    from mxnova.recordio import RecordDataset

    buffers = itertools.cycle([torch.zeros(BATCH, 3, EDGE, EDGE) for _ in range(8)])
    batches = RecordDataset(path, decode=_decode).batches(
        BATCH,
        block_size=64,
        window=4,
        threads=THREADS,
        collate=lambda images: _batch(images, next(buffers)),
    )
    return lambda: sum(len(batch) for batch, _ in batches)


def _decode(record: bytes) -> tuple[Any, float]:
    import cv2
    import numpy as np

    from mxnova.recordio import unpack

    header, encoded = unpack(record)
    image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
    y, x = (random.randrange(length - EDGE + 1) for length in image.shape[:2])
    return image[y : y + EDGE, x : x + EDGE], header.label


def _batch(images: Iterator[tuple[Any, float]], buffer: Any) -> tuple[Any, list[float]]:
    import cv2

    rows, labels = buffer.numpy(), []
    for row, (image, label) in zip(rows, images, strict=False):
        labels.append(label)
        mirror = random.random() < 0.5
        for channel, plane in zip((2, 1, 0), cv2.split(image), strict=True):
            row[channel] = cv2.flip(plane, 1) if mirror else plane
    return buffer[: len(labels)], labels


SUBJECT = Subject(
    "An image of a record file, 2 threads, 224x224 float32",
    ("mxnova-dataset", "mxnova", "mxnet"),
    cases,
    rounds=5,
    turn=0.5,
    targets={("224x224", "mxnova"): 1.0, ("224x224", "mxnet"): 1 / 1.2},
)
