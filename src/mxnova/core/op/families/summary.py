# SPDX-License-Identifier: Apache-2.0
"""Statistics of whole arrays: histograms, and whether two arrays are close."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ...base.params import StructuralDoubles
from ...base.shapes import shape_text
from ...runtime import tuning
from ..declaration import function_operator
from ..infer import DTypes, Shapes
from ..promotion import common_dtype
from ..schema import Op

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _histogram_inputs(op: Op) -> tuple[str, ...]:
    return ("data", "bins") if op.attr("bin_cnt") is None else ("data",)


def _histogram_shape(op: Op, s: Shapes) -> None:
    count, limits = op.attr("bin_cnt"), op.attr("range")
    if (count is None) is not (limits is None):
        raise s.fail(f"bin_cnt={count}, range={limits}: give both, or neither and bins")
    if count is None:
        if s.rank("bins", 1) and s.bins[0] < 2:
            raise s.fail(f"bins {shape_text(s.bins)}: there must be two edges or more")
        s.output0, s.output1 = (s.bins[0] - 1,), s.bins
        return
    if count < 1 or len(limits) != 2 or limits[0] > limits[1]:
        raise s.fail(f"bin_cnt={count}, range={limits}: a count and (low, high) are needed")
    s.output0, s.output1 = (count,), (count + 1,)


def _histogram_dtype(op: Op, t: DTypes) -> None:
    t.output0 = torch.int64
    common_dtype(t, t.inputs)
    t.same(t.inputs[-1], "output1")


@function_operator(
    "_histogram",
    "_npi_histogram",
    inputs=_histogram_inputs,
    outputs=("output0", "output1"),
    shape=_histogram_shape,
    dtype=_histogram_dtype,
    differentiable=None,
)
def histogram(
    data: Tensor,
    bins: Tensor | None = None,
    *,
    bin_cnt: int | None = None,
    range: StructuralDoubles | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the number of elements in each bin, and the bin edges.

    A bin holds its lower edge, the last one its upper edge too; what lies outside is not counted.

    Args:
        data: numbers, of any shape.
        bins: edges, whose type the second output has; absent with bin_cnt. An element is counted
            in the first bin whose upper edge is above it.
        bin_cnt: number of bins of equal width.
        range: (low, high), the outer edges for bin_cnt.
    """
    if bins is not None:
        return _counts_between(data, bins), bins.clone()
    low, high = _outer_edges(range or ())
    edges = _even_edges(data, bin_cnt or 0, low, high)
    if not data.dtype.is_floating_point:
        return _counts_of_integers(data, edges, low, high), edges
    if edges[0].item() < low or edges[-1].item() > high:  # rounded to the type
        data = data[(data.double() >= low) & (data.double() <= high)]
    return _counts_between(data, edges), edges


def _counts_of_integers(data: Tensor, edges: Tensor, low: float, high: float) -> Tensor:
    """Counts in even bins, whose edges the integer type has rounded or wrapped around."""
    values, count = data.flatten().double(), len(edges) - 1
    values, limits = values[(values >= low) & (values <= high)], edges.double()
    places = ((values - low) * count / (high - low)).long().clamp(max=count - 1)
    places -= (values < limits[places]).long()
    places += ((values >= limits[places + 1]) & (places < count - 1)).long()
    return torch.bincount(places[places >= 0], minlength=count)


def _counts_between(data: Tensor, edges: Tensor) -> Tensor:
    are_narrow = {data.dtype, edges.dtype} <= {torch.float16, torch.float32}
    exact = torch.float32 if are_narrow else torch.float64
    values, limits = data.to(exact).flatten(), edges.to(exact)
    if (limits[1:] < limits[:-1]).any():
        values = values[(values >= limits[0]) & (values <= limits[-1])]
        limits = limits.cummax(0).values
    if data.device.type == "cpu":
        before = _before(values.detach().numpy(), limits.detach().numpy())
        return torch.from_numpy(np.diff(before))
    places = torch.bincount(torch.bucketize(values, limits, right=True), minlength=len(edges) + 1)
    counts = places[1:-1].clone()
    counts[-1] += (values == limits[-1]).sum()
    return counts


def _before(values: NDArray[Any], limits: NDArray[Any]) -> NDArray[np.int64]:
    """How many of `values` are below each of the limits; not above it for the last one."""
    total = np.zeros(len(limits), np.int64)
    if len(limits) <= min(tuning.HISTOGRAM_MAX_LIMITS, len(values) // tuning.HISTOGRAM_MIN_VALUES):
        total[:-1] = [np.count_nonzero(values < limit) for limit in limits[:-1]]
        total[-1] = np.count_nonzero(values <= limits[-1])
    else:
        for block in map(
            np.sort, _blocks(values, tuning.HISTOGRAM_SORTED_BLOCK)
        ):  # NaN last: above all limits
            total[:-1] += np.searchsorted(block, limits[:-1])
            total[-1] += np.searchsorted(block, limits[-1], side="right")
    return total


def _blocks(values: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
    return (values[i : i + size] for i in range(0, len(values), size))


def _outer_edges(limits: tuple[float, ...]) -> tuple[float, float]:
    low, high = limits
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _even_edges(data: Tensor, count: int, low: float, high: float) -> Tensor:
    steps = np.arange(count + 1)
    edges = (high * steps + low * (count - steps)) / count
    return torch.from_numpy(edges).to(data.device, data.dtype)


def _flag_shape(op: Op, s: Shapes) -> None:
    s.same("a", "b")
    s.output = ()


def _flag_dtype(op: Op, t: DTypes) -> None:
    t.same("a", "b")
    t.output = torch.uint8


@function_operator("_contrib_allclose", shape=_flag_shape, dtype=_flag_dtype, differentiable=None)
def allclose(
    a: Tensor, b: Tensor, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True
) -> Tensor:
    """1 if ``|a - b| <= atol + rtol * |b|`` for all elements, else 0: a uint8 scalar.

    Args:
        a: of any shape.
        b: of the shape and type of a.
        rtol: tolerance relative to b.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.
    """
    close = torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    return close.all().to(torch.uint8)
