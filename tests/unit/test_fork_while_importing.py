# SPDX-License-Identifier: Apache-2.0
"""A process that forks while another of its threads imports us for the first time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import importlib, os, signal, sys, threading, time
import mxnova as mx
thread = threading.Thread(target=importlib.import_module, args=("mxnova.ndarray",))
thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if not child:
    signal.alarm(60)  # the end of a child that hangs
    os._exit(int(mx.nd.ones((2, 2)).sum().asscalar() != 4))
thread.join()
status = os.waitpid(child, 0)[1]
assert mx.nd.ones((2, 2)).sum().asscalar() == 4
sys.exit(status != 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("seconds", ["0", "0.02", "0.5"])
def test_the_child_can_use_what_the_thread_was_importing(seconds):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, seconds]
    source = str(Path(__file__).parents[2] / "src")
    environment = os.environ | {"PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
