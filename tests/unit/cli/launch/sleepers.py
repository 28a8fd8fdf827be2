# SPDX-License-Identifier: Apache-2.0
"""A job whose workers start processes that would outlive them."""

from __future__ import annotations

from tests.waiting import is_running

# What each worker runs. Its shell's number is a name that no other one has, under any launcher.
COMMAND = ("sh", "-c", "sleep 600 & echo $! >$$.pid; echo up; wait")


def numbers_when_up(process, folder):
    """The numbers of the processes that two workers have started in `folder`."""
    for _ in range(2):
        assert "up" in process.stdout.readline()
    numbers = [int(path.read_text()) for path in folder.glob("*.pid")]
    assert len(numbers) == 2
    assert all(map(is_running, numbers))
    return numbers
