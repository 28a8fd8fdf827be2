# SPDX-License-Identifier: Apache-2.0
"""Arrays as ONNX describes and stores them."""

from __future__ import annotations

from typing import Any

import torch
from onnx import TensorProto
from torch import Tensor

__all__ = ["KINDS", "describe", "raw_bytes"]

KINDS = {
    torch.float32: TensorProto.FLOAT, torch.float64: TensorProto.DOUBLE,
    torch.float16: TensorProto.FLOAT16, torch.bfloat16: TensorProto.BFLOAT16,
    torch.int8: TensorProto.INT8, torch.uint8: TensorProto.UINT8, torch.int16: TensorProto.INT16,
    torch.uint16: TensorProto.UINT16, torch.int32: TensorProto.INT32,
    torch.uint32: TensorProto.UINT32, torch.int64: TensorProto.INT64,
    torch.uint64: TensorProto.UINT64, torch.bool: TensorProto.BOOL,
}  # fmt: skip


def describe(tensor: Any, name: str, values: Tensor) -> Any:
    """`tensor`, a TensorProto, with the facts of an array, but not yet its numbers."""
    tensor.name, tensor.data_type = name, KINDS[values.dtype]
    tensor.dims.extend(values.shape)
    return tensor


def raw_bytes(values: Tensor) -> memoryview:
    """Its numbers as ONNX stores them."""
    return values.contiguous().reshape(-1).view(torch.uint8).numpy().data
