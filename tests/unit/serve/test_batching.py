# SPDX-License-Identifier: Apache-2.0
import asyncio
import sys
import threading
import time

import numpy as np
import pytest

from mxnova.serve.batching import Batcher, Pool, _Times, batch_sizes
from mxnova.serve.errors import Refused


class Model:
    """Doubles its input; remembers the shapes it was run with; can be held."""

    def __init__(self):
        self.shapes = []
        self.runs, self.may_run = threading.Event(), threading.Event()
        self.may_run.set()

    def __call__(self, inputs):
        self.runs.set()
        assert self.may_run.wait(60)
        (values,) = inputs.values()
        self.shapes.append(values.shape)
        if (values == 13).any():
            raise ValueError("13")
        return [values * 2, values.sum(1)]


def row(value, rows=1, width=2):
    return {"data": np.full((rows, width), value, np.float32)}


def run(test, max_batch=8, threads=1, **options):
    """Runs an asynchronous test with a model and its batcher."""

    async def main():
        model = Model()
        pool = Pool(threads)
        try:
            return await test(model, Batcher(model, pool, max_batch, **options))
        finally:
            model.may_run.set()
            pool.executor.shutdown()

    return asyncio.run(main())


async def outputs(batcher, inputs):
    return await batcher.submit(inputs, len(inputs["data"]))


async def started(model, batcher):
    """A request that runs."""
    model.may_run.clear()
    first = asyncio.ensure_future(batcher.submit(row(0), 1))
    await asyncio.get_running_loop().run_in_executor(None, model.runs.wait)
    return first


async def behind_a_run(model, batcher, requests):
    """Results of requests that come while the only thread is busy."""
    first = await started(model, batcher)
    tasks = [asyncio.ensure_future(outputs(batcher, inputs)) for inputs in requests]
    await asyncio.sleep(0)
    model.may_run.set()
    await first
    return await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    "waiting, runs",
    [((1,) * 5, [4, 1]), ((1, 3, 3), [4, 2, 1]), ((3, 3), [4, 2]), ((2, 1), [2, 1])],
)
def test_a_run_has_one_size_if_some_requests_make_one_up(waiting, runs):
    """Those that are left may share the next run with others that come."""

    async def test(model, batcher):
        await behind_a_run(model, batcher, [row(i, n) for i, n in enumerate(waiting)])
        assert [rows for rows, _ in model.shapes] == [1, *runs]

    run(test)


def test_requests_that_wait_share_a_run():
    async def test(model, batcher):
        results = await behind_a_run(model, batcher, [row(i) for i in range(1, 9)])
        assert model.shapes == [(1, 2), (8, 2)]
        for i, (doubled, summed) in enumerate(results, 1):
            np.testing.assert_array_equal(doubled, np.full((1, 2), 2 * i))
            np.testing.assert_array_equal(summed, [2 * i])

    run(test)


def test_runs_have_few_different_sizes():
    async def test(model, batcher):
        sizes = [1, 2, 2, 8, 21]
        results = await behind_a_run(model, batcher, [row(n, n) for n in sizes])
        assert [len(doubled) for doubled, _ in results] == sizes
        assert all((doubled == 2 * n).all() for n, (doubled, _) in zip(sizes, results))
        assert {shape[0] for shape in model.shapes} <= set(batch_sizes(8))
        assert sum(shape[0] for shape in model.shapes) == 1 + sum(sizes)

    run(test)


def test_sizes_of_runs():
    assert batch_sizes(1) == [1]
    assert batch_sizes(6) == [1, 2, 4, 6]
    assert batch_sizes(8) == [1, 2, 4, 8]


def test_rows_of_different_shapes_run_apart_and_none_is_overtaken_for_ever():
    async def test(model, batcher):
        requests = [row(1), row(2, width=3), row(3), row(4, width=3)]
        results = await behind_a_run(model, batcher, requests)
        assert model.shapes == [(1, 2), (2, 2), (2, 3)]
        assert [doubled[0, 0] for doubled, _ in results] == [2, 4, 6, 8]

    run(test)


def test_a_request_that_fails_does_not_spoil_those_it_shares_a_run_with():
    async def test(model, batcher):
        one, bad, two = await behind_a_run(model, batcher, [row(1), row(13), row(2)])
        assert isinstance(bad, ValueError)
        assert (one[0] == 2).all()
        assert (two[0] == 4).all()

    run(test)


def test_models_whose_requests_cannot_share_a_run_get_them_one_by_one():
    async def test(model, batcher):
        await behind_a_run(model, batcher, [row(1), row(2, 3)])
        assert model.shapes == [(1, 2), (1, 2), (3, 2)]

    run(test, max_batch=1)


def test_a_full_queue_refuses_and_says_when_to_come_again():
    async def test(model, batcher):
        results = await behind_a_run(model, batcher, [row(i) for i in range(5)])
        refused = [r for r in results if isinstance(r, Refused)]
        assert len(refused) == 2
        assert all(r.status == 503 and int(r.headers["Retry-After"]) >= 1 for r in refused)

    run(test, max_queue=3)


def test_a_request_whose_client_gave_up_is_not_run():
    async def test(model, batcher):
        first = await started(model, batcher)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(batcher.submit(row(1), 1), 0.01)
        model.may_run.set()
        await first
        await batcher.submit(row(2), 1)
        assert model.shapes == [(1, 2), (1, 2)]

    run(test)


def test_a_delay_gathers_requests_that_come_one_after_the_other():
    async def test(model, batcher):
        tasks = []
        for i in range(8):
            tasks.append(asyncio.ensure_future(batcher.submit(row(i), 1)))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        assert model.shapes == [(8, 2)]  # full before the minute is over

    run(test, max_delay=60)


def test_requests_that_come_in_one_turn_of_the_loop_share_a_run():
    async def test(model, batcher):
        await asyncio.gather(*(batcher.submit(row(i), 1) for i in range(3)))
        assert model.shapes == [(2, 2), (1, 2)]

    run(test)


def test_models_take_turns_on_the_threads():
    async def test(model, batcher):
        order = []
        other = Batcher(lambda inputs: order.append("other") or [inputs["data"]], batcher._pool, 1)
        batcher._run = lambda inputs: order.append("first") or [inputs["data"]]
        mine = [batcher.submit(row(i), 1) for i in range(3)]
        await asyncio.gather(*mine, *(other.submit(row(i), 1) for i in range(2)))
        assert order == ["first", "other", "first", "other", "first"]

    run(test, max_batch=1)


def test_requests_that_wait_when_the_threads_end_are_told():
    async def test(model, batcher):
        first = await started(model, batcher)
        waiting = [batcher.submit(row(1, width=width), 1) for width in (1, 2, 3)]
        await asyncio.sleep(0)
        batcher._pool.executor.shutdown(wait=False)
        model.may_run.set()
        await first
        told = await asyncio.gather(*waiting, return_exceptions=True)
        assert all("shutdown" in str(error) for error in told)

    run(test)


@pytest.mark.parametrize("error", [StopIteration(1), SystemExit(1), KeyboardInterrupt()])
def test_what_a_model_raises_ends_no_server_and_is_told(error):
    async def test(model, batcher):
        def run(inputs):
            raise error

        batcher._run = run
        with pytest.raises(RuntimeError, match=type(error).__name__):
            await batcher.submit(row(1), 1)

    run(test)


def test_requests_are_told_before_their_run_is_reported():
    async def test(model, batcher):
        def fails(*_run):
            raise OSError("no space for metrics")

        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        batcher._ran = fails
        assert (await batcher.submit(row(1), 1))[0].all()
        assert (await batcher.submit(row(2), 1))[0].all()

    run(test)


def test_many_models_whose_clients_gave_up():
    async def test(model, batcher):
        first = await started(model, batcher)
        others = [Batcher(model, batcher._pool, 1) for _ in range(2000)]
        waiting = [other.submit(row(1), 1) for other in others]
        await asyncio.sleep(0)
        for future in waiting:
            future.cancel()
        model.may_run.set()
        await first
        await batcher.submit(row(2), 1)

    run(test)


def test_several_threads_run_at_the_same_time():
    async def test(model, batcher):
        barrier = threading.Barrier(2, timeout=60)
        batcher._run = lambda inputs: [barrier.wait() or inputs["data"]]
        await asyncio.gather(batcher.submit(row(1), 1), batcher.submit(row(2, width=3), 1))

    run(test, threads=2)


def threads_of(monkeypatch, requests, limit=1000.0, fails=(), **options):
    """Whether each run was made in the loop, of requests that come one after the other.

    Args:
        requests: rows and width, and perhaps the switch interval from there on.
        limit: what is short, in seconds: as a rule what no run takes.
        fails: numbers of rows of runs that fail.
    """
    here, made = threading.current_thread(), []

    async def test(model, batcher):
        def compute(inputs):
            made.append(threading.current_thread() is here)
            if len(inputs["data"]) in fails:
                raise ValueError
            return [inputs["data"]]

        batcher._run = compute
        for rows, width, *seconds in requests:
            (interval,) = seconds or [limit]
            monkeypatch.setattr(sys, "getswitchinterval", lambda s=interval: s)
            await asyncio.gather(batcher.submit(row(1, rows, width), rows), return_exceptions=True)

    run(test, **options)
    return made


@pytest.mark.parametrize("requests, in_loop", [
    ([(1, 2), (1, 2), (1, 3), (1, 3)], [False, True, False, True]),
    ([(1, 2), (1, 2, 0.0), (1, 2)], [False, False, True]),
    ([(8, 2), (1, 2), (2, 2), (1, 2)], [False, False, False, True]),  # sizes are compiled apart
    ([(2, 2), (3, 2), (3, 2)], [False, False, False, True, True]),  # as 2 and 1
    ([(1, 9), *((1, n) for n in range(1, 9)), (1, 9)], [False] * 10),  # others took its place
])  # fmt: skip
def test_runs_that_are_known_to_be_short_are_made_in_the_loop(monkeypatch, requests, in_loop):
    assert threads_of(monkeypatch, requests, in_loop=True) == in_loop
    assert not any(threads_of(monkeypatch, requests))


@pytest.mark.parametrize("threads", [1, 2])
def test_answers_are_sent_before_another_run_holds_the_loop(monkeypatch, threads):
    monkeypatch.setattr(sys, "getswitchinterval", lambda: 1000.0)  # any run is short
    events = []

    async def test(model, batcher):
        async def answered(batcher, value):
            await batcher.submit(row(value), 1)
            events.append("answered")  # uvloop sends at the end of a turn what was written in it
            asyncio.get_running_loop().call_soon(events.append, "sent")

        batcher._run = lambda inputs: events.append("run") or [inputs["data"]]
        other = Batcher(batcher._run, batcher._pool, 1, in_loop=True)
        await asyncio.gather(answered(batcher, 0), answered(other, 0))  # compiled in a thread
        events.clear()
        batchers = batcher, batcher, other, batcher, other
        await asyncio.gather(*(answered(b, i) for i, b in enumerate(batchers)))
        await asyncio.sleep(0)
        assert events == ["run", "answered", "sent"] * 5

    run(test, max_batch=1, threads=threads, in_loop=True)


def test_runs_that_fail_tell_nothing_of_those_that_do_not(monkeypatch):
    assert not any(threads_of(monkeypatch, [(1, 2)] * 3, fails=[1], in_loop=True))


def test_one_long_run_is_forgotten_and_several_are_not():
    times = _Times()
    for seconds, expected in (
        (9.0, 9.0),
        (1.0, 1.0),
        (9.0, 2.0),
        (1.0, 1.0),
        (9.0, 2.0),
        (9.0, 4.0),
    ):
        times.note((), 1, seconds)
        assert times.expected((), [1, 1]) == 2 * expected
    assert times.expected((), [1, 2]) == float("inf")


def test_runs_are_reported():
    told = []

    async def test(model, batcher):
        await behind_a_run(model, batcher, [row(1, 2), row(2, 2)])

    run(test, ran=lambda requests, rows, seconds: told.append((requests, rows)))
    assert told == [(1, 1), (2, 4)]


def test_a_large_request_takes_turns_with_others(monkeypatch):
    monkeypatch.setattr("mxnova.serve.batching._TURN_SECONDS", 0)

    async def test(model, batcher):
        large = asyncio.ensure_future(outputs(batcher, row(1, 21)))
        await asyncio.sleep(0)
        small = [asyncio.ensure_future(outputs(batcher, row(i))) for i in (2, 3)]
        doubled, summed = await large
        assert all(task.done() for task in small)
        assert [len(shape) and shape[0] for shape in model.shapes] == [8, 2, 8, 4, 1]
        np.testing.assert_array_equal(doubled, np.full((21, 2), 2))
        np.testing.assert_array_equal(summed, np.full(21, 2))

    run(test)


def test_a_large_request_that_nobody_waits_for_stops():
    async def test(model, batcher):
        loop, large = asyncio.get_running_loop(), []

        def run_until_cancelled(inputs):
            loop.call_soon_threadsafe(large[0].cancel)
            while not large[0].done():
                time.sleep(0.001)
            return model(inputs)

        batcher._run = run_until_cancelled
        large.append(batcher.submit(row(1, 800), 800))
        await outputs(batcher, row(2))
        assert [rows for rows, _ in model.shapes] == [8, 1]

    run(test)
