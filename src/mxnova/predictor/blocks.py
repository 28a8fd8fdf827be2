# SPDX-License-Identifier: Apache-2.0
"""Weights in ONNX Runtime's blocked layout, NCHWc: channels of convolutions in blocks.

On processors where its convolutions read them, ONNX Runtime makes such weights of others when it
makes a session, which takes longer than all else that it does then: with them, a ResNet-50's
session takes 0.05 s of processor time instead of 0.20.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..formats.compiled_model import Blocked
from .network import Array

__all__ = ["found_in", "in_blocks", "of_blocks", "runtime_block"]

# An ONNX file whose output y is the image x of four channels in blocks: ReorderInput of the domain
# com.microsoft.nchwc.
_REORDERED = (
    b'\x08\x08:V\n)\n\x01x\x12\x01y"\x0cReorderInput:\x13com.microsoft.nchwc\x12\x01gZ\x1b\n\x01x'
    b"\x12\x16\n\x14\x08\x01\x12\x10\n\x02\x08\x01\n\x02\x08\x04\n\x02\x08\x01\n\x02\x08\x01b\t\n"
    b"\x01y\x12\x04\n\x02\x08\x01B\x17\n\x13com.microsoft.nchwc\x10\x01B\x04\n\x00\x10\r"
)


def runtime_block(runtime: Any) -> int:
    """How many channels stand in a block on this processor; 0 where the runtime has no blocks.

    Args:
        runtime: the package onnxruntime.
    """
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # what it refuses is no error here
    try:
        session = runtime.InferenceSession(_REORDERED, options, providers=["CPUExecutionProvider"])
        (image,) = session.run(None, {"x": np.zeros((1, 4, 1, 1), np.float32)})
    except Exception:  # noqa: BLE001 - whatever a runtime raises
        return 0
    return int(image.shape[1])


def in_blocks(weight: Array, block: int, channels_too: bool) -> Array:
    """A convolution's weight in the layout NCHWc: filters in blocks, filled up with zeros.

    Args:
        weight: filters, channels, height, width.
        block: how many filters stand in one.
        channels_too: whether channels stand in blocks, too, outside of those of filters.
    """
    filters, channels, *_ = weight.shape
    fill = -filters % block, -channels % block if channels_too else 0
    filled = np.pad(weight, [(0, fill[0]), (0, fill[1]), (0, 0), (0, 0)])
    apart = filled.reshape(_apart(filled.shape, block, channels_too))
    return np.ascontiguousarray(apart.transpose(0, 2, 4, 5, 3, 1)).reshape(filled.shape)


def of_blocks(values: Array, block: int, kept: Blocked) -> Array:
    """The weight that `in_blocks` made `values` of."""
    outer, inner, width, channels = _apart(values.shape, block, kept.channels_too)[:4]
    *_, rows, columns = values.shape
    apart = values.reshape(outer, width, rows, columns, channels, inner)
    filled = apart.transpose(0, 5, 1, 4, 2, 3).reshape(values.shape)
    return np.ascontiguousarray(filled[: kept.shape[0], : kept.shape[1]])


def _apart(shape: tuple[int, ...], block: int, channels_too: bool) -> tuple[int, ...]:
    """Blocks of filters, filters; blocks of channels, channels; height, width."""
    filters, channels, *window = shape
    inner = block if channels_too else 1
    return filters // block, block, channels // inner, inner, *window


def found_in(
    made: Mapping[str, Array], weights: Mapping[str, Array], block: int
) -> dict[str, Blocked]:
    """Which arrays a runtime has made of which weights.

    Args:
        made: the arrays, by name.
        weights: those of convolutions are looked for, by name.
        block: how many filters stand in one.
    """
    names: dict[bytes, list[str]] = {}  # weights may be equal: each has an array of its own
    for name, values in made.items():
        names.setdefault(_digest(values), []).append(name)
    found: dict[str, Blocked] = {}
    for name, weight in weights.items():
        if weight.ndim != 4:
            continue
        for channels_too in (True, False):
            arrays = names.get(_digest(in_blocks(weight, block, channels_too)))
            if arrays:
                found[name] = Blocked(arrays.pop(), weight.shape, channels_too)
                break
    return found


def _digest(values: Array) -> bytes:
    facts = f"{values.dtype} {values.shape}\n".encode()
    return hashlib.sha256(facts + np.ascontiguousarray(values).tobytes()).digest()
