# SPDX-License-Identifier: Apache-2.0
"""The libraries that are compared, and the processes that they run in."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from benchmarks.subject import Options, runtime_of

__all__ = ["PeerError", "PeerProcess", "interpreter_of"]

ROOT = Path(__file__).parents[1]
NEEDS = {
    "mxnova": ("torch",),
    "torch": ("torch",),
    "onnxruntime": ("onnxruntime", "onnx"),
    "openvino": ("openvino", "onnx"),
}


class PeerError(Exception):
    """A peer is not there, or its process ended; the text says why."""


def interpreter_of(peer: str, mxnet_python: str | None) -> str:
    """The Python that runs `peer`.

    Raises:
        PeerError: it is not installed.
    """
    runtime = runtime_of(peer)
    if runtime == "mxnet":
        if mxnet_python is None:
            raise PeerError("left out: --mxnet-python or MXNET_PYTHON names no interpreter")
        return mxnet_python
    missing = [package for package in NEEDS[runtime] if find_spec(package) is None]
    if missing:
        raise PeerError(f"left out: {' and '.join(missing)} not installed")
    return sys.executable


class PeerProcess:
    """One peer at one subject, in its own process, which has to be greeted first.

    Attributes:
        cases: names of what it can run.
    """

    def __init__(self, python: str, subject: str, peer: str, options: Options) -> None:
        self.peer = peer
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - until close()
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", subject, peer, _json(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(peer, options.threads),
            text=True,
        )
        self.cases: list[str] = []

    def greet(self) -> dict[str, str]:
        """Versions of the library, of NumPy and of what else decides about times; waits for them.

        Raises:
            PeerError: the process has ended.
        """
        try:
            hello = self._answer()
        except PeerError:
            self.close()
            raise
        self.cases = hello.pop("cases")
        return hello

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """The answer of the method `do` of the peer's `Worker`.

        Raises:
            PeerError: the process has ended.
        """
        if self._process.stdin is None or self._process.poll() is not None:
            raise PeerError(self._last_words())
        self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self._process.wait()
            raise PeerError(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"its process ended ({self._process.returncode}): {lines[-1] if lines else 'silent'}"

    def close(self) -> None:
        """Ends the process."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()


def _json(options: Options) -> str:
    return json.dumps(dataclasses.asdict(options))


def _environment(peer: str, threads: int) -> dict[str, str]:
    """The caller's environment with `threads` for every thread pool, and this repository."""
    pools = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    path = [str(ROOT), str(ROOT / "src")] if runtime_of(peer) == "mxnova" else [str(ROOT)]
    if runtime_of(peer) != "mxnet":  # which has an interpreter of its own
        path += filter(None, [os.environ.get("PYTHONPATH")])
    # Installed packages are compiled; without that mxnova's modules take half a second to start.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {
        **inherited,
        **dict.fromkeys(pools, str(threads)),
        "PYTHONPATH": os.pathsep.join(path),
    }
