# SPDX-License-Identifier: Apache-2.0
"""``mxnova import-onnx``: an ONNX file as a saved model."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from ..core.base.errors import ArgumentError
from ..core.base.progress import progress
from .shapes import inputs_of

__all__ = ["import_"]


def import_(options: SimpleNamespace) -> None:
    """Writes symbol and parameters, and prints their paths.

    Args:
        options: file, prefix, epoch, shape.
    """
    shapes, types = inputs_of(options.shape)
    if types:
        name, dtype = next(iter(types.items()))
        raise ArgumentError(
            f"import-onnx: --shape {name}:{dtype}=…: the ONNX file states the dtype of each input; "
            f"give {name}=SIZES"
        )
    with progress() as tell:
        tell("read the model")
        from .. import model, onnx

        symbol, arguments, states = onnx.import_model(options.file, shapes)
        tell("write")
        model.save_checkpoint(options.prefix, options.epoch, symbol, arguments, states)
    paths = f"{options.prefix}-symbol.json", f"{options.prefix}-{options.epoch:04d}.params"
    sys.stdout.write("".join(f"{path}\n" for path in paths))
