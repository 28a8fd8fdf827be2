# SPDX-License-Identifier: Apache-2.0
"""Which functions of ``mx.np`` return the memory of their argument: those of MXNet 1.9.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mxnova as mx

np = mx.np
SHARED: dict[str, Callable[[Any], Any]] = {
    "x[...]": lambda x: x[...],
    "x[:]": lambda x: x[:],
    "x[0]": lambda x: x[0],
    "x[None]": lambda x: x[None],
    "x.reshape_view": lambda x: x.reshape_view(3, 2),
    "as_nd_ndarray": lambda x: x.as_nd_ndarray(),
    "as_in_ctx": lambda x: x.as_in_ctx(mx.cpu()),
    "astype(copy=False)": lambda x: x.astype("float32", copy=False),
    "nan_to_num(copy=False)": lambda x: np.nan_to_num(x, copy=False),
    "broadcast_arrays of one shape": lambda x: np.broadcast_arrays(x, x)[0],
    "broadcast_arrays of one": lambda x: np.broadcast_arrays(x)[0],
}
COPIED: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: np.reshape(x, (3, 2)),
    "reshape to its shape": lambda x: np.reshape(x, (2, 3)),
    "ravel": np.ravel,
    "flatten": lambda x: x.flatten(),
    "npx.reshape": lambda x: mx.npx.reshape(x, (3, 2)),
    "squeeze": np.squeeze,
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "transpose": np.transpose,
    "transpose to its order": lambda x: np.transpose(x, (0, 1)),
    "T": lambda x: x.T,
    "swapaxes": lambda x: np.swapaxes(x, 0, 0),
    "moveaxis": lambda x: np.moveaxis(x, 0, 0),
    "split": lambda x: np.split(x, 1)[0],
    "vsplit": lambda x: np.vsplit(x, 2)[0],
    "flip": lambda x: np.flip(x, 0),
    "roll": lambda x: np.roll(x, 0),
    "rot90": lambda x: np.rot90(x, 0),
    "diag": np.diag,
    "tril": lambda x: np.tril(x, 5),
    "array": np.array,
    "copy": np.copy,
    "astype": lambda x: x.astype("float32"),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3)),
    "broadcast_arrays of two shapes": lambda x: np.broadcast_arrays(x, np.ones((1, 3)))[0],
    "stack": lambda x: np.stack([x]),
    "concatenate": lambda x: np.concatenate([x]),
    "vstack": lambda x: np.vstack([x]),
    "atleast_1d": np.atleast_1d,
    "atleast_2d": np.atleast_2d,
    "atleast_3d": np.atleast_3d,
    "atleast_2d of two": lambda x: np.atleast_2d(x, x)[0],
    "tile": lambda x: np.tile(x, 1),
    "repeat": lambda x: np.repeat(x, 1, axis=0),
    "pad": lambda x: np.pad(x, ((0, 0), (0, 0))),
    "sum over no axes": lambda x: np.sum(x, axis=()),
    "max over no axes": lambda x: np.max(x, axis=()),
    "einsum": lambda x: np.einsum("ij->ij", x),
    "x[:, :2]": lambda x: x[:, :2],
    "x[mask]": lambda x: x[x >= 0],
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("name", [*SHARED, *COPIED])
@mx.util.use_np
def test_results_share_the_memory_of_their_argument_as_in_mxnet(name: str, recorded: bool) -> None:
    x = np.zeros((2, 3))
    function = SHARED.get(name) or COPIED[name]
    if recorded:
        with mx.autograd.record():
            result = function(x)
    else:
        result = function(x)
    result[:] = 7
    assert bool((x == 7).any()) == (name in SHARED)
