# SPDX-License-Identifier: Apache-2.0
"""``mxnova inspect``: what is in files. NumPy only."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..artefacts.contents import is_archive
from ..core.base.errors import FormatError
from ..core.base.progress import progress
from ..formats import compiled_model, params, recordio, safetensors, symbol_json
from ..formats.checkpoint_files import is_prefix, located
from ..formats.params import ArrayRecord
from ..formats.source import open_buffer, read_file
from ..formats.states import ObjectRecord, read_states
from ..formats.symbol_record import GraphRecord
from .array_rows import row_of_array
from .inspect_checkpoints import describe_checkpoint, is_checkpoint
from .inspect_models import describe_exported, describe_onnx
from .inspected_path import InspectedPath, RemotePath, inspected
from .report import Report, Rows, show

__all__ = ["describe", "files_of", "inspect"]


def inspect(options: SimpleNamespace) -> None:
    """Shows what is in files.

    Args:
        options: files, epoch, stats, nodes, json.
    """
    for path in (file for name in options.files for file in files_of(name, options.epoch)):
        with progress() as tell:
            tell(f"read {path.name}")
            found = describe(path, stats=options.stats, nodes=options.nodes)
        show(found, as_json=options.json)


def describe(path: InspectedPath, *, stats: bool, nodes: bool) -> Report:
    """Describe the file at `path`, by its extension, or a folder of checkpoints.

    Args:
        path: the file or folder.
        stats: of arrays, minimum, maximum and mean too.
        nodes: of a symbol, its nodes too.

    Raises:
        FormatError: it breaks its format.
        OSError: it cannot be read.
    """
    if is_checkpoint(path):
        return describe_checkpoint(path, stats=stats)
    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: is no regular file, and no folder of checkpoints")
    if path.suffix == ".json":
        return _symbol(path, nodes)
    if path.suffix == ".rec":
        return _records(path)
    if path.suffix == ".states":
        return _states(path)
    if path.suffix == ".onnx":
        return describe_onnx(path, nodes=nodes)
    if path.suffix == ".pt2":
        return describe_exported(path, nodes=nodes)
    if path.suffix == ".mxnova":
        return _compiled(path, stats)
    if path.suffix == ".safetensors":
        return _safetensors(path, stats)
    if path.is_file() and is_archive(os.fspath(path)):
        raise FormatError(f"{path}: is an archive: `mxnova open {path}` shows what is in it")
    return _arrays(path, stats)


def files_of(path: Path, epoch: int | None) -> list[InspectedPath]:
    """The files that `path` names: itself, or those of a checkpoint that it is the prefix of."""
    given = inspected(path)
    if not is_prefix(given) or given.is_dir():
        return [given]
    files, kind = located(given, epoch), RemotePath if isinstance(given, RemotePath) else Path
    found = [kind(files.symbol), kind(files.params)]
    return [file for file in found if file.exists() or file is found[1]]


# Arrays -------------------------------------------------------------------------------------------


def _arrays(path: InspectedPath, stats: bool) -> Report:
    file = params.read(path)
    names = file.names or [str(i) for i in range(len(file.records))]
    rows = [row_of_array(n, r, stats) for n, r in zip(names, file.records, strict=True)]
    total = sum(r.data.nbytes for r in file.records if r is not None)
    facts = {"arrays": rows, "value_bytes": total}
    return Report(str(path), f"{len(names):,} arrays", facts)


def _safetensors(path: InspectedPath, stats: bool) -> Report:
    file = safetensors.read(path)
    rows = [row_of_array(name, record, stats) for name, record in file.arrays.items()]
    total = sum(record.data.nbytes for record in file.arrays.values())
    facts = {"arrays": rows, "value_bytes": total, "metadata": file.metadata}
    return Report(str(path), f"{len(rows):,} arrays", facts)


def _compiled(path: InspectedPath, stats: bool) -> Report:
    model = compiled_model.read(path)
    compiled_model.check_hashes(path, model, [*model.arrays])
    arrays = _safetensors(path, stats).facts
    told: dict[str, Any] = {
        n: list(v) if isinstance(v, tuple) else v for n, v in asdict(model).items()
    }
    about = ("runtime", "versions", "inputs", "outputs", "sources", "preprocessing", "labels")
    facts = {**{n: told[n] for n in about}, "arrays": arrays["arrays"]}
    return Report(str(path), f"compiled for {model.runtime}", facts)


# Symbols ------------------------------------------------------------------------------------------


def _symbol(path: InspectedPath, nodes: bool) -> Report:
    try:
        graph = symbol_json.loads(read_file(path))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    counts = Counter(n.op for n in graph.nodes if n.op != "null")
    facts: dict[str, Any] = {
        "variables": [
            {"name": n.name, "attributes": _sorted(n.attrs)} for n in graph.nodes if n.op == "null"
        ],
        "outputs": [f"{graph.nodes[i].name}[{output}]" for i, output, _ in graph.heads],
        "operators": [{"operator": op, "count": count} for op, count in counts.most_common()],
    }
    if nodes:
        facts["nodes"] = _nodes(graph)
    return Report(str(path), f"{len(graph.nodes):,} nodes", facts)


def _nodes(graph: GraphRecord) -> Rows:
    def text(node: int, output: int) -> str:
        name = graph.nodes[node].name
        return f"{name}[{output}]" if output else name

    return [
        {
            "#": number,
            "operator": node.op,
            "name": node.name,
            "inputs": [text(i, output) for i, output, _ in node.inputs],
            "attributes": _sorted(node.attrs),
        }
        for number, node in enumerate(graph.nodes)
        if node.op != "null"
    ]


def _sorted(attrs: dict[str, str]) -> dict[str, str]:
    return dict(sorted(attrs.items()))


# Records ------------------------------------------------------------------------------------------


def _records(path: InspectedPath) -> Report:
    kinds: Counter[tuple[str, str]] = Counter()
    sizes: list[int] = []
    for record in recordio.scan(open_buffer(path)):
        sizes.append(record.size)
        header = "no header" if record.flag is None else _header_text(record.flag)
        kinds[header, record.image or "other"] += 1
    facts: dict[str, Any] = {
        "records": [
            {"header": header, "content": content, "count": count}
            for (header, content), count in kinds.most_common()
        ]
    }
    if sizes:
        mean = sum(sizes) / len(sizes)
        facts["record_bytes"] = {"min": min(sizes), "max": max(sizes), "mean": mean}
    return Report(str(path), f"{len(sizes):,} records", facts)


def _header_text(flag: int) -> str:
    return "one label" if flag == 0 else f"{flag} labels"


# Optimizer states ---------------------------------------------------------------------------------


def _states(path: InspectedPath) -> Report:
    file = read_states(path)
    rows = [{"index": str(i), "state": _state_text(state)} for i, state in file.states.items()]
    facts: dict[str, Any] = {"states": rows}
    if file.optimizer is not None:
        facts["optimizer"] = _optimizer(file.optimizer)
    if file.progress is not None:
        facts["updates"] = file.progress.get("num_update")
    return Report(str(path), f"{len(rows):,} states", facts)


def _state_text(state: Any) -> str:
    if isinstance(state, ArrayRecord):
        return f"{state.dtype.name} {state.shape}"
    if isinstance(state, (tuple, list)):
        return "(" + ", ".join(map(_state_text, state)) + ")"
    return str(state)


def _optimizer(record: ObjectRecord) -> dict[str, Any]:
    shown = {k: v for k, v in record.state.items() if isinstance(v, (int, float, str, bool))}
    return {"class": record.name, **{str(k): v for k, v in shown.items()}}
