# SPDX-License-Identifier: Apache-2.0
"""``mxnova export-onnx``: a saved model as an ONNX file."""

from __future__ import annotations

import argparse
import sys

from ..core.base.errors import ArgumentError, candidates

__all__ = ["export", "shape_of"]


def export(options: argparse.Namespace) -> None:
    """Writes the file, and prints its path.

    Args:
        options: prefix, epoch, shape, dtype, output.
    """
    from .. import onnx, symbol

    network = symbol.load(f"{options.prefix}-symbol.json")
    given = dict(shape_of(text) for text in options.shape)
    names = network.list_inputs()
    for name in given:
        if name not in names:
            raise ArgumentError(
                f"--shape: the model has no input {name!r}{candidates(name, names)}"
            )
    shapes = [given[name] for name in names if name in given]
    has_open = any(isinstance(size, str) for shape in shapes for size in shape)
    path = onnx.export_model(
        network,
        f"{options.prefix}-{options.epoch:04d}.params",
        [tuple(1 if isinstance(size, str) else size for size in shape) for shape in shapes],
        options.dtype,
        str(options.output or f"{options.prefix}.onnx"),
        dynamic=has_open,
        dynamic_input_shapes=shapes if has_open else None,
    )
    sys.stdout.write(f"{path}\n")


def shape_of(text: str) -> tuple[str, tuple[int | str, ...]]:
    """A name, and its sizes: numbers, or words for those that are left open."""
    name, equals, numbers = text.partition("=")
    words = [word.strip() for word in numbers.split(",") if word.strip()]
    if not (name and equals and words):
        raise ArgumentError(f"--shape {text}: must be NAME=1,3,224,224 or NAME=N,3,224,224")
    for word in words:
        if not (word.isdigit() and int(word)) and not word.isidentifier():
            raise ArgumentError(f"--shape {text}: {word!r} is neither a size nor a name of one")
    return name, tuple(int(word) if word.isdigit() else word for word in words)
