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
    ignore_interrupts,
    interrupts_heard,
    interrupts_put_off,
    interrupts_sent_later,
    interrupts_unheard,
)

pytestmark = [
    pytest.mark.usefixtures("interrupts"),
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals"),
]


def interrupt():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("block", [interrupts_put_off, interrupts_unheard])
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
    with pytest.raises(KeyboardInterrupt) as told, interrupts_put_off():  # noqa: PT012
        interrupt()
        raise ValueError("so")
    assert isinstance(told.value.__context__, ValueError)


def test_what_may_be_interrupted_inside():
    done = []
    with interrupts_put_off(), interrupts_put_off():
        with pytest.raises(KeyboardInterrupt), interrupts_heard():
            interrupt()
        done.append(1)
        interrupt()
        done.append(2)
        with pytest.raises(KeyboardInterrupt), interrupts_heard():
            done.append(3)  # too late: it came before
    assert done == [1, 2]
    with pytest.raises(KeyboardInterrupt), interrupts_heard():
        interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda number, frame: None])
def test_the_handler_of_a_program_stays(handler):
    signal.signal(signal.SIGINT, handler)
    with interrupts_put_off():
        interrupt()
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_finalizer_loses_none():
    class Ends:
        def __del__(self):
            with interrupts_sent_later():
                interrupt()

    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        Ends()
        time.sleep(10)


def test_other_threads_have_nothing_to_put_off():
    done = []

    def work():
        with interrupts_put_off(), interrupts_heard():
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

    with interrupts_put_off():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert status == [0]


SLEEPS = "import time; print('up', flush=True); time.sleep(0.3); print('end', flush=True)"


def test_children_do_not_hear_of_it():
    """Neither while they start nor later."""
    with interrupts_unheard():
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
