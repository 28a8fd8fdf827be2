# SPDX-License-Identifier: Apache-2.0
"""Models whose arrays stay in their file."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from mxnova.core.base.errors import MXNetError  # noqa: E402
from mxnova.onnx.importer import read_model, read_skeleton  # noqa: E402

LARGE = np.arange(3000, dtype="float32")


@pytest.fixture
def path(tmp_path):
    """A model with a large array, a small one, and one that is no raw bytes."""
    tensors = [
        onnx.numpy_helper.from_array(LARGE, "large"),
        onnx.numpy_helper.from_array(np.arange(3), "small"),
        onnx.helper.make_tensor("typed", 1, [3000], LARGE),
    ]
    info = onnx.helper.make_tensor_value_info("y", 1, [3000])
    nodes = [onnx.helper.make_node("Add", ["large", "typed"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "g", [], [info], tensors)
    target = tmp_path / "model.onnx"
    onnx.save(onnx.helper.make_model(graph), target)
    return target


def test_arrays_are_read_where_they_lie(path):
    skeleton, whole = read_skeleton(path), read_model(path)
    outside = [bool(t.external_data) for t in skeleton.model.graph.initializer]
    assert outside == [True, False, False]
    assert skeleton.model.ByteSize() < whole.model.ByteSize() - LARGE.nbytes + 200
    for a, b in zip(skeleton.model.graph.initializer, whole.model.graph.initializer, strict=True):
        np.testing.assert_array_equal(skeleton.array(a), whole.array(b))
        a.CopyFrom(b)
    assert skeleton.model == whole.model


def test_broken_files_are_refused_or_read_as_whole_ones_are(path):
    good, rng = path.read_bytes(), random.Random(0)
    for _ in range(300):
        broken = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            broken[rng.choice([rng.randrange(80), rng.randrange(len(good))])] = rng.randrange(256)
        path.write_bytes(broken[: rng.choice([len(good), rng.randrange(len(good))])])
        found = []
        for read in (read_model, read_skeleton):
            try:
                file = read(path)
                found.append([file.array(t).tobytes() for t in file.model.graph.initializer])
            except MXNetError:
                found.append(None)
        assert found[1] in (None, found[0])
        os.unlink(path)
