# SPDX-License-Identifier: Apache-2.0
"""Where elements stand: shapes, axes, parts, copies, reductions along axes, rows by index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from openvino import opset13 as ov

from ....op.families.reduce import reduced_axes
from .site import Site, converter, floats, integers


def reshaped(x: Any, shape: Sequence[int]) -> Any:
    """`x` in another shape."""
    return ov.reshape(x, integers(shape), False)


@converter("Reshape Flatten expand_dims squeeze reshape_like _np_reshape _npx_reshape")
def _reshape(site: Site) -> Any:
    return reshaped(site.x, site.out[0])


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
    return ov.transpose(site.x, integers(site.axes or range(site.rank)[::-1]))


@converter("SwapAxis")
def _swapped(site: Site) -> Any:
    order = list(range(site.rank))
    one, other = site.axis("dim1"), site.axis("dim2")
    order[one], order[other] = other, one
    return ov.transpose(site.x, integers(order))


# Parts --------------------------------------------------------------------------------------------


def sliced(x: Any, ranges: dict[int, range]) -> Any:
    """What ranges of some axes select in `x`."""
    axes = list(ranges)
    starts = [ranges[a].start for a in axes]
    # -1 would be the last item; far below is before the first.
    stops = [r.stop if r.stop >= 0 else -(1 << 40) for r in ranges.values()]
    steps = [r.step for r in ranges.values()]
    return ov.slice(x, integers(starts), integers(stops), integers(steps), integers(axes))


@converter("slice")
def _slice(site: Site) -> Any:
    steps = site.step or (None,) * len(site.begin)
    bounds = zip(site.begin, site.end, steps, site.shapes[0], strict=False)
    return sliced(
        site.x, {a: range(*slice(b, e, k).indices(n)) for a, (b, e, k, n) in enumerate(bounds)}
    )


@converter("slice_axis")
def _slice_axis(site: Site) -> Any:
    axis = site.axis()
    chosen = slice(site.begin, site.end).indices(site.shapes[0][axis])
    return sliced(site.x, {axis: range(*chosen)})


@converter("slice_like")
def _slice_like(site: Site) -> Any:
    return sliced(site.x, {a: range(n) for a, n in enumerate(site.out[0])})


@converter("SliceChannel")
def _split(site: Site) -> list[Any]:
    parts = ov.split(site.x, integers(site.axis()), int(site.num_outputs)).outputs()
    return [reshaped(part, site.out[0]) for part in parts] if site.squeeze_axis else list(parts)


@converter("Concat")
def _concat(site: Site) -> Any:
    return ov.concat(list(site.inputs), site.axis("dim"))


@converter("stack")
def _stack(site: Site) -> Any:
    axis = int(site.op.attr("axis")) % len(site.out[0])
    shape = list(site.shapes[0])
    shape.insert(axis, 1)
    return ov.concat([reshaped(x, shape) for x in site.inputs], axis)


# Copies -------------------------------------------------------------------------------------------


@converter("broadcast_to broadcast_axis broadcast_like")
def _broadcast(site: Site) -> Any:
    return ov.broadcast(site.x, integers(site.out[0]))


@converter("tile")
def _tile(site: Site) -> Any:
    return ov.tile(site.x, integers(site.reps))


@converter("zeros_like ones_like")
def _filled(site: Site) -> Any:
    number = float(site.op.name == "ones_like")
    return ov.broadcast(floats(number), integers(site.out[0]))


@converter("Pad", lambda site: "it cuts" if min(site.pad_width) < 0 else None)
def _pad(site: Site) -> Any:
    before, behind = integers(site.pad_width[::2]), integers(site.pad_width[1::2])
    return ov.pad(site.x, before, behind, site.mode, floats(site.constant_value or 0))


def _upsampling_refusal(site: Site) -> str | None:
    if site.sample_type != "nearest" or len(site.shapes) > 1:
        return "only single images are enlarged by repeating pixels"
    return None


@converter("UpSampling", _upsampling_refusal)
def _upsampling(site: Site) -> Any:
    size, axes = integers(site.out[0][2:]), integers((2, 3))
    return ov.interpolate(
        site.x, size, "nearest", "sizes", coordinate_transformation_mode="asymmetric",
        nearest_mode="floor", axes=axes,
    )  # fmt: skip


# Reductions ---------------------------------------------------------------------------------------

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": ov.reduce_sum,
    "mean": ov.reduce_mean,
    "max": ov.reduce_max,
    "min": ov.reduce_min,
    "prod": ov.reduce_prod,
}


def _reduction(function: Callable[..., Any]) -> Callable[[Site], Any]:
    def build(site: Site) -> Any:
        axes = reduced_axes(site.op.attr("axis"), site.rank, site.exclude)
        found = function(site.x, integers(axes), False) if axes else site.x
        return reshaped(found, site.out[0])

    return build


for _name, _function in _REDUCTIONS.items():
    converter(_name)(_reduction(_function))


# Rows ---------------------------------------------------------------------------------------------


def _rows(weight: Any, index: Any, size: int, axis: int) -> Any:
    inside = ov.minimum(ov.maximum(index, floats(0)), floats(size - 1))
    return ov.gather(weight, ov.convert(inside, "i64"), integers(axis))


@converter("Embedding")
def _embedding(site: Site) -> Any:
    index, weight = site.inputs
    return _rows(weight, index, int(site.input_dim), 0)


@converter("take", lambda site: None if site.mode == "clip" else f"mode={site.mode}")
def _take(site: Site) -> Any:
    data, index = site.inputs
    return _rows(data, index, site.shapes[0][site.axis()], site.axis())
