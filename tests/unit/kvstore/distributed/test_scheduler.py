# SPDX-License-Identifier: Apache-2.0
"""Processes as a cluster of MXNet's starts them: by roles, without a launcher."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.ports import free_port

WORKER = """
import os, signal, sys
from mxnova.kvstore.distributed.rendezvous import join
from mxnova.kvstore.distributed.world import find
from mxnova.kvstore.distributed.rendezvous import stay
store, world = join(find())
stay(world)
store.set(f"seen/{world.rank}", "")
store.wait(["seen/0", "seen/1"])
if world.rank == int(sys.argv[1]):
    os.kill(os.getpid(), signal.SIGKILL)
print("rank", world.rank)
"""
OTHER = "import mxnova; print('beyond the import')"


@pytest.fixture
def start():
    port = free_port()
    processes = []

    def run(role, code, *args):
        variables = {
            "DMLC_ROLE": role,
            "DMLC_PS_ROOT_URI": "127.0.0.1",
            "DMLC_PS_ROOT_PORT": str(port),
            "DMLC_NUM_WORKER": "2",
            "DMLC_NUM_SERVER": "1",
            "MXNOVA_DIST_TIMEOUT": "3",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        }
        process = subprocess.Popen(
            [sys.executable, "-c", code, *args],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("dies", [None, 1])
def test_scheduler_and_servers_end_inside_their_import(start, dies):
    scheduler, server = start("scheduler", OTHER), start("server", OTHER)
    workers = [start("worker", WORKER, str(-1 if dies is None else dies)) for _ in range(2)]
    outs = [worker.communicate(timeout=60)[0] for worker in workers]
    out, err = scheduler.communicate(timeout=60)
    assert server.communicate(timeout=60) == ("", "")
    assert server.returncode == 0
    assert out == ""
    if dies is None:
        assert sorted(outs) == ["rank 0\n", "rank 1\n"]
        assert (scheduler.returncode, err) == (0, "")
    else:
        assert sorted(outs) == ["", "rank 0\n"]
        assert scheduler.returncode == 1
        assert f"worker {dies} of 2 has not been heard of for 3 s" in err
