# SPDX-License-Identifier: Apache-2.0
"""Files of `Block.save`: the tree of blocks, with the graphs of those that are hybridized."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from ...core.base.errors import FormatError, UnknownNameError
from ...formats.atomic import replacing
from ...formats.source import read_file

if TYPE_CHECKING:
    from .base import Block

__all__ = ["read", "restore", "write"]


def write(path: str, block: Block) -> None:
    """Writes the tree of blocks below and with `block`."""
    numbers = count()
    tree = {f"{block._alias()}{next(numbers)}": _described(block, numbers)}
    with replacing(path) as file:
        file.write(json.dumps(tree).encode())


def _described(block: Block, numbers: Iterator[int]) -> dict[str, Any]:
    """What is written of a block: its name, its graph, its children; those are numbered on."""
    found: dict[str, Any] = {"orig_name": block.name, **block._describe_graph()}
    found["children"] = {child.name: key for key, child in block._children.items()}
    for child in block._children.values():
        found[f"{child._alias()}{next(numbers)}"] = _described(child, numbers)
    return found


def read(path: str) -> Mapping[str, Any]:
    """Read the description of the root block.

    Raises:
        FileError: the file cannot be read.
        FormatError: it is no such file.
    """
    try:
        tree = json.loads(read_file(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: no JSON of a tree of blocks: {error}") from error
    roots = list(tree.values()) if isinstance(tree, dict) else []
    if len(roots) != 1 or not _is_description(roots[0]):
        raise FormatError(f"{path}: it does not describe one block")
    root: Mapping[str, Any] = roots[0]
    return root


def _is_description(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("orig_name"), str)
        and isinstance(value.get("children"), dict)
        and all(isinstance(v, str) for v in value["children"].values())
    )


def restore(path: str, block: Block, described: Mapping[str, Any]) -> None:
    """Restore names, keys and states of saved blocks, in the same order.

    Raises:
        UnknownNameError: a block has other children than the one that was written.
    """
    children = [v for k, v in described.items() if k != "children" and _is_description(v)]
    keys = described["children"]
    if len(children) != len(block._children) or any(c["orig_name"] not in keys for c in children):
        raise UnknownNameError(
            f"{path}: block {described['orig_name']!r} has {len(children)} children, "
            f"{block.name!r} has {len(block._children)}"
        )
    for child, written in zip(block._children.values(), children, strict=True):
        restore(path, child, written)
    by_key = {
        keys[w["orig_name"]]: c for w, c in zip(children, block._children.values(), strict=True)
    }
    block._children.clear()
    block._children.update(by_key)
    block._name = described["orig_name"]
    block._restore_graph(described)
