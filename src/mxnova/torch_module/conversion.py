# SPDX-License-Identifier: Apache-2.0
"""`to_torch` and `from_torch`."""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor, nn

from ..checkpoint import save_checkpoint
from ..core.base.errors import ArgumentError, ArgumentTypeError, shown
from ..core.base.free_names import FreeNames
from ..core.graph.infer import infer_shapes
from ..core.graph.node import Node
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from .graph import Graph
from .heads import labels_of, without_heads
from .module import Fields, GraphModule, module_of
from .refusals import check
from .sources import Arrays, Model, model_of

__all__ = ["from_torch", "to_torch"]

_TAKEN = frozenset(dir(GraphModule)) | {"training"}


def to_torch(
    model: Any,
    params: Any = None,
    *,
    aux: Any = None,
    epoch: int | None = None,
    copy: bool = False,
    heads: Literal["keep", "strip"] = "keep",
) -> GraphModule:
    """A model as a plain ``torch.nn.Module``, whose ``forward`` makes calls of torch only.

    Parameters and buffers (auxiliary states) have MXNet's names as keys of ``state_dict()``; where
    torch refuses a name, such as one with a dot, the module's `name_map` tells which key stands for
    it. The module is in evaluation mode.

    Args:
        model: a Symbol; the prefix of a checkpoint; the path of a symbol file; a HybridBlock; a
            Module; a Predictor.
        params: for a Symbol or a symbol file: arrays by name, with or without ``arg:`` and
            ``aux:``, or the path of a .params file.
        aux: auxiliary states by name, where `params` does not hold them.
        epoch: of a checkpoint; default: the only one that there is.
        copy: False: tensors share the memory of the arrays, so that training changes both.
        heads: ``keep`` losses at the outputs, such as SoftmaxOutput, with MXNet's gradients, or
            ``strip`` them: the outputs are then what the losses are given.

    Returns:
        The module.

    Raises:
        MXNetError: arrays that are missing or do not fit; operators that torch cannot trace, all
            of them in one text, with node and reason.
    """
    if heads not in ("keep", "strip"):
        raise ArgumentError(f"to_torch: heads={shown(heads)}: must be 'keep' or 'strip'")
    found = model_of(model, params, aux, epoch)
    source = rewrite(found.symbol, Node.copy)  # later changes to attributes do not reach it
    symbol = without_heads(source) if heads == "strip" else source
    _check_arrays(symbol, found.arrays)
    check(symbol)
    return _made(symbol, source, found, copy)


def _check_arrays(symbol: Symbol, arrays: Arrays) -> None:
    """Auxiliary states must be there, and shapes must fit."""
    missing = [n for n in symbol.list_auxiliary_states() if n not in arrays]
    if missing:
        raise ArgumentError(f"to_torch: params: auxiliary states are missing: {', '.join(missing)}")
    infer_shapes(symbol.nodes, {n: array.shape for n, array in arrays.items()})


def _made(symbol: Symbol, source: Symbol, model: Model, copy: bool) -> GraphModule:
    variables = dict.fromkeys(symbol.list_inputs())
    inputs = tuple(n for n in variables if n not in model.arrays)
    keys = FreeNames(_TAKEN)
    stored = [n for n in dict.fromkeys(source.list_inputs()) if n in model.arrays]
    name_map = {keys.free(name.replace(".", "_") or "_"): name for name in stored}
    graph = Graph(symbol, [*inputs, *stored])
    fields = Fields(graph, source, inputs, frozenset(labels_of(symbol)), name_map)
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
        for name, entry in zip(node.op.inputs() if node.op else (), node.inputs, strict=False):
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
