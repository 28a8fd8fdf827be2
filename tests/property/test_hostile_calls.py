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
