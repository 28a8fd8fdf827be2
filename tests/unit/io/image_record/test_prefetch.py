# SPDX-License-Identifier: Apache-2.0
"""Batches that are made ahead, and how that ends."""

from __future__ import annotations

import threading

from mxnova.core.base.cores import usable_cores
from mxnova.io.image_record.prefetch import Prefetcher
from tests.waiting import wait_until


class OneBatch:
    """A plan without work."""

    jobs = ()

    def finish(self):
        return "a batch"


def prefetcher():
    plans = iter([OneBatch()] * 4)
    return Prefetcher("made ahead", lambda: next(plans, None), 2, 2)


def test_batches_come_in_order_until_the_end():
    made = prefetcher()
    assert [made.read() for _ in range(5)] == ["a batch"] * 4 + [None]
    made.close()


def test_few_batches_are_planned_however_deep_it_may_be():
    n_planned = 0

    def plan():
        nonlocal n_planned
        n_planned += 1
        return OneBatch() if n_planned <= 200 else None

    made = Prefetcher("made ahead", plan, 10**7, 10**6)
    assert made.read() == "a batch"
    assert len(made._pending) <= 201
    assert made._n_threads == max(64, usable_cores())
    assert [made.read() for _ in range(200)] == ["a batch"] * 199 + [None]
    made.close()


def test_closing_takes_no_lock_of_the_pool():
    """The collector may close an iterator while one of the pool's own calls is under way."""
    made = prefetcher()
    assert made.read() == "a batch"
    made.drain()
    with made._pool._shutdown_lock:
        closing = threading.Thread(target=made.close, daemon=True)
        closing.start()
        closing.join(60)
        assert not closing.is_alive()


def test_threads_end_after_closing():
    before = set(threading.enumerate())
    made = prefetcher()
    made.read()
    made.drain()
    made.close()
    wait_until(lambda: not any(t.name.startswith("made ahead") for t in new_since(before)))


def new_since(before):
    return set(threading.enumerate()) - before
