# SPDX-License-Identifier: Apache-2.0
"""Elements side by side: batches as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mxnova import ndarray as nd
from mxnova.context import Context
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError
from mxnova.util import is_np_array

__all__ = ["default_batchify_fn", "default_mp_batchify_fn"]


def default_batchify_fn(data: list[Any]) -> Any:
    """A batch of elements: arrays and numbers are stacked, tuples become lists of batches.

    Args:
        data: elements of the same structure and shapes; element types stay what they are.

    Raises:
        ArgumentError: shapes differ.
        ArgumentTypeError: there is no array of such elements.
    """
    return _batch(data, None)


def default_mp_batchify_fn(data: list[Any]) -> Any:
    """`default_batchify_fn` into memory that other processes see."""
    return _batch(data, Context("cpu_shared", 0))


def _batch(data: Any, place: Context | None) -> Any:
    first = data[0]
    if isinstance(first, tuple):
        return [_batch(part, place) for part in zip(*data)]  # noqa: B905 - shortest, as in MXNet
    if isinstance(first, nd.NDArray):
        batch = _stacked(data, place)
    else:
        values = _values(data)
        batch = nd.array(values, ctx=place, dtype=values.dtype)
    return batch.as_np_ndarray() if is_np_array() else batch


def _stacked(arrays: Any, place: Context | None) -> nd.NDArray:
    strangers = {type(a).__name__ for a in arrays if not isinstance(a, nd.NDArray)}
    if strangers:
        raise ArgumentTypeError(f"default_batchify_fn: NDArrays and {', '.join(strangers)} mixed")
    tensors = [a._tensor for a in arrays]
    shapes = {t.shape for t in tensors}
    if len(shapes) > 1:
        raise _unequal([tuple(t.shape) for t in tensors])
    if place is None or len({t.dtype for t in tensors}) > 1:  # which the operator refuses
        stacked: nd.NDArray = nd.stack(*arrays)
        return stacked
    batch = nd.empty((len(arrays), *arrays[0].shape), ctx=place, dtype=arrays[0].dtype)
    if tensors[0].is_cpu:
        torch.stack(tensors, out=batch._tensor)  # at once into its place
    else:
        batch._tensor.copy_(torch.stack(tensors))
    return batch


def _unequal(shapes: Sequence[tuple[int, ...]]) -> ArgumentError:
    other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), 0)
    return ArgumentError(
        f"default_batchify_fn: elements of a batch must have equal shapes: element 0 has shape "
        f"{shapes[0]}, element {other} {shapes[other]}; transform the samples to one shape, or "
        "give the DataLoader a batchify_fn that pads"
    )


def _values(data: Any) -> np.ndarray[Any, Any]:
    try:
        values = np.asarray(data)
    except ValueError as error:
        try:
            shapes = [np.shape(item) for item in data]
        except ValueError:
            text = f"default_batchify_fn: elements cannot be stacked: {error}"
            raise ArgumentError(text) from None
        raise _unequal(shapes) from None
    if values.dtype.kind not in "biuf":
        kinds = sorted({type(item).__name__ for item in data})
        raise ArgumentTypeError(
            f"default_batchify_fn: there is no array of {', '.join(kinds)}; give a batchify_fn"
        )
    return values
