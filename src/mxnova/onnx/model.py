# SPDX-License-Identifier: Apache-2.0
"""Graphs as ONNX models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from ..core.base.errors import MXNetError, shown
from ..core.base.shapes import is_known, shape_text
from ..core.exec.backends.conversion.graph import (
    further_outputs_read,
    refusal,
    said,
    site_of,
)
from ..core.exec.backends.conversion.site import Site
from ..core.exec.passes.mkldnn_layer_lowering import with_layers_opened
from ..core.exec.passes.qdq import with_qdq
from ..core.exec.passes.stride_hoisting import without_unread_positions
from ..core.graph.completion import completed, completions
from ..core.graph.infer import DTypeTable, ShapeTable, infer_dtypes, infer_shapes
from ..core.graph.node import Entry, Node
from ..core.graph.open_sizes import HugeShapes, OpenSizes, is_open
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from .file_opset import FileOpset
from .opsets import DEFAULT

__all__ = ["Exported", "Inputs", "shapes_fit"]

# Inputs that may not be computed.
_NEEDS_VALUES = {
    "RNN": (1,),
    **dict.fromkeys(("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm"), (1, 2, 3, 4)),
}

Inputs = Mapping[str, tuple[tuple[int, ...], torch.dtype]]
"""Shapes and element types by name."""


class Exported:
    """A graph, said in ONNX's words.

    Args:
        symbol: the graph.
        parameters: values of variables by name.
        inputs: what the others are.
        open_sizes: the sizes of inputs that are left open.
        version: of the opset.
        for_runtime: the model is run and not read: positions that nobody reads are left out.
    """

    def __init__(
        self,
        symbol: Symbol,
        parameters: Mapping[str, Tensor],
        inputs: Inputs,
        open_sizes: OpenSizes | None = None,
        version: int = DEFAULT,
        for_runtime: bool = False,
    ) -> None:
        self._parameters = dict(parameters)
        self._inputs = inputs
        self._output_names = [e.node.value_names()[e.output] for e in symbol.entries]
        symbol = self._in_qdq(with_layers_opened(symbol))
        self._shapes, self._dtypes = self._inferred(symbol)
        moved = without_unread_positions(symbol, self._shapes) if for_runtime else symbol
        if moved is not symbol:
            symbol = moved
            self._shapes, self._dtypes = self._inferred(symbol)
        operators = completions(symbol, self._shapes, self._dtypes)
        self._symbol = self._with_known_values(completed(symbol, operators))
        self._shapes, self._dtypes = self._inferred(self._symbol)
        names = (n.name for n in self._symbol.nodes if n.op is None)
        self.ops = FileOpset(names, open_sizes or OpenSizes(), version)
        self._say()

    def _in_qdq(self, symbol: Symbol) -> Symbol:
        """`symbol` with real numbers, between QuantizeLinear and DequantizeLinear, for integers."""
        lowered = with_qdq(symbol, self._parameters, self._inferred_dtypes(symbol))
        self._parameters, self._reasons = lowered.constants, lowered.refused
        return lowered.symbol

    def _inferred(self, symbol: Symbol) -> tuple[ShapeTable, DTypeTable]:
        shapes = {n: tuple(t.shape) for n, t in self._parameters.items()}
        shapes.update((n, shape) for n, (shape, _) in self._inputs.items())
        table = infer_shapes(symbol.nodes, shapes, facts=HugeShapes)
        return table, self._inferred_dtypes(symbol)

    def _inferred_dtypes(self, symbol: Symbol) -> DTypeTable:
        dtypes = {n: t.dtype for n, t in self._parameters.items()}
        dtypes.update((n, dtype) for n, (_, dtype) in self._inputs.items())
        return infer_dtypes(symbol.nodes, dtypes)

    def _with_known_values(self, symbol: Symbol) -> Symbol:
        """`symbol` with parameters where operators need values that are computed of parameters."""

        def known(entry: Entry) -> Entry:
            names = type(symbol)([entry]).list_inputs()
            if entry.node.op is None or not all(n in self._parameters for n in names):
                return entry
            given = {n: NDArray(self._parameters[n]) for n in names}
            name = f"{entry.node.name}_value"
            self._parameters[name] = type(symbol)([entry]).eval(**given)[0]._tensor
            return Entry(Node(None, name, {}), 0)

        def replace(node: Node, inputs: list[Entry]) -> Node | None:
            places = _NEEDS_VALUES.get(node.op.name, ()) if node.op is not None else ()
            found = [known(e) if i in places else e for i, e in enumerate(inputs)]
            return None if found == inputs else node.copy(found)

        return rewrite(symbol, replace)

    def _say(self) -> None:
        self._check()
        made: dict[Node, list[str]] = {}
        for node in self._symbol.nodes:
            made[node] = self._said(node, made)
        for entry, name in zip(self._symbol.entries, self._output_names, strict=True):
            self._put_out(entry, made[entry.node][entry.output], name)
        self.ops.restore_names()
        read = self.ops.read()
        self.ops.inputs = [i for i in self.ops.inputs if i.name in read or i.name in self._inputs]

    def _put_out(self, entry: Entry, value: str, name: str) -> None:
        node, number = entry
        shape = self._shapes[node][number]
        with self.ops.computing_in(self._dtypes[node][number] or torch.float32):
            self.ops.output(value, name, shape or ())

    def _check(self) -> None:
        """Raises an error that names all nodes that cannot be said."""
        refused, further = [], further_outputs_read(self._symbol)
        for node in self._symbol.nodes:
            _check_name(node)
            if node.op is None:
                self._check_input(node)
                continue
            site = self._site(node)
            reason = self._reasons.get(node.name) or refusal(node, site, node in further)
            reason = reason or _open_refusal(site)
            if reason is not None:
                refused.append(f"node {node.name!r} ({node.op.name}): {reason}")
        if refused:
            raise MXNetError(
                f"export_model: {'; '.join(refused)}. Replace such nodes by operators that "
                "mx.onnx.get_operator_support() lists, or export the parts between them, by "
                "sym.get_internals()"
            )

    def _check_input(self, node: Node) -> None:
        shape = self._shapes[node][0]
        if node.name not in self._parameters and not is_known(shape):
            raise MXNetError(
                f"export_model: input {node.name!r} has no parameter, and in_shapes leave its "
                f"shape {shape_text(shape)}"
            )

    def _site(self, node: Node) -> Site:
        site = site_of(node, self._shapes, self._parameters, self._dtypes)
        site.version = self.ops.version
        return site

    def _said(self, node: Node, made: Mapping[Node, Sequence[str]]) -> list[str]:
        if node.op is not None:
            site = self._site(node)
            site.ops, site.inputs = self.ops, [made[e.node][e.output] for e in node.inputs]
            self.ops.begin(node.name, list(zip(site.inputs, site.shapes, strict=True)))
            return self.ops.end(said(site), node.value_names())
        if node.name in self._parameters:
            return [self.ops.initializer(node.name, self._parameters[node.name])]
        shape, dtype = self._shapes[node][0], self._dtypes[node][0]
        with self.ops.computing_in(dtype or torch.float32):
            return [self.ops.parameter(node.name, shape or ())]


def _check_name(node: Node) -> None:
    """Names in ONNX are text in UTF-8; those of inputs are not empty."""
    is_missing = node.op is None and not node.name
    if is_missing or any("\ud800" <= c <= "\udfff" for c in node.name):
        raise MXNetError(f"export_model: ONNX has no node of the name {shown(node.name)}")


def shapes_fit(symbol: Symbol, parameters: Mapping[str, Tensor], inputs: Inputs) -> bool:
    """Whether all shapes of a graph follow from those of its inputs, without contradictions."""
    known = {n: tuple(t.shape) for n, t in parameters.items()}
    known.update((n, shape) for n, (shape, _) in inputs.items())
    try:
        infer_shapes(symbol.nodes, known, facts=HugeShapes)
    except MXNetError:
        return False
    return True


# What a converter makes of these holds for one size.
_MADE_FOR_SIZES: dict[str, Callable[[Site], bool]] = {
    "Pooling": lambda site: not site.global_pool and site.pooling_convention != "valid",
    "Deconvolution": lambda site: any(site.target_shape),
    "_contrib_MultiBoxPrior": lambda site: True,
    "_random_normal_like": lambda site: True,
    "_random_uniform_like": lambda site: True,
    "_sample_multinomial": lambda site: True,
}


def _open_refusal(site: Site) -> str | None:
    """Why sizes cannot be left open."""
    depends = _MADE_FOR_SIZES.get(site.op.name)
    if depends is None or not depends(site):
        return None
    sizes = site.shapes[0][2:] if "kernel" in site.op.values else site.shapes[0]
    return "it is made for sizes that are not left open" if any(map(is_open, sizes)) else None
