# SPDX-License-Identifier: Apache-2.0
"""Models as blocks."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ....context import Context
from ....gluon import SymbolBlock
from ....onnx import get_model_metadata, import_model
from .import_onnx import block_of

__all__ = ["import_to_gluon"]


def import_to_gluon(
    model_file: str | os.PathLike[str], ctx: Context | Sequence[Context] | None
) -> SymbolBlock:
    """Reads an ONNX file: a block that takes the model's inputs in the file's order.

    Args:
        model_file: its path.
        ctx: where the parameters go; None: the current context.

    Raises:
        FileError: the file cannot be read.
        FormatError: it is no ONNX model.
        MXNetError: as `mxnova.onnx.import_model`.
    """
    symbol, arguments, states = import_model(model_file)
    inputs = [name for name, *_ in get_model_metadata(model_file)["input_tensor_data"]]
    return block_of(symbol, inputs, {**arguments, **states}, ctx)
