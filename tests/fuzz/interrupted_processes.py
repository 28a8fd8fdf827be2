# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at random moments, once or twice: `python -m tests.fuzz.interrupted_processes [NAME ...]`.

What is interrupted are processes with all that they have started: programs of `interrupted`, run
again and again, and commands. Each must end soon, with the status of an interrupt, and tell of
nothing but that. No process, no shared memory and no temporary file is left of it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mxnova as mx

from .interrupted import CLASSES, PROGRAMS, ROWS, WEIGHT

PATIENCE = 60.0  # seconds from the interrupt to the end, beside other programs
ROOT = Path(__file__).parents[2]
MARK = "MXNOVA_TEST_INTERRUPTED"
INTERRUPTED = (130, -signal.SIGINT)
_TEMPORARY = re.compile(r"\.mxnova-|\.tmp|\.old$|rewritten")
_OF_ONNXRUNTIME = ".ses"  # which it leaves after any end
_PYTHONS_OWN = ("init_import_site", "site.py", "runpy")  # its start, before any line of ours


class Victim(NamedTuple):
    """What is interrupted.

    Attributes:
        command: what is run in a folder.
        is_ready: what it has written when it is at work; empty: nothing.
        seconds: that it takes from then on.
    """

    command: list[str]
    is_ready: str
    seconds: float


def _program(name: str) -> Victim:
    command = [sys.executable, "-m", "tests.fuzz.interrupted_processes", "--run", name]
    return Victim(command, "ready", 1.0)


def _command(*words: str, ready: str = "", seconds: float = 4.0) -> Victim:
    return Victim([sys.executable, "-m", "mxnova", *words], ready, seconds)


FIT = """
import mxnova as mx, numpy as np, os, sys
store = mx.kv.create(os.environ.get("STORE", "dist_sync"))
print("ready", flush=True)
store.init("w", mx.nd.zeros((100,)))
while True:
    store.push("w", mx.nd.ones((100,)))
    out = mx.nd.empty((100,))
    store.pull("w", out)
    out.asnumpy()
"""
COMMANDS = {
    "predict": _command("predict", "model/flowers", "rows", "-s", "data=N,4", "-o", "out.jsonl"),
    "predict_one": _command("predict", "model/flowers", "-i", "data=rows/0.npy", "-o", "out.npz"),
    "serve": _command("serve", "model/flowers", "-s", "data=N,4", "--port", "0", ready="serving"),
    "serve_workers": _command(
        "serve", "model/flowers", "-s", "data=N,4", "--port", "0", "--workers", "2", ready="serving"
    ),
    "convert": _command(
        "convert", "model/flowers", "out.onnx", "-s", "data=N,4", "--force", seconds=6
    ),
    "compile": _command(
        "compile", "model/flowers", "-o", "out.mxnova", "-s", "data=N,4", "--force", seconds=6
    ),
    "im2rec": _command("im2rec", "images", "images", seconds=2),
    "im2rec_processes": _command("im2rec", "images", "images", "--num-thread", "2", seconds=8),
    "quantize": _command(
        "quantize", "model/flowers", "--data", "rows.npz", "-o", "out", "--force", seconds=6
    ),
    "launch": _command("launch", "-n", "2", sys.executable, "fit.py", ready="ready", seconds=3),
    "launch_async": _command(
        "launch", "-n", "2", "-s", "1", sys.executable, "fit.py", ready="ready", seconds=3
    ),
    "run": _command("run", "local.py", ready="ready", seconds=1),
}
VICTIMS = {**{name: _program(name) for name in PROGRAMS}, **COMMANDS}


def prepare(folder: Path) -> None:
    """The files that commands read."""
    from PIL import Image

    (folder / "model").mkdir()
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    weights = {"fc_weight": mx.nd.array(WEIGHT), "fc_bias": mx.nd.zeros(3)}
    network = mx.sym.SoftmaxOutput(fc, name="softmax")
    mx.model.save_checkpoint(str(folder / "model" / "flowers"), 0, network, weights, {})
    (folder / "rows").mkdir()
    for i in range(300):
        np.save(folder / "rows" / f"{i}.npy", ROWS[i % 24])
    np.savez(folder / "rows.npz", data=ROWS, label=CLASSES)
    (folder / "images").mkdir()
    lines = []
    for i in range(300):
        Image.new("RGB", (40, 40), (i % 256, 0, 0)).save(folder / "images" / f"{i}.png")
        lines.append(f"{i}\t{i}\t{i}.png\n")
    (folder / "images.lst").write_text("".join(lines))
    (folder / "fit.py").write_text(FIT)
    (folder / "local.py").write_text(f"import os\nos.environ['STORE'] = 'local'\n{FIT}")


def strike(victim: Victim, folder: Path, rng: random.Random) -> str | None:
    """Interrupts a process in `folder`, which it may write to; what is wrong then, if anything."""
    mark = secrets.token_hex(8)
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        MARK: mark,
        "TMPDIR": str(temporary),
        "MXNOVA_CACHE": str(folder / "cache"),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
        "OMP_NUM_THREADS": "1",
    }
    shared = set(os.listdir("/dev/shm"))
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        process = subprocess.Popen(
            victim.command,
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True, preexec_fn=_hear,
        )  # fmt: skip
    is_cold = rng.random() < 0.3
    if victim.is_ready and not is_cold:
        _await(process, folder / "stdout", victim.is_ready)
    delay = rng.uniform(0.1, 2.0) if is_cold else rng.uniform(0.02, victim.seconds)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(delay)
    how = "before the end" if process.poll() is None else "after the end"
    to_all = rng.random() < 0.7  # as a terminal does
    _interrupt(process, to_all)
    is_twice = rng.random() < 0.4  # which ends it at once: files may be left, for the next to clean
    if is_twice:
        time.sleep(rng.choice((0, 0.01, 0.05, 0.3)))
        _interrupt(process, to_all)
        how += ", twice"
    try:
        process.wait(PATIENCE)
        wrong = _wrong(process.returncode, (folder / "stderr").read_text(errors="replace"))
    except subprocess.TimeoutExpired:
        wrong = f"still there after {PATIENCE} s\n{_stacks(mark)}"
    folders = [] if is_twice else [temporary, folder]
    wrong = wrong or _left(mark, folders, shared)
    for pid in _marked(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    if wrong is None:
        return None
    where = f"after {delay:.3f} s{' of its start' if is_cold else ''}, {how}, to all: {to_all}"
    return f"{where}: {wrong}\n{(folder / 'stderr').read_text(errors='replace')[-4000:]}"


def _hear() -> None:
    """Of a child: interrupts come, though whoever runs this ignores them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _await(process: subprocess.Popen[bytes], file: Path, text: str) -> None:
    end = time.monotonic() + 120
    while text not in file.read_text(errors="replace") and process.poll() is None:
        if time.monotonic() > end:
            return
        time.sleep(0.02)


def _interrupt(process: subprocess.Popen[bytes], to_all: bool) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)


def _wrong(status: int, said: str) -> str | None:
    if status not in (0, *INTERRUPTED):
        return f"status {status}"
    raised = re.findall(r"^(\w[\w.]*(?:Error|Exception|Died|Exit|Interrupt)\w*)\b", said, re.M)
    others = {name for name in raised if name != "KeyboardInterrupt"}
    if others and not any(text in said for text in _PYTHONS_OWN):
        return f"it tells of {', '.join(others)}"
    if re.search(r"^(Fatal|Segmentation|terminate called)", said, re.M):
        return "it died"
    if "leaked" in said:
        return "it tells of leaks"
    return None


def _left(mark: str, folders: list[Path], shared: set[str]) -> str | None:
    """What is left of it after a while."""
    end = time.monotonic() + PATIENCE
    while True:
        found = [f"process {pid}: {_command_of(pid)}" for pid in _marked(mark)]
        found += [f"shared memory {name}" for name in set(os.listdir("/dev/shm")) - shared
                  if name.startswith("mxnova-")]  # fmt: skip
        for folder in folders:
            found += [str(path) for path in folder.rglob("*") if _is_temporary(path)]
        if not found:
            return None
        if time.monotonic() > end:
            return f"left: {', '.join(found)}"
        time.sleep(0.1)


def _is_temporary(path: Path) -> bool:
    if path.parent.name == "tmp":
        return path.name != _OF_ONNXRUNTIME
    return bool(_TEMPORARY.search(path.name))


def _marked(mark: str) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if (
                entry.name.isdigit()
                and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes()
            ):
                yield int(entry.name)


def _command_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
    return ""


def _stacks(mark: str) -> str:
    """Where processes are, if py-spy is here."""
    spy = shutil.which("py-spy")
    if spy is None:
        return ""
    return "\n".join(
        subprocess.run([spy, "dump", "--pid", str(pid)], capture_output=True, text=True).stdout
        for pid in _marked(mark)
    )


def findings(name: str, n: int, rng: random.Random) -> Iterator[str]:
    """Interrupts a victim `n` times; yields what is wrong."""
    with tempfile.TemporaryDirectory(prefix="interrupted-") as root:
        for number in range(n):
            folder = Path(root, str(number))
            folder.mkdir()
            prepare(folder)
            wrong = strike(VICTIMS[name], folder, rng)
            if wrong is not None:
                yield wrong


def _run(name: str) -> None:
    """A program again and again, in a folder of its own."""
    act: Callable[[], object] = PROGRAMS[name](Path(tempfile.mkdtemp(dir=".")))[0]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        act()


def main() -> int:
    """Interrupts all of them, or those that are named."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("name", nargs="*", help=", ".join(VICTIMS))
    options.add_argument("--times", type=int, default=20)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--run", help=argparse.SUPPRESS)
    parsed = options.parse_args()
    if parsed.run:
        _run(parsed.run)
    n_findings = 0
    for name in parsed.name or VICTIMS:
        for wrong in findings(name, parsed.times, random.Random(parsed.seed)):
            n_findings += 1
            print(f"{name}, {wrong}", flush=True)
        print(f"{name}: interrupted {parsed.times} times", flush=True)
    return min(n_findings, 100)


if __name__ == "__main__":
    sys.exit(main())
