# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.numpy import allclose as allclose
from mxnova.numpy import alltrue as alltrue
from mxnova.numpy import apply_along_axis as apply_along_axis
from mxnova.numpy import apply_over_axes as apply_over_axes
from mxnova.numpy import argpartition as argpartition
from mxnova.numpy import argwhere as argwhere
from mxnova.numpy import array_equal as array_equal
from mxnova.numpy import array_equiv as array_equiv
from mxnova.numpy import choose as choose
from mxnova.numpy import compress as compress
from mxnova.numpy import corrcoef as corrcoef
from mxnova.numpy import correlate as correlate
from mxnova.numpy import count_nonzero as count_nonzero
from mxnova.numpy import cov as cov
from mxnova.numpy import digitize as digitize
from mxnova.numpy import divmod as divmod
from mxnova.numpy import extract as extract
from mxnova.numpy import flatnonzero as flatnonzero
from mxnova.numpy import float_power as float_power
from mxnova.numpy import frexp as frexp
from mxnova.numpy import heaviside as heaviside
from mxnova.numpy import histogram2d as histogram2d
from mxnova.numpy import histogram_bin_edges as histogram_bin_edges
from mxnova.numpy import histogramdd as histogramdd
from mxnova.numpy import i0 as i0
from mxnova.numpy import in1d as in1d
from mxnova.numpy import interp as interp
from mxnova.numpy import intersect1d as intersect1d
from mxnova.numpy import isclose as isclose
from mxnova.numpy import isin as isin
from mxnova.numpy import ix_ as ix_
from mxnova.numpy import lexsort as lexsort
from mxnova.numpy import min_scalar_type as min_scalar_type
from mxnova.numpy import modf as modf
from mxnova.numpy import msort as msort
from mxnova.numpy import nanargmax as nanargmax
from mxnova.numpy import nanargmin as nanargmin
from mxnova.numpy import nancumprod as nancumprod
from mxnova.numpy import nancumsum as nancumsum
from mxnova.numpy import nanmax as nanmax
from mxnova.numpy import nanmedian as nanmedian
from mxnova.numpy import nanmin as nanmin
from mxnova.numpy import nanpercentile as nanpercentile
from mxnova.numpy import nanprod as nanprod
from mxnova.numpy import nanquantile as nanquantile
from mxnova.numpy import ndim as ndim
from mxnova.numpy import packbits as packbits
from mxnova.numpy import partition as partition
from mxnova.numpy import piecewise as piecewise
from mxnova.numpy import poly as poly
from mxnova.numpy import polyadd as polyadd
from mxnova.numpy import polydiv as polydiv
from mxnova.numpy import polyfit as polyfit
from mxnova.numpy import polyint as polyint
from mxnova.numpy import polymul as polymul
from mxnova.numpy import polysub as polysub
from mxnova.numpy import positive as positive
from mxnova.numpy import promote_types as promote_types
from mxnova.numpy import ptp as ptp
from mxnova.numpy import real as real
from mxnova.numpy import result_type as result_type
from mxnova.numpy import rollaxis as rollaxis
from mxnova.numpy import roots as roots
from mxnova.numpy import searchsorted as searchsorted
from mxnova.numpy import select as select
from mxnova.numpy import setdiff1d as setdiff1d
from mxnova.numpy import setxor1d as setxor1d
from mxnova.numpy import signbit as signbit
from mxnova.numpy import size as size
from mxnova.numpy import spacing as spacing
from mxnova.numpy import take_along_axis as take_along_axis
from mxnova.numpy import trapz as trapz
from mxnova.numpy import tril_indices_from as tril_indices_from
from mxnova.numpy import trim_zeros as trim_zeros
from mxnova.numpy import triu_indices_from as triu_indices_from
from mxnova.numpy import union1d as union1d
from mxnova.numpy import unpackbits as unpackbits
from mxnova.numpy import unwrap as unwrap
from mxnova.numpy import vander as vander
