# SPDX-License-Identifier: Apache-2.0
import threading

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import ArgumentError
from mxnova.core.runtime import context, resource
from mxnova.core.runtime.context import cpu
from mxnova.core.runtime.resource import ResourceManager
from mxnova.core.runtime.storage import Storage


@pytest.fixture
def manager():
    return ResourceManager()


def draw(context, count=4):
    return mx.nd.random.uniform(shape=(count,), ctx=context).asnumpy().tolist()


def test_seeding_all_restarts_every_context_with_numbers_of_its_own():
    resource.seed(5)
    first = draw(cpu(0)), draw(cpu(1))
    assert first[0] != first[1]
    resource.seed(5)
    assert (draw(cpu(0)), draw(cpu(1))) == first
    resource.seed(6)
    assert draw(cpu(0)) != first[0]


def test_seeding_one_context_restarts_it_alone():
    resource.seed(5)
    expected = draw(cpu(0)), draw(cpu(1), 8)
    resource.seed(5)
    draw(cpu(1))
    resource.seed(7, cpu(0))
    assert draw(cpu(0)) != expected[0]
    assert draw(cpu(1)) == expected[1][4:]


def test_a_seed_for_one_context_gives_the_same_numbers_on_any():
    resource.seed(9, cpu(0))
    resource.seed(9, cpu(3))
    assert draw(cpu(0)) == draw(cpu(3))


@pytest.mark.parametrize("exact", [None, True])
@pytest.mark.parametrize("number", [0, 99, -1])
def test_a_gpu_that_is_not_there_has_no_stream_to_restart(monkeypatch, manager, number, exact):
    monkeypatch.setattr(context, "num_gpus", lambda: 0)
    manager.seed(5)
    expected = manager.random(cpu()).get_state()
    manager.seed(1, context.gpu(number), exact=exact)
    if exact is None:
        assert torch.equal(manager.random(cpu()).get_state(), expected)


def test_contexts_first_used_after_seeding_follow_the_seed():
    numbers = []
    for _ in range(2):
        manager = ResourceManager()
        manager.seed(11)
        numbers.append(torch.rand(3, generator=manager.random(cpu(4))).tolist())
    assert numbers[0] == numbers[1]


def test_seeds_are_taken_modulo_2_to_the_32(manager):
    def first(number):
        manager.seed(number)
        return torch.rand(2, generator=manager.random(cpu())).tolist()

    assert first(-3) == first(2**32 - 3)
    assert first(2**40) == first(0) != first(1)


def test_torch_keeps_its_own_numbers():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    resource.seed(2)
    draw(cpu(0))
    assert torch.equal(torch.rand(3), expected)


def test_threads_share_a_stream_without_repeating_numbers():
    resource.seed(3)
    found, barrier = [], threading.Barrier(4)

    def work():
        barrier.wait()
        for _ in range(50):
            found.append(mx.nd.random.uniform(shape=(20,), dtype="float64").asnumpy())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = np.concatenate(found)
    assert len(np.unique(numbers)) == numbers.size == 4 * 50 * 20


def test_threads_that_meet_a_new_context_get_one_stream(manager):
    barrier, streams = threading.Barrier(8), []

    def work():
        barrier.wait()
        streams.append(manager.random(cpu(5)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, streams))) == 1


def test_parallel_streams_come_in_turns_and_differ(manager, monkeypatch):
    monkeypatch.setenv("MXNET_CPU_PARALLEL_RAND_COPY", "3")
    streams = [manager.request(cpu(), "parallel_random") for _ in range(4)]
    assert streams[3] is streams[0]
    numbers = {torch.rand(1, generator=s).item() for s in (*streams[:3], manager.random(cpu()))}
    assert len(numbers) == 4


def test_temp_space_is_reused_and_grows(manager, monkeypatch):
    monkeypatch.setenv("MXNET_CPU_TEMP_COPY", "2")
    spaces = [manager.request(cpu(), "temp_space") for _ in range(3)]
    assert spaces[2] is spaces[0] is not spaces[1]
    small, large = spaces[0].get((4, 5)), spaces[0].get((100, 100), torch.float64)
    assert (small.shape, small.dtype) == ((4, 5), torch.float32)
    assert (large.shape, large.dtype) == ((100, 100), torch.float64)
    assert spaces[0].get((4, 5)).data_ptr() == large.data_ptr()
    assert spaces[1].get((4, 5)).data_ptr() != large.data_ptr()


def test_a_workspace_that_grew_leaves_earlier_tensors_alone(manager):
    space = manager.request(cpu(7), "temp_space")
    old = space.get((8,)).fill_(1)
    space.get((1 << 20,)).fill_(2)
    other = manager.request(cpu(7), "temp_space").get((8,)).fill_(3)
    assert old.tolist() == [1.0] * 8
    assert other.data_ptr() != old.data_ptr()


def test_workspaces_belong_to_threads_and_return_to_the_pool(manager):
    context, addresses = cpu(8), []

    def work():
        addresses.append(manager.request(context, "temp_space").get((1000,)).data_ptr())

    work()
    used = Storage.get().statistics(context).used
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert addresses[0] != addresses[1]
    assert Storage.get().statistics(context).used == used


def test_unknown_kinds_are_refused(manager):
    with pytest.raises(ArgumentError, match="temp_space"):
        manager.request(cpu(), "workspace")


def test_a_forked_child_leaves_its_parents_streams_of_gpus_alone(manager):
    class Stream:
        def manual_seed(self, number):
            raise RuntimeError("CUDA error: initialization error")

    stream = manager.random(cpu(0))
    manager._streams[mx.gpu(0), 0] = Stream()
    manager._after_fork()
    manager.seed(3)
    assert manager.random(cpu(0)) is stream
    assert [row[0] for row in manager.states()["streams"]] == ["cpu"]
