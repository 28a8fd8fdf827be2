# SPDX-License-Identifier: Apache-2.0
"""Runs of a model at the same time, which may fail or be interrupted."""

from __future__ import annotations

import signal

import pytest
import torch

import mxnova as mx
from mxnova.core.exec.backends.conversion.graph import Part

pytest.importorskip("openvino")
from mxnova.core.exec.backends.openvino import model

SHAPE = (4, 3)


class Request:
    """A run whose start or end does something."""

    def __init__(self, log, at_start=None, at_end=None):
        self.log, self.at_start, self.at_end = log, at_start, at_end

    def start_async(self):
        self.do(self.at_start)
        self.log.append(self)

    def wait(self):
        self.log.remove(self)
        self.do(self.at_end)

    def do(self, action):
        if action:
            action()


def interrupt():
    signal.raise_signal(signal.SIGINT)


def fail():
    raise RuntimeError("no")


@pytest.mark.parametrize("action, error", [(interrupt, KeyboardInterrupt), (fail, RuntimeError)])
@pytest.mark.parametrize("when", ["at_start", "at_end"])
def test_no_run_goes_on_when_others_fail_or_are_interrupted(action, error, when):
    running = []
    requests = [Request(running, **({when: action} if i in (1, 2) else {})) for i in range(4)]
    with pytest.raises(error):
        model._run(requests)
    assert running == []


def test_runs_after_one_that_failed(two_threads):
    made = model.Model(Part(mx.sym.relu(mx.sym.var("data")), {"data": SHAPE}, {}), 1)
    data = torch.arange(-6.0, 6.0).reshape(SHAPE)
    made._local.requests = [Request([], at_end=fail)] * 4
    for request in made._local.requests:
        request.set_input_tensor = request.set_output_tensor = lambda *given: None
    with pytest.raises(RuntimeError):
        made([data])
    assert made([data])[0].equal(data.relu())
