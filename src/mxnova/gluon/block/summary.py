# SPDX-License-Identifier: Apache-2.0
"""A table of the blocks that a forward goes through: shapes of outputs, numbers of parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.base.errors import AssertedError
from ...core.base.html import table
from ...core.nd.array import NDArray
from ..parameter import Parameter
from .nesting import leaves

if TYPE_CHECKING:
    from .base import Block

__all__ = ["block_html", "summarize"]

_ROW = "{:>20}  {:>42} {:>15}"


class _Row(NamedTuple):
    """A call of a block.

    Attributes:
        name: its class, and the number of the call.
        shapes: of what it gave.
        total: elements of its own parameters.
        trainable: of those that have a gradient.
        shared: of those that calls before had, too.
    """

    name: str
    shapes: str
    total: int = 0
    trainable: int = 0
    shared: int = 0


def summarize(block: Block, inputs: tuple[Any, ...]) -> str:
    """The table of a forward of `block`, which runs.

    Raises:
        AssertedError: a block in it is hybridized, or an input is no array.
    """
    for item in leaves(inputs):
        if item is not None and not isinstance(item, NDArray):
            raise AssertedError(f"summary: inputs: a {type(item).__name__} is no NDArray")
    rows = [_Row("Input", _shapes_of(inputs))]
    handles: list[Any] = []
    try:
        block.apply(_Watcher(rows, handles))
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    return _table(rows)


class _Watcher:
    """Adds a row for each call of the blocks that it is applied to."""

    def __init__(self, rows: list[_Row], handles: list[Any]) -> None:
        self._rows = rows
        self._handles = handles
        self._seen: set[Parameter] = set()

    def __call__(self, block: Block) -> None:
        if getattr(block, "_active", False):
            raise AssertedError(
                f"summary: {block.name!r} is hybridized, so that its children are not called; "
                "hybridize(False) first"
            )
        if block._is_summarized:
            self._handles.append(block.register_forward_hook(self._called))

    def _called(self, block: Block, _inputs: Any, outputs: Any) -> None:
        total = trainable = shared = 0
        for parameter in block.params.values():
            parameter.list_ctx()  # raises where it was not initialized
            size = math.prod(parameter.shape or ())
            total += size
            trainable += size if parameter.grad_req != "null" else 0
            shared += size if parameter in self._seen else 0
            self._seen.add(parameter)
        name = f"{type(block).__name__}-{len(self._rows)}"
        self._rows.append(_Row(name, _shapes_of(outputs), total, trainable, shared))


def _shapes_of(values: Any) -> str:
    if isinstance(values, (list, tuple)):
        return str(_nested(values))[1:-1]
    return str(_nested(values))


def _nested(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return [_nested(v) for v in values]
    return values.shape if isinstance(values, NDArray) else None


def _table(rows: list[_Row]) -> str:
    total = sum(r.total for r in rows)
    trainable = sum(r.trainable for r in rows)
    shared = sum(r.shared for r in rows)
    lines = [
        "-" * 80,
        _ROW.format("Layer (type)", "Output Shape", "Param #"),
        "=" * 80,
        *(_ROW.format(r.name, r.shapes, r.total) for r in rows),
        "=" * 80,
        "Parameters in forward computation graph, duplicate included",
        f"   Total params: {total}",
        f"   Trainable params: {trainable}",
        f"   Non-trainable params: {total - trainable}",
        f"Shared params in forward computation graph: {shared}",
        f"Unique parameters in model: {total - shared}",
        "-" * 80,
    ]
    return "\n".join(lines)


# Without a forward --------------------------------------------------------------------------------


def block_html(block: Block) -> str:
    """What a notebook shows: the blocks in `block`, and their own parameters."""
    rows, seen = [], set()
    known = unknown = 0
    for path, one in _walk(block, ""):
        own = [p for p in one._reg_params.values() if p not in seen]
        seen.update(own)
        sizes = [_size(p) for p in own]
        known += sum(size or 0 for size in sizes)
        unknown += sizes.count(None)
        shapes = ", ".join(f"{_short(one, p)} {_shape_text(p)}" for p in own)
        count = "" if not own else "not known yet" if None in sizes else sum(filter(None, sizes))
        rows.append([path, type(one).__name__, shapes, count])
    total = f"{known:,} parameters known"
    total += f"; {unknown} arrays get their shapes by the first forward" if unknown else ""
    header = ["block", "class", "parameters", "number"]
    return table(f"{type(block).__name__} {block.name}", header, rows, total)


def _walk(block: Block, path: str) -> Iterator[tuple[str, Block]]:
    yield path, block
    for name, child in block._children.items():
        yield from _walk(child, f"{path}.{name}" if path else name)


def _size(parameter: Parameter) -> int | None:
    shape = parameter.shape
    return None if shape is None or any(s <= 0 for s in shape) else math.prod(shape)


def _short(block: Block, parameter: Parameter) -> str:
    return parameter.name.removeprefix(block.prefix)


def _shape_text(parameter: Parameter) -> str:
    sizes = parameter.shape
    return "?" if sizes is None else f"({', '.join(str(s) if s > 0 else '?' for s in sizes)})"
