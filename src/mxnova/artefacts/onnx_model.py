# SPDX-License-Identifier: Apache-2.0
"""An ONNX file as the files of a checkpoint, in memory."""

from __future__ import annotations

import json
import os

from ..formats import params

__all__ = ["checkpoint_of_onnx"]


def checkpoint_of_onnx(path: str) -> dict[str, bytearray]:
    """Names and contents of the files of network, parameters and shapes; imports torch.

    Raises:
        FileError: the file cannot be read.
        FormatError: it is no ONNX model.
        MXNetError: the package onnx is not installed, or MXNet's operators cannot say the model.
    """
    from ..checkpoint import joined_params
    from ..core.nd.files import record_of_array
    from ..onnx.load import get_model_metadata, import_model

    symbol, arguments, states = import_model(path)
    arrays = joined_params(arguments, states)
    told = get_model_metadata(path)["input_tensor_data"]
    rows = [{"name": name, "shape": list(shape)} for name, shape, *_ in told]
    stem = os.path.basename(path).removesuffix(".onnx")
    records = [record_of_array(array) for array in arrays.values()]
    return {
        f"{stem}-symbol.json": bytearray(symbol.tojson().encode()),
        f"{stem}-0000.params": bytearray(params.dumps(records, list(arrays))),
        f"{stem}-shapes.json": bytearray(json.dumps(rows).encode()),
    }
