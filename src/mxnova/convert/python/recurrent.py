# SPDX-License-Identifier: Apache-2.0
"""``RNN`` as ``nn.LSTM``, ``nn.GRU`` or ``nn.RNN``, whose gates and biases are MXNet's."""

from __future__ import annotations

from torch import Tensor

from ...core.base.unique_names import FreeNames
from ...core.graph.node import Entry, Node
from ...core.graph.rewrite import rewrite
from ...core.graph.symbol import Symbol
from ...core.op.nn.rnn import RNN
from ...torch_module.running import lowered_for
from .steps import Layer, Literal, Site, Step, real

__all__ = ["packed", "recurrent"]

_KINDS = {"lstm": "nn.LSTM", "gru": "nn.GRU", "rnn_tanh": "nn.RNN", "rnn_relu": "nn.RNN"}
_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
_WITH_CELL = """def forward(module, data, state, cell):
    output, (state, cell) = module(data, (state, cell))
    return output, state, cell"""


def recurrent(site: Site) -> Step | None:
    """A layer, where its parameters stay and sequences are of equal lengths."""
    op = site.node.op
    if not isinstance(op, RNN) or not site.stay(1) or op.use_sequence_length or op.clips:
        return None
    features = site.shapes[0][2]  # type: ignore[index]
    if features is None:
        return None
    layer = _layer(op, site, features)
    several = op.n_visible() > 1
    if op.mode != "lstm":
        first = "" if several else "[0]"
        return Step(f"{{m}}({{0}}, {{2}}){first}", layer=layer, has_several=several)
    if several:
        return Step("{f}({m}, {0}, {2}, {3})", layer=layer, function=_WITH_CELL, has_several=True)
    return Step("{m}({0}, ({2}, {3}))[0]", layer=layer)


def _layer(op: RNN, site: Site, features: int) -> Layer:
    given: dict[str, Literal] = {"_features": features, "_size": op.state_size}
    given |= {"num_layers": op.num_layers, "bidirectional": op.bidirectional}
    if op.mode == "rnn_relu":
        given["nonlinearity"] = "relu"
    if op.projection_size:
        given["proj_size"] = op.projection_size
    if op.p and op.num_layers > 1:
        given["dropout"] = real(op.p)
    cells = op.cells(op.parts(site.tensor(1), features))
    directions = 1 + op.bidirectional
    tensors = {}
    for place, cell in enumerate(cells):
        layer, back = divmod(place, directions)
        suffix = f"_l{layer}{'_reverse' * back}"
        tensors.update({f"{name}{suffix}": t for name, t in zip(_NAMES, cell, strict=False)})
    return Layer(_KINDS[op.mode], given, tensors)


def packed(symbol: Symbol, values: dict[str, Tensor]) -> Symbol:
    """`symbol` with parameters of recurrent layers that it joins itself in one variable each.

    Args:
        symbol: the network.
        values: its parameters; those that are made are added.
    """
    names = FreeNames([*symbol.list_inputs(), *values])

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or node.op.name != "_rnn_param_concat":
            return None
        joined = Symbol([Entry(node.copy(inputs), 0)])
        read = joined.list_inputs()
        if any(name not in values for name in read):
            return None
        name = names.free(node.name)
        function = lowered_for(False, joined, read).function
        (values[name],) = function(*[values[n] for n in read])
        return Node(None, name, {})

    return rewrite(symbol, replace)
