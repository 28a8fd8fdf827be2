# SPDX-License-Identifier: Apache-2.0
"""Random programs for the engine, and what they give when they are run one step after the other.

A cell is a var with a number. An operation makes the new numbers of the cells it writes from its own
number and all cells that it names, so that every order that is not as good as that of the pushes
shows. While a cell is being written its value is None, which no other operation may see.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mxnova.core.base.errors import MXNetError
from mxnova.core.runtime.engine import Engine, FnProperty, NaiveEngine, Var

__all__ = ["Mismatch", "check", "check_pushers"]

PROPERTIES = (FnProperty.NORMAL, FnProperty.CPU_PRIORITIZED, FnProperty.ASYNC)


class Mismatch(AssertionError):  # noqa: N818
    """The engine gave something else than running one step after the other."""


@dataclass(frozen=True)
class Step:
    """One step of a program.

    Attributes:
        kind: operation, delete (a cell, which a new one replaces), wait (for a cell), wait_all,
            or bulk (sets the bulk size to `number`).
        fails: the operation raises, or calls its completion with an exception.
        completes: an asynchronous operation, finished by another thread.
    """

    kind: str
    number: int
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    fails: bool = False
    completes: bool = False
    inline: bool = False
    priority: int = 0
    fn_property: FnProperty = FnProperty.NORMAL

    @property
    def cell(self) -> int:
        return self.writes[0]


def program(rng: random.Random, n_steps: int, n_cells: int, failures: bool) -> Iterator[Step]:
    """Steps of a random program.

    Args:
        failures: operations may fail; without, some are pushed to run in the pusher's thread.
    """
    for number in range(n_steps):
        dice = rng.random()
        if dice < 0.01:
            kind = rng.choice(["delete", "wait", "wait", "wait_all", "bulk"])
            size = rng.choice([0, 0, 2, 10]) if kind == "bulk" else number
            yield Step(kind, size, writes=(rng.randrange(n_cells),))
            continue
        named = rng.sample(range(n_cells), rng.choice([1, 1, 2, 2, 3, 6]))
        split = rng.randint(0, len(named))
        yield Step(
            "operation",
            number,
            tuple(named[:split]),
            tuple(named[split:]),
            fails=failures and rng.random() < 0.03,
            completes=rng.random() < 0.1,
            inline=not failures and rng.random() < 0.2,
            priority=rng.choice([0, 0, 0, 1, -5]),
            fn_property=rng.choice(PROPERTIES[: 2 if failures else 3]),
        )


def mixed(step: Step, values: list[int]) -> int:
    """The number that an operation makes of the cells it names."""
    result = step.number
    for value in values:
        result = (result * 1_000_003 + value) % 2**61
    return result


@dataclass
class Serial:
    """Runs steps one after the other.

    Attributes:
        eager: failures are raised by the push, as by an engine without threads.
        failed: cell -> number of the operation whose failure it holds; `raised`: those that were
            raised already.
        log: what each step gave that raises or deletes.
    """

    n_cells: int
    eager: bool
    values: list[int] = field(default_factory=list)
    failed: dict[int, int] = field(default_factory=dict)
    raised: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)
    log: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = [0] * self.n_cells

    def run(self, step: Step) -> None:
        """Runs one step."""
        getattr(self, step.kind)(step)

    def operation(self, step: Step) -> None:
        if self.eager:
            self.log.append(("raised", step.number) if step.fails else None)
            failure = None
        else:
            inherited = (self.failed.get(c) for c in step.reads + step.writes)
            failure = next((f for f in inherited if f is not None and f in self.open), None)
            if failure is None and step.fails:
                failure = step.number
                self.open.add(failure)
        if failure is None and not step.fails:
            made = mixed(step, [self.values[c] for c in step.reads + step.writes])
            for i, cell in enumerate(step.writes):
                self.values[cell] = made + i
        for cell in step.writes:
            self.failed.pop(cell, None)
            if failure is not None:
                self.failed[cell] = failure

    def delete(self, step: Step) -> None:
        self.log.append(("deleted", step.number, self.values[step.cell]))
        self.values[step.cell] = 0
        self.failed.pop(step.cell, None)

    def wait(self, step: Step) -> None:
        failure = self.failed.get(step.cell)
        raises = failure is not None and failure in self.open
        self.log.append(("raised", failure) if raises else ("value", self.values[step.cell]))
        self.open.discard(failure if failure is not None else -1)

    def wait_all(self, step: Step) -> None:
        self.log.append(("raised some", bool(self.open)))
        self.open.clear()

    def bulk(self, step: Step) -> None:
        pass


class Boom(Exception):  # noqa: N818
    """What failing operations raise."""


class Machine:
    """Runs steps on an engine; `log` is as that of `Serial`, in the order of the steps."""

    def __init__(self, engine: Engine, n_cells: int) -> None:
        self.engine = engine
        self.vars = [engine.new_variable(f"cell {i}") for i in range(n_cells)]
        self.values: list[list[int | None]] = [[0] for _ in range(n_cells)]
        self.log: list[Any] = []
        self.wrong: list[str] = []
        self._completions: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._completer = threading.Thread(target=self._complete, daemon=True)
        self._completer.start()

    def _complete(self) -> None:
        for finish in iter(self._completions.get, None):
            finish()

    def close(self) -> None:
        """Ends the thread that finishes asynchronous operations."""
        self._completions.put(None)
        self._completer.join()

    def run(self, step: Step) -> None:
        """Runs one step."""
        getattr(self, step.kind)(step)

    def operation(self, step: Step) -> None:
        push = self._pushed_async if step.completes else self._pushed
        eager = isinstance(self.engine, NaiveEngine)
        try:
            push(step, [self.vars[c] for c in step.reads], [self.vars[c] for c in step.writes])
        except (Boom, MXNetError) as error:
            self.log.append(("raised", _number_of(error)))
        else:
            if eager:
                self.log.append(None)

    def _pushed(self, step: Step, reads: list[Var], writes: list[Var]) -> None:
        work = self._work(step)
        kind, name = step.fn_property, f"op{step.number}"
        self.engine.push_sync(
            work, None, reads, writes, kind, step.priority, name, asynchronous=not step.inline
        )

    def _pushed_async(self, step: Step, reads: list[Var], writes: list[Var]) -> None:
        work = self._work(step)

        def start(on_complete: Any) -> None:
            def finish() -> None:
                with on_complete:
                    work()

            self._completions.put(finish)

        kind, name = step.fn_property, f"op{step.number}"
        self.engine.push_async(start, None, reads, writes, kind, step.priority, name)

    def _work(self, step: Step) -> Callable[[], None]:
        """The function of an operation; it holds on to the cells that are there at its push."""
        written = [self.values[c] for c in step.writes]
        named = [self.values[c] for c in step.reads + step.writes]
        pauses = step.number % 37 == 0

        def work() -> None:
            values = [cell[0] for cell in named]
            for cell in written:
                cell[0] = None
            if pauses:
                time.sleep(0)
            torn = (
                None in values
                or [c[0] for c in named[: len(step.reads)]] != values[: len(step.reads)]
            )
            if torn:
                self.wrong.append(f"op{step.number} ran beside one that writes its cells")
            made = mixed(step, [v or 0 for v in values])
            for i, cell in enumerate(written):
                cell[0] = values[len(step.reads) + i] if step.fails else made + i
            if step.fails:
                raise Boom(step.number)

        return work

    def delete(self, step: Step) -> None:
        cell, entry = self.values[step.cell], ["deleted", step.number, None]
        self.log.append(entry)
        self.engine.delete_variable(self.vars[step.cell], lambda: entry.__setitem__(2, cell[0]))
        self.vars[step.cell] = self.engine.new_variable()
        self.values[step.cell] = [0]

    def wait(self, step: Step) -> None:
        try:
            self.engine.wait_for_var(self.vars[step.cell])
        except MXNetError as error:
            self.log.append(("raised", _number_of(error)))
        else:
            self.log.append(("value", self.values[step.cell][0]))

    def wait_all(self, step: Step) -> None:
        try:
            self.engine.wait_for_all()
        except MXNetError:
            self.log.append(("raised some", True))
        else:
            self.log.append(("raised some", False))

    def bulk(self, step: Step) -> None:
        self.engine.set_bulk_size(step.number)


def _number_of(error: BaseException) -> int:
    boom = error if isinstance(error, Boom) else error.__cause__
    if not isinstance(boom, Boom):
        raise error
    return int(boom.args[0])


def check(
    engine: Engine, seed: int, n_steps: int, n_cells: int = 64, failures: bool = True
) -> None:
    """Raises Mismatch where a random program on `engine` gives anything else than it should."""
    serial, machine = Serial(n_cells, isinstance(engine, NaiveEngine)), Machine(engine, n_cells)
    for step in (*program(random.Random(seed), n_steps, n_cells, failures), Step("wait_all", 0)):
        serial.run(step)
        machine.run(step)
    engine.set_bulk_size(0)
    machine.close()
    compare(f"seed {seed}", machine.wrong, [])
    compare(f"seed {seed}, log", [_plain(e) for e in machine.log], serial.log)
    compare(f"seed {seed}, cells", [cell[0] for cell in machine.values], serial.values)
    if any(var.uses for var in machine.vars):
        raise Mismatch(f"seed {seed}: operations are left at vars")


def _plain(entry: Any) -> Any:
    return tuple(entry) if isinstance(entry, list) else entry


def compare(what: str, given: list[Any], expected: list[Any]) -> None:
    """Raises Mismatch with the first difference."""
    if given != expected:
        pairs = zip(given, expected, strict=False)
        shown = next(((i, g, e) for i, (g, e) in enumerate(pairs) if g != e), "in length")
        raise Mismatch(f"{what}: {shown} (position, given, expected)")


def check_pushers(engine: Engine, seed: int, n_pushes: int, n_threads: int = 4) -> None:
    """Raises Mismatch where threads that push at once lose work or meet in a var."""
    cells = [[0] for _ in range(8)]
    variables = [engine.new_variable() for _ in cells]
    expected = [0] * len(cells)
    totals_lock = threading.Lock()

    def pusher(thread: int) -> None:
        rng = random.Random(seed * 1000 + thread)
        added = [0] * len(cells)
        for _ in range(n_pushes // n_threads):
            chosen = rng.sample(range(len(cells)), rng.randint(1, 3))
            for i in chosen:
                added[i] += 1
            writes = [variables[i] for i in chosen]
            engine.push_sync(adder(chosen), writes=writes, asynchronous=rng.random() < 0.8)
        with totals_lock:
            expected[:] = [e + a for e, a in zip(expected, added, strict=True)]

    def adder(chosen: list[int]) -> Callable[[], None]:
        def add() -> None:
            for i in chosen:
                before, cells[i][0] = cells[i][0], -1
                cells[i][0] = before + 1

        return add

    threads = [threading.Thread(target=pusher, args=(i,)) for i in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.wait_for_all()
    compare(f"seed {seed}, pushers", [c[0] for c in cells], expected)
    compare(f"seed {seed}, versions", [v.version for v in variables], expected)
