# SPDX-License-Identifier: Apache-2.0
"""Images of bytes come out pixel by pixel as MXNet's do: `resize.json` has checksums of its results.

Recorded with MXNet 1.9.1: each key is height, width, channels, size and interpolation; the images
are drawn in this order from NumPy's RandomState(0).
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch

from mxnova.core.op import library  # noqa: F401 - registers operators
from mxnova.core.op.image import opencv
from mxnova.core.op.schema import find

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "resize.json").read_text())
RNG = np.random.RandomState(0)
IMAGES = {
    shape: RNG.randint(0, 256, shape).astype("uint8")
    for shape in ((7, 9, 3), (16, 16, 3), (30, 20, 1), (31, 33, 3))
}


def cases():
    for key, checksum in RECORDED.items():
        shape, _, rest = key.partition(",(")
        size, _, interp = rest.partition("),")
        yield tuple(map(int, shape.split(","))), f"({size})", int(interp), checksum


def resized(image, size, interp):
    op = find("_image_resize").of({"size": size, "interp": interp})
    return op.forward(torch.from_numpy(image))


@pytest.mark.parametrize("has_opencv", [True, False])
@pytest.mark.parametrize("interp", range(6))
def test_bytes_are_those_of_mxnet(interp, has_opencv, monkeypatch):
    if not has_opencv:
        monkeypatch.setattr(opencv, "_is_installed", lambda: False)
    compared = 0
    for shape, size, kind, checksum in cases():
        if kind == interp:
            found = resized(IMAGES[shape], size, kind).numpy()
            assert zlib.crc32(found.tobytes()) == checksum, (shape, size)
            compared += 1
    assert compared == 38


def test_batches_are_images():
    images = np.stack([IMAGES[16, 16, 3], IMAGES[16, 16, 3][::-1]])
    both = resized(images, "(9, 11)", 1)
    assert torch.equal(both[1], resized(images[1], "(9, 11)", 1))
