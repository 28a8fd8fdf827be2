# SPDX-License-Identifier: Apache-2.0
"""Shapes of layers where sizes of inputs are open; numbers: tests/unit/test_visualization.py."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.graph.summary import layers

DATA = mx.sym.var("data")
IMAGE = {"data": ("N", 4, "H", 512)}


def strided(step):
    return mx.sym.Pooling(DATA, kernel=(1, 1), stride=(step, step))


def deep(n_layers):
    found = DATA
    for _ in range(n_layers):
        found = mx.sym.Pooling(found, kernel=(2, 2), stride=(2, 2))
    return found


@pytest.mark.parametrize(
    "symbol, shape, wanted",
    [
        (strided(512), IMAGE, ("N", 4, "?", 1)),
        (strided(1 << 15), IMAGE, ("N", 4, "?", 1)),
        (deep(9), IMAGE, ("N", 4, "?", 1)),
        (mx.sym.Pooling(DATA, kernel=(1, 1), pad=(16, 0)), IMAGE, ("N", 4, "?", 512)),
        (mx.sym.Flatten(strided(512)), IMAGE, ("N", "?")),
        (mx.sym.Reshape(DATA, shape=(-1, 512)), IMAGE, ("?", 512)),
        (mx.sym.Reshape(DATA, shape=(-3, 0, 0)), IMAGE, ("?", "H", 512)),
        (mx.sym.Concat(DATA, strided(1), dim=2), IMAGE, ("N", 4, "?", 512)),
        (mx.sym.Concat(DATA, DATA, dim=1), IMAGE, ("N", 8, "H", 512)),
        (mx.sym.Embedding(DATA, input_dim=10**9, output_dim=10**9), {"data": ("N",)}, ("N", 10**9)),
        (mx.sym.split(DATA, num_outputs=3, axis=0), {"data": ("N", 3)}, ("?", 3)),
        (DATA + mx.sym.var("b"), {"data": ("N", 2), "b": ("M", 2)}, ("?", 2)),
        (DATA * 1, {"data": [f"N{i}" for i in range(20)]}, ("?",) * 20),
    ],
)
def test_what_depends_on_an_open_size_is_marked(symbol, shape, wanted):
    assert layers(symbol, shape)[-1].shape == wanted


def test_numbers_of_parameters_are_those_of_known_sizes():
    half = mx.sym.split(DATA, num_outputs=2, axis=0)[0]
    for first, rows in (("N", "?"), (2, 1)):
        last = layers(mx.sym.FullyConnected(half, num_hidden=3), {"data": (first, 4)})[-1]
        assert (last.shape, last.parameters) == ((rows, 3), 15)
    row = layers(mx.sym.FullyConnected(strided(512), num_hidden=3), IMAGE)[-1]
    assert (row.shape, row.parameters) == (("N", 3), None)


@pytest.mark.parametrize("kind", [tuple, list, np.array, mx.nd.array])
def test_kinds_of_shapes(kind):
    assert layers(mx.sym.Flatten(DATA), {"data": kind([2, 4])})[-1].shape == (2, 4)


@pytest.mark.parametrize(
    "given",
    [5, "N4", ("2", 4), ("N", "-1"), ("N", ""), ("N", None), np.array(["N", "4"])],
    ids=repr,
)
def test_what_is_no_shape_is_refused(given):
    with pytest.raises(TypeError, match="data=.*a shape is a tuple of integers") as caught:
        layers(DATA + 1, {"data": given})
    assert isinstance(caught.value, MXNetError)
