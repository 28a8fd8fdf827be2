# SPDX-License-Identifier: Apache-2.0
"""Other machines: what ssh, rsync and mpirun are asked, by programs that stand in for them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from mxnova.cli.launch.job import Host, Job
from mxnova.cli.launch.launchers import _script
from tests.waiting import wait_for_ends

from . import sleepers

# Programs on the path: each writes down its words; ssh then runs what it was given, here.
FAKES = {
    "ssh": '#!/bin/sh\necho "ssh $*" >>"$LOG"\nfor last; do :; done\nexec setsid -w sh -c "$last"\n',
    "rsync": '#!/bin/sh\necho "rsync $*" >>"$LOG"\nexit ${RSYNC_STATUS:-0}\n',
    "mpirun": (
        '#!/bin/sh\nif [ "$1" = --version ]; then echo "$MPI"; exit; fi\n'
        'echo "mpirun $*" >>"$LOG"\n'
    ),
}


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """A folder with a host file, in which `launch(...)` gives the process, and `asked()` the log."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in FAKES.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "hosts").write_text("# machines\n127.0.0.1\n127.0.0.2:2222 slots=4\n\n")
    return Cluster(tmp_path, programs)


class Cluster:
    def __init__(self, folder, programs):
        self.folder = folder
        self.variables = {
            **os.environ,
            "PATH": f"{programs}:/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            "LOG": str(folder / "log"),
        }

    def start(self, *args, **variables):
        return subprocess.Popen(
            [sys.executable, "-m", "mxnova", "launch", *args],
            cwd=self.folder,
            env={**self.variables, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def launch(self, *args, **variables):
        process = self.start(*args, **variables)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def asked(self):
        return (self.folder / "log").read_text()


def test_ssh_runs_the_command_with_its_variables(cluster):
    (cluster.folder / "there").mkdir()
    status, out, err = cluster.launch(
        "-n", "3", "-H", "hosts", "--sync-dst-dir", str(cluster.folder / "there"),
        "--env", "MINE", "--env-worker", "WORDS:it's here", "sh", "-c",
        'echo $DMLC_WORKER_ID of $DMLC_NUM_WORKER at $DMLC_PS_ROOT_URI, $MINE, "$WORDS", in $PWD',
        MINE="3",
    )  # fmt: skip
    assert status == 0, err
    there = f"127.0.0.1, 3, it's here, in {cluster.folder}/there"
    assert sorted(out.splitlines()) == [
        f"[worker 0 on 127.0.0.1] 0 of 3 at {there}",
        f"[worker 1 on 127.0.0.2] 1 of 3 at {there}",
        f"[worker 2 on 127.0.0.1] 2 of 3 at {there}",
    ]
    asked = cluster.asked()
    assert asked.count("ssh -o BatchMode=yes -- 127.0.0.1 cd ") == 2
    assert asked.count("ssh -o BatchMode=yes -p 2222 -- 127.0.0.2 cd ") == 1
    rsync = [line for line in asked.splitlines() if line.startswith("rsync")]
    to = f"{cluster.folder}/there/"
    assert rsync == [
        f"rsync -az -e ssh -o BatchMode=yes -- ./ 127.0.0.1:{to}",
        f"rsync -az -e ssh -o BatchMode=yes -p 2222 -- ./ 127.0.0.2:{to}",
    ]


@pytest.mark.parametrize("given", ["", "told by the user"])
def test_the_secret_of_the_job_stands_on_no_command_line(cluster, given):
    args = ("-n", "2", "-H", "hosts", "--env", "MXNOVA_JOB_SECRET", "echo $MXNOVA_JOB_SECRET")
    status, out, err = cluster.launch(*args, MXNOVA_JOB_SECRET=given)
    assert status == 0, err
    first, second = [line.partition("] ")[2] for line in out.splitlines()]
    assert first == second
    assert first == given or (not given and len(first) == 64)
    assert first not in cluster.asked()


def test_a_status_comes_back_through_ssh(cluster):
    status, _, err = cluster.launch("-n", "2", "-H", "hosts", "exit $((DMLC_WORKER_ID * 5))")
    assert status == 5
    assert "worker 1 on 127.0.0.2 ended with status 5" in err


def test_a_copy_that_fails_starts_nothing(cluster):
    args = ("-n", "1", "-H", "hosts", "--sync-dst-dir", "there", "true")
    status, _, err = cluster.launch(*args, RSYNC_STATUS="12")
    assert status == 1
    assert "rsync to 127.0.0.1:there/ ended with status 12" in err
    assert "ssh -o BatchMode=yes -- 127.0.0.1 cd" not in cluster.asked()


def test_what_ssh_started_ends_with_the_launcher(cluster):
    """Even if the launcher could not say so: the end of its input is enough."""
    process = cluster.start("-n", "2", "-H", "hosts", *sleepers.COMMAND)
    numbers = sleepers.numbers_when_up(process, cluster.folder)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    wait_for_ends(numbers)


@pytest.mark.skipif(shutil.which("setsid") is None, reason="for Linux")
def test_a_worker_of_an_elastic_job_has_time_to_end(tmp_path):
    """Its shell, which gets the signal too, waits for it."""
    worker = "trap 'sleep 0.1; exit 75' TERM; echo up; while :; do sleep 0.02; done"
    line = shlex.join(["sh", "-c", worker]) + "; exit $?"
    job = Job("ssh", [line], 1, {}, "", [Host("a")], folder=str(tmp_path), limits=(1, 2))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(["sh", "-c", _script(job, {})], **pipes) as process:
        process.stdin.write(b"secret\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"up\n"
        process.stdin.close()
        assert process.wait(60) == 75


@pytest.mark.parametrize(
    "mpi, form", [("mpirun (Open MPI) 4.1", "-x {}={}"), ("HYDRA", "-env {} {}")]
)
def test_mpirun_passes_variables_on(cluster, mpi, form):
    args = ("-n", "4", "-s", "1", "--launcher", "mpi", "-H", "hosts", "--env-worker", "A:b c")
    status, _, err = cluster.launch(*args, "python", "train.py", MPI=mpi)
    assert status == 0, err
    (asked,) = cluster.asked().splitlines()
    assert asked.startswith("mpirun -n 4 --hostfile hosts ")
    assert asked.endswith(" python train.py")
    wanted = {"DMLC_ROLE": "worker", "DMLC_NUM_WORKER": "4", "DMLC_NUM_SERVER": "1", "A": "b c"}
    for name, value in {**wanted, "DMLC_PS_ROOT_URI": "127.0.0.1"}.items():
        assert form.format(name, value) in asked
    assert "DMLC_WORKER_ID" not in asked
    assert "MXNOVA_JOB_SECRET=" not in asked


def test_without_mpirun_it_is_told(cluster):
    (cluster.folder / "programs" / "mpirun").unlink()
    status, _, err = cluster.launch("-n", "1", "--launcher", "mpi", "true", PATH="/nowhere")
    assert (status, err) == (
        1,
        "error: launch: --launcher mpi: mpirun: No such file or directory\n",
    )


@pytest.mark.parametrize("line", ["-oProxyCommand=x", "host:99999", "$(x)", "[", "a/b"])
def test_names_of_machines_are_names(cluster, line):
    (cluster.folder / "hosts").write_text(f"good\n{line}\n")
    status, _, err = cluster.launch("-n", "1", "-H", "hosts", "true")
    assert status == 1
    assert "hosts, line 2" in err
