# SPDX-License-Identifier: Apache-2.0
"""A job whose workers start processes that would outlive them."""

from __future__ import annotations

import time

# What each worker runs. Its shell's number is a name that no other one has, under any launcher.
COMMAND = ("sh", "-c", "sleep 60 & echo $! >$$.pid; echo up; wait")
SECONDS = 20.0  # until a test gives up


def numbers_when_up(process, folder):
    """The numbers of the processes that two workers have started in `folder`."""
    for _ in range(2):
        assert "up" in process.stdout.readline()
    numbers = [int(path.read_text()) for path in folder.glob("*.pid")]
    assert len(numbers) == 2
    assert all(map(is_running, numbers))
    return numbers


def assert_ended(numbers):
    """Fails unless all processes of these numbers end soon."""
    give_up = time.monotonic() + SECONDS
    while any(map(is_running, numbers)):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as stat:  # nobody may wait for it in here: a zombie
            return stat.read().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
