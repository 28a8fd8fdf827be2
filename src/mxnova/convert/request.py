# SPDX-License-Identifier: Apache-2.0
"""What a conversion is asked for, checked against the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import torch

from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..core.graph.infer import infer_partial_dtypes, infer_shapes
from ..core.graph.labels import labels_of
from ..core.graph.missing import parameters_among
from ..core.graph.node import Entry, Node
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from ..core.op.dtypes import torch_dtype
from ..core.op.schema import find
from ..predictor.picture import Picture
from .source import Model, declare_dtypes

__all__ = ["DTYPES", "Request"]

DTYPES = ("float16", "bfloat16")
_EXAMPLES = (  # of sizes that are left open, twice: of the first axis, and of others
    ((2, 64), (3, 96)),
    ((2, 224), (3, 256)),
    ((2, 512), (3, 640)),
)
_MOST_TRIED = 65  # sizes that are tried to say which a network takes


@dataclass(frozen=True)
class Request:
    """A model, and how it shall be written.

    Args:
        model: what was read.
        sizes: shapes of its inputs; words for sizes that are left open.
        dtype: what float32 shall become, or None.
        opset: of an ONNX file, or None.
        runtime: of a compiled model.
        preprocessing: options of `Picture` that replace what the model tells.
        labels: names of the scores, in place of those that the model tells.
    """

    model: Model
    sizes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    dtype: str | None = None
    opset: int | None = None
    runtime: str = "onnxruntime"
    preprocessing: Mapping[str, Any] = field(default_factory=dict)
    labels: Sequence[str] = ()

    @cached_property
    def picture(self) -> Picture | None:
        """How an image becomes an input; None where nobody tells.

        Raises:
            ArgumentError: an option that is not known, or a value that cannot be used.
        """
        told = self.model.preprocessing
        if not self.preprocessing:
            return told
        return Picture.of_mapping({**({} if told is None else asdict(told)), **self.preprocessing})

    @cached_property
    def shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shape of each input, labels of losses apart, unless they are given.

        Raises:
            ArgumentError: a name that is no input, or an input without a shape.
        """
        names = self.model.inputs
        given = {**(self.model.sizes or {}), **self.sizes}
        known = {*names, *self.model.network.list_inputs()} - self.model.arrays.keys()
        for name in self.sizes:
            if name not in known:
                raise ArgumentError(
                    f"--shape: the model has no input {name!r}{candidates(name, names)}"
                )
        labels = labels_of(self.model.graph)
        lacking = [name for name in names if name not in given and name not in labels]
        if lacking:
            self._refuse_missing(lacking)
        return {name: tuple(given[name]) for name in names if name in given}

    def _refuse_missing(self, names: Sequence[str]) -> NoReturn:
        """Raise the error for variables that have neither values nor a shape."""
        parameters = parameters_among(self.model.graph, names)
        if parameters:
            raise ArgumentError(
                f"convert: {self.model.files[-1]} lacks {', '.join(parameters)}, which the network "
                "reads as parameters; add the arrays to the file, or give --shape NAME=SIZES to "
                "make them inputs"
            )
        raise ArgumentError(
            f"convert: which shape has {', '.join(names)}? --shape {names[0]}=N,3,224,224, "
            "where a word leaves a size open"
        )

    @property
    def has_open_sizes(self) -> bool:
        """Whether any size is left open."""
        return any(isinstance(size, str) for shape in self.shapes.values() for size in shape)

    @cached_property
    def sizes_by_name(self) -> tuple[dict[str, int], dict[str, int]]:
        """Two sets of numbers for sizes that are left open, which the network takes.

        Raises:
            ArgumentError: the network fixes a size that is left open.
        """
        first: MXNetError | None = None
        for one, other in _EXAMPLES:
            found = self._sizes(*one), self._sizes(*other)
            try:
                for sizes in found:
                    self._infer(sizes)
                return found
            except MXNetError as error:
                first = first or error
        raise ArgumentError(f"convert: {first}{self._hint()}")

    def _sizes(self, batch: int, other: int) -> dict[str, int]:
        return {word: other if axis else batch for word, axis in self._axes.items()}

    @cached_property
    def _axes(self) -> dict[str, int]:
        """The axis at which each name of a size comes first."""
        axes: dict[str, int] = {}
        for shape in self.shapes.values():
            for axis, size in enumerate(shape):
                if isinstance(size, str):
                    axes.setdefault(size, axis)
        return axes

    def shapes_of(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """Shapes of inputs with these numbers for sizes that are left open."""
        return {
            name: tuple(sizes[size] if isinstance(size, str) else size for size in shape)
            for name, shape in self.shapes.items()
        }

    def _infer(self, sizes: Mapping[str, int]) -> None:
        known = {**self.model.shapes, **self.shapes_of(sizes)}
        infer_shapes(self.model.graph.nodes, known)

    def _hint(self) -> str:
        """Which sizes the network takes, where it does not take all."""
        sizes = self._sizes(*_EXAMPLES[0][0])
        for word in sizes:
            fitting = [size for size in range(1, _MOST_TRIED) if self._fits({**sizes, word: size})]
            if fitting:
                few = ", ".join(map(str, fitting[:3])) + (", …" if len(fitting) > 3 else "")
                name = next(name for name, shape in self.shapes.items() if word in shape)
                given = (str(fitting[0] if size == word else size) for size in self.shapes[name])
                example = f"--shape {name}={','.join(given)}"
                return f". The network takes {word} = {few} only: {example}"
        return ""

    def _fits(self, sizes: Mapping[str, int]) -> bool:
        try:
            self._infer(sizes)
        except MXNetError:
            return False
        return True

    @cached_property
    def examples(self) -> tuple[dict[str, tuple[int, ...]], ...]:
        """Shapes of inputs with numbers for what is left open, twice, with different ones."""
        return tuple(map(self.shapes_of, self.sizes_by_name))

    def fed(self, batches: Sequence[int]) -> list[dict[str, tuple[int, ...]]]:
        """Shapes of inputs with these numbers for an open first axis; one set if none is open."""
        found = []
        for number, batch in enumerate(batches if self.has_open_sizes else batches[:1]):
            sizes = self.sizes_by_name[number % 2]
            of_batch = {word: size if self._axes[word] else batch for word, size in sizes.items()}
            found.append(self.shapes_of(of_batch))
        return found

    @cached_property
    def graph(self) -> Symbol:
        """The network for inference, whose variables declare the dtype of the target."""
        return self.with_target_dtypes(self.model.graph)

    def with_target_dtypes(self, symbol: Symbol) -> Symbol:
        """Return `symbol` with the dtypes of the target declared for inputs and parameters."""
        if self.dtype is None:
            return symbol
        arrays, inputs = self.typed
        symbol = self._with_table_dtypes(symbol)
        cast = [name for name, array in arrays.items() if array is not self.model.arrays[name]]
        return declare_dtypes(symbol, {**dict.fromkeys(cast, self.dtype), **inputs})

    @cached_property
    def source_types(self) -> dict[str, str]:
        """The dtype of each input of the source."""
        return {name: self.model.input_types[name] for name in self.shapes}

    @cached_property
    def typed(self) -> tuple[dict[str, NDArray], dict[str, str]]:
        """The parameters, and the dtypes of the inputs, in the dtype of the target.

        Inputs that the network reads as numbers of rows or as lengths keep their dtype: float16
        has no integers above 2048.
        """
        arrays, types = self.model.arrays, self.source_types
        if self.dtype is None:
            return arrays, types
        wanted = torch_dtype(self.dtype)
        symbol = rewrite(self.model.graph, _undeclared)  # files of Gluon's declare all
        symbol = self._with_table_dtypes(symbol)
        cast = [n for n, t in types.items() if t == "float32" and _spreads(symbol, n, wanted)]
        known = {**{n: torch_dtype(t) for n, t in types.items()}, **dict.fromkeys(cast, wanted)}
        table = infer_partial_dtypes(symbol.nodes, known)
        found = {n.name: table[n][0] for n in symbol.nodes if n.op is None}
        made = {
            name: array.astype(self.dtype)
            if found.get(name) == wanted and array.dtype == np.float32
            else array
            for name, array in arrays.items()
        }
        return made, {**types, **dict.fromkeys(cast, self.dtype)}

    def _with_table_dtypes(self, symbol: Symbol) -> Symbol:
        """Return `symbol` whose Embedding nodes, which state the dtype of rows, state the target's.

        MXNet has no name for bfloat16 there.
        """
        if self.dtype != "float16":
            return symbol

        def replace(node: Node, inputs: list[Entry]) -> Node | None:
            op = node.op
            if op is None or op.type is not find("Embedding") or op.attr("dtype") != "float32":
                return None
            attrs = {**node.attrs, "dtype": "float16"}
            return Node(op.changed(dtype="float16"), node.name, attrs, inputs)

        return rewrite(symbol, replace)


def _spreads(symbol: Symbol, name: str, dtype: torch.dtype) -> bool:
    """Return True if the dtype of an input decides that of any operator's output."""
    one, other = (infer_partial_dtypes(symbol.nodes, {name: d}) for d in (torch.float32, dtype))
    return any(one[node] != other[node] for node in symbol.nodes if node.op is not None)


def _undeclared(node: Node, inputs: list[Entry]) -> Node | None:
    """A variable whose attributes do not tell that it is of float32."""
    if node.op is not None or node.attrs.get("__dtype__") not in ("0", "float32"):
        return None
    return Node(None, node.name, {k: v for k, v in node.attrs.items() if k != "__dtype__"})
