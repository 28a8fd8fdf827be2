# SPDX-License-Identifier: Apache-2.0
"""Calls of operators at random, in child processes of bounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .operator_calls import Call

ROOT = Path(__file__).parents[2]
# Bytes of addresses that a child may have beyond what it starts with. Filling more takes as long as
# a call may take, and is no failure.
MEMORY = 1 << 30
PATIENCE = 20.0  # seconds without an answer after which a child is given up
NAP = 0.2
START = 120.0  # seconds that it may take to start

_CHILD = """
import json, resource, sys
sys.path[:0] = {paths!r}
from tests.property.operator_calls import run, warm_up
from tests.property.sweep import chosen
import warnings; warnings.simplefilter("ignore")
warm_up()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {memory},) * 2)
for number in range({first}, {last}, {step}):
    print(json.dumps(["start", number]), flush=True)
    finding = run(chosen(number))
    if finding:
        print(json.dumps(["finding", finding.call, finding.kind, finding.where]), flush=True)
"""


def chosen(number: int) -> Call:
    """Call number `number`: every second one is recorded, and damaged."""
    from .damaged_calls import damaged
    from .operator_calls import call  # children load MXNet's arrays, their parent does not

    return damaged(number) if number % 2 else call(number)


def sweep(first: int, last: int, step: int = 1) -> Iterator[tuple[str, str, str]]:
    """Findings (call, kind, where) among the calls of these numbers; survives crashes."""
    at = first
    while at < last:
        started = at
        for event in _child(started, last, step):
            if event[0] == "start":
                at = event[1]
            elif event[0] == "finding":
                yield event[1], event[2], event[3]
            else:
                yield _described(at), event[1], event[2]
        at += step


def _child(first: int, last: int, step: int) -> Iterator[list]:
    """What a child says; at last, how it died, if it did."""
    paths = [str(ROOT), str(ROOT / "src")]
    code = _CHILD.format(paths=paths, memory=MEMORY, first=first, last=last, step=step)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )  # fmt: skip
    waited = [PATIENCE - START]
    watch = threading.Thread(target=_watch, args=(child, waited), daemon=True)
    watch.start()
    errors: list[bytes] = []
    drain = threading.Thread(target=lambda: errors.extend(child.stderr), daemon=True)
    drain.start()
    for line in child.stdout:
        waited[0] = 0.0
        if line.startswith(b"["):
            yield json.loads(line)
    code = child.wait()
    drain.join()
    child.stdout.close()
    child.stderr.close()
    if code:
        last_line = errors[-1].decode(errors="replace").strip() if errors else ""
        yield ["died", "hangs" if code == -9 else f"dies ({code})", last_line[:200]]


def _watch(child: subprocess.Popen, waited: list[float]) -> None:
    """Ends a child that says nothing; by naps, not by the clock: the machine may be stopped."""
    while child.poll() is None:
        if waited[0] > PATIENCE:
            child.kill()
        time.sleep(NAP)
        waited[0] += NAP


def _described(number: int) -> str:
    code = f"from tests.property.sweep import chosen; print(chosen({number}))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
    )  # fmt: skip
    return ran.stdout.strip() or str(number)
