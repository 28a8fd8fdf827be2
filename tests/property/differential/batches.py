# SPDX-License-Identifier: Apache-2.0
"""Programs in child processes, hundreds in each, which survive what a program does to its process."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0  # seconds for one program


class Child:
    """An interpreter that answers programs; a new one follows where it ended."""

    def __init__(self, python: str, module: str) -> None:
        self.command = [python, str(Path(__file__).with_name("runner.py")), module]
        self.process: subprocess.Popen[str] | None = None

    def _start(self) -> None:
        env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=str(ROOT / "src"))
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=env,
        )  # fmt: skip
        self.answers: Queue[str] = Queue()
        Thread(target=self._read, args=(self.process.stdout, self.answers), daemon=True).start()

    @staticmethod
    def _read(stream: Any, answers: Queue[str]) -> None:
        for line in stream:
            answers.put(line)
        answers.put("")

    def run(self, steps: list[str], seed: int | None = None) -> list[Any] | None:
        """The results of a program; None where the process ended or gave no answer.

        Args:
            steps: of the program.
            seed: of a perturbation of its data; None: as they are.
        """
        if self.process is None:
            self._start()
        assert self.process is not None and self.process.stdin is not None
        print(json.dumps([steps, seed]), file=self.process.stdin, flush=True)
        try:
            line = self.answers.get(timeout=PATIENCE)
        except Empty:
            line = ""
        if not line:
            self.close()
            return None
        return json.loads(line)

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
