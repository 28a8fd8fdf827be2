# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs as symbols, node by node."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto

from ...core.base.errors import MXNetError, from_foreign, shown
from ...core.graph.symbol import Symbol
from .builder import Builder
from .element_types import ELEMENT_TYPES, type_name
from .folding import FOLDS, Folding
from .reading import ModelFile, all_nodes
from .site import TRANSLATORS, RefusalError, Site
from .values import MOST_AXES, Value

__all__ = ["Imported"]

_DOMAINS = ("", "ai.onnx")
_OLDEST, _NEWEST = 1, 28
_MOST_NESTED = 16  # graphs inside of graphs


class Imported:
    """A model, as a symbol.

    Args:
        file: the model.
        input_shapes: sizes of inputs by name, instead of those in the file.

    Attributes:
        symbol: what it gives.
        parameters: numbers of its variables by name.
    """

    def __init__(self, file: ModelFile, input_shapes: Mapping[str, Sequence[Any]]) -> None:
        self._file = file
        self._given = input_shapes
        self._version = _version(file.model)
        self._builder = Builder(file.budget)
        self._folding = Folding(file.budget)
        self._values: ChainMap[str, Value] = ChainMap()
        self._depth = 0
        graph = file.model.graph
        self._check(graph)
        self._read_names(graph)
        self._run(graph)
        self.symbol = Symbol([self._output(output) for output in graph.output])
        read = self.symbol.list_inputs()
        self.parameters = {n: a for n, a in self._builder.parameters.items() if n in set(read)}

    # Inputs and outputs

    def _read_names(self, graph: Any) -> None:
        names = [tensor.name for tensor in graph.initializer]
        self._builder.reserve([*names, *(i.name for i in graph.input)])
        if graph.sparse_initializer:
            raise MXNetError("import_model: initializers that are sparse: MXNet has no such files")
        self._add_initializers(graph)
        for entry in graph.input:
            if entry.name not in self._values:
                self._values[entry.name] = self._input(entry)
        unknown = sorted(self._given.keys() - self._builder.inputs.keys())
        if unknown:
            raise MXNetError(f"import_model: input_shapes: the model has no input {unknown[0]!r}")

    def _add_initializers(self, graph: Any) -> None:
        for tensor in graph.initializer:
            self._values[tensor.name] = Value.constant(tensor.name, self._file.array(tensor))

    def _input(self, entry: Any) -> Value:
        kind = entry.type.tensor_type
        dtype = ELEMENT_TYPES.get(kind.elem_type)
        if dtype is None:
            raise MXNetError(
                f"import_model: input {entry.name!r} is {_kind_of(entry)}: MXNet has no such arrays"
            )
        shape = self._given.get(entry.name)
        if shape is None and not kind.HasField("shape"):
            raise MXNetError(
                f"import_model: the file does not tell how many axes input {entry.name!r} has: say "
                f"it by input_shapes={{{entry.name!r}: (…)}}"
            )
        sizes = _sizes(kind) if shape is None else shape
        if len(sizes) > MOST_AXES:
            raise MXNetError(
                f"import_model: input {shown(entry.name)} has {len(sizes)} axes, expected at most "
                f"{MOST_AXES}"
            )
        return self._builder.input(entry.name, sizes, dtype)

    def _output(self, output: Any) -> Any:
        value = self._value(output.name)
        if value is None or value.parts is not None:
            raise MXNetError(f"import_model: output {output.name!r} is no array")
        wanted = np.dtype(np.bool_) if value.is_truth else value.dtype
        wanted = ELEMENT_TYPES.get(output.type.tensor_type.elem_type, wanted)
        self._builder.begin(output.name)
        if wanted != value.dtype:
            value = self._builder.op("Cast", value, dtype=wanted.name)
        elif value.array is not None and not value.array.size:
            raise MXNetError(f"import_model: output {output.name!r} has no elements")
        elif value.entry is None or value.entry.node.op is None:
            value = self._builder.op("_copy", value)
        self._builder.end([value], [output.name])
        return self._builder.entry(value)

    # Nodes

    def _check(self, graph: Any) -> None:
        """Raises an error that names all operators that there are no translators for."""
        unknown: dict[str, str] = {}
        for node in all_nodes(graph):
            if node.domain not in _DOMAINS or not _is_known(node.op_type):
                kind = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
                unknown.setdefault(kind, _name_of(node))
        if unknown:
            found = ", ".join(f"{kind} (node {name!r})" for kind, name in unknown.items())
            raise MXNetError(f"import_model: MXNet has no operators for {found}")

    def _run(self, graph: Any) -> None:
        for node in graph.node:
            self._builder.begin(_name_of(node))
            try:
                values = self._translated(node)
            except _LocatedError:
                raise
            except MXNetError as error:
                reason = self._builder.open_sizes.named(str(error))
                raise _LocatedError(f"{_place(node)}: {reason}") from None
            except Exception as error:  # translators meet nodes that no runtime would take
                raise from_foreign(error, _place(node)) from error
            for name, value in zip(node.output, values, strict=False):
                if name:
                    self._values[name] = value
            self._builder.reserve(node.output)

    def _translated(self, node: Any) -> list[Value]:
        attributes = {a.name: self._attribute(a) for a in node.attribute}
        inputs = [self._value(name) for name in node.input]
        n_outputs = max((i + 1 for i, name in enumerate(node.output) if name), default=0)
        facts = (self._version, inputs, n_outputs, attributes, self._builder, self)
        site = Site(node.op_type, *facts)
        site.ignore("consumed_inputs")  # before version 6 a hint to runtimes
        folded = self._folding.folded(site)
        if folded is not None:
            return [Value.constant(n, a) for n, a in zip(node.output, folded, strict=False)]
        if node.op_type not in TRANSLATORS:
            raise RefusalError("its inputs must be constants")
        found = TRANSLATORS[node.op_type](site)
        if site.unread():
            raise RefusalError(f"attribute {', '.join(site.unread())}: unknown here")
        values = found if isinstance(found, list) else [found]
        if len(values) < n_outputs:
            raise RefusalError(f"output {len(values)}: MXNet has no operator that gives it")
        return self._builder.end(values, node.output)

    def _value(self, name: str) -> Value | None:
        if not name:
            return None
        if name not in self._values:
            raise MXNetError(f"{name!r} is read before anything gives it")
        return self._values[name]

    def _attribute(self, attribute: Any) -> Any:
        kind = attribute.type
        if kind == AttributeProto.TENSOR:
            return self._file.array(attribute.t)
        if kind == AttributeProto.GRAPH:
            return attribute.g
        if kind == AttributeProto.STRING:
            return attribute.s.decode(errors="replace")
        if kind == AttributeProto.STRINGS:
            return [text.decode(errors="replace") for text in attribute.strings]
        fields = {
            AttributeProto.FLOAT: "f", AttributeProto.INT: "i",
            AttributeProto.FLOATS: "floats", AttributeProto.INTS: "ints",
        }  # fmt: skip
        if kind not in fields or attribute.ref_attr_name:
            raise RefusalError(
                f"attribute {shown(attribute.name)} is of a kind that is not supported"
            )
        found = getattr(attribute, fields[kind])
        return found if isinstance(found, (int, float)) else list(found)

    def inner(self, graph: Any) -> list[Value]:
        """Import a subgraph of a node, which may read values of the outer graph.

        Raises:
            RefusalError: graphs lie too deep in each other.
        """
        outer, base = self._values, self._builder.save()
        if self._depth == _MOST_NESTED:
            raise RefusalError("graphs lie too deep in each other")
        self._values, self._depth = outer.new_child(), self._depth + 1
        self._add_initializers(graph)
        self._run(graph)
        found = [self._value(output.name) for output in graph.output]
        self._values, self._depth = outer, self._depth - 1
        self._builder.restore(base)
        if any(value is None for value in found):
            raise RefusalError("a graph inside of it has outputs without names")
        return [value for value in found if value is not None]


class _LocatedError(MXNetError):
    """An error that says at which node it is."""


def _version(model: Any) -> int:
    """The opset that a model is written in."""
    found = [entry.version for entry in model.opset_import if entry.domain in _DOMAINS]
    if not found or not _OLDEST <= max(found) <= _NEWEST:
        raise MXNetError(
            f"import_model: opset {max(found, default=0)}: must be {_OLDEST} to {_NEWEST}. "
            "onnx.version_converter makes newer files of old ones"
        )
    return int(max(found))


def _is_known(kind: str) -> bool:
    return kind in TRANSLATORS or kind in FOLDS


def _place(node: Any) -> str:
    return f"import_model: node {shown(_name_of(node))} ({node.op_type})"


def _name_of(node: Any) -> str:
    """A node's own name, or that of its first output."""
    return str(node.name.strip() or (node.output[0] if node.output else node.op_type))


def _sizes(kind: Any) -> list[int | str | None]:
    """Sizes of an input: numbers, names of open sizes, or None."""
    return [d.dim_value if d.dim_value > 0 else d.dim_param or None for d in kind.shape.dim]


def _kind_of(entry: Any) -> str:
    if entry.type.HasField("tensor_type"):
        return f"an array of {type_name(entry.type.tensor_type.elem_type)}"
    return f"a {entry.type.WhichOneof('value') or 'value of no type'}"
