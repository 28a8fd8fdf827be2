# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at the places where Python lets it come: `python -m tests.fuzz.interrupts [PROGRAM ...]`.

CPython looks for signals where a function is entered and behind a call into C. These are what
`sys.setprofile` is told of, and an exception that the function raises there goes on from there, as
that of a signal's handler does. So each place within mxnova that a program comes to can be tried,
and tried again, which no timer could.

A program is run in a fork of this process, until it comes to the place. Then it must go on to work
in the same session, with right numbers, and the interpreter must end.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import faulthandler
import gc
import importlib
import logging
import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .interrupted import PROGRAMS, Program, is_sane

OURS = f"{os.sep}mxnova{os.sep}"
PATIENCE = 60  # seconds of a program that takes one


class Place(NamedTuple):
    """Where a program may be interrupted."""

    file: str
    line: int
    event: str
    number: int = 0  # of the times that it is there

    def __str__(self) -> str:
        file = self.file.rpartition(OURS)[2]
        return f"{file}:{self.line} {self.event} {self.number}"


def _place(frame: Any, event: str) -> Place | None:
    file = frame.f_code.co_filename
    if event not in ("call", "c_return") or OURS not in file:
        return None
    if event == "call" and frame.f_code.co_name == "__exit__":
        return None  # the end of a block that is skipped: Python knows no way to keep it
    return Place(file, frame.f_lineno, event)


def _hooked(act: Callable[[], object], hook: Callable[[Any, str, Any], None]) -> None:
    sys.setprofile(hook)
    try:
        act()
    finally:
        sys.setprofile(None)


def places_of(act: Callable[[], object]) -> Counter[Place]:
    """Runs `act`; the places that it comes to, and how often."""
    found: Counter[Place] = Counter()

    def count(frame: Any, event: str, _arg: Any) -> None:
        place = _place(frame, event)
        if place is not None:
            found[place] += 1

    _hooked(act, count)
    return found


def interrupt(act: Callable[[], object], target: Place) -> bool:
    """Runs `act` with an interrupt at a place; whether it has left it."""
    left, me = [target.number], os.getpid()  # forks inherit the hook

    def strike(frame: Any, event: str, _arg: Any) -> None:
        if _place(frame, event) != target._replace(number=0) or os.getpid() != me:
            return
        left[0] -= 1
        if left[0] < 0:
            sys.setprofile(None)
            handler: Any = signal.getsignal(signal.SIGINT)
            handler(signal.SIGINT, frame)  # raises KeyboardInterrupt, unless that is put off

    try:
        _hooked(act, strike)
    except KeyboardInterrupt:
        return True
    return False


def sample(found: Counter[Place], n: int | None, rng: random.Random) -> list[Place]:
    """Places, each at its first or another time; all of them, or `n`."""
    chosen = [
        place._replace(number=rng.choice((0, rng.randrange(count))))
        for place, count in sorted(found.items())
    ]
    return chosen if n is None or n >= len(chosen) else rng.sample(chosen, n)


# In a fork ----------------------------------------------------------------------------------------


def _forked(work: Callable[[], object]) -> tuple[int, bytes]:
    """Runs `work` in a fork that ends as a program does; its status, and what it had to say."""
    ours, theirs = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(theirs)
        with open(ours, "rb") as pipe:
            said = pipe.read()
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said
    os.close(ours)
    raise _Ends(work, theirs) from None


class _Ends(BaseException):
    """Leaves all functions of a fork, which then does its work and ends."""

    def __init__(self, work: Callable[[], object], pipe: int) -> None:
        self.work, self.pipe = work, pipe

    def run(self) -> None:
        logging.disable(logging.WARNING)
        warnings.simplefilter("ignore")
        os.dup2(self.pipe, 2)
        os.close(self.pipe)
        faulthandler.enable()
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        status = 0
        try:
            self.work()
        except BaseException:  # noqa: BLE001 - whatever it is, it is the finding
            traceback.print_exc(chain=False)
            status = 1
        # The end of a program, but for the release of its memory, which takes most of the time.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        os._exit(status)


def _made(program: Program, warm: bool) -> tuple[Callable[[], object], Callable[[], object]]:
    folder = Path(tempfile.mkdtemp(prefix="program-"))
    act, check = program(folder)
    if warm:
        act()
        check()
    return act, check


def _count(program: Program, warm: bool, path: Path) -> None:
    act, check = _made(program, warm)
    found = places_of(act)
    check()
    is_sane()
    path.write_bytes(pickle.dumps((found, list(sys.modules))))


def _try(program: Program, warm: bool, place: Place) -> None:
    act, check = _made(program, warm)
    sys.unraisablehook = lambda told: (
        None if told.exc_type is KeyboardInterrupt else sys.__unraisablehook__(told)
    )
    interrupt(act, place)
    check()
    is_sane()
    act()
    check()
    is_sane()


# All ----------------------------------------------------------------------------------------------


def findings(
    name: str, warm: bool, n: int | None, rng: random.Random
) -> Iterator[tuple[Place | None, str]]:
    """Places of a program after whose interruption something is wrong, and what."""
    program = PROGRAMS[name]
    path = Path(tempfile.gettempdir(), "places")
    status, said = _forked(lambda: _count(program, warm, path))
    if status:
        yield None, said.decode(errors="replace")
        return
    found, modules = pickle.loads(path.read_bytes())
    if warm:
        for module in modules:  # once for all forks
            with contextlib.suppress(Exception):
                importlib.import_module(module)
    chosen = sample(found, n, rng)
    gc.freeze()  # forks need not look through what they inherit
    start = time.monotonic()
    for place in chosen:
        status, said = _forked(lambda place=place: _try(program, warm, place))
        if status or b"Traceback" in said:
            yield place, f"status {status}\n{said.decode(errors='replace')}"
    seconds = time.monotonic() - start
    print(f"{name}, {'warm' if warm else 'cold'}: {len(chosen)} places in {seconds:.0f} s")


def main() -> int:
    """Tries the programs; the number of findings is the status."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup has it ignored
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("program", nargs="*", help=", ".join(PROGRAMS))
    options.add_argument("--places", type=int, help="of each program; default: all")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--at", help="one place alone, as it is shown")
    options.add_argument("--warm", action="store_true", help="only what is run for the second time")
    options.add_argument("--cold", action="store_true", help="only what is run for the first time")
    parsed = options.parse_args()
    folder, n_findings = tempfile.mkdtemp(prefix="interrupts-"), 0  # a fork must not remove it
    tempfile.tempdir = folder
    for name in parsed.program or PROGRAMS:
        for warm in (True, False):
            if (parsed.cold and warm) or (parsed.warm and not warm):
                continue
            rng = random.Random(parsed.seed)
            for place, reason in findings(name, warm, parsed.places, rng):
                n_findings += 1
                print(f"{name}, {'warm' if warm else 'cold'}, at {place}:\n{reason}", flush=True)
    shutil.rmtree(folder)
    return min(n_findings, 100)


if __name__ == "__main__":
    try:
        status = main()
    except _Ends as ends:
        ends.run()
    sys.exit(status)
