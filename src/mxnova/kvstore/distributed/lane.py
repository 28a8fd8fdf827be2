# SPDX-License-Identifier: Apache-2.0
"""Lane: one thread that does what all ranks do together, in the order of their programs' calls.

A program goes on while its calls wait here. How many of them a round is about is what all ranks are
ready for then, so that it is the same on each; within a round the calls of higher priority come
first. Nothing that is sent depends on which rank was quicker.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.runtime.engine import RUNNING
from .agreement import MOST_CALLS, Agreed, Agreement, Question, difference, digest_of, gathered
from .faults import Faults
from .links import Links

__all__ = ["Action", "Call", "Exchange", "Lane", "Part"]


_REFUSED = "error"
_MOST_WAITING = 1 << 10  # calls, whose gradients take memory and which a program ends after


class Part(Protocol):
    """A part of a call that somebody waits for."""

    def settle(self, error: BaseException | None = None) -> None:
        """Tells who waits, once, that it is done or has failed."""


class Call:
    """A call that all ranks make at the same place of their programs.

    Args:
        name: what is called.
        description: of plain data: of what; the same on all ranks.
        priority: among calls of a round, the highest goes first.
        digest: of name and description, where somebody knows it.

    Attributes:
        parts: those who wait for it.
        missing: how many of its parts are not ready yet.
        error: why it has failed.
    """

    def __init__(
        self, name: str, description: Any, priority: int = 0, digest: bytes | None = None
    ) -> None:
        self.name, self.description, self.priority = name, description, priority
        self.digest = digest or digest_of(name, description)
        self.parts: Sequence[Part] = ()
        self.missing = 0
        self.error: BaseException | None = None

    def refuse(self, reason: str) -> None:
        """Becomes one that fails on all ranks, since this one cannot make it."""
        self.name, self.description = _REFUSED, reason
        self.digest = digest_of(self.name, reason)

    def fail(self, error: BaseException) -> None:
        """Tells so all who wait, and those who come later."""
        self.error = error
        for part in self.parts:
            part.settle(error)


class Action:
    """What the lane does for a call when all ranks have come to it; its caller waits.

    Args:
        act: does it.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self.act = act
        self.done: Future[None] = Future()

    def settle(self, error: BaseException | None = None) -> None:
        """Has the caller go on."""
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class Exchange(Protocol):
    """What the lane has done for calls that all ranks agree on."""

    def along(self, calls: Sequence[Call]) -> Iterable[tuple[int, Tensor]]:
        """What is so small that it travels with the question, and at which byte."""

    def run(self, calls: Sequence[Call], agreed: Agreed) -> None:
        """Does what the calls are about, and settles their parts."""


class _Begun(NamedTuple):
    """A round: its calls, and what the other ranks were asked, if they were, or why that failed."""

    calls: list[Call]
    question: Question | Exception | None = None


class Lane:
    """The thread, and the calls that wait for it.

    Args:
        links: to the other ranks.
        exchange: does the work.
        finished: is told of each call that is done, or refused.

    Attributes:
        n_calls: how many have been submitted.
    """

    def __init__(self, links: Links, exchange: Exchange, finished: Callable[[int], None]) -> None:
        self.n_calls = 0
        self._links, self._exchange, self._finished = links, exchange, finished
        self._faults: Faults = links.faults
        self._agreement = Agreement(links)
        self._calls: deque[Call] = deque()
        self._changed = threading.Condition()
        self._is_closed = self._ended = self._rests = False
        self._begun: _Begun | None = None
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._work, name="mxnova exchange", daemon=True)
        self._thread.start()

    # For programs --------------------------------------------------------------------------------

    def submit(self, call: Call) -> None:
        """Has a call done when its turn has come and nothing of it is missing.

        Waits while very many others do, unless an operation of the engine calls.

        Raises:
            MXNetError: the store has failed or is closed, or belongs to another process.
        """
        if os.getpid() != self._process:
            raise MXNetError(f"KVStore.{call.name}: the store is that of the parent process")
        with self._changed:
            if RUNNING.task is None:
                self._changed.wait_for(self._has_room)
            self._faults.check()
            if self._is_closed:
                raise MXNetError("KVStore: this store is closed")
            self._calls.append(call)
            self.n_calls += 1
            ready = self._ready_for(call)
        self._begin(ready)

    def ready(self, call: Call, mistake: str | None = None) -> None:
        """A part of a call that was missing is there; or cannot come, for some reason."""
        with self._changed:
            if mistake is not None:
                call.refuse(mistake)
            call.missing -= 1
            ready = self._ready_for(call)
        self._begin(ready)
        if call.error is not None:  # it has failed meanwhile
            call.fail(call.error)

    def _has_room(self) -> bool:
        is_over = self._is_closed or self._faults.text is not None
        return is_over or len(self._calls) < _MOST_WAITING

    def _ready_for(self, call: Call) -> list[Call]:
        """The calls of a round that is to be begun, now that nothing of `call` is missing.

        None where something is, or the thread begins it.
        """
        if call.missing:
            return []
        if self._rests and self._calls[0] is call:
            self._rests = False
            return self._ready()
        self._changed.notify_all()
        return []

    def _begin(self, calls: list[Call]) -> None:
        """Asks the other ranks for the thread, which wakes up while that is on its way."""
        if not calls:
            return
        question: Question | Exception = MXNetError("KVStore: this worker was interrupted")
        try:
            question = self._asked(calls)
        except Exception as error:  # noqa: BLE001 - for the thread, and those who wait
            question = error
        finally:
            with self._changed:
                self._begun = _Begun(calls, question)
                self._changed.notify_all()

    def together(self, name: str, description: Any, act: Callable[[], None] = lambda: None) -> None:
        """Has all ranks do `act` at this place of their programs, and returns when it is done.

        Raises:
            MXNetError: other ranks make another one, or one is gone.
        """
        action, call = Action(act), Call(name, description)
        call.parts = (action,)
        self.submit(call)
        action.done.result()

    def refuse(self, error: MXNetError) -> None:
        """Tells all ranks that this one has refused a call, which they are about to make."""
        self.submit(Call(_REFUSED, str(error)))

    def finish(self, patience: float | None) -> None:
        """Returns when all calls are done, or the store has failed, or `patience` is at its end.

        There come no more: threads that go on while the process ends would never let it.
        """
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            self._changed.wait_for(self._is_idle, patience)
            self._ended = True
            self._changed.notify_all()

    def wake(self) -> None:
        """Has the thread look whether the store has failed."""
        with self._changed:
            self._changed.notify_all()

    def join(self, patience: float) -> None:
        """Returns when the thread has ended, which nothing keeps from ending any more."""
        self._thread.join(patience)

    def _is_idle(self) -> bool:
        return not self._calls or self._faults.text is not None

    # The thread ----------------------------------------------------------------------------------

    def _work(self) -> None:
        while begun := self._next():
            try:
                n = self._round(begun)
            except BaseException as error:  # noqa: BLE001 - for those who wait
                n = self._fail(error)
            with self._changed:
                for _ in range(n):
                    self._calls.popleft()
                self._changed.notify_all()
            self._finished(n)

    def _next(self) -> _Begun | None:
        """The next round, when this rank is ready for a call; None at the end."""
        with self._changed:
            self._rests = True  # seen by others while it waits here
            self._changed.wait_for(self._has_work)
            self._rests = False
            begun, self._begun = self._begun, None
            if begun is not None:
                return begun
            ready = self._ready()
            has_failed = bool(self._calls) and self._faults.text is not None
            return _Begun(ready) if ready or has_failed else None

    def _ready(self) -> list[Call]:
        """The next calls that this rank is ready for."""
        ready: list[Call] = []
        for call in self._calls:
            if call.missing or len(ready) == MOST_CALLS:
                break
            ready.append(call)
        return ready

    def _has_work(self) -> bool:
        if not self._rests:  # somebody is asking the other ranks
            return self._begun is not None
        if not self._calls:
            return self._ended
        return not self._calls[0].missing or self._faults.text is not None or self._ended

    def _asked(self, calls: Sequence[Call]) -> Question:
        self._faults.check()
        digests = [call.digest for call in calls]
        return self._agreement.ask(digests, self._exchange.along(calls))

    def _round(self, begun: _Begun) -> int:
        """Does the calls that all ranks are ready for; returns how many are behind it then."""
        self._faults.check()
        calls, question = begun
        if isinstance(question, Exception):
            raise question
        agreed = self._agreement.answer(question or self._asked(calls))
        self._do(calls[: agreed.n], agreed)
        if not agreed.differs:
            return agreed.n
        odd = calls[agreed.n]
        texts = gathered(self._links, [odd.name, odd.description])
        odd.fail(MXNetError(difference(texts)))
        return agreed.n + 1

    def _do(self, calls: Sequence[Call], agreed: Agreed) -> None:
        with self._faults.ending():  # of an updater, for which the others would wait
            self._exchange.run([call for call in calls if call.name != _REFUSED], agreed)
        for call in calls:
            if call.name == _REFUSED:  # by all ranks for the same reason
                call.fail(MXNetError(call.description))

    def _fail(self, error: BaseException) -> int:
        """Finishes all calls that wait, ready or not, since the store has failed."""
        with self._changed:
            calls = list(self._calls)
        for call in calls:
            call.fail(error)
        return len(calls)
