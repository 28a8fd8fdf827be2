"""Wrong handles, null pointers and lying counts are errors, for every function."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", [1, 2])
def test_no_function_crashes(built, tmp_path, seed):
    script = Path(__file__).with_name("fuzz_calls.py")
    done = subprocess.run(
        [sys.executable, str(script), str(built.library), str(seed), "4"],
        capture_output=True, text=True, timeout=250, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    assert int(done.stdout.split()[0]) > 280
