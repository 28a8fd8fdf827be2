# SPDX-License-Identifier: Apache-2.0
"""Shape and dtype inference over a graph: its operators' rules, until nothing more is learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import torch

from ..base.dtypes import dtype_of_flag
from ..base.errors import MXNetError, from_foreign, shown
from ..base.scopes import is_np_shape
from ..base.shapes import PartialShape, Pause, from_user, is_known, parse_shape
from ..op.dtypes import torch_dtype
from ..op.infer import DTypes, MismatchError, Shapes, advised
from ..op.schema import Op
from .node import Entry, Node

__all__ = [
    "DTypeTable",
    "ShapeTable",
    "StypeTable",
    "infer_complete_dtypes",
    "infer_dtypes",
    "infer_gradient_stypes",
    "infer_partial_dtypes",
    "infer_shapes",
    "infer_stypes",
]

T = TypeVar("T")
Table = dict[Node, list[T | None]]  # facts of the outputs
ShapeTable = Table[tuple[Any, ...]]
DTypeTable = Table[torch.dtype]
StypeTable = dict[Node, tuple[str, ...]]


def infer_shapes(
    nodes: Sequence[Node],
    known: Mapping[str, PartialShape],
    made: Iterable[tuple[Entry, PartialShape]] = (),
    facts: type[Shapes] = Shapes,
) -> ShapeTable:
    """Partial shapes of all outputs, from those of variables by name and their ``__shape__``.

    Args:
        nodes: of a graph, in order.
        known: shapes of variables by name.
        made: what else is known, of outputs of operators.
        facts: what rules are handed.

    Raises:
        MXNetError: contradictions; the text names node, array and both shapes.
    """
    table: ShapeTable = _blank(nodes, made)
    for node in nodes:
        if node.op is None:
            table[node][0] = _declared_shape(node, known.get(node.name))
    _propagate(nodes, table, facts, Op.infer_shape, is_known)
    return table


def _blank(nodes: Sequence[Node], made: Iterable[tuple[Entry, T | None]]) -> Table[T]:
    table: Table[T] = {n: [None] * n.n_outputs() for n in nodes}
    for (node, output), fact in made:
        if node.op is not None:
            table[node][output] = fact
    return table


def _declared_shape(node: Node, given: PartialShape) -> PartialShape:
    """`given` when it is known, else what the variable says of itself."""
    text = node.attrs.get("__shape__")
    if text is None or is_known(given):
        return given
    try:
        return from_user(parse_shape(text))
    except ValueError:
        raise MXNetError(f"variable {node.name!r}: __shape__={text!r} is no shape") from None


def infer_dtypes(
    nodes: Sequence[Node],
    known: Mapping[str, torch.dtype | None],
    made: Iterable[tuple[Entry, torch.dtype | None]] = (),
    facts: type[DTypes] = DTypes,
) -> DTypeTable:
    """Element types of all outputs, from those of variables by name and their ``__dtype__``.

    Args:
        nodes: of a graph, in order.
        known: types of variables by name.
        made: what else is known, of outputs of operators.
        facts: what rules are handed.

    Raises:
        MXNetError: contradictions; the text names node, array and both types.
    """
    table: DTypeTable = _blank(nodes, made)
    for node in nodes:
        if node.op is None:
            table[node][0] = _declared_dtype(node, known.get(node.name))
    _propagate(nodes, table, facts, Op.infer_dtype, lambda fact: fact is not None)
    return table


class _PatientDTypes(DTypes):
    """DTypes for rules that need a dtype which may become known later."""

    __slots__ = ()

    def demand(self, name: str) -> None:
        if self.known(name) is None:
            raise Pause


def infer_partial_dtypes(
    nodes: Sequence[Node], known: Mapping[str, torch.dtype | None]
) -> DTypeTable:
    """Infer dtypes as far as `known` decides them.

    Rules that need an unknown dtype, such as that of Embedding, are skipped where `infer_dtypes`
    raises UndecidedTypeError.
    """
    return infer_dtypes(nodes, known, facts=_PatientDTypes)


def infer_complete_dtypes(
    nodes: Sequence[Node], known: Mapping[str, torch.dtype | None]
) -> DTypeTable:
    """Infer the dtype of every node output; nothing stays unknown.

    Variables that neither `known` nor an operator decides become float32, or int32 where the
    operators refuse float32, such as lengths of sequences.

    Args:
        nodes: nodes of a graph, in order.
        known: dtypes of variables by name.

    Raises:
        MXNetError: the dtypes contradict each other.
    """
    decided = dict(known)
    variables = [n for n in nodes if n.op is None]
    while True:
        table = infer_partial_dtypes(nodes, decided)
        undecided = [n.name for n in variables if table[n][0] is None]
        if not undecided:
            return table
        try:
            return infer_dtypes(nodes, {**decided, **dict.fromkeys(undecided, torch.float32)})
        except MXNetError:
            decided[undecided[0]] = _first_accepted(nodes, decided, undecided[0])


def _first_accepted(
    nodes: Sequence[Node], known: Mapping[str, torch.dtype | None], name: str
) -> torch.dtype:
    """Return float32 if the operators accept it for the variable `name`, else int32."""
    try:
        infer_partial_dtypes(nodes, {**known, name: torch.float32})
    except MXNetError:
        return torch.int32
    return torch.float32


def _declared_dtype(node: Node, given: torch.dtype | None) -> torch.dtype | None:
    """`given` when it is known, else what the variable says of itself."""
    text = node.attrs.get("__dtype__")
    if given is not None or text is None or text == "-1":
        return given
    dtype = dtype_of_flag(int(text)) if text.isdigit() else None
    if dtype is None:
        raise MXNetError(f"variable {shown(node.name)}: __dtype__={shown(text)} is no type flag")
    return torch_dtype(dtype.name)


def infer_stypes(nodes: Sequence[Node], known: Mapping[str, str]) -> StypeTable:
    """Storage types of all outputs, from those of variables by name; others are dense."""
    table: StypeTable = {}
    for node in nodes:
        if node.op is None:
            table[node] = (known.get(node.name, "default"),)
        else:
            inputs = [table[e.node][e.output] for e in node.inputs]
            table[node] = node.op.infer_stype(inputs)
    return table


def infer_gradient_stypes(
    nodes: Sequence[Node], heads: Sequence[Entry], stypes: StypeTable
) -> dict[Node, str]:
    """Storage types of the variables' gradients; those not mentioned are dense.

    Args:
        nodes: of the graph, in order.
        heads: its outputs, whose gradients are stored as they are.
        stypes: what `infer_stypes` gave.
    """
    found: dict[Entry, str] = {}

    def meet(entry: Entry, stype: str) -> None:
        """A gradient that several parts sum up to is sparse when all of them are."""
        found[entry] = stype if found.get(entry, stype) == stype else "default"

    for head in heads:
        meet(head, stypes[head.node][head.output])
    for node in reversed(nodes):
        if node.op is None:
            continue
        known = [found.get(Entry(node, i), "default") for i in range(node.n_outputs())]
        inputs = [stypes[e.node][e.output] for e in node.inputs]
        for entry, stype in zip(
            node.inputs, node.op.infer_gradient_stypes(known, inputs), strict=True
        ):
            meet(entry, stype)
    return {key: stype for (key, _), stype in found.items()}


def _propagate(
    nodes: Sequence[Node],
    table: Table[Any],
    facts_type: Callable[..., Any],
    rule: Callable[[Op, Any], None],
    complete: Callable[[Any], bool],
) -> None:
    """Runs the rules forwards and backwards in turn until nothing changes."""
    open_nodes = [(n, n.op) for n in nodes if n.op is not None]
    changed = True
    while changed:
        changed = False
        still_open = []
        for node, op in open_nodes:
            before = [table[e.node][e.output] for e in node.inputs] + table[node]
            lesson = _remembered(node, op, before, facts_type, rule, complete)
            if lesson.changed:
                changed = True
                for entry, fact in zip(node.inputs, lesson.facts, strict=False):
                    table[entry.node][entry.output] = fact
                table[node][:] = lesson.facts[len(node.inputs) :]
            if not lesson.complete:
                still_open.append((node, op))
        open_nodes = still_open[::-1]


class _Lesson(NamedTuple):
    """What an operator's rule makes of what is known."""

    facts: list[Any]
    changed: bool
    complete: bool


_REMEMBERED = 256  # lessons for each rule of a structure


def _remembered(
    node: Node,
    op: Op,
    before: list[Any],
    facts_type: Callable[..., Any],
    rule: Callable[[Op, Any], None],
    complete: Callable[[Any], bool],
) -> _Lesson:
    """The lesson, kept with the structure: deep graphs and later bindings ask the same again."""
    if not op.rules_are_fixed or op.subgraphs:
        return _lesson(node, op, before, facts_type, rule, complete)
    # No rule reads a number; a few ask which semantics of shapes are in force.
    lessons = op.structure.lessons.setdefault((rule, facts_type, is_np_shape()), {})
    key = tuple(before)
    try:
        lesson = lessons.get(key)
        if lesson is None:
            lesson = _lesson(node, op, before, facts_type, rule, complete)
            if len(lessons) >= _REMEMBERED:
                lessons.clear()
            lessons[key] = lesson
    except Pause:  # an unknown size was compared with a known one: the keys differ
        lesson = _lesson(node, op, before, facts_type, rule, complete)
    return lesson


def _lesson(
    node: Node,
    op: Op,
    before: list[Any],
    facts_type: Callable[..., Any],
    rule: Callable[[Op, Any], None],
    complete: Callable[[Any], bool],
) -> _Lesson:
    facts = facts_type(op.name, op.inputs(), op.outputs(), before)
    try:
        with suppress(Pause):
            getattr(op, rule.__name__)(facts)
    except MismatchError as error:
        raise MXNetError(f"node {node.name!r}: {_named(node, op, facts, error)}") from None
    except MXNetError as error:
        raise type(error)(f"node {node.name!r}: {error}") from None
    except Exception as error:  # rules meet whatever numbers users give them
        raise from_foreign(error, f"node {node.name!r}: {op.name}") from error
    after = facts.facts
    return _Lesson(after, facts.changed, all(map(complete, after)))


def _named(node: Node, op: Op, facts: Any, error: MismatchError) -> str:
    """What an operator's rule says, with the names that the graph has for its arrays."""
    text = str(advised(op, facts, error))
    if error.array in op.inputs():
        entry = node.inputs[op.inputs().index(error.array)]
        text = text.replace(f": {error.array} has ", f": {error.array} {entry.node.name!r} has ", 1)
    return text
