# SPDX-License-Identifier: Apache-2.0
"""What a conversion is asked for, checked against the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..core.base.errors import ArgumentError, candidates
from ..core.graph.infer import infer_dtypes
from ..core.nd.array import NDArray
from ..core.op.dtypes import torch_dtype
from ..onnx.export import label_names
from .source import Model

__all__ = ["DTYPES", "Request"]

DTYPES = ("float16", "bfloat16")
_EXAMPLES = (2, 64), (3, 96)  # of sizes that are left open: of the first axis, of others


@dataclass(frozen=True)
class Request:
    """A model, and how it shall be written.

    Args:
        model: what was read.
        sizes: shapes of its inputs; words for sizes that are left open.
        dtype: what float32 shall become, or None.
        opset: of an ONNX file, or None.
    """

    model: Model
    sizes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    dtype: str | None = None
    opset: int | None = None

    @cached_property
    def shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shape of each input, labels of losses apart, unless they are given.

        Raises:
            ArgumentError: a name that is no input, or an input without a shape.
        """
        names = self.model.inputs
        given = {**(self.model.sizes or {}), **self.sizes}
        for name in self.sizes:
            if name not in names:
                raise ArgumentError(
                    f"--shape: the model has no input {name!r}{candidates(name, names)}"
                )
        labels = label_names(self.model.graph)
        lacking = [name for name in names if name not in given and name not in labels]
        if lacking:
            raise ArgumentError(
                f"convert: which shape has {', '.join(lacking)}? --shape {lacking[0]}=N,3,224,224, "
                "where a word leaves a size open"
            )
        return {name: tuple(given[name]) for name in names if name in given}

    @property
    def has_open_sizes(self) -> bool:
        """Whether any size is left open."""
        return any(isinstance(size, str) for shape in self.shapes.values() for size in shape)

    @cached_property
    def examples(self) -> tuple[dict[str, tuple[int, ...]], ...]:
        """Shapes of inputs with numbers for what is left open, twice, with different ones."""
        axes: dict[str, int] = {}
        for shape in self.shapes.values():
            for axis, size in enumerate(shape):
                if isinstance(size, str):
                    axes.setdefault(size, axis)
        found = []
        for sizes in _EXAMPLES:
            known = {word: sizes[bool(axis)] for word, axis in axes.items()}
            shapes = {
                name: tuple(known[s] if isinstance(s, str) else s for s in shape)
                for name, shape in self.shapes.items()
            }
            found.append(shapes)
        return tuple(found)

    @cached_property
    def typed(self) -> tuple[dict[str, NDArray], dict[str, str]]:
        """Parameters, and element types of inputs, in the element type that is asked for."""
        arrays = self.model.arrays
        symbol = self.model.graph
        names = list(self.shapes)
        if self.dtype is None or not names:
            return arrays, dict.fromkeys(names, "float32")
        wanted = dict.fromkeys(names, self.dtype)
        known = {name: torch_dtype(self.dtype) for name in names}
        table = infer_dtypes(symbol.nodes, known)
        found = {n.name: table[n][0] for n in symbol.nodes if n.op is None}
        cast = {
            name: array.astype(self.dtype)
            if found.get(name) == known[names[0]] and array.dtype == np.float32
            else array
            for name, array in arrays.items()
        }
        return cast, wanted
