# SPDX-License-Identifier: Apache-2.0
"""Graphs as plain records, the content of symbol JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["USER_KEYS", "VERSION", "Entry", "GraphRecord", "NodeRecord", "variables"]

VERSION = 10901

# Attributes of the user's that are stored as ``__key__`` and also listed without underscores.
USER_KEYS = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")

Entry = tuple[int, int, int]


@dataclass(slots=True)
class NodeRecord:
    """A variable (`op` is ``"null"``) or the application of an operator to earlier outputs."""

    op: str
    name: str
    attrs: dict[str, str] = field(default_factory=dict)
    inputs: list[Entry] = field(default_factory=list)  # (node id, output index, version)
    control_deps: list[int] = field(default_factory=list)
    subgraphs: list[GraphRecord] = field(default_factory=list)


@dataclass(slots=True)
class GraphRecord:
    """Nodes, each after those it reads.

    Two things take operators to know. `node_row_ptr`, which counts the outputs of all earlier
    nodes, is what the file said, or empty where that does not fit. Output indices of nodes that are
    not variables are only known to lie between 0 and 2**31 - 1.
    """

    nodes: list[NodeRecord] = field(default_factory=list)
    arg_nodes: list[int] = field(default_factory=list)
    heads: list[Entry] = field(default_factory=list)
    node_row_ptr: list[int] = field(default_factory=list)
    attrs: dict[str, tuple[str, object]] = field(default_factory=dict)


def variables(nodes: Sequence[NodeRecord]) -> list[int]:
    """The places of variables among `nodes`."""
    return [index for index, node in enumerate(nodes) if node.op == "null"]
