# SPDX-License-Identifier: Apache-2.0
"""How soon OpenMP's threads sleep."""

import os
import subprocess
import sys
import threading

import pytest

from mxnova.core.runtime import spin_wait

IS_LINUX = sys.platform.startswith("linux")
NAMES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "MXNOVA_TUNE_PROCESS")

COMES_AND_GOES = """
import os
import mxnova.core.runtime.spin_wait as spin_wait

def count():
    return len(os.listdir("/proc/self/task"))

before = count()
team = spin_wait._Team()
while count() < before + len(os.sched_getaffinity(0)):  # one of them is Python's
    pass
team.end()
while count() > before:
    pass
"""


def run(code, **given):
    clean = {name: value for name, value in os.environ.items() if name not in NAMES}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env={**clean, **given}, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "shares, expected",
    [
        ([0.0, 0.9, 0.1, 0.9], []),  # one look alone means nothing
        ([0.9, 0.9, 0.9], ["begins"]),
        ([0.9, 0.9, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0], ["begins"]),
        ([0.9, 0.9, 0.2, 0.0, 0.0, 0.0, 0.0], ["begins", "ends"]),
        ([0.9, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9, 0.9], ["begins", "ends", "begins"]),
    ],
)
def test_a_team_stands_by_while_the_machine_is_crowded(monkeypatch, set_threads, shares, expected):
    found = []

    class Team:
        def __init__(self):
            found.append("begins")

        def end(self):
            found.append("ends")

    set_threads(2)
    monkeypatch.setattr(spin_wait, "_Team", Team)
    monkeypatch.setattr(spin_wait, "_shares_waited", lambda: iter(shares))
    spin_wait._look_after()
    assert found == expected
    set_threads(1)
    found.clear()
    spin_wait._look_after()
    assert found == []


@pytest.mark.skipif(not IS_LINUX, reason="counts threads in /proc")
def test_a_teams_threads_come_and_go():
    done = run(COMES_AND_GOES, GOMP_SPINCOUNT="3000")  # so that no other team comes
    assert done.returncode == 0, done.stderr


def test_shares_are_of_the_time_between(monkeypatch):
    monkeypatch.setattr(spin_wait, "_INTERVAL_S", 0.01)
    totals = iter([1.0, 1.0, 1e6])
    here = threading.current_thread()  # the thread that looks after teams may ask meanwhile
    monkeypatch.setattr(
        spin_wait, "waited", lambda: next(totals) if threading.current_thread() is here else 0.0
    )
    shares = spin_wait._shares_waited()
    assert next(shares) == 0
    assert next(shares) > 1e4


@pytest.mark.skipif(not IS_LINUX, reason="reads /proc")
@pytest.mark.parametrize(
    "given, looks",
    [
        ({"MXNOVA_TUNE_PROCESS": "1"}, True),
        ({}, False),
        ({"MXNOVA_TUNE_PROCESS": "1", "GOMP_SPINCOUNT": "7"}, False),
        ({"MXNOVA_TUNE_PROCESS": "1", "OMP_WAIT_POLICY": "passive"}, False),
    ],
)
def test_the_users_environment_has_its_way(given, looks):
    code = "import threading, mxnova.ndarray; print([t.name for t in threading.enumerate()])"
    done = run(code, **given)
    assert ("mxnova-spin-wait" in done.stdout) is looks, done.stderr
