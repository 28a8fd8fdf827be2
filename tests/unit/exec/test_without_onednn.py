# SPDX-License-Identifier: Apache-2.0
"""The default backend where torch has no oneDNN: graphs run unfused, values stay."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]


def test_the_default_backends_tests():
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider"]
    files = ["tests/unit/exec/backends/test_aten.py", "tests/unit/exec/passes"]
    done = subprocess.run(
        [*command, *files],
        cwd=ROOT,
        env={**os.environ, "MXNOVA_TEST_WITHOUT": "onednn"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "passed" in done.stdout
    assert "skipped" in done.stdout
