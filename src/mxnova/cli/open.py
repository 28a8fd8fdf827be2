# SPDX-License-Identifier: Apache-2.0
"""``mxnova open``: what is in an artefact, and the same as a checkpoint. PyTorch only to write."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from ..artefacts import OpenedModel, open_model
from ..core.base.errors import ArgumentError
from ..core.base.gc_pause import loading
from ..core.base.progress import progress
from .report import Report, Rows, show

__all__ = ["open_artefact"]

_MOST_SHOWN = 10  # labels


def open_artefact(options: SimpleNamespace) -> None:
    """Shows what is inside, and writes it if a folder is given.

    Args:
        options: artefact, output, prefix, epoch, force, json.

    Raises:
        MXNetError: it cannot be opened, or a file cannot be written.
    """
    if options.prefix is not None and options.output is None:
        raise ArgumentError(f"--prefix {options.prefix}: of which files? -o FOLDER is missing")
    written: list[str] = []
    with progress() as tell, loading():
        tell("read the model")
        opened = open_model(options.artefact, options.epoch)
        if opened.graph is None:
            opened.symbol  # noqa: B018 - the network of parameters that have a name of the zoo's
        if options.output is not None:
            tell("write")
            written = opened.save(options.output, options.prefix, options.force)
    facts = _facts(opened, options.json)
    if options.output is not None:
        facts["written"] = written
    show(Report(opened.path, opened.layout, facts), as_json=options.json)


def _facts(opened: OpenedModel, as_json: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {"layout": opened.layout} if as_json else {}
    facts |= {"files": [{"name": n, "bytes": size} for n, size in opened.files.items()]}
    facts["inputs"] = [{"name": n, "shape": s} for n, s in (opened.input_shapes or {}).items()]
    if opened.graph is not None:
        nodes = opened.graph.nodes
        counts = Counter(node.op for node in nodes if node.op != "null")
        facts["outputs"] = [f"{nodes[i].name}[{output}]" for i, output, _ in opened.graph.heads]
        facts["operators"] = [{"operator": op, "count": n} for op, n in counts.most_common()]
    facts["parameters"] = _parameters(opened)
    if opened.preprocessing is not None:
        facts["preprocessing"] = asdict(opened.preprocessing)
    if opened.labels is not None:
        facts["labels"] = opened.labels if as_json else _shortened(opened.labels)
    facts["handlers"] = opened.handlers
    facts["notes"] = opened.notes if as_json else _listed(opened.notes)
    return facts if as_json else {name: fact for name, fact in facts.items() if fact}


def _parameters(opened: OpenedModel) -> dict[str, int]:
    records = [record for record in opened.saved.records if record is not None]
    n_bytes = sum(record.data.nbytes for record in records)
    return {"arrays": len(records), "value_bytes": n_bytes, "epoch": opened.epoch}


def _shortened(labels: list[str]) -> list[str]:
    rest = len(labels) - _MOST_SHOWN
    return labels if rest <= 0 else [*labels[:_MOST_SHOWN], f"and {rest} more"]


def _listed(notes: list[str]) -> Rows:
    return [{"note": note} for note in notes]
