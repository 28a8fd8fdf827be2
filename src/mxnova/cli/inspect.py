# SPDX-License-Identifier: Apache-2.0
"""``mxnova inspect``: tables of what is in files. NumPy only."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..core.base.dtypes import BFLOAT16
from ..core.base.errors import FormatError
from ..formats import params, recordio, symbol_json
from ..formats.params import ArrayRecord
from ..formats.source import Source
from ..formats.states import ObjectRecord, read_states

__all__ = ["show"]


def show(console: Console, path: Path, *, stats: bool, nodes: bool) -> None:
    """Prints what is in the file at `path`, by its extension."""
    if path.suffix == ".json":
        _show_symbol(console, path, nodes)
    elif path.suffix == ".rec":
        _show_records(console, path)
    elif path.suffix == ".states":
        _show_states(console, path)
    else:
        _show_arrays(console, path, stats)


# Arrays -------------------------------------------------------------------------------------------


def _show_arrays(console: Console, path: Path, stats: bool) -> None:
    file = params.read(path)
    names = file.names or [str(i) for i in range(len(file.records))]
    columns = ("name", "shape", "dtype", "storage", "elements")
    table = _table(f"{path}: {len(names)} arrays", *columns)
    if stats:
        for column in ("min", "max", "mean"):
            table.add_column(column, justify="right")
    total = 0
    for name, record in zip(names, file.records, strict=True):
        total += 0 if record is None else record.data.nbytes
        table.add_row(*_array_row(name, record, stats))
    console.print(table)
    console.print(f"{total:,} bytes of values")


def _table(title: str, *columns: str) -> Table:
    table = Table(title=escape(title), title_justify="left", title_style="bold")
    for column in columns:
        justify: Any = "right" if column in ("elements", "count", "bytes") else "left"
        table.add_column(column, justify=justify, overflow="fold")
    return table


def _array_row(name: str, record: ArrayRecord | None, stats: bool) -> list[str]:
    if record is None:
        return [escape(name), "none", "", "", ""]
    size = int(np.prod(record.shape, dtype=np.int64))
    row = [escape(name), str(record.shape), record.dtype.name, record.stype, f"{size:,}"]
    return row + _statistics(record) if stats else row


def _statistics(record: ArrayRecord) -> list[str]:
    values = record.data
    if not values.size:
        return ["", "", ""]
    if record.dtype.numpy == BFLOAT16:
        bits = np.ascontiguousarray(values).view(np.uint16).astype(np.uint32) << 16
        values = bits.view(np.float32)
    mean = values.mean(dtype=np.float64)
    return [f"{values.min():.6g}", f"{values.max():.6g}", f"{mean:.6g}"]


# Symbols ------------------------------------------------------------------------------------------


def _show_symbol(console: Console, path: Path, nodes: bool) -> None:
    graph = _located(path, lambda: symbol_json.loads(path.read_bytes()))
    console.print(f"[bold]{escape(str(path))}[/]: {len(graph.nodes)} nodes")
    variables = [n for n in graph.nodes if n.op == "null"]
    table = _table("variables", "name", "attributes")
    for node in variables:
        table.add_row(escape(node.name), escape(_attributes(node.attrs)))
    console.print(table)
    heads = (f"{graph.nodes[i].name}[{output}]" for i, output, _ in graph.heads)
    console.print("outputs: " + escape(", ".join(heads)))
    counts = Counter(n.op for n in graph.nodes if n.op != "null")
    operators = _table("operators", "operator", "count")
    for op, count in counts.most_common():
        operators.add_row(escape(op), str(count))
    console.print(operators)
    if nodes:
        console.print(_node_table(graph))


def _node_table(graph: symbol_json.GraphRecord) -> Table:
    table = _table("nodes", "#", "operator", "name", "inputs", "attributes")
    for number, node in enumerate(graph.nodes):
        if node.op == "null":
            continue
        inputs = (
            f"{graph.nodes[i].name}[{o}]" if o else graph.nodes[i].name for i, o, _ in node.inputs
        )
        row = (str(number), node.op, node.name, ", ".join(inputs), _attributes(node.attrs))
        table.add_row(*map(escape, row))
    return table


def _attributes(attrs: dict[str, str]) -> str:
    return " ".join(f"{k}={v}" for k, v in sorted(attrs.items()))


def _located(path: Path, read: Any) -> Any:
    try:
        return read()
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


# Records ------------------------------------------------------------------------------------------


def _show_records(console: Console, path: Path) -> None:
    kinds: Counter[tuple[str, str]] = Counter()
    sizes: list[int] = []
    for record in recordio.scan(Source(path).view):
        sizes.append(record.size)
        labels = "no header" if record.flag is None else _header_text(record.flag)
        kinds[labels, record.image or "other"] += 1
    table = _table(f"{path}: {len(sizes):,} records", "header", "content", "count")
    for (labels, content), count in kinds.most_common():
        table.add_row(labels, content, f"{count:,}")
    console.print(table)
    if sizes:
        mean = sum(sizes) / len(sizes)
        console.print(f"bytes a record: {min(sizes):,} to {max(sizes):,}, mean {mean:,.1f}")


def _header_text(flag: int) -> str:
    return "one label" if flag == 0 else f"{flag} labels"


# Optimizer states ---------------------------------------------------------------------------------


def _show_states(console: Console, path: Path) -> None:
    file = read_states(path)
    table = _table(f"{path}: {len(file.states)} states", "index", "state")
    for index, state in file.states.items():
        table.add_row(escape(str(index)), escape(_state_text(state)))
    console.print(table)
    if file.optimizer is not None:
        console.print(f"optimizer: {escape(_optimizer_text(file.optimizer))}")


def _state_text(state: Any) -> str:
    if isinstance(state, ArrayRecord):
        return f"{state.dtype.name} {state.shape}"
    if isinstance(state, (tuple, list)):
        return "(" + ", ".join(map(_state_text, state)) + ")"
    return str(state)


def _optimizer_text(record: ObjectRecord) -> str:
    shown = {k: v for k, v in record.state.items() if isinstance(v, (int, float, str, bool))}
    return f"{record.name} " + " ".join(f"{k}={v}" for k, v in shown.items())
