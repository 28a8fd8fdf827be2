# SPDX-License-Identifier: Apache-2.0
"""`mxnova launch` on this machine, as a user sees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.waiting import wait_for_ends

from . import sleepers

MEET = """
from mxnova.kvstore.distributed.rendezvous import join
from mxnova.kvstore.distributed.world import find
store, world = join(find())
"""


@pytest.fixture
def launch(mxnova):
    def run(*args, **variables):
        path = f"{os.path.dirname(sys.executable)}:/usr/bin:/bin"
        return mxnova("launch", *args, **{"PATH": path, **variables})

    return run


def shell(text):
    return "sh", "-c", text


def test_every_process_is_told_what_mxnet_tells_it(launch):
    names = "DMLC_ROLE DMLC_WORKER_ID DMLC_NUM_WORKER DMLC_NUM_SERVER DMLC_PS_ROOT_URI A B"
    echo = shell("echo " + " ".join(f"${name}" for name in names.split()))
    done = launch("-n", "2", "-s", "3", "--env-worker", "A:1:2", "--env-worker", "B=x y", *echo)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        f"[worker {rank}] worker {rank} 2 3 127.0.0.1 1:2 x y" for rank in (0, 1)
    ]


def test_options_behind_the_command_are_its_own(launch):
    done = launch("-n", "1", *shell('echo "$@"'), "-n", "5", "--launcher", "x")
    assert done.stdout == "[worker 0] 5 --launcher x\n"  # sh takes the first as its name
    assert launch("-n", "1", "--", "echo", "-n").stdout == ""


def test_lines_are_whole_and_go_where_they_were_meant_to(launch, tmp_path):
    """The second process writes while the first is in the middle of a line."""
    write = (
        'await() { until [ -e "$1" ]; do sleep 0.02; done; }; cd "$1"; '
        'if [ $DMLC_WORKER_ID = 0 ]; then printf "be"; : >begun; await said; printf "gun\\nlast"; '
        "else await begun; echo between; echo wrong >&2; : >said; fi"
    )
    done = launch("-n", "2", *shell(write), "sh", str(tmp_path))
    lines = done.stdout.splitlines()
    assert sorted(lines) == ["[worker 0] begun", "[worker 0] last", "[worker 1] between"]
    assert done.stderr == "[worker 1] wrong\n"


def test_a_failure_ends_the_others_and_is_the_status(launch):
    fail = "if [ $DMLC_WORKER_ID = 1 ]; then echo oh >&2; exit 7; else sleep 600; fi"
    done = launch("-n", "3", *shell(fail))
    assert done.returncode == 7
    assert done.stderr.splitlines() == [
        "[worker 1] oh",
        "launch: worker 1 ended with status 7; all others are ended",
    ]


def test_a_signal_is_named(launch):
    done = launch("-n", "1", *shell("kill -KILL $$"))
    assert done.returncode == 128 + signal.SIGKILL
    assert "worker 0 was ended by SIGKILL" in done.stderr


def test_who_does_not_want_to_end_is_ended(launch):
    stubborn = (
        "if [ $DMLC_WORKER_ID = 0 ]; then trap '' TERM; while :; do sleep 0.1; done; "
        "else sleep 0.5; exit 1; fi"
    )
    assert launch("-n", "2", *shell(stubborn)).returncode == 1


def started(*args, before=(), **options):
    """A launcher, whose output is a pipe."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [*before, sys.executable, "-m", "mxnova", "launch", *args]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.usefixtures("interrupts")
def test_what_interrupts_the_launcher_leaves_nothing_behind(number, tmp_path):
    """Neither processes nor what these have started."""
    process = started("-n", "2", *sleepers.COMMAND, cwd=tmp_path, stderr=subprocess.PIPE)
    numbers = sleepers.numbers_when_up(process, tmp_path)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 128 + number
    wait_for_ends(numbers)


def test_a_launcher_that_is_killed_leaves_nothing_behind(tmp_path):
    process = started("-n", "2", *sleepers.COMMAND, cwd=tmp_path, start_new_session=True)
    numbers = sleepers.numbers_when_up(process, tmp_path)
    process.kill()
    process.communicate(timeout=60)
    wait_for_ends(numbers)


def test_nohup_is_respected():
    words = ("-n", "1", *shell("echo up; sleep 1; echo end"))
    process = started(*words, before=["nohup"], stderr=subprocess.DEVNULL)
    assert "up" in process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    assert "end" in process.communicate(timeout=60)[0]
    assert process.returncode == 0


def test_a_job_restarts_with_a_new_meeting(launch):
    code = f"{MEET}\nimport os\nprint('attempt', world.attempt, 'of', world.rank, flush=True)\n"
    code += "store.set(str(world.rank), '')\nstore.wait(['0', '1'])\n"
    code += "if world.attempt < 2 and world.rank == 1: os._exit(9)"
    done = launch("-n", "2", "--max-restarts", "2", sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("launch: worker 1 ended with status 9; restart ") == 2
    assert "restart 2 of 2" in done.stderr
    assert {f"[worker {r}] attempt 2 of {r}" for r in (0, 1)} <= set(done.stdout.splitlines())


def test_restarts_come_to_an_end(launch):
    done = launch("-n", "1", "--max-restarts", "1", *shell("exit 4"))
    assert done.returncode == 4
    assert "restart 1 of 1" in done.stderr
    assert "all others are ended, after 1 restarts" in done.stderr


def test_python_finds_mxnet(launch):
    code = "import mxnet; print(mxnet.__version__)"
    assert launch("-n", "1", "python", "-c", code).stdout == "[worker 0] 1.9.1\n"


def test_a_script_is_run_by_this_python(launch, folder):
    (folder / "script.py").write_text("import sys; print(sys.executable, sys.argv)")
    done = launch("-n", "1", "script.py", "-x")
    assert done.stdout == f"[worker 0] {sys.executable} ['script.py', '-x']\n"


MISTAKES = {
    "no command": (("-n", "1"), 2, "which command?"),
    "no number of workers": (("echo",), 2, "-n/--num-workers"),
    "no workers": (("-n", "0", "echo"), 2, "must be at least 1, not 0"),
    "a launcher that there is not": (("-n", "1", "--launcher", "yarn", "echo"), 2, "'yarn'"),
    "ssh to nowhere": (("-n", "1", "--launcher", "ssh", "echo"), 1, "needs machines: --hostfile"),
    "no such command": (("-n", "1", "no-such-command"), 1, "no-such-command: No such file"),
    "no such hosts": (("-n", "1", "-H", "none", "echo"), 1, "none: No such file"),
    "half a variable": (("-n", "1", "--env-worker", "A", "echo"), 1, "'A': must be NAME:VALUE"),
    "a variable that is not there": (("-n", "1", "--env", "ABSENT", "echo"), 1, "'ABSENT'"),
    "a folder here": (("-n", "1", "--sync-dst-dir", "x", "echo"), 1, "is for --launcher ssh"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line(launch, name):
    args, status, message = MISTAKES[name]
    done = launch(*args)
    assert done.returncode == status
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "soon"])
def test_a_timeout_that_is_none_starts_nothing(launch, text):
    done = launch("-n", "1", "echo", "up", MXNOVA_DIST_TIMEOUT=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"MXNOVA_DIST_TIMEOUT='{text}'" in done.stderr


def test_a_port_that_is_taken_is_told(launch):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = launch("-n", "1", "echo", DMLC_PS_ROOT_PORT=port)
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1, port {port}" in done.stderr
