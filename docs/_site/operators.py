# SPDX-License-Identifier: Apache-2.0
"""The operator reference, docs/operators, from the operators' own declarations."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from types import ModuleType

import mxnova.core.exec.calls.control_flow
import mxnova.core.exec.calls.custom
import mxnova.core.exec.fused.mkldnn_layers
import mxnova.core.op.library  # noqa: F401 - these register operators
from mxnova.core.base.examples import example_of
from mxnova.core.op.schema import REGISTRY, Op, OpType
from tests.meta.op_instances import instances

from .docstrings import fenced, prose

INTRODUCTION = """\
# Operators

`mx.nd.NAME(…)` runs an operator on arrays, `mx.sym.NAME(…)` puts it into a graph. Its arguments are
the arrays, then the parameters, in the order given here; each can be given by name, too. Outputs in
brackets are there for other operators and do not show.

`scripts/generate` writes these pages from the operators' declarations.
"""


def pages() -> dict[str, str]:
    """File name -> text."""
    types = sorted(dict.fromkeys(REGISTRY.values()), key=lambda t: module_of(t).__name__)
    rooms = {room: list(group) for room, group in groupby(types, room_of)}
    texts = {file_of(room): page(room, group) for room, group in rooms.items()}
    return {"index.md": index(rooms), **texts}


def module_of(type_: OpType) -> ModuleType:
    return sys.modules[type_.declaration.__module__]


def room_of(type_: OpType) -> ModuleType:
    """The package of operators that it stands in, or else its module."""
    module = module_of(type_)
    package = sys.modules[module.__name__.rpartition(".")[0]]
    return package if package.__name__.startswith("mxnova.core.op.") else module


def file_of(room: ModuleType) -> str:
    return room.__name__.rpartition(".")[2] + ".md"


def place_of(type_: OpType) -> str:
    """File and anchor of an operator's section."""
    return f"{file_of(room_of(type_))}#{type_.name.lower()}"


def index(rooms: dict[ModuleType, list[OpType]]) -> str:
    """The pages, and where each name stands."""
    listed = [
        f"- [{Path(file_of(room)).stem}]({file_of(room)}): {headline(room)}" for room in rooms
    ]
    places = {
        name: place_of(type_)
        for types in rooms.values()
        for type_ in types
        for name in (type_.name, *type_.aliases)
    }
    names = [f"- [`{name}`]({places[name]})" for name in sorted(places, key=str.lower)]
    contents = fenced("{toctree}", "\n".join([":hidden:", "", *map(entry, rooms)]))
    return "\n".join([INTRODUCTION, *listed, "", "## Names", "", *names, "", contents, ""])


def entry(room: ModuleType) -> str:
    """A short line of the table of contents."""
    stem = Path(file_of(room)).stem
    return f"{stem.replace('_', ' ')} <{stem}>"


def headline(module: ModuleType) -> str:
    return paragraphs(module)[0]


def page(room: ModuleType, types: Iterable[OpType]) -> str:
    """A chapter for each module, a section for each operator."""
    blocks = [f"# {headline(room).rstrip('.')}"]
    is_package = hasattr(room, "__path__")
    for module, group in groupby(types, module_of):
        if module is not room:
            blocks.append(f"## {headline(module).rstrip('.')}")
        blocks += paragraphs(module)[1:]
        blocks += [block for type_ in group for block in section(type_, 3 if is_package else 2)]
    return "\n\n".join(blocks) + "\n"


def paragraphs(described: ModuleType | OpType) -> list[str]:
    """The docstring without its list of arguments."""
    doc = described.doc if isinstance(described, OpType) else inspect.getdoc(described)
    blocks = (doc or "").split("\n\n")
    return [prose(block) for block in blocks if not block.startswith("Args:")]


def section(type_: OpType, level: int) -> list[str]:
    """What is to be said of one operator, as blocks of Markdown."""
    blocks = [f"{'#' * level} {type_.name}", *paragraphs(type_)]
    if type_.aliases:
        blocks.append("Also named " + listing(sorted(type_.aliases)) + ".")
    docs, signature = type_.argument_docs, type_.signature
    arrays = list(signature.inputs)
    if signature.variadic:
        arrays.append(signature.variadic)
    blocks += table(("array", "meaning"), [(code(n), prose(docs[n])) for n in arrays])
    parameters = [(code(f.name), code(f.type_text), prose(docs[f.name])) for f in type_.fields]
    blocks += table(("parameter", "type", "meaning"), parameters)
    blocks.append(behavior(type_))
    example = example_of("op", type_.name)
    return [*blocks, fenced("pycon", example)] if example else blocks


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """A table as the only block, or none when it has no rows."""
    lines = [head, ("---",) * len(head), *rows]
    cells = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return ["\n".join(f"| {' | '.join(line)} |" for line in cells)] if rows else []


def behavior(type_: OpType) -> str:
    """Outputs, side effects and gradient."""
    op, *others = instances(type_)
    lines = [f"- Outputs: {outputs_text(op)}{dependence(op, others)}"]
    if op.aux:
        lines.append(f"- Auxiliary states: {listing(op.aux)}")
    if op.mutates:
        lines.append(f"- Writes to: {listing(op.mutates)}")
    source = module_of(type_).__name__.replace(".", "/")
    return "\n".join([*lines, f"- Gradient: {gradient_text(op)}", f"- Source: `{source}.py`"])


def outputs_text(op: Op) -> str:
    names, n_visible = op.outputs(), op.n_visible()
    hidden = f" ({listing(names[n_visible:])})" if n_visible < len(names) else ""
    return listing(names[:n_visible]) + hidden


def dependence(op: Op, others: Iterable[Op]) -> str:
    """The parameters that change the outputs."""
    changing = [
        field.name
        for other in others
        for field in op.type.fields
        if outputs_text(other) != outputs_text(op) and other.attr(field.name) != op.attr(field.name)
    ]
    return f"; they depend on {listing(dict.fromkeys(changing))}" if changing else ""


def gradient_text(op: Op) -> str:
    if not op.differentiable:
        return "none"
    return "yes" if op.backward is None else "a formula of its own"


def listing(names: Iterable[str]) -> str:
    return ", ".join(map(code, names)) or "none"


def code(text: str) -> str:
    return f"`{text}`"
