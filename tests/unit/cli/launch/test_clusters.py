# SPDX-License-Identifier: Apache-2.0
"""Jobs of real processes that share a store, started by what stands in for ssh, mpirun and srun."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

import pytest

from tests.ports import free_port
from tests.waiting import wait_for_ends

from . import sleepers

# Each runs here what it is asked to run elsewhere, as many times, and tells it what it tells.
PROGRAMS = {
    "ssh": """#!/bin/sh
for last; do :; done
exec setsid -w env -i PATH="$PATH" HOME="$HOME" sh -c "$last"
""",
    "mpirun": """#!/bin/sh
if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1"; exit; fi
while :; do
  case $1 in
    -n) n=$2; shift 2 ;;
    -x) export "$2"; shift 2 ;;
    *) break ;;
  esac
done
pids=
for rank in $(seq 0 $((n - 1))); do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=$n OMPI_COMM_WORLD_LOCAL_SIZE=$n "$@" &
  pids="$pids $!"
done
for pid in $pids; do wait $pid || status=$?; done
exit ${status:-0}
""",
    "srun": """#!/bin/sh
pids=
for rank in 0 1; do
  SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=$JOB SLURM_STEP_ID=0 \\
    SLURM_STEP_NODELIST=127.0.0.1 "$@" &
  pids="$pids $!"
done
for pid in $pids; do wait $pid || status=$?; done
exit ${status:-0}
""",
}

TRAIN = """
import os, sys
import mxnet as mx
store = mx.kv.create("dist_sync")
store.init("w", mx.nd.zeros((3,)))
store.push("w", mx.nd.ones((3,)) * (store.rank + 1))
out = mx.nd.zeros((3,))
store.pull("w", out=out)
told = store.num_workers, out.asnumpy().tolist(), sys.argv[1:], os.environ.get("WORDS")
os.write(1, (" ".join(map(str, told)) + "\\n").encode())  # a line at once: ranks share the pipe
"""
WORDS = ["two words", 'a "quoted" one', "it's", "$HOME", "a;b", "*", ""]


@pytest.fixture
def cluster(tmp_path):
    """Starts a command, with stand-ins on the path and a program `train.py` in its folder."""
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "hosts").write_text("127.0.0.1\n127.0.0.1\n")

    def start(*command, **variables):
        return subprocess.Popen(
            [sys.executable, *command] if command[0] == "-m" else command,
            cwd=tmp_path,
            env={
                **os.environ,
                "PATH": f"{tmp_path}:/usr/bin:/bin",
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
                **variables,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def expected(words, value):
    return [f"2 [3.0, 3.0, 3.0] {words} {value}"] * 2


def test_a_job_by_ssh(cluster):
    passed = ("--env", "PYTHONPATH", "--env-worker", "WORDS:it's $HOME")
    process = cluster(
        "-m", "mxnova", "launch", "-n", "2", "-H", "hosts", *passed,
        sys.executable, "-m", "mxnova", "run", "train.py", *WORDS,
    )  # fmt: skip
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    names = [f"[worker {rank} on 127.0.0.1] " for rank in (0, 1)]
    text = expected(WORDS, "it's $HOME")[0]
    assert sorted(out.splitlines()) == [name + text for name in names]


def test_a_job_by_mpirun(cluster):
    process = cluster(
        "-m", "mxnova", "launch", "-n", "2", "--launcher", "mpi", "--env-worker", "WORDS:it's $HOME",
        sys.executable, "-m", "mxnova", "run", "train.py", *WORDS,
    )  # fmt: skip
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert out.splitlines() == ["[mpirun] " + text for text in expected(WORDS, "it's $HOME")]


@pytest.mark.parametrize("starter", ["srun", "mpirun -n 2"])
def test_a_job_without_our_launcher(cluster, starter):
    job = str(random.randrange(100_000))  # tells the port of a job of Slurm
    place = (
        {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())} if "mpi" in starter else {}
    )
    command = [*starter.split(), sys.executable, "-m", "mxnova", "run", "train.py", *WORDS]
    process = cluster(*command, JOB=job, WORDS="x", **place)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert out.splitlines() == expected(WORDS, "x")


@pytest.mark.parametrize("how", [("-H", "hosts"), ("--launcher", "mpi")], ids=["ssh", "mpi"])
def test_a_status_is_the_jobs(cluster, how):
    process = cluster("-m", "mxnova", "launch", "-n", "2", *how, "sh", "-c", "exit 6")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 6
    assert "ended with status 6" in err


@pytest.mark.parametrize("how", [("-H", "hosts"), ("--launcher", "mpi")], ids=["ssh", "mpi"])
@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_ends_all_of_a_job(cluster, how, tmp_path):
    process = cluster("-m", "mxnova", "launch", "-n", "2", *how, *sleepers.COMMAND)
    numbers = sleepers.numbers_when_up(process, tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    wait_for_ends(numbers)
