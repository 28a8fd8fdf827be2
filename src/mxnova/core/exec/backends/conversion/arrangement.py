# SPDX-License-Identifier: Apache-2.0
"""Where elements stand: shapes, axes, parts, copies, reductions along axes, rows by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....op.families.reduce import reduced_axes
from .site import Site, converter


@converter("Reshape Flatten expand_dims squeeze reshape_like _np_reshape _npx_reshape")
def _reshape(site: Site) -> Any:
    is_same = site.shapes[0] == site.out[0]
    return site.x if is_same else site.ops.reshape(site.x, site.out[0])


def _always_drops(site: Site) -> str | None:
    return None if site.mode == "training" else "mode=always draws random numbers"


@converter("_copy BlockGrad make_loss")
def _identity(site: Site) -> Any:
    return site.x


@converter("Dropout", _always_drops)
def _dropout(site: Site) -> Any:
    return site.x


@converter("Cast amp_cast", lambda s: None if s.dtype == "float32" else f"dtype={s.dtype}")
def _cast(site: Site) -> Any:
    return site.x


@converter("transpose")
def _transpose(site: Site) -> Any:
    return site.ops.transpose(site.x, site.axes or range(site.rank)[::-1])


@converter("SwapAxis")
def _swapped(site: Site) -> Any:
    order = list(range(site.rank))
    one, other = site.axis("dim1"), site.axis("dim2")
    order[one], order[other] = other, one
    return site.ops.transpose(site.x, order)


# Parts --------------------------------------------------------------------------------------------


@converter("slice")
def _slice(site: Site) -> Any:
    steps = site.step or (None,) * len(site.begin)
    bounds = zip(site.begin, site.end, steps, site.shapes[0], strict=False)
    return site.ops.slice(
        site.x, {a: range(*slice(b, e, k).indices(n)) for a, (b, e, k, n) in enumerate(bounds)}
    )


@converter("slice_axis")
def _slice_axis(site: Site) -> Any:
    axis = site.axis()
    chosen = slice(site.begin, site.end).indices(site.shapes[0][axis])
    return site.ops.slice(site.x, {axis: range(*chosen)})


@converter("slice_like")
def _slice_like(site: Site) -> Any:
    return site.ops.slice(site.x, {a: range(n) for a, n in enumerate(site.out[0])})


@converter("SliceChannel")
def _split(site: Site) -> list[Any]:
    parts: list[Any] = site.ops.split(site.x, site.axis(), int(site.num_outputs))
    return [site.ops.reshape(p, site.out[0]) for p in parts] if site.squeeze_axis else parts


@converter("Concat")
def _concat(site: Site) -> Any:
    return site.ops.concat(site.inputs, site.axis("dim"))


@converter("stack")
def _stack(site: Site) -> Any:
    axis = int(site.op.attr("axis")) % len(site.out[0])
    shape = list(site.shapes[0])
    shape.insert(axis, 1)
    return site.ops.concat([site.ops.reshape(x, shape) for x in site.inputs], axis)


# Copies -------------------------------------------------------------------------------------------


@converter("broadcast_to broadcast_axis broadcast_like")
def _broadcast(site: Site) -> Any:
    return site.ops.broadcast(site.x, site.out[0])


@converter("tile")
def _tile(site: Site) -> Any:
    shape, counts = site.shapes[0], tuple(site.reps)
    rank = max(len(shape), len(counts))
    x = site.ops.reshape(site.x, (1,) * (rank - len(shape)) + shape)
    return site.ops.tile(x, (1,) * (rank - len(counts)) + counts)


@converter("zeros_like ones_like")
def _filled(site: Site) -> Any:
    number = site.ops.floats(float(site.op.name == "ones_like"))
    return site.ops.broadcast(number, site.out[0])


@converter("Pad", lambda site: "it cuts" if min(site.pad_width) < 0 else None)
def _pad(site: Site) -> Any:
    before, behind = site.pad_width[::2], site.pad_width[1::2]
    return site.ops.pad(site.x, before, behind, site.mode, float(site.constant_value or 0))


def _upsampling_refusal(site: Site) -> str | None:
    if site.sample_type != "nearest" or len(site.shapes) > 1:
        return "only single images are enlarged by repeating pixels"
    return None


@converter("UpSampling", _upsampling_refusal)
def _upsampling(site: Site) -> Any:
    return site.ops.repeat_pixels(site.x, site.out[0])


# Reductions ---------------------------------------------------------------------------------------


def _reduction(kind: str) -> Callable[[Site], Any]:
    def build(site: Site) -> Any:
        axes = reduced_axes(site.op.attr("axis"), site.rank, site.exclude)
        found = site.ops.reduce(kind, site.x, axes) if axes else site.x
        return site.ops.reshape(found, site.out[0])

    return build


for _kind in ("sum", "mean", "max", "min", "prod"):
    converter(_kind)(_reduction(_kind))


# Rows ---------------------------------------------------------------------------------------------


def _rows(site: Site, array: Any, index: Any, axis: int, size: int) -> Any:
    return site.ops.rows(array, site.ops.clip(index, 0, size - 1), axis)


@converter("Embedding")
def _embedding(site: Site) -> Any:
    index, weight = site.inputs
    return _rows(site, weight, index, 0, int(site.input_dim))


@converter("take", lambda site: None if site.mode == "clip" else f"mode={site.mode}")
def _take(site: Site) -> Any:
    data, index = site.inputs
    return _rows(site, data, index, site.axis(), site.shapes[0][site.axis()])
