# SPDX-License-Identifier: Apache-2.0
"""Functions that NumPy computes, on the CPU and without gradients; results are our arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.base.doors import facade
from ..core.base.examples import with_example
from ..core.nd.numpy_array import by_numpy

# fmt: off
_NAMES = """
allclose alltrue apply_along_axis apply_over_axes argpartition argwhere array_equal array_equiv
choose compress corrcoef correlate count_nonzero cov digitize divmod extract flatnonzero
float_power frexp heaviside histogram2d histogram_bin_edges histogramdd i0 in1d interp intersect1d
isclose isin ix_ lexsort min_scalar_type modf msort nanargmax nanargmin nancumprod nancumsum nanmax
nanmedian nanmin nanpercentile nanprod nanquantile ndim packbits partition piecewise poly polyadd
polydiv polyfit polyint polymul polysub positive promote_types ptp real result_type rollaxis roots
searchsorted select setdiff1d setxor1d signbit size spacing take_along_axis trapz
tril_indices_from trim_zeros triu_indices_from union1d unpackbits unwrap vander
""".split()  # noqa: SIM905 - a table to read
# fmt: on
_DOC = """NumPy's `{}`, on the CPU and without gradients.

Args:
    *args: those of NumPy's function; arrays of both kinds.
    **kwargs: those of NumPy's function."""
_RENAMED = {"alltrue": "all", "in1d": "isin", "trapz": "trapezoid"}  # what NumPy 2 dropped


def computed_by(implementation: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """A function of ours that NumPy's `implementation` computes; `name` is that of its example."""

    # Not `functools.wraps`: the signature is another one with each version of NumPy.
    def call(*args: Any, **kwargs: Any) -> Any:
        return by_numpy(implementation, args, kwargs)

    call.__name__ = call.__qualname__ = implementation.__name__
    call.__doc__ = with_example(_DOC.format(implementation.__name__), "numpy", name)
    return call


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


_msort.__name__ = "msort"


def _implementation(name: str) -> Callable[..., Any]:
    if name == "msort":
        return _msort
    found: Callable[..., Any] | None = getattr(np, name, None) if name not in _RENAMED else None
    return found or getattr(np, _RENAMED.get(name, name), None) or getattr(np, name)


globals().update({name: computed_by(_implementation(name), name) for name in _NAMES})
__all__ = [*_NAMES]


facade(__name__)
