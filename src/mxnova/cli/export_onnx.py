# SPDX-License-Identifier: Apache-2.0
"""``mxnova export-onnx``: a saved model as an ONNX file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..core.base.errors import ArgumentError, candidates
from ..core.base.progress import progress
from .models import stem_of
from .shapes import inputs_of

__all__ = ["export"]


def export(options: SimpleNamespace) -> None:
    """Writes the file, and prints its path.

    Args:
        options: prefix, epoch, shape, dtype, output.
    """
    with progress() as tell:
        path = _exported(options, tell)
    sys.stdout.write(f"{path}\n")


def _exported(options: SimpleNamespace, tell: Callable[[str], Any]) -> str:
    tell("read the model")
    from .. import onnx
    from ..convert.source import load

    given, types = inputs_of(options.shape)
    model = load(options.prefix, options.epoch, types=types)
    network = model.graph
    names = network.list_inputs()
    for name in given:
        if name not in names:
            raise ArgumentError(
                f"--shape: the model has no input {name!r}{candidates(name, names)}"
            )
    shapes = [given[name] for name in names if name in given]
    dtypes = [model.input_types[name] for name in names if name in given]
    has_open = any(isinstance(size, str) for shape in shapes for size in shape)
    tell("write")
    return onnx.export_model(
        network,
        model.parameters,
        [tuple(1 if isinstance(size, str) else size for size in shape) for shape in shapes],
        [options.dtype if dtype == "float32" else dtype for dtype in dtypes],
        str(options.output or f"{stem_of(options.prefix)}.onnx"),
        dynamic=has_open,
        dynamic_input_shapes=shapes if has_open else None,
    )
