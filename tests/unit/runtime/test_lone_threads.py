# SPDX-License-Identifier: Apache-2.0
"""Threads that compute alone, and what stays for all others."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

import mxnova as mx
from mxnova.core.runtime.lone_threads import compute_alone

TEAMS = """
import os, threading, time
import torch
import mxnova as mx

def helpers():
    return len(os.listdir("/proc/self/task")) - threading.active_count()

values = torch.ones(1 << 20)
values + values  # wakes this thread's helpers
before = helpers()
data = mx.nd.ones((64, 3, 64, 64))
batches = mx.io.PrefetchingIter(mx.io.NDArrayIter(data, mx.nd.zeros(64), 16, shuffle=True))
assert sum(1 for _ in batches) == 4
deadline = time.monotonic() + 20  # threads that have ended may still be listed for a while
while helpers() > before and time.monotonic() < deadline:
    time.sleep(0.05)
assert helpers() <= before, (before, helpers())
"""


def _numbers_in_new_threads(count: int) -> list[int]:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(torch.get_num_threads())) for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_pools_threads_are_alone_and_others_are_not(two_threads):
    everyone = threading.Barrier(3)

    def number(_: int) -> int:
        everyone.wait()
        return torch.get_num_threads()

    with ThreadPoolExecutor(3, initializer=compute_alone) as pool:
        assert list(pool.map(number, range(3))) == [1, 1, 1]
        assert torch.get_num_threads() == 2
        assert _numbers_in_new_threads(3) == [2, 2, 2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
def test_prefetching_wakes_no_helpers_of_its_own():
    done = subprocess.run(
        [sys.executable, "-c", TEAMS],
        env={
            "OMP_NUM_THREADS": "2",
            "GOMP_SPINCOUNT": "3000",  # else more threads stand by on a crowded machine
            "PYTHONPATH": str(Path(mx.__path__[0]).parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
