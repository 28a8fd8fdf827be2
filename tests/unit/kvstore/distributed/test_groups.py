# SPDX-License-Identifier: Apache-2.0
"""What carries tensors: chosen by their device; with tags, or in the order in which all post."""

import os
import signal
from datetime import timedelta

import numpy as np
import pytest
import torch
from torch._C._distributed_c10d import FakeProcessGroup

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore.distributed import links as links_module
from mxnova.kvstore.distributed.faults import Faults
from mxnova.kvstore.distributed.groups import GROUPS, CoalescedGroup, GlooGroup, Place
from mxnova.kvstore.distributed.links import Links

from .workers import outcomes, run


class Recording:
    """A backend that carries nothing, and notes what it was asked for."""

    def __init__(self):
        self._fake = FakeProcessGroup._create_internal(0, 2)
        self.asked = []

    def __getattr__(self, name):
        def call(*args):
            self.asked.append(name)
            return getattr(self._fake, name)(*args)

        return call


@pytest.fixture
def links(monkeypatch):
    """Links of worker 0 of 2 whose groups carry nothing, and the backends by kind of device."""
    made = {}

    def group(kind, cls):
        def make(place):
            assert (place.rank, place.size) == (0, 2)
            made[kind] = Recording()
            return cls(made[kind])

        return make

    groups = {"cpu": group("cpu", GlooGroup), "meta": group("meta", CoalescedGroup)}
    monkeypatch.setattr(links_module, "GROUPS", groups)
    store = torch.distributed.HashStore()
    return Links(store, Faults(store, 0, 2, 5.0, "nobody"), "127.0.0.1"), made


def test_the_device_of_a_tensor_chooses(links):
    links, made = links
    assert [*made] == ["cpu"]  # others are made when there is something for them
    here, there = torch.ones(3), torch.ones(3, device="meta")
    links.exchange("push", 1, {1: [here]}, {1: [here.clone()]})
    assert made["cpu"].asked == ["recv", "send"]
    links.exchange("push", 2, {1: [there, there]}, {1: [there]})
    links.exchange("push", 3, {1: [there]}, {})
    assert made["meta"].asked == [
        *("_start_coalescing", "recv", "send", "send", "_end_coalescing"),
        *("_start_coalescing", "send", "_end_coalescing"),
    ]
    assert made["cpu"].asked == ["recv", "send"]
    assert links.sent["push"] == 12 + 24 + 12


def test_a_device_that_nothing_carries_is_told(links, monkeypatch):
    monkeypatch.delitem(links_module.GROUPS, "meta")
    with pytest.raises(MXNetError, match="arrays on meta cannot be exchanged"):
        links[0].exchange("push", 1, {1: [torch.ones(3, device="meta")]}, {})


@pytest.mark.parametrize("error", [RuntimeError, ValueError, MemoryError])
def test_addresses_that_a_stranger_has_overwritten_are_told(error, monkeypatch):
    def read(place):
        raise error("basic_string::_M_create")  # gloo, of bytes that are no address

    monkeypatch.setitem(links_module.GROUPS, "cpu", read)
    store = torch.distributed.HashStore()
    with pytest.raises(MXNetError, match="worker 0 could not reach all of the 2 workers"):
        Links(store, Faults(store, 0, 2, 5.0, "nobody"), "127.0.0.1")


@pytest.mark.skipif(torch.distributed.is_nccl_available(), reason="NCCL is there")
def test_without_nccl_it_is_told():
    with pytest.raises(MXNetError, match="PyTorch needs NCCL"):
        GROUPS["cuda"](Place(None, 0, 2, "127.0.0.1", 5.0))


class Works:
    """Waits for all of some."""

    def __init__(self, works):
        self._works = works

    def wait(self, timeout):
        return all(work.wait(timeout) for work in self._works)


class ProcessGroup:
    """Stands in for NCCL's: gloo without tags, where a message is the next one between two ranks."""

    class Options:
        _timeout = None

    def __init__(self, store, rank, size, options):
        assert options._timeout == timedelta(seconds=60)
        self._peers = [peer for peer in range(size) if peer != rank]
        self._gloo = GlooGroup.at(Place(store, rank, size, "127.0.0.1", 60.0))
        self._works = None

    def _start_coalescing(self):
        assert self._works is None
        self._works = []

    def send(self, tensors, peer, tag):
        self._works.append(self._gloo.backend.send(tensors, peer, tag))

    def recv(self, tensors, peer, tag):
        self._works.append(self._gloo.backend.recv(tensors, peer, tag))

    def _end_coalescing(self):
        works, self._works = self._works, None
        return Works(works)

    def abort(self):
        self._gloo.hang_up(self._peers)


def _carry_by_nccl():
    """Has this process carry the CPU's tensors as it would the GPUs', but for the backend."""
    torch.distributed.is_nccl_available = lambda: True
    torch.distributed.ProcessGroupNCCL = ProcessGroup
    links_module.GROUPS["cpu"] = GROUPS["cuda"]


def _in_order(rank, n, compresses):
    """Values of many pushes, of which some ranks make more before the others come."""
    _carry_by_nccl()
    kv = mx.kv.create("dist_sync")
    assert isinstance(kv.handle.links._groups["cpu"].backend, ProcessGroup)
    kv.set_optimizer(mx.optimizer.create("sgd", learning_rate=1))
    if compresses:
        kv.set_gradient_compression({"type": "2bit", "threshold": 1})
    shapes = [(2,), (300, 20), (1,), (1500, 1000), (40, 3), (2000, 900), (5,)]
    kv.init(list(range(len(shapes))), [mx.nd.zeros(shape) for shape in shapes])
    outs = [mx.nd.zeros(shape) for shape in shapes]
    rng = np.random.default_rng(rank)
    for _ in range(3):
        for key in range(len(shapes)):
            if rng.random() < 0.3:  # ranks are ready for different calls
                mx.nd.waitall()
            kv.push(key, mx.nd.ones(shapes[key]), priority=key % 3)
            kv.pull(key, outs[key])
    return [sorted(set(out.asnumpy().ravel().tolist())) for out in outs]


@pytest.mark.parametrize("n, compresses", [(2, False), (3, False), (3, True)])
def test_all_ranks_post_in_one_order(n, compresses):
    for values in run(n, _in_order, n, compresses, MXNET_KVSTORE_BIGARRAY_BOUND="5000"):
        assert values == [[-3.0 * n]] * 7


def _left_alone(rank):
    _carry_by_nccl()
    kv = mx.kv.create("dist_sync")
    kv.init("a", mx.nd.zeros((4, 5)))
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        for _ in range(10**6):
            kv.push("a", mx.nd.ones((4, 5)))
            mx.nd.waitall()
    except MXNetError as error:
        return str(error)


def test_a_rank_that_dies_is_named_whatever_carries():
    (kind, text), _ = outcomes(2, _left_alone)
    assert kind == "result"
    assert "worker 1 is gone" in text
