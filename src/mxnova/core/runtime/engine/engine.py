# SPDX-License-Identifier: Apache-2.0
"""Engine: pushes operations, waits for vars, keeps what went wrong until somebody waits."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import index
from typing import Any, ClassVar

from ...base import env
from ...base.errors import MXNetError, argument_error
from ...base.interrupts import allowed_interrupts, deferred_interrupts
from ..slow_path import SLOW_PATH
from .bulk import Bulk, OpenBulk
from .completion import Completion
from .failures import Failures
from .gpu import on_gpu
from .operation import (
    RUNNING,
    FnProperty,
    Operation,
    Place,
    Task,
    Var,
    held_lock,
    origin_of_call,
)
from .pool import CallerPool, Pool
from .scheduler import Scheduler

__all__ = ["Engine"]


class Engine:
    """Runs operations in an order that is as good as that of their pushes.

    Reads of a var run in parallel; writes run alone, in the order of their pushes. A synchronous
    operation that has nothing to wait for runs in its pusher's thread, unless it is pushed with
    `asynchronous`. What an operation raises there is raised by the push. What it raises elsewhere
    is kept with the vars that it writes; operations that need these do not run; and it is raised,
    once, to whoever waits first.

    Attributes:
        observers: called with (task, start) after an operation that was pushed with `profiling`;
            `start` is a time of `time.perf_counter_ns`.
        instances: all engines.
    """

    observers: ClassVar[list[Callable[[Task, int], None]]] = []
    instances: ClassVar[weakref.WeakSet[Engine]] = weakref.WeakSet()

    def __init__(self) -> None:
        self._stopped = self._forked = False
        self._forget()
        Engine.instances.add(self)

    def _forget(self) -> None:
        """Becomes as new: nothing pushed, nothing failed, no threads."""
        self._scheduler = Scheduler()
        self._caller = CallerPool(self._work)
        self._pools: dict[Any, Pool] = {}
        self._failures = Failures()
        self._open = OpenBulk()
        self._bulks: set[Bulk] = set()  # not pushed yet

    # Vars and operations -------------------------------------------------------------------------

    def new_variable(self, name: str = "") -> Var:
        """A var."""
        return Var(name)

    def delete_variable(self, var: Var, function: Callable[[], Any] | None = None) -> None:
        """Deletes `var`, and calls `function`, after its last use; no more pushes may name it."""
        self.push(Operation(function, (), (var,), FnProperty.DELETE_VAR, f"delete {var}"))
        var.deleted = True

    def new_operator(
        self,
        function: Callable[..., Any],
        reads: Iterable[Var] = (),
        writes: Iterable[Var] = (),
        kind: FnProperty = FnProperty.NORMAL,
        name: str | None = None,
        is_async: bool = False,
    ) -> Operation:
        """An operation to be pushed many times; arguments as those of `Operation`."""
        return Operation(function, reads, writes, kind, name, is_async)

    def delete_operator(self, operation: Operation) -> None:
        """Refuses further pushes of `operation`; those made already are run."""
        operation.deleted = True

    # Pushing -------------------------------------------------------------------------------------

    def push(
        self,
        operation: Operation,
        context: Place | None = None,
        priority: int = 0,
        *,
        profiling: bool = False,
        asynchronous: bool = True,
    ) -> None:
        """Runs an operation when its vars are ready.

        Args:
            operation: what to run.
            context: where; default: the CPU.
            priority: among operations that are ready, the highest goes first.
            profiling: whether the `observers` are told of it.
            asynchronous: whether it must not run in the caller's thread.

        Raises:
            MXNetError: the operation or one of its vars is deleted.
        """
        operation.check_alive()
        kind = operation.kind
        inline = not (asynchronous or operation.is_async) or kind is FnProperty.ASYNC
        task = Task(operation, context, priority, origin_of_call(), inline)
        task.profiling = profiling
        plain = kind is FnProperty.NORMAL and not priority and not operation.is_async
        if plain and not inline and self._open.size:
            self._gather(task)
            return
        for var in operation.reads + operation.writes:
            if var.bulk is not None:
                var.bulk.flush()
        SLOW_PATH.add(self)
        self._submit(task)
        SLOW_PATH.add(self)  # again: `leave_if_idle` may have come before there was anything to see
        if inline:
            self.leave_if_idle()

    def leave_if_idle(self) -> None:
        """Leaves the slow path to others when nothing is under way and no failure unraised."""
        SLOW_PATH.discard(self)
        if not self._is_idle():
            SLOW_PATH.add(self)

    def _is_idle(self) -> bool:
        if self._scheduler.unfinished or self._bulks:
            return False
        return not self._failures.are_open()

    def push_sync(
        self,
        function: Callable[[], Any],
        context: Place | None = None,
        reads: Iterable[Var] = (),
        writes: Iterable[Var] = (),
        kind: FnProperty = FnProperty.NORMAL,
        priority: int = 0,
        name: str | None = None,
        *,
        profiling: bool = False,
        asynchronous: bool = False,
    ) -> None:
        """Runs ``function()``, which is finished when it returns; see `push` and `Operation`."""
        operation = Operation(function, reads, writes, kind, name)
        self.push(operation, context, priority, profiling=profiling, asynchronous=asynchronous)

    def push_async(
        self,
        function: Callable[[Completion], Any],
        context: Place | None = None,
        reads: Iterable[Var] = (),
        writes: Iterable[Var] = (),
        kind: FnProperty = FnProperty.NORMAL,
        priority: int = 0,
        name: str | None = None,
    ) -> None:
        """Runs ``function(on_complete)``, finished by a call of `on_complete` in any thread.

        See `push`, `Operation` and `Completion`.
        """
        self.push(Operation(function, reads, writes, kind, name, is_async=True), context, priority)

    def _submit(self, task: Task) -> None:
        with deferred_interrupts():  # what is ready is run, and what was run is finished
            runs_here = False
            for ready in self._scheduler.advance(task):
                if ready is task and task.inline:
                    runs_here = True
                else:
                    self._dispatch(ready)
            if runs_here:
                self._run_here(task)
            elif task.inline and task.failure is not None:
                task.failure.raise_once()

    def _dispatch(self, task: Task) -> None:
        pool = self._caller if self._stopped else self._pool_for(task)
        pool.submit(task)

    def _pool_for(self, task: Task) -> Pool | CallerPool:
        raise NotImplementedError

    def _pool(self, key: Any, name: str, size: int) -> Pool:
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools.setdefault(key, Pool(name, size, self._work))
        return pool

    # Running -------------------------------------------------------------------------------------

    def _work(self, task: Task) -> None:
        """Runs a ready task; what it raises is for those who wait."""
        if task.operation.is_async:
            completion = Completion(task, self._finish)
            try:
                self._call(task, completion)
            except BaseException as error:  # noqa: BLE001
                completion.settle(error)
            return
        try:
            self._call(task)
        except BaseException as error:  # noqa: BLE001
            self._finish(task, error)
        else:
            self._finish(task)

    def _run_here(self, task: Task) -> None:
        """Runs a ready task for its pusher, who gets what it raises."""
        if task.operation.is_async:
            completion = Completion(task, self._finish)
            try:
                self._call(task, completion)
            except BaseException:
                completion.settle()
                raise
            return
        try:
            self._call(task)
        finally:
            self._finish(task)

    def _run_gathered(self, task: Task) -> None:
        """Runs a task of a bulk, which holds its vars."""
        operation = task.operation
        task.failure = task.inherited_failure()
        if task.failure is None:
            try:
                self._call(task)
            except BaseException as error:  # noqa: BLE001
                task.failure = self._failures.of_operation(task, error)
        for var in operation.writes:
            var.failure = task.failure

    def _call(self, task: Task, *completion: Completion) -> None:
        function: Any = task.operation.function
        before, RUNNING.task = RUNNING.task, task
        start = time.perf_counter_ns() if task.profiling else 0
        try:
            if task.context is None or task.context.device_type != "gpu":
                with allowed_interrupts():
                    function(*completion)
            else:
                with on_gpu(task.operation.kind, task.context.device_id), allowed_interrupts():
                    function(*completion)
        finally:
            RUNNING.task = before
            if start:
                for observe in self.observers:
                    observe(task, start)

    def _finish(self, task: Task, error: BaseException | None = None) -> None:
        if error is not None:
            task.failure = self._failures.of_operation(task, error)
        task.finished = True
        self._advance(task)

    def _advance(self, task: Task) -> None:
        with deferred_interrupts():
            for ready in self._scheduler.advance(task):
                self._dispatch(ready)

    def fail(self, error: MXNetError, writes: Iterable[Var], name: str) -> None:
        """Leaves `writes` as an operation would that raises `error`: who waits for them gets it.

        As in MXNet, who waits for all gets it unless somebody was told another one meanwhile.

        Args:
            error: what went wrong.
            writes: vars that nothing is under way on.
            name: what errors call the operation.
        """
        task = Task(Operation(None, (), writes, name=name), origin=origin_of_call())
        failure = self._failures.of_call(task, error)
        for var in task.operation.writes:
            var.failure = failure
        SLOW_PATH.add(self)

    # Waiting -------------------------------------------------------------------------------------

    def wait_for_var(self, var: Var) -> None:
        """Returns when the writes of `var` pushed so far are finished.

        An operation may do so for the vars it declared, for which it has waited already.

        Raises:
            MXNetError: what went wrong on the way, once; or an operation would have to wait.
        """
        self._settle(var, write=False)

    def wait_to_write(self, var: Var) -> None:
        """Returns when the reads and writes of `var` pushed so far are finished; see above."""
        self._settle(var, write=True)

    def _settle(self, var: Var, write: bool) -> None:
        if var.bulk is not None:
            var.bulk.flush()
        running = RUNNING.task
        if running is not None and running.operation.declares(var, write):
            return
        if var.uses if write else var.writes:
            if running is not None:
                verb = "write" if write else "read"
                raise MXNetError(
                    f"{running}: to {verb} {var} it would have to wait, which operations must not; "
                    f"declare that it {verb}s it"
                )
            self._check_waiting()
            reads, writes = ((), (var,)) if write else ((var,), ())
            waiting = Task(Operation(None, reads, writes, FnProperty.NO_SKIP, "wait"))
            latch = waiting.latch = held_lock()
            self._advance(waiting)
            latch.acquire()
        if var.failure is not None:
            if var.failure.is_open:
                self._failures.pass_over_calls()
            var.failure.raise_once()

    def wait_for_all(self) -> None:
        """Returns when everything pushed is finished.

        Raises:
            MXNetError: the first thing that went wrong and was not raised yet; the others are
                dropped, their number is in the message. Or an operation called this.
        """
        if RUNNING.task is not None:
            raise MXNetError(f"{RUNNING.task}: an operation cannot wait for all operations")
        self._check_waiting()
        self._flush()
        latch = self._scheduler.barrier()
        if latch is not None:
            latch.acquire()
        errors = self.take_errors()
        if errors:
            if len(errors) > 1:
                errors[0].args = (f"{errors[0]} (and {len(errors) - 1} more)",)
            raise errors[0]

    def _check_waiting(self) -> None:
        if self._scheduler.is_interrupted():
            raise MXNetError("a finalizer that interrupts the engine cannot wait for it")

    def take_errors(self) -> list[MXNetError]:
        """What went wrong and was not raised yet, which it is not going to be any more."""
        return self._failures.take()

    # Bulks ---------------------------------------------------------------------------------------

    def set_bulk_size(self, size: int) -> int:
        """Sets how many asynchronous operations of this thread are scheduled as one.

        Args:
            size: 0 lets each be scheduled for itself.

        Returns:
            What it was.
        """
        number = index(size)
        if number < 0:
            raise argument_error("set_bulk_size", "size", size, "must be >= 0")
        self._flush()
        before, self._open.size = self._open.size, number
        return before

    def start_bulk(self, train: bool = False) -> int:
        """Sets the bulk size to what MXNET_EXEC_BULK_EXEC_* say; returns what it was."""
        mode = "TRAIN" if train else "INFERENCE"
        gathers = env.get(f"MXNET_EXEC_BULK_EXEC_{mode}")
        size = env.get("MXNET_EXEC_BULK_EXEC_MAX_NODE_TRAIN") if gathers else 0
        return self.set_bulk_size(size)

    def stop_bulk(self) -> int:
        """Sets the bulk size to 0; returns what it was."""
        return self.set_bulk_size(0)

    @contextmanager
    def bulk(self, size: int) -> Iterator[None]:
        """A block in which `size` operations at a time are scheduled as one."""
        before = self.set_bulk_size(size)
        try:
            yield
        finally:
            self.set_bulk_size(before)

    def _gather(self, task: Task) -> None:
        mine = self._open
        with deferred_interrupts():
            for var in task.operation.reads + task.operation.writes:
                if var.bulk is not None and var.bulk is not mine.bulk:
                    var.bulk.flush()
            while mine.bulk is None or not mine.bulk.add(task):
                self._flush()
                mine.bulk = Bulk(mine.size, self._submit_bulk, self._run_gathered)
                self._bulks.add(mine.bulk)
            SLOW_PATH.add(self)

    def _submit_bulk(self, bulk: Bulk, task: Task) -> None:
        self._submit(task)
        self._bulks.discard(bulk)

    def _flush(self) -> None:
        with deferred_interrupts():
            bulk, self._open.bulk = self._open.bulk, None
            if bulk is not None:
                bulk.flush()

    # Starting and stopping -----------------------------------------------------------------------

    def stop(self, limit: float | None = None) -> list[str]:
        """Ends the threads when they have nothing left to do.

        What is pushed from now on runs in its pusher's thread.

        Args:
            limit: give up when no operation has finished for so many seconds.

        Returns:
            The operations left unfinished.
        """
        drained = self.drain(limit)
        self.notify_shutdown()
        drained = drained and self.drain(limit)  # what those pushed that were running
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.stop(None if drained else 0)
        return [str(task) for task in list(self._scheduler.unfinished)]

    def start(self) -> None:
        """Undoes `stop`."""
        self._stopped = False

    def notify_shutdown(self) -> None:
        """Starts no thread any more: what is pushed runs in its pusher's."""
        self._stopped = True

    def drain(self, limit: float | None = None) -> bool:
        """Waits for what is pushed so far, raising nothing; returns whether it is finished.

        Args:
            limit: give up when no operation has finished for so many seconds.
        """
        self._flush()
        latch = self._scheduler.barrier(so_far=True)
        if latch is None or RUNNING.task is not None:
            return latch is None
        n_finished = self._scheduler.n_finished
        while not latch.acquire(timeout=-1 if limit is None else limit):
            if n_finished == self._scheduler.n_finished:
                return False
            n_finished = self._scheduler.n_finished
        return True

    def before_fork(self, limit: float) -> None:
        """Finishes what is pushed and holds the scheduler, until one of the next two is called."""
        self.drain(limit)
        self._scheduler.lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Goes on."""
        self._scheduler.lock.release()

    def after_fork_in_child(self) -> None:
        """Begins anew; what could not be finished before the fork is forgotten."""
        for task in self._scheduler.unfinished:
            for var in task.operation.reads + task.operation.writes:
                var.reset()
        self._forget()
        self._forked = True
