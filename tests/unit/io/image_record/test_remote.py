# SPDX-License-Identifier: Apache-2.0
"""Iterators over images of a store."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.recordio import IRHeader, MXIndexedRecordIO, pack_img

pytest.importorskip("cv2")


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    random = np.random.default_rng(0)
    with MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "w") as file:
        for i in range(40):
            image = random.integers(0, 256, (20, 24, 3), np.uint8)
            file.write_idx(i, pack_img(IRHeader(0, float(i), i, 0), image, img_fmt=".png"))
    return folder


def batches(iterator):
    return [[a.asnumpy() for a in (*batch.data, *batch.label)] for batch in iterator]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"shuffle": True, "seed": 5},
        {"part_index": 1, "num_parts": 3},
        {"with_index": True, "shuffle": True, "seed": 2},
        {"with_index": True, "part_index": 1, "num_parts": 3},
    ],
)
def test_the_same_batches_as_of_a_local_file(images, memory, options):
    from mxnova.formats.atomic import replacing

    for name in ("a.rec", "a.idx"):
        with replacing(f"{memory}/{name}") as file:
            file.write((images / name).read_bytes())
    options = {"data_shape": (3, 20, 24), "batch_size": 8, **options}
    with_index = options.pop("with_index", False)
    found = []
    for folder in (images, memory):
        paths = {"path_imgrec": f"{folder}/a.rec"}
        if with_index:
            paths["path_imgidx"] = f"{folder}/a.idx"
        found.append(batches(mx.io.ImageRecordIter(**paths, **options)))
    assert len(found[0]) == len(found[1]) > 0
    for here, there in zip(*found):
        for a, b in zip(here, there):
            np.testing.assert_array_equal(a, b)
