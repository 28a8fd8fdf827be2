# SPDX-License-Identifier: Apache-2.0
"""Mutated or made inputs for parsers, and the checks that each must pass.

A parser takes bytes. Whatever they are, it must return or raise MXNetError, within one second of
processor time and within 16 MiB of memory and the parser's multiple of the input's size.

Inputs run in a process of their own, which can be killed: a fork of one that has only imported. The
memory rule is enforced there with RLIMIT_AS, set before each input to the address space in use plus
the allowance: an allocation beyond it fails as MemoryError, which is a finding. That costs 10 µs an
input (tracemalloc makes parsers five times slower) and counts memory that is allocated but never
touched. It does not see small blocks that are reused from what earlier inputs freed; large ones are
never reused, as malloc is told to give them back. Elsewhere than on Linux only time and exceptions
are checked.

Every input follows from (seeds of the parser, random seed, number), so that a number is enough to
see it again.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import random
import re
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from mxnova.core.base.errors import MXNetError, OutOfMemoryError
from tests.clean_processes import CLEAN_PROCESSES

from .parsers import ALLOWANCE, Parser

TIME_LIMIT = 1.0
HANG_LIMIT = 20.0  # seconds of processor time that an input may take before its worker is killed
STILL_LIMIT = 300.0  # seconds that a worker may make no headway beside other busy processes
_M_MMAP_THRESHOLD = -3  # malloc.h: from which size on a block is mapped, and unmapped when freed


@dataclass(frozen=True)
class Finding:
    """An input that broke a rule."""

    parser: Parser
    number: int
    seed: int
    reason: str

    def save(self, folder: Path) -> Path:
        """Writes the input, and beside it what happened; returns the input's path."""
        folder.mkdir(parents=True, exist_ok=True)
        name = self.parser.name
        path = folder / f"{name}-{self.seed}-{self.number}.bin"
        path.write_bytes(inputs_of(self.parser, self.seed).input(self.number))
        again = f"To see it again: scripts/fuzz {name} --replay {path}"
        path.with_suffix(".txt").write_text(f"{self.reason}\n\n{again}\n")
        return path


class Worst(NamedTuple):
    """What inputs have cost at most.

    Attributes:
        seconds: of processor time, of one input.
        number: which one.
        peak: MiB that the process had.
    """

    seconds: float = 0.0
    number: int = 0
    peak: int = 0


def inputs_of(parser: Parser, seed: int) -> Mutator | Made:
    """The inputs of a parser: those that it makes by itself, or its seeds, damaged."""
    return Mutator(parser.seeds(), seed) if parser.make is None else Made(parser.make, seed)


class Made:
    """An endless list of inputs that a function makes, each of its own random numbers."""

    def __init__(self, make: Callable[[random.Random], bytes], seed: int) -> None:
        self.make, self.seed = make, seed

    def input(self, number: int) -> bytes:
        """Input `number`."""
        return self.make(random.Random(number << 32 | self.seed))


class Mutator:
    """An endless list of damaged seeds.

    Of each `PERIOD` inputs in turn the first is a seed cut off, one each has a mutation of each
    kind, and the last has several of any kind.
    """

    PERIOD: ClassVar[int]

    def __init__(self, seeds: list[bytes], seed: int) -> None:
        self.seeds = seeds
        self.seed = seed
        self.ends = [(data, end) for data in seeds for end in range(len(data))]

    def input(self, number: int) -> bytes:
        """Input `number`; those cut off are cut at each byte in turn, others are random."""
        turn, kind = divmod(number, self.PERIOD)
        if kind == 0:
            data, end = self.ends[turn * _STRIDE % len(self.ends)]
            return data[:end]
        rng = random.Random(number << 32 | self.seed)
        data = bytearray(rng.choice(self.seeds))
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            mutate = _MUTATIONS[kind - 1] if kind <= len(_MUTATIONS) else rng.choice(_MUTATIONS)
            mutate(data, rng, self.seeds)
        return bytes(data)


_STRIDE = 2_147_483_647  # a prime: the cuts come in a scattered order, each once
# fmt: off
_INTERESTING = (
    -1, -2, -(1 << 31), -(1 << 63), 0, 1, 2, 3, 7, 8, 16, 31, 32, 33, 64, 127, 128, 255, 256, 4096,
    (1 << 16) - 1, 1 << 16, 1 << 20, 1 << 24, 1 << 28, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
    1 << 32, 1 << 40, 1 << 48, 1 << 60, 1 << 61, 1 << 62, (1 << 63) - 1, (1 << 64) - 1,
)
# fmt: on


def _flip_bits(data: bytearray, rng: random.Random, _seeds: list[bytes]) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _lie_about_a_size(data: bytearray, rng: random.Random, _seeds: list[bytes]) -> None:
    size = rng.choice((1, 2, 4, 4, 8, 8))
    if len(data) >= size:
        step = rng.choice((1, 4))
        at = rng.randrange(0, len(data) - size + 1, step)
        value = rng.choice(_INTERESTING) + rng.choice((0, 0, -1, 1, len(data)))
        data[at : at + size] = struct.pack("<Q", value % (1 << 64))[:size]


def _splice(data: bytearray, rng: random.Random, seeds: list[bytes]) -> None:
    other = rng.choice(seeds)
    start = rng.randrange(len(other) + 1)
    at = rng.randrange(len(data) + 1)
    data[at : rng.choice((at, len(data)))] = other[start : rng.choice((start + 16, len(other)))]


def _insert_noise(data: bytearray, rng: random.Random, _seeds: list[bytes]) -> None:
    at = rng.randrange(len(data) + 1)
    noise = rng.randbytes(rng.choice((1, 2, 4, 8, 16, 64)))
    data[at : rng.choice((at, at + len(noise)))] = noise


def _repeat_a_piece(data: bytearray, rng: random.Random, _seeds: list[bytes]) -> None:
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.choice((1, 2, 8, 32))]
    piece = rng.choice((piece, piece, piece, b"{},", b"[[]],"))  # objects cost most for their size
    often = rng.choice((1, 2, 16, 256))
    if rng.random() < 0.003:  # inputs of this size show memory per byte, and quadratic time
        often = (1 << 19) // max(len(piece), 1)
    data[at:at] = piece * often


def _rewrite_a_number(data: bytearray, rng: random.Random, _seeds: list[bytes]) -> None:
    if number := _NUMBER.search(data, rng.randrange(len(data) + 1)):
        data[number.start() : number.end()] = rng.choice(_NUMBERS)


_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
_NUMBERS = (
    b"", b"-1", b"0", b"2", b"-0.0", b"4096", b"2147483647", b"9223372036854775808", b"9" * 30,
    b"9" * 5000, b"1e400", b"nan", b"-inf", b"0x10", b"1_0", b"None", b"True", b"(1,(2,))", b"()",
    b"(" + b"1," * 2000 + b")", b"(" * 2000,
)  # fmt: skip


_MUTATIONS: tuple[Callable[[bytearray, random.Random, list[bytes]], None], ...] = (
    _flip_bits,
    _lie_about_a_size,
    _splice,
    _insert_noise,
    _repeat_a_piece,
    _rewrite_a_number,
)
Mutator.PERIOD = len(_MUTATIONS) + 2


def check(
    parse: Callable[[bytes], object], data: bytes, factor: int = 1, allowance: int = ALLOWANCE
) -> str | None:
    """What is wrong with how `parse` takes `data`, if anything."""
    return _checked(parse, data, factor, allowance)[0]


def _checked(
    parse: Callable[[bytes], object], data: bytes, factor: int, allowance: int
) -> tuple[str | None, float]:
    """What is wrong, and the seconds that it took."""
    seconds = 0.0
    try:
        with _limited_memory(factor * len(data) + allowance):
            start = time.process_time()
            try:
                parse(data)
            except OutOfMemoryError:
                raise
            except MXNetError:
                pass
            seconds = time.process_time() - start
    except (MemoryError, OutOfMemoryError):
        text = f"more memory than {factor} x input and {allowance >> 20} MiB"
        return f"{text}\n{traceback.format_exc()}", seconds
    except Exception:  # noqa: BLE001 - whatever it is, it is the finding
        return traceback.format_exc(), seconds
    return f"{seconds:.1f} s" if seconds > TIME_LIMIT else None, seconds


@contextlib.contextmanager
def _limited_memory(n_bytes: int) -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    unlimited = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + n_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, unlimited[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, unlimited)


def run(parser: Parser, n_inputs: int, seed: int) -> Iterator[int | Finding | Worst]:
    """Gives inputs 0 to `n_inputs` to a parser; yields how many are done, and each finding.

    A worker that dies or hangs is a finding too, and another goes on behind that input.
    """
    first = 0
    while first < n_inputs:
        current = CLEAN_PROCESSES.Value("q", first, lock=False)
        ours, theirs = CLEAN_PROCESSES.Pipe(duplex=False)
        arguments = (theirs, current, parser, first, n_inputs, seed)
        worker = CLEAN_PROCESSES.Process(target=_work, args=arguments, daemon=True)
        worker.start()
        theirs.close()
        try:
            for number, told in _messages(ours, worker.pid, current, n_inputs):
                yield (
                    Finding(parser, number, seed, told) if isinstance(told, str) else told or number
                )
        finally:
            worker.kill()
            worker.join()
        first = current.value + 1


def _messages(
    worker: Connection, pid: int, current: Any, n_inputs: int
) -> Iterator[tuple[int, str | Worst | None]]:
    """The numbers that the worker reaches, and what it reports, until it is gone or stuck."""
    number, began, busy = current.value, time.monotonic(), _processor_seconds(pid)
    while time.monotonic() - began < STILL_LIMIT and _processor_seconds(pid) - busy < HANG_LIMIT:
        try:
            if worker.poll(0.2):
                yield worker.recv()
        except EOFError:
            if current.value < n_inputs:
                yield current.value, "the process died"
            return
        if current.value != number:
            number, began, busy = current.value, time.monotonic(), _processor_seconds(pid)
            yield number, None
    yield number, f"not done after {time.monotonic() - began:.0f} s"


def _processor_seconds(pid: int) -> float:
    """Processor time of a child that is running; elsewhere than on Linux, time of day."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return time.monotonic()
    user, system = map(int, fields[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def _work(
    parent: Connection, current: Any, parser: Parser, first: int, n_inputs: int, seed: int
) -> None:
    warnings.simplefilter("error")
    logging.getLogger("mxnova").setLevel(logging.ERROR)
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallopt"):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 1 << 17)
    inputs = inputs_of(parser, seed)
    worst = Worst()
    for data in parser.seeds():  # imports what is imported at the first use
        parser.parse(data)
    for number in range(first, n_inputs):
        current.value = number
        data = inputs.input(number)
        reason, seconds = _checked(parser.parse, data, parser.factor, parser.allowance)
        worst = max(worst, Worst(seconds, number))
        if reason is not None:
            parent.send((number, reason))
    parent.send((n_inputs, worst._replace(peak=_peak())))
    current.value = n_inputs


def _peak() -> int:
    """The most memory that this process has had, in MiB."""
    if sys.platform != "linux":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
