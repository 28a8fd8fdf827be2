# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in the midst of programs, and processes that share caches that somebody spoils: samples.

All of it: `scripts/test -m huge tests/fuzz`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, /proc")


def run(module, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", f"tests.fuzz.{module}", *arguments],
        cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_session_goes_on_after_an_interrupt():
    programs = ("arrays", "autograd", "engine", "executor", "records", "images")
    run("interrupts", "--warm", "--places", "3", *programs)


@pytest.mark.slow
def test_a_process_that_is_interrupted_leaves_nothing():
    pytest.importorskip("onnx")
    run("interrupted_processes", "--times", "1", "convert")


@pytest.mark.huge
def test_sessions_go_on_after_interrupts_anywhere():
    pytest.importorskip("onnxruntime")
    run("interrupts", "--places", "150")


@pytest.mark.huge
def test_processes_that_are_interrupted_leave_nothing():
    pytest.importorskip("onnxruntime")
    run("interrupted_processes", "--times", "10")


@pytest.mark.huge
def test_caches_that_processes_share_and_somebody_spoils():
    pytest.importorskip("onnxruntime")
    run("caches", "--seconds", "60")
