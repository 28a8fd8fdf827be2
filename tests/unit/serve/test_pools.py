# SPDX-License-Identifier: Apache-2.0
import asyncio
import threading

import pytest

from mxnova.serve.errors import Refused
from mxnova.serve.pools import ABANDON, BoundedPool


def run(test, **options):
    async def main():
        may_end = threading.Event()
        pool = BoundedPool("loading", 1, 2)
        try:
            await test(pool, lambda: may_end.wait(60), may_end)
        finally:
            may_end.set()
            pool.executor.shutdown()

    asyncio.run(main())


def test_calls_beyond_the_bound_are_refused():
    async def test(pool, work, may_end):
        calls = [asyncio.ensure_future(pool.run(work, {}, 60, "not done")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="2 requests wait for loading") as caught:
            await pool.run(work, {}, 60, "not done")
        assert caught.value.status == 503
        may_end.set()
        assert await asyncio.gather(*calls) == [True, True]

    run(test)


def test_a_call_that_takes_too_long_is_not_waited_for():
    async def test(pool, work, may_end):
        with pytest.raises(Refused, match="not done in 0.01 seconds") as caught:
            await pool.run(work, {}, 0.01, "not done")
        assert caught.value.status == 504
        may_end.set()
        assert await pool.run(lambda: 7, {}, 60, "not done") == 7

    run(test)


def test_a_call_that_waits_is_dropped_when_the_client_goes_away():
    async def test(pool, work, may_end):
        ran, scope = [], {}
        first = asyncio.ensure_future(pool.run(work, {}, 60, "not done"))
        second = asyncio.ensure_future(pool.run(lambda: ran.append(1), scope, 60, "not done"))
        await asyncio.sleep(0)
        scope.pop(ABANDON)()
        with pytest.raises(Refused, match="went away") as caught:
            await second
        assert caught.value.status == 499
        may_end.set()
        await first
        assert await pool.run(lambda: ran, {}, 60, "not done") == []

    run(test)
