# SPDX-License-Identifier: Apache-2.0
import asyncio

import pytest

from mxnova.serve.deadline import deadline


async def within(seconds, waited_for):
    with deadline(seconds):
        return await waited_for


def test_what_comes_too_late_is_cancelled():
    async def main():
        future = asyncio.get_running_loop().create_future()
        with pytest.raises(TimeoutError):
            await within(0.001, future)
        assert future.cancelled()
        assert await within(60, asyncio.sleep(0, "the task goes on")) == "the task goes on"

    asyncio.run(main())


def test_what_is_there_in_time_ends_the_timer():
    async def main():
        assert await within(0.001, asyncio.sleep(0, 5)) == 5
        await asyncio.sleep(0.01)  # nothing is cancelled later

    asyncio.run(main())


def test_a_task_that_is_cancelled_by_others_is_not_late():
    async def main():
        task = asyncio.create_task(within(60, asyncio.get_running_loop().create_future()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_errors_pass():
    async def fails():
        raise ValueError("5")

    with pytest.raises(ValueError, match="5"):
        asyncio.run(within(60, fails()))
