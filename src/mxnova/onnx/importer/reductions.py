# SPDX-License-Identifier: Apache-2.0
"""ONNX's reductions, and what is normalized along axes."""

from __future__ import annotations

from .elementwise import binary
from .folding import listed_axes
from .site import Site, translator
from .values import Value

__all__ = ["reduced"]

_REDUCTIONS = {
    "ReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "max", "ReduceMin": "min",
    "ReduceProd": "prod",
}  # fmt: skip


@translator(
    "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum "
    "ReduceLogSumExp ReduceSumSquare"
)
def _reduce(site: Site) -> Value:
    x = site.x
    given = listed_axes(site, 13 if site.kind == "ReduceSum" else 18)
    keep, stays = bool(site.attribute("keepdims", 1)), site.attribute("noop_with_empty_axes", 0)
    if not given and stays:
        return _of_each(site, x)
    axes = site.axes(given) if given else [*range(x.rank)]
    return _over(site, x, axes, keep) if x.rank else _of_each(site, x).as_scalar()


def _of_each(site: Site, x: Value) -> Value:
    """What a reduction makes of single elements."""
    if site.kind in ("ReduceL1", "ReduceL2"):
        return site.op("abs", x)
    if site.kind in ("ReduceSumSquare", "ReduceLogSum"):
        return site.op("square" if site.kind == "ReduceSumSquare" else "log", x)
    return site.op("_copy", x)


def _over(site: Site, x: Value, axes: list[int], keep: bool) -> Value:
    if site.kind in _REDUCTIONS:
        return reduced(site, _REDUCTIONS[site.kind], x, axes, keep)
    if site.kind == "ReduceL1":
        return reduced(site, "sum", site.op("abs", x), axes, keep)
    if site.kind == "ReduceLogSum":
        return _like(site, "log", reduced(site, "sum", x, axes, keep))
    if site.kind == "ReduceLogSumExp":
        return _log_sum_exp(site, x, axes, keep)
    squares = reduced(site, "sum", site.op("square", x), axes, keep)
    return squares if site.kind == "ReduceSumSquare" else _like(site, "sqrt", squares)


def reduced(site: Site, kind: str, x: Value, axes: list[int], keep: bool) -> Value:
    """A reduction of MXNet's; over all axes its result has one item."""
    found = site.op(kind, x, axis=tuple(axes), keepdims=keep)
    return found if keep or len(axes) < x.rank else found.as_scalar()


def _like(site: Site, kind: str, x: Value) -> Value:
    found = site.op(kind, x)
    return found if x.rank else found.as_scalar()


def _log_sum_exp(site: Site, x: Value, axes: list[int], keep: bool) -> Value:
    largest = reduced(site, "max", x, axes, keep=True)
    powers = site.op("exp", site.op("broadcast_sub", x, largest))
    logarithm = _like(site, "log", reduced(site, "sum", powers, axes, keep))
    largest = largest if keep else reduced(site, "max", x, axes, keep)
    return binary(site, "Add", logarithm, largest)
