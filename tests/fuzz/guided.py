# SPDX-License-Identifier: Apache-2.0
"""Parsers under Atheris, which looks for inputs that reach new code: ``python -m tests.fuzz.guided``.

Each parser of `PARSERS` runs in a process of its own for ``--seconds``, from the seeds that the other
fuzzers start from; parsers whose inputs are made of random numbers take the fuzzer's bytes as those.
A finding is an exception other than MXNetError, more than 20 seconds, or more than 2 GiB; libFuzzer
saves it in build/guided/PARSER, and its path as an argument runs it again:

    python -m tests.fuzz.guided --only params build/guided/params/crash-…

Needs ``pip install atheris`` (Linux).
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDED = ROOT / "build" / "guided"
COVERED = [
    "mxnova.artefacts",
    "mxnova.checkpoint",
    "mxnova.core.base",
    "mxnova.core.graph",
    "mxnova.formats",
    "mxnova.onnx",
    "mxnova.predictor",
    "mxnova.recordio",
]


def main() -> int:
    options = parse_options()
    if options.only:
        fuzz(options.only, options.seconds, options.inputs)
    names = parser_names()
    chosen = options.parser or names
    if unknown := sorted({*chosen} - {*names}):
        sys.exit(f"no parser {', '.join(unknown)}; there are {', '.join(names)}")
    failed = [name for name in chosen if not passes(name, options.seconds)]
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return int(bool(failed))


def parse_options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("parser", nargs="*", help="default: all")
    options.add_argument("--seconds", type=int, default=60, help="for each parser (60)")
    options.add_argument("--only", help=argparse.SUPPRESS)
    parsed, parsed.inputs = options.parse_known_args()
    if parsed.only:
        parsed.inputs, parsed.parser = [*parsed.parser, *parsed.inputs], []
    return parsed


def parser_names() -> list[str]:
    from .parsers import PARSERS

    return [parser.name for parser in PARSERS]


def passes(name: str, seconds: int) -> bool:
    """Whether a process that fuzzes the parser finds nothing; prints what it did."""
    command = [sys.executable, "-m", "tests.fuzz.guided", "--only", name, "--seconds", str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    told = [line for line in lines if line.startswith(("Done ", "#"))]
    print(f"{name:18} {told[-1] if told else ''}", flush=True)
    if done.returncode:
        print("\n".join(lines[-40:]))
    return done.returncode == 0


def fuzz(name: str, seconds: int, inputs: list[str]) -> None:
    """Runs one parser under Atheris, or on `inputs` alone; ends the process."""
    import atheris

    with atheris.instrument_imports(include=COVERED):
        from .parsers import PARSERS

        (parser,) = (parser for parser in PARSERS if parser.name == name)
        seeds = parser.seeds()
        for seed in seeds:  # so that what is imported late is covered, too
            target(parser)(seed)
    corpus = GUIDED / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    limits = ["-timeout=20", "-rss_limit_mb=4096", "-malloc_limit_mb=2048", "-max_len=65536"]
    kept = [f"-max_total_time={seconds}", f"-artifact_prefix={corpus}/", *limits]
    atheris.Setup([sys.argv[0], *kept, *(inputs or [str(corpus)])], target(parser))
    atheris.Fuzz()


def target(parser) -> Callable[[bytes], None]:
    """What takes an input; any exception that leaves it is a finding."""
    from mxnova.core.base.errors import MXNetError

    def run(data: bytes) -> None:
        with contextlib.suppress(MXNetError):
            parser.parse(parser.make(Choices(data)) if parser.make else data)

    return run


class Choices(random.Random):
    """Random numbers that are the fuzzer's bytes; behind their end, those of a fixed seed."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data, self._place = data, 0

    def getrandbits(self, k: int) -> int:
        end = self._place + (k + 7) // 8
        if end > len(self._data):
            return super().getrandbits(k)
        taken = self._data[self._place : end]
        self._place = end
        return int.from_bytes(taken, "little") >> (-k % 8)

    def random(self) -> float:
        return self.getrandbits(53) / (1 << 53)


if __name__ == "__main__":
    sys.exit(main())
