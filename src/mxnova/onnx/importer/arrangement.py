# SPDX-License-Identifier: Apache-2.0
"""ONNX operators that rearrange elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...core.base.errors import shown
from ...core.graph.open_sizes import is_open
from .element_types import element_type
from .elementwise import broadcast, cast, truth_of
from .folding import filling, flattened_from, listed_axes, n_parts, slice_bounds, split_sizes
from .reshaping import reshaped
from .site import REQUIRED, RefusalError, Site, translator
from .values import Value, broadcast_shape

__all__ = ["moved", "padded", "turned"]

_NEAR = 1 << 20  # bounds of slices within this of an open size are counted from its end


@translator("Reshape")
def _reshape(site: Site) -> Value:
    site.ignore("allowzero")  # there are no sizes of 0
    shape = site.integers("shape") if site.version < 5 else site.sizes(1, "shape")
    return reshaped(site, site.x, shape)


@translator("Flatten")
def _flatten(site: Site) -> Value:
    x, axis = site.x, flattened_from(site)
    if axis == 1 and x.rank > 1:
        return site.op("Flatten", x)
    return reshaped(site, x, [prod(x.shape[:axis]), prod(x.shape[axis:])])


@translator("Transpose")
def _transpose(site: Site) -> Value:
    order = site.integers("perm", [*range(site.x.rank)][::-1])
    if sorted(order) != [*range(site.x.rank)]:
        raise RefusalError(f"attribute perm={order} for {site.x.rank} axes")
    return turned(site, site.x, order)


def turned(site: Site, x: Value, order: Sequence[int]) -> Value:
    """Axes in another order."""
    return site.op("transpose", x, axes=tuple(order)) if x.rank > 1 else site.op("_copy", x)


def moved(site: Site, x: Value, axis: int, to: int) -> Value:
    """One axis at another place."""
    order = [i for i in range(x.rank) if i != axis]
    order.insert(to, axis)
    return x if order == [*range(x.rank)] else turned(site, x, order)


@translator("Squeeze")
def _squeeze(site: Site) -> Value:
    x, axes = site.x, listed_axes(site, 13)
    chosen = site.axes(axes) if axes else [i for i, size in enumerate(x.shape) if size == 1]
    if any(x.shape[axis] != 1 for axis in chosen):
        raise RefusalError(f"axes {chosen} of the shape {x.shape}")
    if len(chosen) == x.rank:
        return site.op("Reshape", x, shape=(1,)).as_scalar()
    return site.op("squeeze", x, axis=tuple(chosen)) if chosen else site.op("_copy", x)


@translator("Unsqueeze")
def _unsqueeze(site: Site) -> Value:
    x, axes = site.x, listed_axes(site, 13)
    axes = site.axes(axes, x.rank + len(axes))
    if not x.rank:
        return site.op("Reshape", x, shape=(1,) * len(axes))
    for axis in axes:
        x = site.op("expand_dims", x, axis=axis)
    return x


@translator("Concat")
def _concat(site: Site) -> Value:
    return _joined(site, site.given, site.axis(site.attribute("axis", REQUIRED)))


def _joined(site: Site, values: Sequence[Value], axis: int) -> Value:
    if all(value.is_truth for value in values):
        values = [cast(site, truth_of(site, value), np.dtype("float32")) for value in values]
    if len(values) == 1:
        return site.op("_copy", values[0])
    found = site.op("Concat", *values, dim=axis)
    found.is_truth = values[0].is_truth
    return found


@translator("Split")
def _split(site: Site) -> list[Value]:
    axis = site.axis(site.attribute("axis", 0))
    count = n_parts(site)
    named = site.optional(1) is not None or site.is_set("split")
    if not named and is_open(site.x.shape[axis]) and site.x.shape[axis] % count == 0:
        return site.ops("SliceChannel", site.x, num_outputs=count, axis=axis)
    return _parts(site, site.x, split_sizes(site, axis), axis)


def _parts(site: Site, x: Value, sizes: Sequence[int], axis: int) -> list[Value]:
    if len(sizes) > 1 and len(set(sizes)) == 1:
        return site.ops("SliceChannel", x, num_outputs=len(sizes), axis=axis)
    ends = np.cumsum(sizes).tolist()
    starts = [0, *ends[:-1]]
    return [
        site.op("slice_axis", x, axis=axis, begin=start, end=end)
        for start, end in zip(starts, ends, strict=True)
    ]


@translator("Slice")
def _slice(site: Site) -> Value:
    x = site.x
    begins: list[int | None] = [None] * x.rank
    ends: list[int | None] = [None] * x.rank
    steps = [1] * x.rank
    for axis, first, last, step in slice_bounds(site):
        size = x.shape[axis]
        if site.builder.follows(last) and not is_open(size) and (first, step) == (0, 1):
            x = _up_to(site, x, axis, last)
            continue
        start, end = (_from_end(site, n, size) for n in (first, last))
        behind = end is None or (end >= size if step > 0 else end < -size)
        begins[axis] = None if start == 0 and step > 0 else start
        ends[axis], steps[axis] = None if behind else end, step
        if step < 0 and start is not None and start >= size:
            begins[axis] = None
    found = site.op("slice", x, begin=tuple(begins), end=tuple(ends), step=tuple(steps))
    if not all(found.shape):
        raise RefusalError(f"the result has the shape {found.shape}, which MXNet has no arrays of")
    return found


def _up_to(site: Site, x: Value, axis: int, end: int) -> Value:
    """The first items along an axis, as many as a size that is left open."""
    return site.op("take", x, site.builder.positions(end), axis=axis, mode="clip")


def _from_end(site: Site, bound: int, size: int) -> int | None:
    """A bound of a slice, counted from the end of an axis where its size is left open."""
    if not is_open(size) or not is_open(abs(bound)):
        return bound
    if -_NEAR < bound - size < 0:
        return bound - size
    if bound == size or not site.builder.follows(bound):  # behind any end
        return None
    raise RefusalError("a bound depends on another size that the file leaves open")


@translator("Expand")
def _expand(site: Site) -> Value:
    found = broadcast(site, site.x, broadcast_shape(site.x.shape, site.sizes(1, "shape")))
    return site.op("_copy", found) if found is site.x else found


@translator("Tile")
def _tile(site: Site) -> Value:
    x, counts = site.x, site.sizes(1, "repeats")
    if any(map(is_open, counts)):
        if any(n != 1 and size != 1 for n, size in zip(counts, x.shape, strict=True)):
            raise RefusalError("it repeats more than one item as often as the file leaves open")
        return broadcast(site, x, broadcast_shape(x.shape, counts))
    return site.op("tile", x, reps=tuple(counts))


# Margins


@translator("Pad")
def _pad(site: Site) -> Value:
    x = site.x
    mode = site.only("mode", "constant", "reflect", "edge", "wrap")
    if site.version < 11:
        name = "pads" if site.version > 1 else "paddings"
        pads, number = site.integers(name), site.attribute("value", 0.0)
    else:
        pads, number = site.fixed(1, "pads"), site.scalar(2, "constant_value", 0.0)
    axes = site.fixed(3, "axes") if site.optional(3) is not None else [*range(x.rank)]
    if len(pads) != 2 * len(axes):
        raise RefusalError(f"{len(pads)} margins for {len(axes)} axes")
    before, behind = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        before[site.axis(axis)], behind[site.axis(axis)] = pads[i], pads[len(axes) + i]
    x = _without_margins(site, x, before, behind)
    sizes = [max(n, 0) for n in before], [max(n, 0) for n in behind]
    found = _wrapped(site, x, *sizes) if mode == "wrap" else padded(site, x, *sizes, mode, number)
    return site.op("_copy", found) if found is site.x else found


def padded(
    site: Site,
    x: Value,
    before: Sequence[int],
    behind: Sequence[int],
    mode: str = "constant",
    number: float = 0.0,
) -> Value:
    """A value with margins at both ends of its axes."""
    pairs = list(zip(before, behind, strict=True))
    if not any(map(any, pairs)):
        return x
    facts = {"mode": mode, "constant_value": number} if mode == "constant" else {"mode": mode}
    if x.rank in (4, 5) and not any(map(any, pairs[:2])) and x.is_float:
        return site.op("Pad", x, pad_width=tuple(n for pair in pairs for n in pair), **facts)
    return site.op("_npi_pad", x, pad_width=tuple(pairs), **facts)


def _without_margins(site: Site, x: Value, before: Sequence[int], behind: Sequence[int]) -> Value:
    """Negative margins are cut off."""
    for axis, (first, last) in enumerate(zip(before, behind, strict=True)):
        if first < 0 or last < 0:
            x = site.op("slice_axis", x, axis=axis, begin=max(-first, 0), end=min(last, 0) or None)
    return x


def _wrapped(site: Site, x: Value, before: Sequence[int], behind: Sequence[int]) -> Value:
    for axis, (first, last) in enumerate(zip(before, behind, strict=True)):
        parts = [x]
        if first:
            parts.insert(0, site.op("slice_axis", x, axis=axis, begin=-first, end=None))
        if last:
            parts.append(site.op("slice_axis", x, axis=axis, begin=0, end=last))
        x = x if len(parts) == 1 else _joined(site, parts, axis)
    return x


# What is made of sizes


@translator("ConstantOfShape")
def _constant_of_shape(site: Site) -> Value:
    shape, number = site.sizes(0, "shape"), filling(site)
    if any(map(is_open, shape)):
        found = site.builder.zeros(shape, number.dtype)
        found = found if not number else site.op("_plus_scalar", found, scalar=number.item())
    else:
        facts = {"value": float(number), "dtype": number.dtype.name}
        found = site.op("_full", shape=tuple(shape), **facts)
    found.is_truth = number.dtype == bool
    return found


@translator("Range")
def _range(site: Site) -> Value:
    start, limit, delta = (site.sizes(i, n)[0] for i, n in enumerate(("start", "limit", "delta")))
    count = limit - start
    if delta != 1 or not is_open(count):
        raise RefusalError("it counts to what does not follow from the sizes left open")
    found = site.builder.positions(count)
    found = found if not start else site.op("_plus_scalar", found, scalar=start)
    return cast(site, found, site.x.dtype)


@translator("EyeLike")
def _eye_like(site: Site) -> Value:
    x = site.x
    dtype = element_type(site.attribute("dtype", 0)) if site.is_set("dtype") else x.dtype
    if x.rank != 2 or any(map(is_open, x.shape)):
        raise RefusalError(f"input 0 must be a matrix of a known size, not {x.shape}")
    facts = {"k": site.attribute("k", 0), "dtype": dtype.name}
    return site.op("_eye", N=x.shape[0], M=x.shape[1], **facts)


@translator("Trilu")
def _trilu(site: Site) -> Value:
    x, k = site.x, int(site.scalar(1, "k", 0))
    numbers = truth_of(site, x)
    ones = site.op("ones_like", numbers)
    if site.attribute("upper", 1):
        kept = site.op("logical_not", site.op("_npi_tril", ones, k=k - 1))
    else:
        kept = site.op("_npi_tril", ones, k=k)
    found = site.op("where", kept, numbers, site.op("zeros_like", numbers))
    found.is_truth = x.is_truth
    return found


@translator("DepthToSpace")
def _depth_to_space(site: Site) -> Value:
    x, size = site.x, site.attribute("blocksize", REQUIRED)
    if site.only("mode", "DCR", "CRD") == "DCR":
        return site.op("depth_to_space", x, block_size=size)
    x = site.op("Reshape", x, shape=(0, -4, -1, size * size, 0, 0))
    x = site.op("Reshape", x, shape=(0, 0, -4, size, size, 0, 0))
    return site.op("Reshape", turned(site, x, (0, 1, 4, 2, 5, 3)), shape=(0, 0, -3, -3))


@translator("SpaceToDepth")
def _space_to_depth(site: Site) -> Value:
    return site.op("space_to_depth", site.x, block_size=site.attribute("blocksize", REQUIRED))


# Graphs inside of nodes, sequences


@translator("If")
def _if(site: Site) -> list[Value]:
    condition = bool(site.scalar(0, "cond"))
    names = ("then_branch", "else_branch")
    branches = [site.attribute(name, REQUIRED) for name in names]
    found: list[Value] = site.model.inner(branches[0 if condition else 1])
    return found


def _sequence(parts: list[Value]) -> Value:
    if any(part.parts is not None for part in parts):
        raise RefusalError("sequences lie in each other")
    return Value("", (), np.dtype("float32"), parts=parts)


def _parts_of(site: Site) -> list[Value]:
    if site.x.parts is None:
        raise RefusalError("input 0 must be a sequence of arrays")
    return site.x.parts


@translator("SequenceConstruct")
def _sequence_construct(site: Site) -> Value:
    return _sequence(site.given)


@translator("SplitToSequence")
def _split_to_sequence(site: Site) -> Value:
    x, axis = site.x, site.axis(site.attribute("axis", 0))
    keep = site.attribute("keepdims", 1)
    parts = _parts(site, x, _sizes_in_sequence(site, x.shape[axis]), axis)
    if not keep and site.optional(1) is None:
        parts = [reshaped(site, p, [*p.shape[:axis], *p.shape[axis + 1 :]]) for p in parts]
    return _sequence(parts)


def _sizes_in_sequence(site: Site, size: int) -> list[int]:
    """How an axis of this size is split; each part costs an operator."""
    if is_open(size):
        raise RefusalError("it splits an axis whose size the file leaves open")
    split = None if site.optional(1) is None else site.numbers(1, "split")
    if split is not None and split.ndim:
        site.budget.take_operators(split.size)
        sizes = [int(n) for n in split.flat]
    else:
        part = 1 if split is None else max(int(split), 1)
        site.budget.take_operators(-(-size // part))
        sizes = [min(part, size - start) for start in range(0, size, part)]
    if sum(sizes) != size or min(sizes, default=0) < 1:
        raise RefusalError(f"{size} items in parts of {shown(tuple(sizes))}")
    return sizes


@translator("SequenceAt")
def _sequence_at(site: Site) -> Value:
    parts, position = _parts_of(site), int(site.scalar(1, "position"))
    if not -len(parts) <= position < len(parts):
        raise RefusalError(f"position {position} of {len(parts)}")
    return parts[position]


@translator("SequenceLength")
def _sequence_length(site: Site) -> Value:
    return Value.constant("", np.array(len(_parts_of(site))))


@translator("ConcatFromSequence")
def _concat_from_sequence(site: Site) -> Value:
    parts, is_new = _parts_of(site), site.attribute("new_axis", 0)
    axis = site.axis(site.attribute("axis", REQUIRED), parts[0].rank + is_new)
    if is_new:
        parts = [site.op("expand_dims", part, axis=axis) for part in parts]
    return _joined(site, parts, axis)
