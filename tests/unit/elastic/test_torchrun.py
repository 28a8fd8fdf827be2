# SPDX-License-Identifier: Apache-2.0
"""Agents of torchrun that are killed, and that come later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from torch.distributed import TCPStore

import mxnova as mx

from . import worker
from .test_training import train

pytestmark = [
    pytest.mark.slow,
    pytest.mark.huge,
    pytest.mark.skipif(os.name == "nt", reason="signals"),
]
_TIMEOUT = 120.0  # seconds


class Agents:
    """The agents of one job, which meet here."""

    def __init__(self, folder):
        self.folder = folder
        self.place = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        self.all = []

    def start(self, workers):
        variables = {
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
            "OMP_NUM_THREADS": "1",
            "MXNOVA_DIST_START_TIMEOUT": "60",
        }
        options = {
            "nnodes": "1:4", "nproc-per-node": workers, "max-restarts": 5, "rdzv-id": "job",
            "rdzv-backend": "c10d", "rdzv-endpoint": f"127.0.0.1:{self.place.port}",
            "rdzv-conf": "is_host=false,last_call_timeout=2,keep_alive_interval=1",
        }  # fmt: skip
        run = [f"--{name}={value}" for name, value in options.items()]
        command = [sys.executable, "-m", "torch.distributed.run", *run, worker.__file__]
        with open(self.folder / f"agent-{len(self.all)}.txt", "w") as output:
            agent = subprocess.Popen(
                [*command, str(self.folder)],
                env={**os.environ, **variables},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.all.append(agent)
        return agent

    def kill(self, agent):
        """As the end of its machine: the agent and its workers are gone at once."""
        agent.send_signal(
            signal.SIGSTOP
        )  # it starts no more, and the numbers stay those of its own
        found = subprocess.run(["pgrep", "-P", str(agent.pid)], stdout=subprocess.PIPE, check=False)
        for child in found.stdout.split():
            os.kill(int(child), signal.SIGKILL)
        agent.kill()
        agent.wait()

    def wait_for(self, condition):
        end = time.monotonic() + _TIMEOUT
        while not condition():
            assert time.monotonic() < end, self.said()
            time.sleep(0.05)

    def wait_for_step(self, step, world):
        """Until all of `world` workers have come to this step, and the checkpoint before is whole."""

        def is_done():
            noted = sum(line[0] == step and line[2][0] == world for line in lines(self.folder))
            saved = step - step % worker.EVERY
            return noted == world and saved in mx.checkpoint.steps(self.folder)

        self.wait_for(is_done)

    def said(self):
        return "".join(path.read_text() for path in sorted(self.folder.glob("agent-*.txt")))

    def end(self):
        for agent in self.all:
            if agent.poll() is None:
                self.kill(agent)


def lines(folder):
    """Step, epoch, generation (its workers, the step it began with), rank, samples; by time."""
    logs = sorted(folder.glob("log-*"), key=lambda path: path.stat().st_mtime_ns)
    return [json.loads(line) for log in logs for line in log.read_text().splitlines()]


@pytest.fixture
def agents(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    found = Agents(folder)
    yield found
    found.end()


def test_four_two_and_three_workers_end_as_one_alone(agents, tmp_path):
    (tmp_path / "alone").mkdir()
    alone, _, _ = train(tmp_path / "alone")
    first, second = agents.start(2), agents.start(2)
    agents.wait_for_step(6, world=4)  # two steps after the checkpoint
    agents.kill(second)
    (agents.folder / "killed").touch()
    agents.wait_for_step(9, world=2)
    third = agents.start(1)
    for agent in (first, third):
        assert agent.wait(timeout=_TIMEOUT) == 0, agents.said()
    committed = {}
    for step, epoch, generation, rank, numbers in lines(agents.folder):
        before, samples = committed.get(step, (None, {}))
        parts = samples[1] if before == generation else {}
        committed[step] = generation, (epoch, {**parts, rank: numbers})
    worlds = [generation[0] for _, (generation, _) in sorted(committed.items())]
    assert worlds == [4] * 4 + [2] * 7 + [3] * 7
    for epoch in range(worker.EPOCHS):
        of_epoch = [parts for _, (e, parts) in committed.values() if e == epoch]
        seen = [number for parts in of_epoch for part in parts.values() for number in part]
        assert sorted(seen) == list(range(worker.N))
    weights = np.load(agents.folder / "weights.npy")
    assert np.abs(weights - alone).max() < 1e-12  # sums of parts are rounded in another order
