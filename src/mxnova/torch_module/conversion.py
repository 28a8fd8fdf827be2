# SPDX-License-Identifier: Apache-2.0
"""`to_torch` and `from_torch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import torch
from torch import Tensor, fx, nn

from ..checkpoint import save_checkpoint
from ..core.base.errors import ArgumentError, ArgumentTypeError, candidates, shown
from ..core.base.unique_names import unique_identifiers
from ..core.graph.infer import infer_shapes
from ..core.graph.labels import labels_of
from ..core.graph.node import Node
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from .graph import Graph
from .heads import without_heads
from .module import Fields, GraphModule, module_of
from .open_sizes import Facts
from .refusals import check
from .sources import Arrays, Model, model_of

__all__ = ["from_torch", "to_torch"]

# Attributes of this module, and of the modules that torch.export makes of it.
_TAKEN = {
    *dir(GraphModule), *dir(fx.GraphModule), "self", "training", "meta", "shape_env",
    "range_constraints", "validate_inputs",
}  # fmt: skip


def to_torch(
    model: Any,
    params: Any = None,
    *,
    aux: Any = None,
    epoch: int | None = None,
    copy: bool = False,
    heads: Literal["keep", "strip"] = "keep",
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> GraphModule:
    """A model as a plain ``torch.nn.Module``, whose ``forward`` makes calls of torch only.

    Parameters and buffers (auxiliary states) have MXNet's names as keys of ``state_dict()`` if
    these are ASCII identifiers that neither Python nor torch uses itself. Other names, such as
    ``block.0.weight``, ``class`` and ``forward``, get similar keys; the module's `name_map` maps
    every key to MXNet's name. The module is in evaluation mode.

    Args:
        model: a Symbol; the prefix of a checkpoint; the path of a symbol file; a HybridBlock; a
            Module; a Predictor.
        params: for a Symbol or a symbol file: arrays by name, with or without ``arg:`` and
            ``aux:``, or the path of a .params file.
        aux: auxiliary states by name, where `params` does not hold them.
        epoch: of a checkpoint; default: the newest.
        copy: False: tensors share the memory of the arrays, so that training changes both.
        heads: ``keep`` losses at the outputs, such as SoftmaxOutput, with MXNet's gradients, or
            ``strip`` them: the outputs are then what the losses are given.
        shapes: shapes of inputs by name, needed where operators such as ``zeros(shape=(0, 8))``
            make as much as these say; their sizes are examples. A Module and a Predictor know them.

    Returns:
        The module.

    Raises:
        MXNetError: arrays that are missing or do not fit; nodes that cannot run on tensors alone,
            all of them in one text, with operator and reason.
    """
    if heads not in ("keep", "strip"):
        raise ArgumentError(f"to_torch: heads={shown(heads)}: must be 'keep' or 'strip'")
    found = model_of(model, params, aux, epoch)
    source = rewrite(found.symbol, Node.copy)  # later changes to attributes do not reach it
    symbol = without_heads(source) if heads == "strip" else source
    inputs = tuple(n for n in dict.fromkeys(symbol.list_inputs()) if n not in found.arrays)
    facts = _facts(symbol, found, inputs, shapes)
    _check_states(symbol, found.arrays)
    check(symbol, facts)
    return _made(symbol, source, found, facts, copy)


def _facts(
    symbol: Symbol,
    model: Model,
    inputs: tuple[str, ...],
    given: Mapping[str, Sequence[int]] | None,
) -> Facts:
    """What is known of the variables; where all is known, it must fit."""
    for name in given or ():
        if name not in inputs:
            raise ArgumentError(
                f"to_torch: shapes: there is no input {name!r}{candidates(name, inputs)}"
            )
    examples = {n: tuple(s) for n, s in (model.shapes if given is None else given).items()}
    shapes: dict[str, tuple[int, ...]] = {n: a.shape for n, a in model.arrays.items()}
    shapes.update((n, s) for n, s in examples.items() if n in inputs)
    if all(name in shapes for name in {*inputs} - labels_of(symbol)):
        infer_shapes(symbol.nodes, shapes)
    plain = {n.name for n in symbol.nodes if n.op is None and "__dtype__" not in n.attrs}
    dtypes = {name: torch.float32 for name in inputs if name in plain}
    dtypes.update((n, a._tensor.dtype) for n, a in model.arrays.items())
    return Facts(shapes, dtypes, inputs)


def _check_states(symbol: Symbol, arrays: Arrays) -> None:
    missing = [n for n in symbol.list_auxiliary_states() if n not in arrays]
    if missing:
        raise ArgumentError(f"to_torch: params: auxiliary states are missing: {', '.join(missing)}")


def _made(symbol: Symbol, source: Symbol, model: Model, facts: Facts, copy: bool) -> GraphModule:
    stored = [n for n in dict.fromkeys(source.list_inputs()) if n in model.arrays]
    name_map = {key: name for name, key in unique_identifiers(stored, _TAKEN).items()}
    graph = Graph(symbol, [*facts.inputs, *stored], facts)
    fields = Fields(graph, source, facts.inputs, frozenset(labels_of(symbol)), name_map)
    states = {*source.list_auxiliary_states()}
    frozen = model.frozen | _constant(source)
    tensors, buffers = {}, []
    for key, name in name_map.items():
        tensor = _tensor_of(name, model.arrays[name], copy)
        if name in states or not tensor.is_floating_point():
            buffers.append(key)
            tensors[key] = tensor
        else:
            tensors[key] = nn.Parameter(tensor, requires_grad=name not in frozen)
    return module_of(fields, tensors, buffers).eval()


def _constant(symbol: Symbol) -> set[str]:
    """Arguments that operators set to what they must be: scales of BatchNorm that are fixed."""
    found = set()
    for node in symbol.nodes:
        if node.op is None:
            continue
        for name, entry in zip(node.op.inputs(), node.inputs, strict=False):
            if name in node.op.writes and entry.node.op is None:
                found.add(entry.node.name)
    return found


def _tensor_of(name: str, array: NDArray, copy: bool) -> Tensor:
    if array.stype != "default":
        raise ArgumentError(f"to_torch: params: {name} is {array.stype}, must be dense")
    if copy:
        return array._tensor.detach().clone()
    return array.to_torch().detach()


def from_torch(
    module: nn.Module, prefix: str | None = None, epoch: int = 0, *, copy: bool = False
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """(symbol, arguments, auxiliary states) of a module that `to_torch` made, losses included.

    Args:
        module: the module, also inside DistributedDataParallel or ``torch.compile``.
        prefix: also write ``prefix-symbol.json`` and ``prefix-<epoch>.params``.
        epoch: the number in the name of the file of parameters.
        copy: False: arrays share the memory of the module's tensors.

    Raises:
        ArgumentTypeError: another kind of module.
    """
    inner = _unwrapped(module)
    fields = inner._fields
    states = {*fields.source.list_auxiliary_states()}
    arguments: dict[str, NDArray] = {}
    auxiliary: dict[str, NDArray] = {}
    for key, name in fields.name_map.items():
        tensor = getattr(inner, key).detach()
        array = NDArray(tensor.clone() if copy else tensor)
        (auxiliary if name in states else arguments)[name] = array
    if prefix is not None:
        save_checkpoint(prefix, epoch, fields.source, arguments, auxiliary)
    return fields.source, arguments, auxiliary


_WRAPPERS = ("module", "_orig_mod")  # of DistributedDataParallel, of torch.compile


def _unwrapped(module: Any) -> GraphModule:
    inner = module
    while not isinstance(inner, GraphModule):
        inside = [getattr(inner, name, None) for name in _WRAPPERS]
        found = next((m for m in inside if isinstance(m, nn.Module)), None)
        if found is None:
            raise ArgumentTypeError(
                f"from_torch: module={shown(module)}: must be a module that to_torch made"
            )
        inner = found
    return inner
