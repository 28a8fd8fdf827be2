# SPDX-License-Identifier: Apache-2.0
"""What tells programs apart as far as speed goes: the graph, its inputs, the machine, the versions.

Names of nodes and values of arrays are no part of it.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from ...base import env
from ...runtime.threads import thread_count

if TYPE_CHECKING:
    from .program import Program

__all__ = ["identity"]


def identity(program: Program, backends: Sequence[str]) -> str:
    """A hash of a program on this machine.

    Args:
        program: the program.
        backends: names of those that would run it.
    """
    place = _machine(program.facts.context.device)
    facts = [_graph(program), _inputs(program), place, _versions(backends), _switches()]
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _graph(program: Program) -> Any:
    """The graph by numbers; variables in their order."""
    return _nodes(program.symbol)


def _nodes(symbol: Any) -> Any:
    numbers = {node: i for i, node in enumerate(symbol.nodes)}
    nodes = [
        (
            "" if node.op is None else node.op.name,
            {k: v for k, v in node.attrs.items() if not k.startswith("__") or k == "__precision__"},
            [(numbers[e.node], e.output) for e in node.inputs],
            [_nodes(s) for s in node.subgraphs],
        )
        for node in symbol.nodes
    ]
    return nodes, [(numbers[e.node], e.output) for e in symbol.entries]


def _inputs(program: Program) -> Any:
    facts = program.facts.inputs
    found = [facts[v.name] for v in program.variables]
    return [(str(f.shape), str(f.dtype), f.stype) for f in found], str(program.facts.context)


def _machine(device: torch.device) -> Any:
    card = [torch.cuda.get_device_name(device)] if device.type == "cuda" else []
    return platform.machine(), _processor(), thread_count(), *card


def _processor() -> str:
    """The processor's name and abilities, where the system tells them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    except OSError:
        return platform.processor()
    kept = ("model name", "flags", "CPU part", "Features")
    return "\n".join(line for line in lines.splitlines() if line.startswith(kept))


def _versions(backends: Sequence[str]) -> Any:
    found: dict[str, str] = {"torch": str(torch.__version__)}
    for name in (*backends, "mxnova"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found


def _switches() -> Any:
    """What the environment says of rewrites."""
    passes = sorted({*env.get("MXNOVA_PASSES").replace(",", " ").split()})
    return passes, env.get("MXNOVA_FUSE"), env.get("MXNOVA_WINOGRAD")
