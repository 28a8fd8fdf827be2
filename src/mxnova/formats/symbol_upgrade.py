# SPDX-License-Identifier: Apache-2.0
"""Upgrade of graphs from older versions of MXNet, as MXNet 1.9.1 does it.

What an old file lacks can depend on its operators, which this layer does not know. `upgrade`
therefore takes a callable that knows them, see `InputsOf`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mxnova.core.base.errors import FormatError, shown

from .symbol_record import USER_KEYS, VERSION, GraphRecord, NodeRecord, variables

__all__ = ["InputsOf", "no_inputs", "upgrade"]

InputsOf = Callable[[str, Mapping[str, str]], Mapping[str, str]]
"""``(operator, attributes) -> {input: initializer}``: the inputs of a node in order, each with the
``__init__`` text of a variable that feeds it ("" for none). Empty for unknown operators, and for
those that take any number of inputs."""


def no_inputs(_op: str, _attrs: Mapping[str, str]) -> Mapping[str, str]:
    """Says of every operator that it is unknown."""
    return {}


def upgrade(graph: GraphRecord, inputs_of: InputsOf) -> GraphRecord:
    """Upgrade `graph` from its version in place, as MXNet 1.9.1 does.

    Subgraphs stay as they are: they are younger than all but the last rule, which skips them too.
    """
    kind, saved_by = graph.attrs.get("mxnet_version", ("int", 800))  # 0.8 did not say
    if kind != "int" or not isinstance(saved_by, int):
        raise FormatError(f"symbol JSON: attrs: mxnet_version: {shown(saved_by, 60)} is not an int")
    for version, step in _STEPS:
        if saved_by < version:
            step(graph, inputs_of)
    graph.attrs["mxnet_version"] = ("int", max(saved_by, VERSION))
    return graph


_USER_SUFFIXES = tuple(f"_{key}" for key in USER_KEYS)


def _before_1_9_1(graph: GraphRecord, inputs_of: InputsOf) -> None:
    """Keys of the user's attributes: `lr_mult` is spelled `__lr_mult__` now.

    ``weight_lr_mult`` of an operator belongs to the variable that is its input `weight`. (MXNet
    crashes where that input is missing; here it stays with the operator, as for other inputs.)
    """
    for node in graph.nodes:
        for key in [key for key in node.attrs if key in USER_KEYS]:
            node.attrs[f"__{key}__"] = node.attrs.pop(key)
        if keys := [key for key in node.attrs if key.endswith(_USER_SUFFIXES)]:
            variables = _input_variables(graph, node, inputs_of)
            for key in keys:
                suffix = next(suffix for suffix in _USER_SUFFIXES if key.endswith(suffix))
                if owner := variables.get(key.removesuffix(suffix)):
                    owner.attrs[f"_{suffix}__"] = node.attrs.pop(key)


_FUSED_CONVOLUTION = {"with_relu": "with_act", "with_postsum_relu": "with_postsum_act"}


def _before_1_6_0(graph: GraphRecord, _inputs_of: InputsOf) -> None:
    """Fused convolutions took over no other activation than relu."""
    for node in graph.nodes:
        if node.op == "_sg_mkldnn_conv":
            node.attrs = {_FUSED_CONVOLUTION.get(k, k): text for k, text in node.attrs.items()}


def _input_variables(
    graph: GraphRecord, node: NodeRecord, inputs_of: InputsOf
) -> dict[str, NodeRecord]:
    """The variables that feed `node`, by the names of its inputs."""
    sources = [graph.nodes[source] for source, _, _ in node.inputs]
    named = zip(_declared(node, inputs_of), sources, strict=False)
    return {name: source for name, source in named if source.op == "null"}


def _declared(node: NodeRecord, inputs_of: InputsOf) -> Mapping[str, str]:
    return {} if node.op == "null" else inputs_of(node.op, node.attrs)


def _before_0_9_0(graph: GraphRecord, inputs_of: InputsOf) -> None:
    """Auxiliary states became inputs: make variables for the inputs that a node lacks."""
    nodes: list[NodeRecord] = []
    moved: list[int] = []  # new index by old index
    for node in graph.nodes:
        node.inputs = [(moved[source], output, version) for source, output, version in node.inputs]
        node.control_deps = [moved[source] for source in node.control_deps]
        for name in list(_declared(node, inputs_of))[len(node.inputs) :]:
            node.inputs.append((len(nodes), 0, 0))
            variable = f"{node.name}_{name}" if node.name else name
            nodes.append(NodeRecord("null", variable, dict(node.attrs)))
        moved.append(len(nodes))
        nodes.append(node)
    if len(nodes) > len(graph.nodes):
        graph.node_row_ptr = []
    graph.nodes, graph.arg_nodes = nodes, variables(nodes)
    graph.heads = [(moved[source], output, version) for source, output, version in graph.heads]


def _before_0_9_4(graph: GraphRecord, inputs_of: InputsOf) -> None:
    """Variables say how to initialize them, where their operator has a preference."""
    for node in graph.nodes:
        initializers = _declared(node, inputs_of)
        for name, variable in _input_variables(graph, node, inputs_of).items():
            if initializers[name]:
                variable.attrs.setdefault("__init__", initializers[name])


def _before_0_9_5(graph: GraphRecord, _inputs_of: InputsOf) -> None:
    """The axis -1 of argmax and argmin meant the flattened array, which is now written as none."""
    for node in graph.nodes:
        if node.op in ("argmax", "argmin") and node.attrs.get("axis") == "-1":
            del node.attrs["axis"]


_STEPS = (
    (10901, _before_1_9_1),
    (10600, _before_1_6_0),
    (900, _before_0_9_0),
    (904, _before_0_9_4),
    (905, _before_0_9_5),
)
