# SPDX-License-Identifier: Apache-2.0
"""A store in processes of a real mpirun, where there is one; no launcher of ours."""

import os
import shutil
import subprocess
import sys

import pytest

SUM = """\
import mxnova as mx
store = mx.kv.create("dist_sync")
store.init("a", mx.nd.zeros(2))
total = mx.nd.zeros(2)
store.pushpull("a", mx.nd.ones(2) * (store.rank + 1), out=total)
print(f"{store.rank} of {store.num_workers}: {total.asnumpy().tolist()}\\n", end="", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs mpirun")
def test_open_mpi():
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True)
    if "Open MPI" not in version.stdout:
        pytest.skip("not Open MPI")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    options = ["--allow-run-as-root", "--oversubscribe", "-n", "3"]
    done = subprocess.run(
        ["mpirun", *options, sys.executable, "-c", SUM],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    wanted = [f"{rank} of 3: [6.0, 6.0]" for rank in range(3)]
    assert sorted(done.stdout.split("\n"))[-3:] == wanted
