# SPDX-License-Identifier: Apache-2.0
"""Forks, and the end of the process, with work pending."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mxnova as mx

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


def _in_child(answers, x, big):
    seen = [x.asnumpy()[0], threading.active_count()]
    mx.engine.push(lambda: x.__setitem__(slice(None), 5), write=[x])
    seen += [x.asnumpy()[0], mx.nd.dot(big, big).asnumpy()[0, 0]]
    mx.nd.waitall()
    answers.put(seen)


def test_a_forked_process_starts_with_a_clean_engine_and_its_parent_goes_on():
    x, y, big = mx.nd.zeros((3,)), mx.nd.zeros((3,)), mx.nd.ones((300, 300))
    mx.nd.dot(big, big).wait_to_read()

    def write():
        time.sleep(0.1)
        x[:] = 1

    mx.engine.push(write, write=[x])
    mx.engine.push(lambda: x.copyto(y), read=[x], write=[y])
    fork = multiprocessing.get_context("fork")
    answers = fork.SimpleQueue()
    process = fork.Process(target=_in_child, args=(answers, x, big))
    process.start()
    assert answers.get() == [1, 1, 5, 300]
    process.join(60)
    assert process.exitcode == 0
    np.testing.assert_array_equal(y.asnumpy(), [1, 1, 1])
    mx.engine.push(lambda: x.__setitem__(slice(None), 2), write=[x])
    np.testing.assert_array_equal(x.asnumpy(), [2, 2, 2])


def _forked(function):
    """Exit status of a child that runs `function`."""
    pid = os.fork()
    if pid == 0:
        try:
            function()
        finally:
            os._exit(7 if sys.exc_info()[0] else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_operations_and_other_threads_may_fork_too():
    x, statuses, stop = mx.nd.zeros((3,)), [], threading.Event()

    def use():
        mx.nd.waitall()
        x[:] = 7
        mx.engine.push(lambda: x.copyto(mx.cpu()), read=[x])
        assert x.asnumpy()[0] == 7

    def push_on():
        while not stop.is_set():
            mx.engine.push(lambda: None, write=[x])
            time.sleep(0)

    mx.engine.push(lambda: statuses.append(_forked(use)), write=[x])
    mx.nd.waitall()
    thread = threading.Thread(target=push_on)
    thread.start()
    statuses += [_forked(use) for _ in range(3)]
    stop.set()
    thread.join()
    assert statuses == [0, 0, 0, 0]


def _outcome(program, patience="0.2"):
    """(status, output, log) of a Python program."""
    environment = {"MXNOVA_ENGINE_PATIENCE": patience, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", "import time, mxnova as mx\nx = mx.nd.zeros((3,))\n" + program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout.split(), done.stderr


def test_the_process_ends_after_what_is_pending_and_logs_what_nobody_waited_for():
    program = """
import atexit
def late():
    mx.engine.push(lambda: x.__setitem__(slice(None), 1), write=[x])
    print(x.asnumpy()[0])
atexit.register(late)
mx.engine.push(lambda: 1 / 0, name="lost")
mx.engine.push(lambda: (time.sleep(0.1), print("done")))
print("end")
"""
    status, output, log = _outcome(program, "10")
    assert status == 0
    assert sorted(output) == ["1.0", "done", "end"]
    assert "failed, and nobody waited for it: lost (pushed at <string>:9): ZeroDivision" in log


def test_the_process_ends_although_an_operation_does_not():
    status, _, log = _outcome("mx.engine.push(lambda: time.sleep(1e6), name='endless')")
    assert status == 0
    assert "operations left unfinished at exit: endless (pushed at <string>:3)" in log


@pytest.mark.usefixtures("interrupts")
def test_waiting_can_be_interrupted():
    x, hold = mx.nd.zeros((3,)), threading.Event()
    mx.engine.push(lambda: hold.wait(60), write=[x])
    interrupt = (threading.main_thread().ident, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        threading.Timer(0.05, signal.pthread_kill, interrupt).start()
        x.asnumpy()
    hold.set()
    assert x.asnumpy().sum() == 0
