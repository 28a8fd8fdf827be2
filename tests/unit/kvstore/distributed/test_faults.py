# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with one worker is told by all, in time."""

import os
import signal
import subprocess
import sys
import time

import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from tests.ports import free_port
from tests.waiting import wait_until

from .workers import outcomes, run


def _pushing(kv, steps=10**6, pause=0.01):
    out = mx.nd.zeros((4, 5))
    for _ in range(steps):
        kv.push("a", mx.nd.ones((4, 5)))
        kv.pull("a", out)
        out.wait_to_read()
        time.sleep(pause)


def _killed(rank, victim, kind):
    kv = mx.kv.create(kind)
    kv.init("a", mx.nd.zeros((4, 5)))
    kv.init("b", mx.nd.zeros((40, 5)))
    kv.set_optimizer(mx.optimizer.create("test"))
    _pushing(kv, 3)
    kv._barrier()
    if rank == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    with pytest.raises(MXNetError) as caught:
        _pushing(kv)
    with pytest.raises(MXNetError):  # and from then on
        kv.push("b", mx.nd.ones((40, 5)))
    assert kv.get_num_dead_node() == 1
    return str(caught.value)


@pytest.mark.parametrize("kind", ["dist_sync", "dist_async"])
@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_worker_that_is_killed_is_named_by_all_others(victim, kind):
    results = outcomes(3, _killed, victim, kind, MXNOVA_DIST_TIMEOUT="1000")  # nobody waits for it
    assert results.pop(victim) == ("gone", -signal.SIGKILL)
    for how, text in results:
        assert how == "result", text
        assert f"worker {victim} " in text


def _stopped(rank, folder, others_told):
    """What a worker is told while another is stopped: for 4 s, or until others have been told."""
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((4, 5)))
    kv._barrier()
    start = time.monotonic()
    if rank == 1:
        child = os.fork()
        if not child:  # wakes its parent up
            try:
                time.sleep(0 if others_told else 4)
                wait_until(lambda: len(list(folder.iterdir())) == others_told)
            finally:
                os.kill(os.getppid(), signal.SIGCONT)
                os._exit(0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.waitpid(child, 0)
    try:
        _pushing(kv, 5)
    except MXNetError as error:
        (folder / f"{rank}").touch()
        return str(error)
    assert time.monotonic() - start > 3
    return ""


def test_a_worker_that_is_stopped_for_a_while_is_waited_for(tmp_path):
    assert run(2, _stopped, tmp_path, 0) == [""] * 2


def test_a_worker_that_is_stopped_for_too_long_is_named(tmp_path):
    results = run(3, _stopped, tmp_path, 2, MXNOVA_DIST_TIMEOUT="2")
    for text in (results[0], results[2]):
        assert "worker 1 has given no sign of life for 2 s" in text
    assert results[1]  # it is told, too, when it goes on


def _computing(rank):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((4, 5)))
    if rank == 1:
        time.sleep(4)
    _pushing(kv, 3)


def test_a_worker_may_compute_for_longer_than_the_timeout():
    run(2, _computing, MXNOVA_DIST_TIMEOUT="2")


def _differing(rank, odd, call):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((2, 3)))
    kv.init("b", mx.nd.zeros((2, 3)))
    with pytest.raises(MXNetError) as caught:
        _waited_for(DIFFERENCES[call][0 if rank == odd else 1], kv)
    out = mx.nd.zeros((2, 3))  # nothing has changed, and all goes on
    kv.pull("a", out)
    assert not out.asnumpy().any()
    kv.push("a", mx.nd.ones((2, 3)))
    kv.pull("a", out)
    assert (out.asnumpy() == 3).all()
    return str(caught.value)


def _waited_for(call, kv):
    call(kv)
    mx.nd.waitall()


def _push(key, shape=(2, 3), dtype="float32", stype="default"):
    return lambda kv: kv.push(key, mx.nd.ones(shape, dtype=dtype).tostype(stype))


DIFFERENCES = {
    "shape": (_push("a", (3, 2)), _push("a"), ["worker 2", "(3, 2)"]),
    "type": (_push("a", dtype="float16"), _push("a"), ["worker 2", "float16", "float32"]),
    "storage": (_push("a", stype="row_sparse"), _push("a"), ["worker 2", "row_sparse"]),
    "call": (
        lambda kv: kv._barrier(),
        lambda kv: kv.init("d", mx.nd.ones((2, 3))),
        ["worker 2", "barrier", "init"],
    ),
    "init again": (
        lambda kv: kv.init("a", mx.nd.ones((2, 3))),
        lambda kv: kv.init("d", mx.nd.ones((2, 3))),
        ["worker 2", "'a'", "more than once"],
    ),
    "init of another shape": (
        lambda kv: kv.init("d", mx.nd.ones((3, 3))),
        lambda kv: kv.init("d", mx.nd.ones((2, 3))),
        ["worker 2", "[3, 3]"],
    ),
}


@pytest.mark.parametrize("call", DIFFERENCES)
def test_a_worker_that_does_something_else_is_named(call):
    results = run(3, _differing, 2, call)
    for rank, text in enumerate(results):
        for word in DIFFERENCES[call][2]:
            assert word in text or (rank == 2 and word == "worker 2")


def _rows_of_one(rank, case):
    """One worker of three pushes otherwise than the others, whose gradients are compressed."""
    kv = mx.kv.create("dist_sync")
    kv.set_gradient_compression({"type": "2bit", "threshold": 1})
    kv.init("a", mx.nd.zeros((6, 2)))
    with pytest.raises(MXNetError) as caught:
        _waited_for(OF_ONE[case][rank == 1], kv)
    out = mx.nd.zeros((6, 2))  # nothing has changed, and all goes on
    for push in (_push("a", (6, 2)), _push("a", (6, 2), stype="row_sparse")):
        push(kv)
        kv.pull("a", out)
        assert (out.asnumpy() == 3).all()
    return str(caught.value)


DENSE, ROWS = _push("a", (6, 2)), _push("a", (6, 2), stype="row_sparse")
OF_ONE = {  # what others push, what one does, what all are told
    "rows among dense ones": (DENSE, ROWS, ["worker 1 has", "'a'", "row_sparse", "default"]),
    "a dense one among rows": (ROWS, DENSE, ["worker 1 has", "'a'", "row_sparse", "default"]),
    "a mistake among rows": (ROWS, _push("a", (2, 6), stype="row_sparse"), ["'a'", "(2, 6)"]),
}


@pytest.mark.parametrize("case", OF_ONE)
def test_kinds_of_gradients_that_differ_are_told_at_once_though_compressed(case):
    variables = {"MXNET_KVSTORE_BIGARRAY_BOUND": "8", "MXNOVA_DIST_TIMEOUT": "1000"}
    for text in run(3, _rows_of_one, case, **variables):
        for word in OF_ONE[case][2]:
            assert word in text.replace('"', "'")


def _mistaken(rank, key):
    """One worker pushes a key that there is not, and goes on when it is told."""
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((2, 3)))
    if rank == 1:
        with pytest.raises(MXNetError) as caught:
            kv.push(key, mx.nd.ones((2, 3)))
        assert str(key) in str(caught.value)
    out = mx.nd.zeros((2, 3))
    kv.push("a", mx.nd.ones((2, 3)))
    kv.pull("a", out)
    return out.asnumpy().tolist()


@pytest.mark.parametrize("key", ["c", 3])
def test_a_key_that_is_unknown_is_that_workers_own_mistake(key):
    assert run(2, _mistaken, key) == [[[2.0] * 3] * 2] * 2


def _stalled(rank, stall):
    kv = mx.kv.create("dist_sync")
    kv.init(["a", "b"], [mx.nd.zeros((2, 3)), mx.nd.zeros((2, 3))])
    start = time.monotonic()
    with pytest.raises(MXNetError) as caught:
        _waited_for(STALLS[stall][rank == 1], kv)
    with pytest.raises(MXNetError):  # and from then on
        kv.push("a", mx.nd.ones((2, 3)))
    return str(caught.value), time.monotonic() - start


STALLS = {
    "push": (_push("a"), _push("b"), "push of key 'a'", "push of key 'b'"),
    "barrier": (_push("a"), lambda kv: kv._barrier(), "push of key 'a'", "barrier"),
}


@pytest.mark.parametrize("stall", STALLS)
def test_a_key_that_a_worker_never_pushes_is_named_after_the_timeout(stall):
    waited, waiting = STALLS[stall][2:]
    for text, seconds in run(3, _stalled, stall, MXNOVA_DIST_TIMEOUT="2"):
        is_told = f"worker 1 has not come to the {waited}" in text and waiting in text
        assert is_told or ("has not come to the" in text and waited in text)
        assert "MXNOVA_DIST_TIMEOUT" in text
        assert seconds > 1.5


def _leaving(rank):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((4, 5)))
    if rank == 1:
        kv.handle.close()
        return ""
    with pytest.raises(MXNetError) as caught:
        _pushing(kv)
    return str(caught.value)


def test_a_worker_that_ends_early_is_named():
    text, _ = run(2, _leaving, MXNOVA_DIST_TIMEOUT="1000")
    assert "worker 1 has ended" in text


def _failing(rank):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((4, 5)))

    def update(key, total, value):
        if rank == 0:  # which owns it
            raise ZeroDivisionError("by me")

    kv._set_updater(update)
    with pytest.raises(MXNetError) as caught:
        _pushing(kv)
    with pytest.raises(MXNetError):
        kv.push("a", mx.nd.ones((4, 5)))
    return str(caught.value)


def test_an_updater_that_fails_ends_the_store_for_all():
    own, *others = run(3, _failing)
    assert "ZeroDivisionError: by me" in own
    for text in others:
        assert "worker 0 has failed: ZeroDivisionError: by me" in text


def _told_later(rank, where):
    kv = mx.kv.create("dist_sync")
    kv.init(["a", "b"], [mx.nd.zeros((2, 3)), mx.nd.zeros((2, 3))])
    out = mx.nd.zeros((2, 3))
    value = mx.nd.ones((2, 3))
    kv.push("a", value.tostype("row_sparse") if rank else value)  # a mistake nobody waits for
    if where != "barrier":
        _all_have_come(kv)
    with pytest.raises(MXNetError, match="workers differ: worker 1 has"):
        SYNC_POINTS[where](kv, "a", out)
    mx.nd.waitall()  # it was told once
    if where != "push":
        kv.push("a", mx.nd.ones((2, 3)))
    kv.pull("a", out)
    return out.asnumpy().tolist()


def _all_have_come(kv):
    kv.handle._wait_for_pending()
    kv.handle._coordinator.agree("all have seen it")


SYNC_POINTS = {
    "pull": lambda kv, key, out: kv.pull(key, out),
    "barrier": lambda kv, key, out: kv._barrier(),
    "waitall": lambda kv, key, out: mx.nd.waitall(),
}


@pytest.mark.parametrize("where", SYNC_POINTS)
def test_a_mistake_is_told_at_the_next_point_of_waiting(where):
    assert run(2, _told_later, where) == [[[2.0] * 3] * 2] * 2


def _pushed_again(rank):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((3,)))
    value = mx.nd.ones((3,))
    kv.push("a", value.tostype("row_sparse") if rank else value)
    _all_have_come(kv)
    with pytest.raises(MXNetError, match="workers differ"):
        kv.push("a", value)  # which counts
    out = mx.nd.zeros((3,))
    kv.pull("a", out)
    return out.asnumpy().tolist()


def test_a_mistake_is_told_by_the_next_push_which_counts():
    assert run(2, _pushed_again) == [[2.0] * 3] * 2


PUSHING_ON = """
import threading, time
import mxnova as mx

kv = mx.kv.create("dist_sync")
kv.init("a", mx.nd.zeros((4, 5)))

def push():
    while True:
        kv.push("a", mx.nd.ones((4, 5)))

threading.excepthook = lambda told: print(told.exc_value)
threading.Thread(target=push, daemon=True).start()
time.sleep(1 + {rank})
"""


def test_a_thread_that_pushes_on_does_not_keep_the_program_from_its_end():
    outcomes = _programs(PUSHING_ON, stdout=subprocess.PIPE)
    assert [code for code, _, _ in outcomes] == [0, 0]
    assert "this store is closed" in outcomes[0][1]


UPDATING = """
import os, signal, time
import mxnova as mx
import torch

kv = mx.kv.create("dist_sync")
kv.init(["a", "b"], [mx.nd.zeros((2,)), mx.nd.zeros((2,))])  # each owns one

def update(key, total, value):
    numbers, end = torch.ones(700, 700), time.monotonic() + 4
    while time.monotonic() < end:  # mostly outside of Python
        torch.mm(numbers, numbers)

kv._set_updater(update)
kv._barrier()
kv.push(["a", "b"], [mx.nd.ones((2,)), mx.nd.ones((2,))])
if {rank}:
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)
mx.nd.waitall()
"""


def test_a_worker_that_updates_when_it_fails_ends_with_its_error():
    outcomes = _programs(UPDATING, stderr=subprocess.PIPE)
    assert [code for code, _, _ in outcomes] == [1, -signal.SIGKILL]
    assert "worker 1 is gone" in outcomes[0][2]


def _programs(text, **pipes):
    """Exit code, output and errors of two workers that run a program."""
    place = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", text.format(rank=rank)],
            env={**os.environ, **place, "RANK": str(rank)},
            text=True,
            **pipes,
        )
        for rank in range(2)
    ]
    try:
        said = [worker.communicate(timeout=60) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return [(worker.returncode, *each) for worker, each in zip(workers, said)]
