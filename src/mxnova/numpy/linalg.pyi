# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.ndarray.numpy.linalg import cholesky as cholesky
from mxnova.numpy.fallback_linalg import cond as cond
from mxnova.ndarray.numpy.linalg import det as det
from mxnova.ndarray.numpy.linalg import eig as eig
from mxnova.ndarray.numpy.linalg import eigh as eigh
from mxnova.ndarray.numpy.linalg import eigvals as eigvals
from mxnova.ndarray.numpy.linalg import eigvalsh as eigvalsh
from mxnova.ndarray.numpy.linalg import inv as inv
from mxnova.numpy.fallback_linalg import lstsq as lstsq
from mxnova.numpy.fallback_linalg import matrix_power as matrix_power
from mxnova.numpy.fallback_linalg import matrix_rank as matrix_rank
from mxnova.numpy.fallback_linalg import multi_dot as multi_dot
from mxnova.ndarray.numpy.linalg import norm as norm
from mxnova.ndarray.numpy.linalg import pinv as pinv
from mxnova.numpy.fallback_linalg import qr as qr
from mxnova.ndarray.numpy.linalg import slogdet as slogdet
from mxnova.ndarray.numpy.linalg import solve as solve
from mxnova.ndarray.numpy.linalg import svd as svd
from mxnova.ndarray.numpy.linalg import tensorinv as tensorinv
from mxnova.ndarray.numpy.linalg import tensorsolve as tensorsolve
