# SPDX-License-Identifier: Apache-2.0
"""`mxnova launch --min --max`: generations of workers, which shells stand in for."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mxnova.cli.launch import elastic
from mxnova.cli.launch.elastic import _changed, _gone, _without
from mxnova.cli.launch.job import Host, Job, job_of
from mxnova.cli.launch.process_group import Failure, ProcessGroup
from mxnova.cli.launch.report import Report
from mxnova.core.base.errors import ArgumentError

SAY = 'echo "$DMLC_NUM_ATTEMPT: $DMLC_WORKER_ID of $DMLC_NUM_WORKER"; '


def run(*options, do, act=lambda process: None, **variables):
    """Status, lines of workers and of the launcher, of a job of shells."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **variables}
    command = [sys.executable, "-m", "mxnova", "launch", *options, "sh", "-c", SAY + do]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=env, **pipes) as process:
        act(process)
        out, error = process.communicate(timeout=60)
    return process.returncode, sorted(line.split("] ")[1] for line in out.splitlines()), error


def workers(attempt, n):
    return [f"{attempt}: {rank} of {n}" for rank in range(n)]


def test_who_goes_is_left_out_until_too_few_are_left():
    """One is killed, and takes another along; then one leaves and the others want to go on."""
    do = """\
case $DMLC_NUM_ATTEMPT$DMLC_WORKER_ID in
01) kill -KILL $$;; 02) sleep 0.3; exit 1;; 0*) sleep 50;;
10) exit 143;; 1*) sleep 0.3; exit 75;;
20) exit 9;; esac"""
    status, lines, said = run("--min", "2", "--max", "4", do=do)
    assert (status, lines) == (9, workers(0, 4) + workers(1, 3) + workers(2, 2))
    assert "launch: worker 1 was ended by SIGKILL; 3 workers go on" in said
    assert "launch: worker 0 was ended by SIGTERM; 2 workers go on" in said
    assert "worker 0 ended with status 9; fewer than --min 2 are left: all are ended" in said


def test_signals_to_the_launcher_change_the_number():
    def act(process):
        for _ in range(2):
            process.stdout.readline()
        process.send_signal(signal.SIGUSR1)

    do = '[ $DMLC_NUM_WORKER = 3 ] || { trap "exit 143" TERM; while :; do sleep 0.05; done; }'
    status, lines, said = run("-n", "2", "--max", "3", do=do, act=act)
    assert (status, lines) == (0, workers(1, 3))  # the first two lines were read before
    assert "launch: the number changes; 3 workers go on" in said


def failures(*statuses):
    return [Failure(f"worker {i}", status, i) for i, status in enumerate(statuses) if status]


@pytest.mark.parametrize("statuses, gone", [
    ((1, 137, 1, 143), [1, 3]), ((0, 1, 1), [1]), ((75, 1, 75), [1]), ((75, 75, 143), [2]),
    ((0, 75, 75), [1]),
])  # fmt: skip
def test_who_has_gone(statuses, gone):
    assert [failure.rank for failure in _gone(failures(*statuses))] == gone


def test_machines_stay_with_their_workers(tmp_path):
    file = tmp_path / "hosts"
    file.write_text("a\nb\nc\n")
    hosts = [Host("a"), Host("b")]
    job = Job("ssh", ["x"], 4, {}, "", hosts, file, limits=(1, 4))
    job = _without(job, failures(0, 137, 0, 137))  # both of b
    assert (job.num_workers, job.hosts) == (2, [Host("a"), Host("a")])
    job = _changed(job, 9, print)
    assert (job.num_workers, job.hosts) == (4, [Host(name) for name in "aabc"])
    assert job.variables["DMLC_NUM_WORKER"] == "4"


@pytest.mark.parametrize(
    "text, reason", [("", "names no machine"), ("a b\n-c\n", "line 2"), (None, "No such file")]
)
def test_a_host_file_that_names_none_keeps_the_number(tmp_path, text, reason):
    file, said = tmp_path / "hosts", []
    if text is not None:
        file.write_text(text)
    job = Job("ssh", ["x"], 2, {}, "", [Host("a"), Host("b")], file, limits=(1, 4))
    assert _changed(job, 1, said.append) == job
    assert reason in said[0] and said[0].endswith("the number of workers stays")
    assert _changed(job, -1, said.append).hosts == [Host("a")]


def test_a_job_that_is_ended_has_time_for_a_checkpoint(monkeypatch):
    graces = []

    class Interrupted(ProcessGroup):
        def wait(self, until):
            raise KeyboardInterrupt

        def __exit__(self, *error):
            graces.append(self.grace)
            super().__exit__(*error)

    monkeypatch.setattr(elastic, "ProcessGroup", Interrupted)
    job = Job("local", ["true"], 1, {}, "", limits=(1, 4))
    place = SimpleNamespace(open_on_demand=lambda output: None, variables={})
    with pytest.raises(KeyboardInterrupt):
        elastic._run(job, place, Report(False, None), 0, None)
    assert graces == [job.grace]


MISTAKES = {
    "no number": ({}, "how many processes?"),
    "below": ({"num_workers": 1, "min": 2, "max": 3}, "-n 1: must be between them"),
    "upside down": ({"min": 4, "max": 3}, "--min 4 --max 3"),
    "restarts": ({"max": 3, "max_restarts": 1}, "do not go with --max-restarts"),
    "mpi": ({"max": 3, "launcher": "mpi"}, "do not go with --launcher mpi"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    given, text = MISTAKES[name]
    names = ("launcher", "hostfile", "sync_dst_dir", "num_workers", "num_servers", "min", "max")
    options = dict.fromkeys(names) | {"max_restarts": 0, "env": (), "line": ["x"]}
    options |= {"env_worker": (), "env_server": ()}
    with pytest.raises(ArgumentError, match=text):
        job_of(argparse.Namespace(**options | given))
