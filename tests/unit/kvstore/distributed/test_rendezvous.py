# SPDX-License-Identifier: Apache-2.0
"""Threads stand in for processes: each enters by a connection of its own."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import mxnova as mx
from mxnova.core.base.addresses import listen
from mxnova.core.base.errors import MXNetError
from mxnova.kvstore.distributed.rendezvous import host, join, own_address
from mxnova.kvstore.distributed.world import World
from tests.ports import free_port
from tests.waiting import wait_until

from .workers import outcomes


@pytest.fixture
def world():
    """Three workers at a free port."""
    port = free_port()
    return World("worker", 0, 3, "127.0.0.1", port, False, timeout=60.0, start_timeout=60.0)


def met(worlds):
    """What each got or raised."""

    def one(world):
        try:
            return join(world)
        except MXNetError as error:
            return error

    with ThreadPoolExecutor(len(worlds)) as threads:
        return list(threads.map(one, worlds))


def test_ranks_that_are_known_stay(world):
    got = met([replace(world, rank=rank, is_host=rank == 0) for rank in range(3)])
    assert [own.rank for _, own in got] == [0, 1, 2]
    got[0][0].set("word", "from 0")
    assert got[2][0].get("word") == b"from 0"


def test_ranks_that_are_not_are_agreed_on(world):
    scheduler = replace(world, role="scheduler", is_host=True)
    scheduler_store, _ = join(scheduler)
    got = met([replace(world, rank=None)] * 3)
    assert sorted(own.rank for _, own in got) == [0, 1, 2]
    (extra,) = met([replace(world, rank=None)])
    assert "this is worker number 4" in str(extra)
    assert "comes back only with all others" in str(extra)
    del scheduler_store


def test_every_attempt_begins_anew(world):
    keeper = host(listen(world.master_address, world.master_port), 5.0)
    for attempt in (0, 1):
        got = met([replace(world, rank=rank, attempt=attempt) for rank in range(3)])
        assert [own.attempt for _, own in got] == [attempt] * 3
        assert not got[0][0].check(["word"])
        got[0][0].set("word", "")
    del keeper


def test_who_meets_where_others_have_met_takes_nothing_of_theirs(world):
    """Other ranks come and go, and the store knows no attempts, as torchrun's agents'."""
    keeper = host(listen(world.master_address, world.master_port), 5.0)
    for n in (3, 2, 3):
        worlds = [replace(world, rank=rank, num_workers=n, is_reused=True) for rank in range(n)]
        got = met(worlds)
        assert [own.rank for _, own in got] == list(range(n))
        assert not got[0][0].check(["word"])
        got[0][0].set("word", "")
        got[n - 1][0].wait(["word"])  # another connection may see it a moment later
    late = replace(world, is_reused=True, start_timeout=0.5)
    assert all("have not come" in str(answer) for answer in met([replace(late, rank=2), late]))
    del keeper


def test_one_rank_twice_is_told(world):
    keeper = host(listen(world.master_address, world.master_port), 5.0)
    impatient = replace(world, start_timeout=1.0)
    answers = met([replace(impatient, rank=rank) for rank in (0, 1, 1)])
    texts = sorted(str(answer) for answer in answers)
    assert sum("there is a worker of rank 1 already, process" in text for text in texts) == 1
    assert sum("rank 2 of 3 workers have not come" in text for text in texts) == 2
    del keeper


def test_who_has_not_come_is_told_by_rank(world):
    impatient = replace(world, start_timeout=0.5)
    (error,) = met([replace(impatient, rank=0, is_host=True)])
    assert "ranks 1, 2 of 3 workers have not come" in str(error)
    assert "within 0.5 s (MXNOVA_DIST_START_TIMEOUT)" in str(error)


def _keeping(rank, other_is_up):
    """The first of three workers dies while the second waits for the third."""

    def die():
        wait_until(other_is_up.exists)
        time.sleep(1)  # until it waits
        os.kill(os.getpid(), signal.SIGKILL)

    if rank == 0:
        threading.Thread(target=die, daemon=True).start()
    else:
        other_is_up.touch()
    with pytest.raises(MXNetError) as caught:
        mx.kv.create("dist_sync")
    return str(caught.value)


def test_a_place_that_is_gone_is_told(tmp_path):
    first, (_, text) = outcomes(2, _keeping, tmp_path / "up", WORLD_SIZE="3")
    assert first == ("gone", -signal.SIGKILL)
    assert "rendezvous: who has kept the place at 127.0.0.1, port" in text


def test_a_place_where_nobody_is(world):
    (error,) = met([replace(world, rank=1, start_timeout=0.3)])
    assert f"nobody answered at 127.0.0.1, port {world.master_port}" in str(error)


def test_listens_only_where_it_is_told(world, monkeypatch):
    (_, _), *_ = met([replace(world, rank=rank, is_host=rank == 0) for rank in range(3)])
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", world.master_port), timeout=1)
    with pytest.raises(MXNetError, match=r"cannot listen on 192\.0\.2\.1.*MXNOVA_DIST_LISTEN"):
        join(replace(world, is_host=True, master_address="192.0.2.1"))
    monkeypatch.setenv("MXNOVA_DIST_LISTEN", "127.0.0.3")
    there = replace(world, num_workers=1, is_host=True, master_address="192.0.2.1", master_port=0)
    store, _ = join(there)  # at an address that others reach, and this machine does not have
    del store


def test_a_port_that_is_taken_is_told(world):
    with (
        socket.create_server((world.master_address, world.master_port)),
        pytest.raises(MXNetError, match=f"port {world.master_port}: .*in use"),
    ):
        join(replace(world, is_host=True))


@pytest.mark.parametrize(
    "fields, address",
    [
        ({}, "127.0.0.1"),
        ({"master_address": "localhost"}, "127.0.0.1"),
        ({"node_address": "10.0.0.7"}, "10.0.0.7"),
        pytest.param(
            {"interface": "lo", "master_address": "192.0.2.1"},
            "127.0.0.1",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux's name and question"),
        ),
    ],
)
def test_others_reach_this_machine_by_the_way_to_the_master(world, fields, address):
    assert own_address(replace(world, **fields)) in (address, "::1")


def test_there_must_be_a_way(world):
    with pytest.raises(MXNetError, match="DMLC_INTERFACE='absent0' has no address"):
        own_address(replace(world, interface="absent0"))
    with pytest.raises(MXNetError, match="no way to no-such-host"):
        own_address(replace(world, master_address="no-such-host.invalid"))
