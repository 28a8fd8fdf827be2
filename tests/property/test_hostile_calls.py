# SPDX-License-Identifier: Apache-2.0
"""Whatever public functions are given by mistake, they raise what callers can expect, or work.

That is MXNetError, or the Python error for a wrong type, value, index or name; never what comes of
using the value without a look at it.
"""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

import mxnova as mx

from .hostile_calls import ENTRIES, VALUES

EXPECTED = (mx.MXNetError, TypeError, ValueError, IndexError, KeyError)
MEMORY = 2 << 30  # bytes that a call may reserve
SECONDS = 10.0
LONGEST = 9000  # characters of an error


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    """A call that wants all memory, or all time, fails."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    handler = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, handler)
    resource.setrlimit(resource.RLIMIT_AS, before)


class TooSlow(BaseException):
    pass


def _too_slow(*_: object) -> None:
    raise TooSlow


def ends_well(entry: str, value: str) -> bool:
    try:
        ENTRIES[entry](VALUES[value]())
    except EXPECTED as error:
        return len(str(error)) <= LONGEST
    return True


@pytest.fixture(scope="module", autouse=True)
def _own_modes() -> Iterator[None]:
    with mx.autograd.pause():
        yield
    with suppress(mx.MXNetError):  # of random operators, whose errors wait in their results
        mx.nd.waitall()
    mx.random.seed(0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", ENTRIES)
def test_any_value_ends_well(entry: str) -> None:
    assert [v for v in VALUES if not ends_well(entry, v)] == []


LARGE = {
    "x[:] = v": lambda x, v: x.__setitem__(slice(None), v),
    "x[0, 1] = v": lambda x, v: x.__setitem__((0, 1), v),
    "maximum": mx.nd.maximum,
    "minimum": mx.nd.minimum,
    "clip": lambda x, v: mx.nd.clip(x, min(v, 0), max(v, 0)),
    "pad": lambda x, v: mx.nd.pad(
        x.reshape((1, 1, 2, 3)),
        mode="constant",
        pad_width=(0, 0, 0, 0, 1, 1, 1, 1),
        constant_value=v,
    ),
    "SequenceMask": lambda x, v: mx.nd.SequenceMask(
        x, mx.nd.array([1, 1, 0]), use_sequence_length=True, value=v
    ),
}


@pytest.mark.parametrize("value", [1e30, -1e30])
@pytest.mark.parametrize("call", LARGE)
def test_numbers_beyond_half_precision_become_infinite(call: str, value: float) -> None:
    half, single = (mx.nd.ones((2, 3), dtype=dtype) for dtype in ("float16", "float32"))
    found, wanted = LARGE[call](half, value), LARGE[call](single, value)
    found, wanted = (half, single) if found is None else (found, wanted)
    with np.errstate(over="ignore"):
        assert (found.asnumpy() == wanted.asnumpy().astype("float16")).all()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_square_sums_of_rows_along_all_axes_but_one(axis: int, keepdims: bool) -> None:
    values = np.array([[1, 2], [0, 0], [3, 4]], "float32")
    rows = mx.nd.array(values).tostype("row_sparse")
    found = mx.nd._internal._square_sum(rows, axis=axis, keepdims=keepdims, exclude=True)
    assert (found.asnumpy() == (values**2).sum(1 - axis, keepdims=keepdims)).all()
