# SPDX-License-Identifier: Apache-2.0
"""The lane: pushes return at once, and what they say is done in one order on all workers."""

import os
import threading
import time

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from tests.waiting import wait_until

from .workers import run

BIG = (1200, 1000)


def _late(rank, first_goes_on, shapes):
    """Whether a worker's exchange is under way while it computes and the other is late."""
    kv = mx.kv.create("dist_sync")
    kv.set_optimizer(mx.optimizer.create("test"))
    keys = list(range(len(shapes)))
    kv.init(keys, [mx.nd.zeros(shape) for shape in shapes])
    gradients = [mx.nd.ones(shape) for shape in shapes]
    outs = [mx.nd.zeros(shape) for shape in shapes]
    kv._barrier()
    if rank:
        wait_until(first_goes_on.exists)
    for key in reversed(keys):
        kv.push(key, gradients[key], priority=-key)
        kv.pull(key, outs[key], priority=-key)
    for _ in range(50):
        assert mx.nd.ones((100,)).sum().asscalar() == 100
    is_under_way = bool(outs[0]._chunk.var.writes)
    if not rank:
        first_goes_on.touch()
    assert all((out.asnumpy() == 2).all() for out in outs)
    return is_under_way


@pytest.mark.parametrize("shapes", [[(3, 4)], [BIG], [(3, 4), BIG, (7,), BIG]])
def test_computing_goes_on_while_values_are_exchanged(shapes, tmp_path):
    assert run(2, _late, tmp_path / "goes on", shapes)[0]


def _in_order(rank, folder):
    """In which order the updater gets keys that wait for a slow update of another one."""
    kv = mx.kv.create("dist_sync")
    keys, seen = list(range(12)), []
    kv.init(keys, [mx.nd.zeros((3,)) for _ in keys])

    def update(key, total, value):
        if not seen:
            wait_until(lambda: len(list(folder.iterdir())) == 2)
            time.sleep(0.5)  # until what they have pushed is here
        seen.append(key)
        value += total

    kv._set_updater(update)
    kv._barrier()
    for key in keys:
        kv.push(key, mx.nd.ones((3,)), priority=key)
    (folder / f"{rank} has pushed").touch()
    kv._barrier()
    return seen


def test_what_has_a_higher_priority_goes_first(tmp_path):
    orders = run(2, _in_order, tmp_path)
    assert sorted(key for order in orders for key in order) == list(range(12))
    for _, *rest in orders:  # of the keys that each owns
        assert rest == sorted(rest, reverse=True)


def _any_order(rank, n, steps):
    """Values of keys that each worker pushes in an order of its own, from several threads."""
    kv = mx.kv.create("dist_sync")
    kv.set_optimizer(mx.optimizer.create("test"))
    shapes = [(3,), (400, 5), (1200, 1000), (7, 2), (1,), (64, 64)]
    kv.init(list(range(len(shapes))), [mx.nd.zeros(shape) for shape in shapes])
    outs = [mx.nd.zeros(shape) for shape in shapes]

    def push(keys):
        for key in keys:
            kv.push(key, mx.nd.ones(shapes[key]) * (rank + 1), priority=-key)
            kv.pull(key, outs[key])
            outs[key].wait_to_read()

    rng = np.random.default_rng(rank)
    for _ in range(steps):
        keys = rng.permutation(len(shapes)).tolist()
        half = len(keys) // 2 if rank == 1 else 0  # which waits for each key
        thread = threading.Thread(target=push, args=(keys[:half],))
        thread.start()
        for key in keys[half:]:  # all are pushed before the first is waited for
            kv.push(key, mx.nd.ones(shapes[key]) * (rank + 1))
        for key in keys[half:]:
            kv.pull(key, outs[key])
        thread.join()
    mx.nd.waitall()
    return [sorted(set(out.asnumpy().ravel().tolist())) for out in outs]


@pytest.mark.parametrize("n", [2, 3])
def test_workers_may_push_keys_in_different_orders(n):
    expected = 5 * n * (n + 1) / 2
    for values in run(n, _any_order, n, 5, MXNET_KVSTORE_BIGARRAY_BOUND="1500"):
        assert values == [[expected]] * 6


def _rates(rank, first_has_pushed):
    """Values, of a rate that is changed while pushes wait."""
    kv = mx.kv.create("dist_sync")
    optimizer = mx.optimizer.create("sgd", learning_rate=1, wd=0)
    kv.set_optimizer(optimizer)
    kv.init(["a", "b"], [mx.nd.zeros((2,)), mx.nd.zeros((2,))])
    kv._barrier()
    if rank:
        wait_until(first_has_pushed.exists)
    for rate in (1, 10, 100):
        optimizer.set_learning_rate(rate)
        kv.push("a", mx.nd.ones((2,)))
        kv.push("b", mx.nd.ones((2,)), priority=5)
        assert optimizer.num_update == {1: 1, 10: 2, 100: 3}[rate]
    optimizer.set_learning_rate(1000)
    first_has_pushed.touch()
    out = mx.nd.zeros((2,))
    kv.pull("a", out)
    kv.pull("b", out)
    return out.asnumpy().tolist()


def test_an_update_is_made_with_what_the_optimizer_was_at_the_call(tmp_path):
    assert run(2, _rates, tmp_path / "pushed") == [[-222.0, -222.0]] * 2


def _failed_gradient(rank):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((2,)))
    gradient, out = mx.nd.ones((2,)), mx.nd.zeros((2,))
    if rank:
        from mxnova.core.runtime.engine import engine

        def fail():
            time.sleep(0.1)
            raise ZeroDivisionError("by me")

        engine().push_sync(fail, None, (), [gradient._chunk.var], asynchronous=True)
    kv.push("a", gradient)
    kv.pull("a", out)
    with pytest.raises(MXNetError) as caught:
        out.wait_to_read()
    try:  # the first worker has nothing more to be told
        mx.nd.waitall()
    except MXNetError:
        assert rank
    kv.push("a", mx.nd.ones((2,)))
    kv.pull("a", out)
    assert out.asnumpy().tolist() == [2, 2]
    return str(caught.value)


def test_a_gradient_that_could_not_be_computed_is_told_to_all():
    for text in run(2, _failed_gradient):
        assert "on worker 1: the gradient of key 'a' could not be computed" in text


def _forked(rank):
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((2,)))
    kv.push("a", mx.nd.ones((2,)))
    child = os.fork()
    if not child:
        try:
            kv.push("a", mx.nd.ones((2,)))
        except MXNetError as error:
            os._exit(0 if "parent process" in str(error) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    out = mx.nd.zeros((2,))
    kv.pull("a", out)
    return out.asnumpy().tolist()


def test_a_child_is_told_that_the_store_is_its_parents():
    assert run(2, _forked) == [[2.0, 2.0]] * 2


def _left_behind(rank):
    """A worker ends while what it has pushed waits for the others."""
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((2,)))
    if rank:
        time.sleep(0.5)
    kv.push("a", mx.nd.ones((2,)))
    if not rank:
        return None
    out = mx.nd.zeros((2,))
    kv.pull("a", out)
    return out.asnumpy().tolist()


def test_what_was_pushed_is_done_before_a_worker_ends():
    assert run(2, _left_behind)[1] == [2.0, 2.0]


def _pushing_for_ever(rank):
    """A worker ends while a thread of its goes on."""
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((2,)))
    told = []

    def push():
        try:
            while True:
                kv.push("a", mx.nd.ones((2,)))
        except MXNetError as error:
            told.append(str(error))

    thread = threading.Thread(target=push, daemon=True)
    thread.start()
    time.sleep(0.5)
    kv.handle.close()
    thread.join(60)
    return told


def test_a_thread_that_pushes_for_ever_does_not_keep_a_worker_from_ending():
    for told in run(2, _pushing_for_ever):
        assert len(told) == 1
        assert "closed" in told[0] or "has ended" in told[0]  # whose worker was further


def _across(rank, n, name, expected):
    """Values of an optimizer whose numbers are shared by keys."""
    kv = mx.kv.create("dist_sync")
    values = _stepped(kv, name, lambda value: value[rank])
    for mine, alone in zip(values, expected):
        np.testing.assert_allclose(mine, alone, rtol=0, atol=1e-6)


def _stepped(kv, name, pushed):
    scheduler = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=0.1)
    options = {"momentum": 0.9} if name == "lars" else {}
    if name != "lbsgd":  # which asks for rates before it counts
        options["lr_scheduler"] = scheduler
    kv.set_optimizer(mx.optimizer.create(name, **options))
    shapes = [(3, 4), (50, 30), (7,), (5, 2)]
    keys = list(range(len(shapes)))
    kv.init(keys, [mx.nd.ones(shape) for shape in shapes])
    outs = [mx.nd.zeros(shape) for shape in shapes]
    rng = np.random.default_rng(3)
    for _ in range(5):
        drawn = [[rng.normal(size=shape).astype("float32") for _ in range(3)] for shape in shapes]
        kv.pushpull(keys, [mx.nd.array(pushed(values)) for values in drawn], out=outs)
    return [out.asnumpy() for out in outs]


@pytest.mark.parametrize("name", ["nadam", "lars", "lbsgd", "lamb"])
def test_optimizers_with_numbers_of_all_keys_give_those_of_one_process(name):
    expected = _stepped(mx.kv.create("local"), name, sum)
    run(3, _across, 3, name, expected, MXNET_KVSTORE_BIGARRAY_BOUND="200")
