# SPDX-License-Identifier: Apache-2.0
"""Order, exceptions, waiting and deleting, on engines of their own."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from mxnova.core.base.errors import FormatError, MXNetError
from mxnova.core.runtime.context import cpu
from mxnova.core.runtime.engine import (
    Completion,
    FnProperty,
    NaiveEngine,
    Operation,
    ThreadedEngine,
    ThreadedEnginePerDevice,
    Var,
)

KINDS = [NaiveEngine, ThreadedEngine, ThreadedEnginePerDevice]
SECONDS = 60.0  # until a test that waits for a thread gives up


def made(kind, workers=4):
    return kind() if kind is NaiveEngine else kind(workers)


@pytest.fixture(params=KINDS)
def engine(request):
    engine = made(request.param)
    yield engine
    engine.stop(SECONDS)


@pytest.fixture(params=KINDS[1:])
def threaded(request):
    engine = made(request.param)
    yield engine
    engine.stop(SECONDS)


@pytest.fixture
def one_worker():
    engine = ThreadedEnginePerDevice(1)
    yield engine
    engine.stop(SECONDS)


class Held:
    """An operation that does not end before `release`."""

    def __init__(self, engine, reads=(), writes=()):
        self._gate = threading.Event()
        self._began = threading.Event()
        engine.push_sync(self._run, None, reads, writes, name="held", asynchronous=True)
        assert self._began.wait(SECONDS)

    def _run(self):
        self._began.set()
        assert self._gate.wait(SECONDS)

    def release(self):
        self._gate.set()


def fail(*_):
    raise ValueError("boom")


# Order --------------------------------------------------------------------------------------------


def test_writes_run_in_the_order_of_their_pushes(engine):
    a, order = engine.new_variable(), []
    for i in range(100):
        engine.push_sync(lambda i=i: order.append(i), writes=[a], asynchronous=True)
    engine.wait_for_var(a)
    assert order == list(range(100))
    assert a.version == 100


def test_reads_run_side_by_side(threaded):
    a, meeting = threaded.new_variable(), threading.Barrier(3)
    for _ in range(3):
        threaded.push_sync(lambda: meeting.wait(SECONDS), reads=[a], asynchronous=True)
    threaded.wait_for_all()
    assert a.version == 0


def test_a_write_waits_for_reads_and_later_reads_for_it(threaded):
    a, order = threaded.new_variable(), []
    held = Held(threaded, reads=[a])
    threaded.push_sync(lambda: order.append("write"), writes=[a], asynchronous=True)
    threaded.push_sync(lambda: order.append("read"), reads=[a], asynchronous=True)
    time.sleep(0.02)
    assert order == []
    held.release()
    threaded.wait_for_all()
    assert order == ["write", "read"]


def test_urgent_operations_go_first(one_worker):
    held, order = Held(one_worker), []
    for i, priority in enumerate([0, 1, 0, 5, -1, 1]):
        one_worker.push_sync(
            lambda i=i: order.append(i), priority=priority, asynchronous=True, name=str(i)
        )
    held.release()
    one_worker.wait_for_all()
    assert order == [3, 1, 5, 0, 2, 4]


def test_a_var_may_be_named_twice_but_not_read_and_written(engine):
    a, b = engine.new_variable("a"), engine.new_variable()
    engine.push_sync(lambda: None, None, [b, b], [a, a])
    assert (a.version, a.uses, b.uses) == (1, 0, 0)
    with pytest.raises(MXNetError, match="sum: a is given both as read and as written"):
        engine.push_sync(lambda: None, None, [a], [a], name="sum")


def test_operators_can_be_pushed_many_times_until_they_are_deleted(engine):
    a, calls = engine.new_variable(), []
    operation = engine.new_operator(lambda: calls.append(1), writes=[a], name="count")
    for _ in range(3):
        engine.push(operation)
    engine.delete_operator(operation)
    engine.wait_for_all()
    assert len(calls) == 3
    with pytest.raises(MXNetError, match="count: the operation is deleted"):
        engine.push(operation)


def test_variables_are_deleted_after_their_last_use(threaded):
    a, order = threaded.new_variable("a"), []
    held = Held(threaded, reads=[a])
    threaded.push_sync(lambda: order.append("use"), reads=[a], asynchronous=True)
    threaded.delete_variable(a, lambda: order.append("deleted"))
    with pytest.raises(MXNetError, match="late: a is deleted"):
        threaded.push_sync(lambda: None, None, [a], name="late")
    held.release()
    threaded.wait_for_all()
    assert order == ["use", "deleted"]


def test_an_operation_may_push_more_even_on_its_own_vars(engine):
    a, order = engine.new_variable(), []

    def outer():
        engine.push_sync(lambda: order.append("inner"), None, (), [a], asynchronous=True)
        order.append("outer")

    engine.push_sync(outer, None, (), [a], asynchronous=True)
    engine.wait_for_all()
    assert order == ["outer", "inner"]


def test_work_of_each_kind_has_its_threads(one_worker, monkeypatch):
    monkeypatch.setenv("MXNET_CPU_PRIORITY_NTHREADS", "1")
    names = []

    def note():
        names.append(threading.current_thread().name)

    one_worker.push_sync(note, cpu(0), asynchronous=True)
    one_worker.wait_for_all()
    one_worker.push_sync(note, cpu(1), asynchronous=True)
    one_worker.wait_for_all()
    one_worker.push_sync(note, cpu(1), kind=FnProperty.CPU_PRIORITIZED, asynchronous=True)
    one_worker.wait_for_all()
    assert names == [
        "mxnova cpu_worker 0 0",
        "mxnova cpu_worker 1 0",
        "mxnova cpu_priority 0 0",
    ]


def test_the_number_of_workers_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("MXNET_CPU_WORKER_NTHREADS", "3")
    engine, meeting = ThreadedEnginePerDevice(), threading.Barrier(3)
    for _ in range(3):
        engine.push_sync(lambda: meeting.wait(SECONDS), asynchronous=True)
    engine.wait_for_all()
    engine.stop()


def test_threads_that_push_at_once_to_an_engine_without_threads_take_turns():
    engine, total = NaiveEngine(), [0]
    a = engine.new_variable()

    def add():
        before = total[0]
        time.sleep(0)
        total[0] = before + 1

    def pusher():
        for _ in range(200):
            engine.push_sync(add, writes=[a])

    threads = [threading.Thread(target=pusher) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert total == [800]


# The inline rule ----------------------------------------------------------------------------------


def test_what_has_nothing_to_wait_for_runs_in_the_callers_thread(engine):
    a, where = engine.new_variable(), []
    engine.push_sync(lambda: where.append(threading.get_ident()), writes=[a])
    assert where == [threading.get_ident()]
    with pytest.raises(ValueError, match="boom"):
        engine.push_sync(fail, writes=[a])
    engine.wait_for_var(a)


def test_what_has_to_wait_is_queued(threaded):
    a, where = threaded.new_variable(), []
    held = Held(threaded, writes=[a])
    threaded.push_sync(lambda: where.append(threading.get_ident()), writes=[a])
    assert where == []
    held.release()
    threaded.wait_for_var(a)
    assert where != [threading.get_ident()]


def test_asynchronous_work_never_runs_in_the_callers_thread(threaded):
    where = []
    threaded.push_sync(lambda: where.append(threading.get_ident()), asynchronous=True)
    threaded.wait_for_all()
    assert where != [threading.get_ident()]


def test_the_property_async_starts_in_the_pushers_thread(threaded):
    where = []

    def start(on_complete):
        where.append(threading.get_ident())
        on_complete()

    threaded.push_async(start, kind=FnProperty.ASYNC)
    assert where == [threading.get_ident()]


# Asynchronous operations --------------------------------------------------------------------------


def test_asynchronous_operations_end_when_their_completion_is_called(threaded):
    a, seen, completions = threaded.new_variable(), [], []
    ready = threading.Event()

    def start(on_complete):
        completions.append(on_complete)
        ready.set()

    threaded.push_async(start, writes=[a], name="fetch")
    threaded.push_sync(lambda: seen.append(1), reads=[a], asynchronous=True)
    assert ready.wait(SECONDS)
    assert seen == []
    completions[0]()
    threaded.wait_for_all()
    assert seen == [1]
    with pytest.raises(MXNetError, match="fetch .*finished already"):
        completions[0]()


def push_async_and_wait(engine, start):
    a = engine.new_variable()
    engine.push_async(start, writes=[a])
    engine.wait_for_var(a)


def test_an_asynchronous_operation_can_fail_by_its_completion_by_raising_or_in_a_block(engine):
    def in_a_block(on_complete):
        with on_complete:
            fail()

    for start in (lambda done: done(ValueError("boom")), fail, in_a_block):
        with pytest.raises((MXNetError, ValueError), match="boom"):
            push_async_and_wait(engine, start)
        engine.wait_for_all()


def test_a_lost_completion_is_a_failure(engine):
    with pytest.raises(MXNetError, match=r"lambda.*nobody is left to say"):
        push_async_and_wait(engine, lambda on_complete: None)


def test_a_thread_that_goes_on_with_an_operation_may_wait_for_its_vars(threaded):
    a, threads = threaded.new_variable(), []

    def start(on_complete: Completion):
        def go_on():
            with on_complete:
                threaded.wait_to_write(a)

        threads.append(threading.Thread(target=go_on))
        threads[0].start()

    threaded.push_async(start, writes=[a])
    threaded.wait_for_var(a)
    threads[0].join(SECONDS)


# Exceptions ---------------------------------------------------------------------------------------


def test_an_exception_is_raised_once_with_name_place_and_cause(threaded):
    a = threaded.new_variable()
    threaded.push_sync(fail, writes=[a], name="load", asynchronous=True)
    with pytest.raises(
        MXNetError, match=r"load \(pushed at .*test_engine.py:\d+\): ValueError: boom"
    ) as info:
        threaded.wait_for_var(a)
    assert isinstance(info.value.__cause__, ValueError)
    innermost = info.value.__cause__.__traceback__
    while innermost.tb_next is not None:
        innermost = innermost.tb_next
    assert innermost.tb_frame.f_code is fail.__code__
    threaded.wait_for_var(a)
    threaded.wait_for_all()


def test_exceptions_keep_their_class_where_it_is_ours(threaded):
    def broken():
        raise FormatError("file.rec: bad magic")

    a = threaded.new_variable()
    threaded.push_sync(broken, writes=[a], asynchronous=True)
    with pytest.raises(FormatError, match=r"broken .*: file.rec: bad magic"):
        threaded.wait_for_var(a)


def test_what_needs_a_failed_var_does_not_run_and_fails_with_it(threaded):
    a, b, c = (threaded.new_variable() for _ in range(3))
    ran = []
    threaded.push_sync(fail, None, (), [a], asynchronous=True)
    threaded.push_sync(lambda: ran.append("b"), None, [a], [b], asynchronous=True)
    threaded.push_sync(lambda: ran.append("a"), None, (), [a], asynchronous=True)
    threaded.push_sync(lambda: ran.append("c"), None, (), [c], asynchronous=True)
    threaded.wait_for_var(c)
    with pytest.raises(MXNetError, match="fail .*boom"):
        threaded.wait_for_var(b)
    threaded.wait_for_var(a)
    assert ran == ["c"]
    threaded.push_sync(lambda: ran.append("later"), None, [a], [b], asynchronous=True)
    threaded.wait_for_var(b)
    assert ran == ["c", "later"]


def test_what_is_not_to_be_skipped_runs_and_leaves_failures_to_be_told(threaded):
    var, ran = Var("v"), []

    def fail():
        raise ZeroDivisionError

    held = Held(threaded, writes=[var])
    threaded.push_sync(fail, writes=[var], name="first", asynchronous=True)
    threaded.push(Operation(lambda: ran.append(1), (), [var], name="second", no_skip=True))
    held.release()
    with pytest.raises(MXNetError, match="first"):
        threaded.wait_for_var(var)
    assert ran == [1]
    threaded.push(Operation(fail, (), [var], name="third", no_skip=True))
    with pytest.raises(MXNetError, match="third"):
        threaded.wait_for_var(var)


def test_operations_that_fail_with_one_exception_are_one_failure(threaded):
    first, second, error = Var("v"), Var("w"), MXNetError("by me")
    for var in (first, second):
        threaded.push_async(lambda done: done(error), writes=[var])
    threaded.drain()
    with pytest.raises(MXNetError, match="by me"):
        threaded.wait_for_var(second)
    threaded.wait_for_var(first)
    threaded.wait_for_all()


def test_raising_a_failure_does_not_let_run_what_was_pushed_before(threaded):
    a, b, slow = (threaded.new_variable() for _ in range(3))
    ran = []
    held = Held(threaded, writes=[slow])
    threaded.push_sync(fail, writes=[a], asynchronous=True)
    threaded.push_sync(lambda: ran.append(1), None, [a, slow], [b], asynchronous=True)
    with pytest.raises(MXNetError):
        threaded.wait_for_var(a)
    held.release()
    threaded.wait_for_var(b)
    assert ran == []


def test_waiting_for_all_raises_one_failure_and_drops_the_others(threaded):
    a, b = threaded.new_variable(), threaded.new_variable()
    for var in (a, b):
        threaded.push_sync(fail, writes=[var], asynchronous=True)
    with pytest.raises(MXNetError, match=r"boom \(and 1 more\)"):
        threaded.wait_for_all()
    threaded.wait_for_all()
    threaded.wait_for_var(a)
    threaded.wait_for_var(b)


def test_a_failure_is_raised_by_a_push_that_runs_at_once(threaded):
    a, b = threaded.new_variable(), threaded.new_variable()
    threaded.push_sync(fail, writes=[a], asynchronous=True)
    threaded.drain()
    with pytest.raises(MXNetError, match="boom"):
        threaded.push_sync(lambda: None, None, [a], [b])
    threaded.wait_for_var(b)


# Waiting inside operations ------------------------------------------------------------------------


def test_an_operation_may_wait_for_what_it_declared_only(one_worker):
    a, b = one_worker.new_variable("a"), one_worker.new_variable("b")
    one_worker.push_sync(lambda: one_worker.wait_to_write(a), writes=[a], asynchronous=True)
    one_worker.wait_for_all()

    def undeclared():
        one_worker.push_sync(lambda: None, writes=[b])
        one_worker.wait_for_var(b)  # nothing pending
        one_worker.push_sync(lambda: None, writes=[b], asynchronous=True)
        one_worker.wait_for_var(b)

    one_worker.push_sync(undeclared, writes=[a], asynchronous=True)
    with pytest.raises(MXNetError, match="undeclared .*to read b it would have to wait"):
        one_worker.wait_for_var(a)
    one_worker.push_sync(one_worker.wait_for_all, writes=[a], asynchronous=True)
    with pytest.raises(MXNetError, match="cannot wait for all"):
        one_worker.wait_for_var(a)


# Bulks --------------------------------------------------------------------------------------------


def test_bulks_begin_when_they_are_full_needed_or_over(threaded):
    a, b, ran = threaded.new_variable(), threaded.new_variable(), []

    def push(var):
        threaded.push_sync(lambda: ran.append(1), writes=[var], asynchronous=True)

    assert threaded.set_bulk_size(3) == 0
    push(a)
    push(a)
    threaded.drain()
    assert len(ran) == 2
    push(a)
    threaded.wait_for_var(b)
    time.sleep(0.01)
    assert len(ran) == 2
    threaded.wait_for_var(a)
    assert len(ran) == 3
    push(a)
    push(a)
    push(b)
    assert threaded.set_bulk_size(0) == 3
    threaded.wait_for_all()
    assert len(ran) == 6


def test_other_threads_that_need_a_bulk_have_it_run(threaded):
    a, ran = threaded.new_variable(), []
    with threaded.bulk(100):
        threaded.push_sync(lambda: ran.append(1), writes=[a], asynchronous=True)
        thread = threading.Thread(target=threaded.wait_for_var, args=(a,))
        thread.start()
        thread.join(SECONDS)
        assert ran == [1]


def test_operations_of_a_bulk_fail_one_by_one(threaded):
    a, b, c = (threaded.new_variable() for _ in range(3))
    ran = []
    with threaded.bulk(10):
        threaded.push_sync(fail, writes=[a], asynchronous=True)
        threaded.push_sync(lambda: ran.append("b"), None, [a], [b], asynchronous=True)
        threaded.push_sync(lambda: ran.append("c"), None, (), [c], asynchronous=True)
    threaded.wait_for_var(c)
    with pytest.raises(MXNetError, match="fail .*boom"):
        threaded.wait_for_var(b)
    assert ran == ["c"]
    threaded.wait_for_all()


def test_the_size_of_bulks(threaded, monkeypatch):
    with pytest.raises(MXNetError, match="set_bulk_size: size=-1: must be >= 0"):
        threaded.set_bulk_size(-1)
    with pytest.raises(TypeError):
        threaded.set_bulk_size("2")
    assert threaded.start_bulk() == 0
    assert threaded.start_bulk(train=True) == 15
    monkeypatch.setenv("MXNET_EXEC_BULK_EXEC_MAX_NODE_TRAIN", "4")
    assert threaded.start_bulk() == 15
    monkeypatch.setenv("MXNET_EXEC_BULK_EXEC_INFERENCE", "0")
    assert threaded.start_bulk() == 4
    assert threaded.stop_bulk() == 0


# Starting and stopping ----------------------------------------------------------------------------


def notes(started):
    """What starts a thread, and notes it where this thread asked for it."""
    start, here = threading.Thread.start, threading.get_ident()

    def noted(thread):
        if threading.get_ident() == here:
            started.append(thread)
        start(thread)

    return noted


def test_threads_start_with_the_first_work_and_end_with_stop(threaded, monkeypatch):
    started = []
    monkeypatch.setattr(threading.Thread, "start", notes(started))
    threaded.push_sync(lambda: None)
    assert started == []
    threaded.push_sync(lambda: None, asynchronous=True)
    assert started
    assert threaded.stop() == []
    assert not any(thread.is_alive() for thread in started)


def test_a_stopped_engine_works_in_the_pushers_thread_until_it_starts_again(threaded):
    threaded.stop()
    where = []
    threaded.push_sync(lambda: where.append(threading.get_ident()), asynchronous=True)
    threaded.start()
    threaded.push_sync(lambda: where.append(threading.get_ident()), asynchronous=True)
    threaded.wait_for_all()
    assert where[0] == threading.get_ident() != where[1]


def test_stop_gives_up_on_what_does_not_end(threaded):
    a = threaded.new_variable()
    held = Held(threaded, writes=[a])
    (name,) = threaded.stop(limit=0.05)
    assert name.startswith("held (pushed at ")
    held.release()
    threaded.wait_for_var(a)


def test_finalizers_may_push_while_the_engine_schedules(threaded):
    """They run in the midst of anything, in the same thread: a lock taken twice would hang."""
    a, ran = threaded.new_variable(), []

    class Finalized:
        def __init__(self):
            self.itself = self

        def __del__(self):
            threaded.push_sync(lambda: ran.append(1), writes=[a], asynchronous=True)

    thresholds = gc.get_threshold()
    gc.set_threshold(5)
    try:
        for _ in range(300):
            Finalized()
            threaded.push_sync(lambda: None, reads=[a], asynchronous=True)
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    threaded.wait_for_all()
    assert len(ran) == 300


@pytest.mark.parametrize("waits_for_all", [True, False])
def test_finalizers_that_wait_in_the_midst_of_scheduling_are_refused(
    threaded, monkeypatch, waits_for_all
):
    a, b, errors = threaded.new_variable(), threaded.new_variable(), []
    held = Held(threaded, writes=[b])
    join = Var.join

    def interrupted_join(self, task, write):
        monkeypatch.undo()
        try:
            threaded.wait_for_all() if waits_for_all else threaded.wait_for_var(b)
        except MXNetError as error:
            errors.append(str(error))
        return join(self, task, write)

    monkeypatch.setattr(Var, "join", interrupted_join)
    threaded.push_sync(lambda: None, writes=[a], asynchronous=True)
    assert errors == ["a finalizer that interrupts the engine cannot wait for it"]
    held.release()
    threaded.wait_for_all()


def test_observers_hear_of_profiled_operations(threaded):
    heard = []
    type(threaded).observers.append(lambda task, start: heard.append((task.operation.name, start)))
    try:
        begin = time.perf_counter_ns()
        threaded.push_sync(lambda: None, name="seen", profiling=True)
        threaded.push_sync(lambda: None, name="unseen")
    finally:
        type(threaded).observers.pop()
    assert [name for name, _ in heard] == ["seen"]
    assert begin <= heard[0][1] <= time.perf_counter_ns()


def test_work_runs_in_its_pushers_thread_where_no_thread_can_be_started(threaded, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    where = []
    monkeypatch.setattr(threading.Thread, "start", refuse)
    threaded.push_sync(lambda: where.append(threading.get_ident()), asynchronous=True)
    threaded.wait_for_all()
    assert where == [threading.get_ident()]
