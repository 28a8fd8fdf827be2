# SPDX-License-Identifier: Apache-2.0
"""Operators of ATen that Python says otherwise than by their name: indices, casts, sizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import fx

from ...core.runtime.torch_api import ATEN

__all__ = ["SPELLINGS", "Speaker", "Text", "UntraceableError", "called", "name_of"]


class UntraceableError(Exception):
    """Why a node cannot be written down."""


class Text(NamedTuple):
    """An expression.

    Attributes:
        text: it.
        is_tight: whether it may stand beside an operator without parentheses.
    """

    text: str
    is_tight: bool = True

    @property
    def tight(self) -> str:
        """The expression, in parentheses where it needs them beside an operator."""
        return self.text if self.is_tight else f"({self.text})"


class Speaker(Protocol):
    """What knows how values are called."""

    def value(self, value: Any) -> Text:
        """The expression of a value or of a number."""

    def argument(self, value: Any) -> str:
        """The text of what a call takes."""


def called(node: fx.Node) -> tuple[str, str, str] | None:
    """Namespace, name and overload of an operator; None for other functions."""
    match = re.fullmatch(r"(\w+)\.(\w+)\.(\w+)", str(node.target))
    if match is None or node.op != "call_function":
        return None
    return match[1], match[2], match[3]


def name_of(node: fx.Node) -> str:
    """The name of an operator; of other functions nothing."""
    found = called(node)
    return found[1] if found else ""


def _size(say: Speaker, node: fx.Node) -> Text:
    data, *axis = (say.value(arg) for arg in node.args)
    return Text(f"{data.tight}.shape[{axis[0].text}]" if axis else f"{data.tight}.shape")


def _count(say: Speaker, node: fx.Node) -> Text:
    return Text(f"{say.value(node.args[0]).tight}.numel()")


def _reshape(say: Speaker, node: fx.Node) -> Text:
    data, shape = (say.value(arg) for arg in node.args[:2])
    if isinstance(node.args[1], torch.dtype):
        return Text(f"{data.tight}.view({shape.text})")
    return Text(f"{data.tight}.reshape({shape.text[1:-1] or '()'})")


def _cast(say: Speaker, node: fx.Node) -> Text:
    data = say.value(node.args[0])
    kinds = [a for a in (*node.args[1:], *node.kwargs.values()) if isinstance(a, torch.dtype)]
    return Text(f"{data.tight}.to({kinds[0]})") if kinds else data


def _slice(say: Speaker, node: fx.Node) -> Text:
    given: Any = (*node.args, *(0, None, None, 1)[len(node.args) - 1 :])
    data, axis, begin, end, step = given
    text = say.value(data)
    first = "" if begin in (0, None) else say.argument(begin)
    last = "" if end is None or (type(end) is int and end > 2**62) else say.argument(end)
    more = "" if step == 1 else f":{say.argument(step)}"
    if not (first or last or more):
        return text
    return Text(f"{text.tight}[{_before(axis, data)}{first}:{last}{more}]")


def _select(say: Speaker, node: fx.Node) -> Text:
    data, axis, place = node.args
    return Text(f"{say.value(data).tight}[{_before(axis, data)}{say.argument(place)}]")


def _index(say: Speaker, node: fx.Node) -> Text:
    data, places = node.args
    shown = [":" if p is None else say.argument(p) for p in places]  # type: ignore[union-attr]
    return Text(f"{say.value(data).tight}[{', '.join(shown)}]")


def _index_put(say: Speaker, node: fx.Node) -> Text:
    data, places, values, *more = node.args
    if any(place is None for place in places):  # type: ignore[union-attr]
        listed = [say.argument(arg) for arg in node.args]
        return Text(f"{ATEN}.{name_of(node)}.default({', '.join(listed)})")
    inside = ", ".join(say.argument(p) for p in places)  # type: ignore[union-attr]
    listed = [f"({inside},)", *(say.argument(a) for a in (values, *more))]
    return Text(f"{say.value(data).tight}.{name_of(node)}({', '.join(listed)})")


def _rsub(say: Speaker, node: fx.Node) -> Text:
    if len(node.args) > 2 or node.kwargs:
        raise UntraceableError("it subtracts multiples")
    right, left = (say.value(arg) for arg in node.args)
    return Text(f"{left.tight} - {right.tight}", False)


def _resized(say: Speaker, node: fx.Node) -> Text:
    data, size, *more = node.args
    mode = _MODES[name_of(node).removeprefix("upsample_")]
    if size is None:
        raise UntraceableError("it resizes by factors")
    corners = f", align_corners={more[0]}" if len(more) == 2 else ""
    listed = f"{say.argument(data)}, {say.argument(size)}"
    return Text(f'F.interpolate({listed}, mode="{mode}"{corners})')


def _padded(say: Speaker, node: fx.Node) -> Text:
    listed = [say.argument(arg) for arg in node.args]
    given = [f"{k}={say.argument(v)}" for k, v in node.kwargs.items()]
    return Text(f"F.pad({', '.join([*listed, *given])})")


def _group_norm(say: Speaker, node: fx.Node) -> Text:
    listed = [say.argument(arg) for arg in node.args[:5]]
    return Text(f"F.group_norm({', '.join(listed)})")


def _native_group_norm(say: Speaker, node: fx.Node) -> Text:
    data, others = say.value(node.args[0]).tight, map(say.argument, node.args[1:])
    # The CPU kernel refuses transposed data; printed graphs leave out calls of contiguous().
    return Text(f"torch.native_group_norm({', '.join([f'{data}.contiguous()', *others])})")


def _tensordot(say: Speaker, node: fx.Node) -> Text:
    left, right, *axes = (say.argument(arg) for arg in node.args)
    return Text(f"torch.tensordot({left}, {right}, dims=({', '.join(axes)}))")


def _broadcast(say: Speaker, node: fx.Node) -> Text:
    return Text(f"torch.broadcast_tensors({say.argument(node.args[0])[1:-1]})")


def _smooth_l1(say: Speaker, node: fx.Node) -> Text:
    data, other, reduction, *beta = (say.argument(arg) for arg in node.args)
    if reduction != "0":
        raise UntraceableError("it adds up losses")
    more = f", beta={beta[0]}" if beta else ""
    return Text(f'F.smooth_l1_loss({data}, {other}, reduction="none"{more})')


def _turned(say: Speaker, node: fx.Node) -> Text:
    return Text(f"{say.value(node.args[0]).tight}.mT")


def _split(say: Speaker, node: fx.Node) -> Text:
    data, *listed = (say.value(arg) for arg in node.args)
    return Text(f"{data.tight}.split({', '.join(text.text for text in listed)})")


def _before(axis: Any, data: Any) -> str:
    """The index of the axes before one."""
    places: int = axis if axis >= 0 else axis + data.meta["val"].dim()
    return ":, " * places


_MODES = {
    "nearest1d": "nearest", "nearest2d": "nearest", "nearest3d": "nearest", "linear1d": "linear",
    "bilinear2d": "bilinear", "trilinear3d": "trilinear", "bicubic2d": "bicubic",
}  # fmt: skip
SPELLINGS: dict[str, Callable[[Speaker, fx.Node], Text]] = {
    "sym_size": _size,
    "sym_numel": _count,
    "view": _reshape,
    "reshape": _reshape,
    "_unsafe_view": _reshape,
    "to": _cast,
    "_to_copy": _cast,
    "slice": _slice,
    "select": _select,
    "index": _index,
    "_unsafe_index": _index,
    "index_put": _index_put,
    "index_put_": _index_put,
    "rsub": _rsub,
    "pad": _padded,
    "group_norm": _group_norm,
    "native_group_norm": _native_group_norm,
    "broadcast_tensors": _broadcast,
    "smooth_l1_loss": _smooth_l1,
    "mT": _turned,
    "tensordot": _tensordot,
    "split_with_sizes": _split,
    **{f"upsample_{name}": _resized for name in _MODES},
}
