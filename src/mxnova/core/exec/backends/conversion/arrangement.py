# SPDX-License-Identifier: Apache-2.0
"""Where elements stand: shapes, axes, parts, copies, reductions along axes, rows by index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import torch

from ....op.families.reduce import reduced_axes
from ....op.tensor.slice import box_ranges
from .site import Site, converter

_RESHAPING = "Reshape Flatten expand_dims squeeze reshape_like _np_reshape _npx_reshape _np_squeeze"


@converter(_RESHAPING, takes_integers=True)
def _reshape(site: Site) -> Any:
    is_same = site.shapes[0] == site.out[0]
    return site.x if is_same else site.ops.reshape(site.x, site.out[0])


_PASSING = (
    "_copy BlockGrad make_loss MakeLoss SVMOutput _np_copy _copyto "
    "_CrossDeviceCopy _contrib_gradientmultiplier _identity_with_attr_like_rhs"
)


def _always_drops(site: Site) -> str | None:
    return None if site.mode == "training" else "mode=always draws random numbers"


@converter("IdentityAttachKLSparseReg", only_onnx=True)
@converter(_PASSING)
def _identity(site: Site) -> Any:
    return site.x


@converter("Dropout", _always_drops)
def _dropout(site: Site) -> Any:
    return site.x


@converter("Cast amp_cast")
def _cast(site: Site) -> Any:
    same = site.dtypes[0] == site.out_dtypes[0]
    return site.x if same else site.ops.cast(site.x, site.out_dtypes[0])


@converter("transpose _np_transpose")
def _transpose(site: Site) -> Any:
    order = [axis % site.rank for axis in site.axes or range(site.rank)[::-1]]
    return site.ops.transpose(site.x, order) if order else site.x


@converter("_np_moveaxis")
def _moved(site: Site) -> Any:
    rank = site.rank
    pairs = zip(site.destination, site.source, strict=True)
    chosen = {to % rank: axis % rank for to, axis in pairs}
    others = iter(axis for axis in range(rank) if axis not in chosen.values())
    order = [chosen[i] if i in chosen else next(others) for i in range(rank)]
    return site.ops.transpose(site.x, order)


@converter("depth_to_space")
def _depth_to_space(site: Site) -> Any:
    (batch, depth, *sizes), n = site.shapes[0], int(site.block_size)
    apart = site.ops.reshape(site.x, (batch, n, n, depth // n**2, *sizes))
    return site.ops.reshape(site.ops.transpose(apart, (0, 3, 4, 1, 5, 2)), site.out[0])


@converter("space_to_depth")
def _space_to_depth(site: Site) -> Any:
    (batch, depth, height, width), n = site.shapes[0], int(site.block_size)
    apart = site.ops.reshape(site.x, (batch, depth, height // n, n, width // n, n))
    return site.ops.reshape(site.ops.transpose(apart, (0, 3, 5, 1, 2, 4)), site.out[0])


@converter("SwapAxis")
def _swapped(site: Site) -> Any:
    order = list(range(site.rank))
    one, other = site.axis("dim1"), site.axis("dim2")
    order[one], order[other] = other, one
    return site.ops.transpose(site.x, order)


# Parts --------------------------------------------------------------------------------------------


@converter("slice")
def _slice(site: Site) -> Any:
    return site.ops.slice(site.x, dict(enumerate(box_ranges(site.op, site.shapes[0]))))


@converter("slice_axis")
def _slice_axis(site: Site) -> Any:
    axis = site.axis()
    chosen = slice(site.begin, site.end).indices(site.shapes[0][axis])
    return site.ops.slice(site.x, {axis: range(*chosen)})


@converter("slice_like")
def _slice_like(site: Site) -> Any:
    return site.ops.slice(site.x, {a: range(n) for a, n in enumerate(site.out[0])})


@converter("SliceChannel", has_several=True)
def _split(site: Site) -> list[Any]:
    parts: list[Any] = site.ops.split(site.x, site.axis(), int(site.num_outputs))
    return [site.ops.reshape(p, site.out[0]) for p in parts] if site.squeeze_axis else parts


@converter("_split_v2", has_several=True)
def _split_at(site: Site) -> list[Any]:
    axis, start, parts = site.axis(), 0, []
    for shape in site.out:
        size = 1 if site.squeeze_axis else shape[axis]
        part = site.ops.slice(site.x, {axis: range(start, start + size)})
        parts.append(site.ops.reshape(part, shape) if site.squeeze_axis else part)
        start += size
    return parts


@converter("reverse")
def _reverse(site: Site) -> Any:
    axes = {axis % site.rank for axis in site.op.attr("axis")}
    return site.ops.slice(site.x, {a: range(site.shapes[0][a])[::-1] for a in axes})


@converter("Crop")
def _crop(site: Site) -> Any:
    sizes, wanted = site.shapes[0][2:], site.out[0][2:]
    first = site.offset
    if site.center_crop:
        first = [(n - w) // 2 for n, w in zip(sizes, wanted, strict=True)]
    return site.ops.slice(site.x, {2 + i: range(first[i], first[i] + wanted[i]) for i in (0, 1)})


@converter("Concat _rnn_param_concat")
def _concat(site: Site) -> Any:
    return site.ops.concat(site.inputs, site.axis("dim"))


@converter("_npi_concatenate")
def _concatenate(site: Site) -> Any:
    site = site.computed_in(site.out_dtypes[0])
    if site.op.attr("axis") is None:
        return site.ops.concat([site.ops.reshape(x, (-1,)) for x in site.inputs], 0)
    return site.ops.concat(site.inputs, site.axis())


@converter("stack _npi_stack")
def _stack(site: Site) -> Any:
    site = site.computed_in(site.out_dtypes[0])
    axis = int(site.op.attr("axis")) % len(site.out[0])
    shape = list(site.shapes[0])
    shape.insert(axis, 1)
    return site.ops.concat([site.ops.reshape(x, shape) for x in site.inputs], axis)


# Copies -------------------------------------------------------------------------------------------


@converter("broadcast_to broadcast_axis broadcast_like _npi_broadcast_to")
def _broadcast(site: Site) -> Any:
    return site.ops.broadcast(site.x, site.out[0])


@converter("tile")
def _tile(site: Site) -> Any:
    shape, counts = site.shapes[0], tuple(site.reps)
    rank = max(len(shape), len(counts))
    x = site.ops.reshape(site.x, (1,) * (rank - len(shape)) + shape)
    return site.ops.tile(x, (1,) * (rank - len(counts)) + counts)


@converter("repeat")
def _repeat(site: Site) -> Any:
    x, shape = site.x, site.shapes[0]
    if site.op.attr("axis") is None:
        x, shape, axis = site.ops.reshape(x, (prod(shape),)), (prod(shape),), 0
    else:
        axis = site.axis()
    before, behind = shape[: axis + 1], shape[axis + 1 :]
    apart = site.ops.reshape(x, (*before, 1, *behind))
    spread = site.ops.broadcast(apart, (*before, int(site.repeats), *behind))
    return site.ops.reshape(spread, site.out[0])


@converter("zeros_like ones_like")
def _filled(site: Site) -> Any:
    number = site.ops.floats(float(site.op.name == "ones_like"))
    return site.ops.broadcast(number, site.out[0])


@converter("Pad", lambda site: "it cuts" if min(site.pad_width) < 0 else None)
def _pad(site: Site) -> Any:
    before, behind = site.pad_width[::2], site.pad_width[1::2]
    return site.ops.pad(site.x, before, behind, site.mode, float(site.constant_value or 0))


# Reductions ---------------------------------------------------------------------------------------


def _reduction_refusal(site: Site) -> str | None:
    if site.op.values.get("initial") is not None:
        return f"initial={site.initial}"
    if site.dtypes[0].is_floating_point and not site.out_dtypes[0].is_floating_point:
        return "fractions as whole numbers"
    dtype = site.out_dtypes[0]
    if site.op.name.endswith("mean") and dtype.itemsize < 4 and not dtype.is_floating_point:
        return "a mean of small whole numbers, whose sum wraps around"
    return None


def _axes(site: Site) -> Sequence[int]:
    axis = site.op.attr("axis")
    if not site.rank or (axis == () and site.op.name.startswith("_np")):
        return ()
    return reduced_axes(axis, site.rank, site.op.values.get("exclude", False))


def _reduction(kind: str) -> Callable[[Site], Any]:
    def build(site: Site) -> Any:
        axes, o = _axes(site), site.ops
        if not axes:
            found = site.x
        elif kind == "mean" and not site.out_dtypes[0].is_floating_point:
            count = o.size(prod(site.shapes[0][axis] for axis in axes))
            found = o.elementwise("divide", o.reduce("sum", site.x, axes), count)
        else:
            found = o.reduce(kind, site.x, axes)
        return o.reshape(found, site.out[0])

    return build


for _kind in ("sum", "mean", "max", "min", "prod"):
    _numpy = f"_npi_{_kind}" if _kind == "mean" else f"_np_{_kind}"
    converter(f"{_kind} {_numpy}", _reduction_refusal, is_arithmetic=True)(_reduction(_kind))


def _norm_refusal(site: Site) -> str | None:
    return None if site.out_dtypes[0].is_floating_point else "a norm as a whole number"


@converter("norm", _norm_refusal, is_arithmetic=True)
def _norm(site: Site) -> Any:
    return _emit_norm(site, reduced_axes(site.op.attr("axis"), site.rank), site.ord)


def _numpy_order(site: Site) -> float:
    """Return the p of a vector norm, 0 for matrix norms that are none."""
    op: Any = site.op
    if op.is_euclidean(site.rank):
        return 2.0
    return float(op.ord) if len(op.axes(site.rank)) == 1 else 0.0


def _numpy_norm_refusal(site: Site) -> str | None:
    if _numpy_order(site) in (0, inf, -inf):
        return f"ord={site.ord}, flag={site.flag}, axis={site.op.attr('axis')}"
    return _norm_refusal(site)


@converter("_npi_norm", _numpy_norm_refusal, is_arithmetic=True)
def _numpy_norm(site: Site) -> Any:
    op: Any = site.op
    return _emit_norm(site, reduced_axes(op.axes(site.rank), site.rank), _numpy_order(site))


def _emit_norm(site: Site, axes: Sequence[int], order: float) -> Any:
    """Scale by the largest magnitude, whose power could leave the range of the dtype."""
    o, sizes = site.ops, site.ops.elementwise("abs", site.x)
    if order == 1:
        return o.reshape(o.reduce("sum", sizes, axes), site.out[0])
    bounds = torch.finfo(site.out_dtypes[0])
    scale = o.clip(o.reduce("max", sizes, axes, keep=True), bounds.tiny, bounds.max)
    scaled = o.elementwise("divide", sizes, scale)
    if order == 2:
        total = o.reduce("sum", o.elementwise("multiply", scaled, scaled), axes, keep=True)
        root = o.elementwise("sqrt", total)
    else:
        powers = o.elementwise("power", scaled, o.floats(order))
        total = o.reduce("sum", powers, axes, keep=True)
        root = o.elementwise("power", total, o.floats(1 / order))
    return o.reshape(o.elementwise("multiply", root, scale), site.out[0])
