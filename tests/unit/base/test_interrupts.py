# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C that waits, that comes all the same, and that children never hear of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from mxnova.core.base.interrupts import (
    allowed_interrupts,
    blocked_interrupts,
    deferred_interrupts,
    deferred_past_finalizer,
    ignore_interrupts,
)
from mxnova.core.runtime.forks import after_fork_in_child  # noqa: F401 (which resets children)

pytestmark = [
    pytest.mark.usefixtures("interrupts"),
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals"),
]


def interrupt():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("block", [deferred_interrupts, blocked_interrupts])
def test_it_comes_at_the_end(block):
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with block():
            with block():
                interrupt()
                done.append(1)
            interrupt()
            done.append(2)
        done.append(3)
    assert done == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_it_comes_at_the_end_of_what_fails():
    with pytest.raises(KeyboardInterrupt) as told, deferred_interrupts():  # noqa: PT012
        interrupt()
        raise ValueError("so")
    assert isinstance(told.value.__context__, ValueError)


def test_what_may_be_interrupted_inside():
    done = []
    with deferred_interrupts(), deferred_interrupts():
        with pytest.raises(KeyboardInterrupt), allowed_interrupts():
            interrupt()
        done.append(1)
        interrupt()
        done.append(2)
        with pytest.raises(KeyboardInterrupt), allowed_interrupts():
            done.append(3)  # too late: it came before
    assert done == [1, 2]
    with pytest.raises(KeyboardInterrupt), allowed_interrupts():
        interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda number, frame: None])
def test_the_handler_of_a_program_stays(handler):
    signal.signal(signal.SIGINT, handler)
    with deferred_interrupts():
        interrupt()
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_finalizer_loses_none():
    """It ends what the main thread waits in."""

    class Ends:
        def __del__(self):
            with deferred_past_finalizer():
                interrupt()

    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        Ends()
        started = time.monotonic()
        time.sleep(60)
    assert time.monotonic() - started < 30


def test_other_threads_have_nothing_to_put_off():
    done = []

    def work():
        with deferred_interrupts(), allowed_interrupts():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]


def test_a_child_of_another_thread_hears_of_it():
    """The block is the parent's main thread's, which the child does not have."""
    status = []

    def work():
        pid = os.fork()
        if pid == 0:
            os._exit(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)
        status.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

    with deferred_interrupts():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert status == [0]


SLEEPS = "import time; print('up', flush=True); time.sleep(0.3); print('end', flush=True)"


def test_children_do_not_hear_of_it():
    """Neither while they start nor later."""
    with blocked_interrupts():
        child = subprocess.Popen([sys.executable, "-c", SLEEPS], stdout=subprocess.PIPE)
        os.kill(child.pid, signal.SIGINT)
    assert child.stdout.readline() == b"up\n"
    os.kill(child.pid, signal.SIGINT)
    assert child.communicate()[0] == b"end\n"
    assert child.returncode == 0


def test_a_process_that_ignores_it():
    pid = os.fork()
    if pid == 0:
        ignore_interrupts()
        interrupt()
        os._exit(len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
