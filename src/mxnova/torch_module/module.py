# SPDX-License-Identifier: Apache-2.0
"""`GraphModule`: a model as a ``torch.nn.Module``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..core.base.errors import MXNetError
from ..core.base.unique_names import unique_identifiers
from ..core.graph.symbol import Symbol
from ..core.runtime.torch_api import is_transformed, only_torch
from .graph import Graph

__all__ = ["Fields", "GraphModule", "module_of"]

# Arguments of the functions through which torch calls and traces a module, and the global names of
# the code that torch.fx generates, which an argument of the same name would hide.
_TAKEN = (
    "self", "mod", "torch", "device", "fx_pytree", "pytree", "inf", "nan", "NoneType",
)  # fmt: skip


class Fields(NamedTuple):
    """What a module has beside its tensors.

    Attributes:
        graph: what it runs; of its variables inputs come first.
        source: the symbol that the model was given with, heads included.
        inputs: names of the inputs.
        optional: names of those that may be left out: labels, which no output reads.
        name_map: torch's key of each parameter and buffer -> MXNet's name, in the order in which
            the graph reads them.
    """

    graph: Graph
    source: Symbol
    inputs: tuple[str, ...]
    optional: frozenset[str]
    name_map: dict[str, str]


class GraphModule(nn.Module):
    """What `to_torch` makes. ``forward`` takes the inputs, in order or by name.

    It gives a tensor, or a tuple of tensors where the model has several outputs. Labels may be left
    out; a loss then has the gradient of what it computes, not its own. ``train()`` makes operators
    run as in MXNet's training passes; moving statistics then change in ``forward``.

    Attributes:
        symbol: what it computes.
        name_map: torch's key of each parameter and buffer -> MXNet's name.
        input_names: names of the inputs in MXNet, in order.
        output_names: names of the outputs in MXNet, in order.
    """

    _fields: Fields

    @property
    def symbol(self) -> Symbol:
        """What it computes."""
        return self._fields.graph.symbol

    @property
    def name_map(self) -> dict[str, str]:
        """Key of each parameter and buffer here -> name in MXNet."""
        return dict(self._fields.name_map)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs in MXNet, in order."""
        return self._fields.inputs

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs in MXNet, in order."""
        return tuple(self.symbol.list_outputs())

    def _run(self, *inputs: Tensor | None) -> Any:
        state = [getattr(self, key) for key in self._fields.name_map]
        graph = self._fields.graph
        if graph.untraceable and torch.compiler.is_compiling():
            raise MXNetError("torch cannot trace " + "; ".join(graph.untraceable))
        run = graph.functions[self.training]
        if torch.compiler.is_compiling() or not is_transformed():
            outputs = run(*inputs, *state)
        else:
            with only_torch():
                outputs = run(*inputs, *state)
        return outputs if len(outputs) != 1 else outputs[0]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _blank, (self._fields,), dict(self.__dict__)

    def extra_repr(self) -> str:
        """Inputs, outputs and the number of operators."""
        n = sum(node.op is not None for node in self.symbol.nodes)
        inputs, outputs = ", ".join(self.input_names), ", ".join(self.output_names)
        return f"{inputs} -> {outputs}, {n} operators"


def module_of(fields: Fields, tensors: Mapping[str, Tensor], buffers: Sequence[str]) -> GraphModule:
    """A module.

    Args:
        fields: what it is.
        tensors: parameters and buffers by torch's key.
        buffers: keys of the buffers.
    """
    module = _blank(fields)
    for key, tensor in tensors.items():
        if key in buffers:
            module.register_buffer(key, tensor)
        else:
            module.register_parameter(key, tensor)  # type: ignore[arg-type]
    return module


def _blank(fields: Fields) -> GraphModule:
    """A module without tensors; its class has a ``forward`` with the model's own arguments."""
    kind = type("GraphModule", (GraphModule,), {"forward": _forward(fields)})
    kind.__module__ = GraphModule.__module__
    module: GraphModule = kind()
    module.__dict__["_fields"] = fields
    return module


def _forward(fields: Fields) -> Any:
    """Return a ``forward`` whose arguments are named after the inputs."""
    names = unique_identifiers(fields.inputs, _TAKEN)
    needed = [a for n, a in names.items() if n not in fields.optional]
    other = [f"{a}=None" for n, a in names.items() if n in fields.optional]
    taken = ", ".join(["self", *needed, *other])
    source = f"def forward({taken}):\n    return self._run({', '.join(names.values())})\n"
    scope: dict[str, Any] = {}
    exec(source, scope)  # The names are identifiers: to_identifier made them.
    forward = scope.pop("forward")
    forward.__doc__ = inspect.getdoc(GraphModule)
    return forward
