# SPDX-License-Identifier: Apache-2.0
"""Processes that accept from one socket; the others of a server are rows of the file they share."""

import asyncio
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("uvloop")
pytest.importorskip("fcntl")

OTHER = 1  # a row of another process, as this one takes the first


class Kept(asyncio.Protocol):
    """A connection that counts as uvicorn's do, and hears of shutdown."""

    made = ()

    def __init__(self):
        Kept.made += (self,)
        self.is_told = False

    def shutdown(self):
        self.is_told = True


def run(test, tmp_path, monkeypatch, moment=3600):
    """Runs an asynchronous test with a server, its shares and its address."""
    from mxnova.serve import connections

    monkeypatch.setattr(connections, "_MOMENT", moment)
    Kept.made = ()

    async def main(loop, listener):
        server = await loop.create_server(Kept, sock=listener)
        try:
            return await asyncio.wait_for(test(server, loop.shares, listener.getsockname()), 60)
        finally:
            server.close()
            await server.wait_closed()

    loop = connections.Loop(connections.Shares(tmp_path / "shares"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        try:
            loop.run_until_complete(main(loop, listener))
        finally:
            loop.close()


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


async def connected(address):
    return (await asyncio.open_connection(*address))[1]


def test_a_process_takes_what_it_has_no_more_of_than_others(tmp_path, monkeypatch):
    async def test(server, shares, address):
        shares._rows[OTHER] = 1 + 2
        clients = [await connected(address) for _ in range(5)]
        await until(lambda: server._timer is not None)  # it leaves one to the other
        assert len(Kept.made) == 3
        shares._rows[OTHER] = 1 + 4  # which takes two more than were left to it
        server._watch()
        await until(lambda: len(Kept.made) == 5)
        for client in clients:
            client.close()

    run(test, tmp_path, monkeypatch)


def test_what_no_other_process_takes_is_taken(tmp_path, monkeypatch):
    async def test(server, shares, address):
        shares._rows[OTHER] = 1  # it is busy, or dead
        clients = [await connected(address) for _ in range(5)]
        await until(lambda: len(Kept.made) == 5)
        for client in clients:
            client.close()

    run(test, tmp_path, monkeypatch, moment=0.001)


def test_a_process_that_stopped_is_waited_for_no_more_until_it_goes_on(tmp_path, monkeypatch):
    async def test(server, shares, address):
        shares._rows[OTHER] = 1  # it is stopped
        clients = [await connected(address)]
        await until(lambda: len(Kept.made) == 1)
        server._looks = connections._MOST_LOOKS
        server._more = 2
        clients.append(await connected(address))
        await until(lambda: len(Kept.made) == 2)
        clients += [await connected(address) for _ in range(3)]
        await until(lambda: len(Kept.made) == 5)
        assert server._timer is None
        shares._rows[OTHER] = 2  # it goes on
        clients.append(await connected(address))
        await until(lambda: server._timer is not None)
        assert len(Kept.made) == 5
        for client in clients:
            client.close()

    from mxnova.serve import connections

    run(test, tmp_path, monkeypatch)


def test_connections_that_end_count_no_more(tmp_path, monkeypatch):
    async def test(server, shares, address):
        client = await connected(address)
        await until(lambda: len(Kept.made) == 1)
        shares._rows[OTHER] = 1
        assert shares.are_exceeded()
        shares.count(-1)  # as `server.Protocol` says
        assert not shares.are_exceeded()
        client.close()

    run(test, tmp_path, monkeypatch)


def test_a_server_that_stops_takes_what_waits_for_it(tmp_path, monkeypatch):
    async def test(server, shares, address):
        shares._rows[OTHER] = 1
        clients = [await connected(address) for _ in range(3)]
        await until(lambda: server._timer is not None)
        server.close()
        await server.wait_closed()
        assert [protocol.is_told for protocol in Kept.made] == [False, True, True]
        assert list(shares._rows[:2]) == [0, 1]  # others do not wait for it
        shares.count(-1)  # one of those that it still has ends
        assert shares._rows[0] == 0
        shares._rows[OTHER] = 0  # the other stops, too
        assert not shares.are_exceeded()
        for client in clients:
            client.close()

    run(test, tmp_path, monkeypatch)


def test_a_process_that_can_open_no_more_files_says_so_and_tries_again(
    tmp_path, monkeypatch, caplog
):
    async def test(server, shares, address):
        class Full:
            def accept(self):
                raise OSError(24, "Too many open files")

        listener, server._listener = server._listener, Full()
        monkeypatch.setattr(server._loop, "remove_reader", lambda _: None)
        server._on_readable()
        (record,) = caplog.records
        assert "Too many open files" in record.getMessage()
        wait = server._timer.when() - server._loop.time()
        assert 0.5 < wait <= 1.001
        server._listener = listener
        client = await connected(address)
        server._watch()
        await until(lambda: len(Kept.made) == 1)
        client.close()

    run(test, tmp_path, monkeypatch, moment=0.001)


def test_a_connection_whose_protocol_fails_ends_and_counts_no_more(tmp_path, monkeypatch, caplog):
    async def test(server, shares, address):
        def fails():
            raise ValueError("no protocol")

        server._make = fails
        reader, writer = await asyncio.open_connection(*address)
        assert await reader.read() == b""
        await server.wait_closed()
        assert shares._rows[0] == 1
        assert "no protocol" in caplog.text
        writer.close()

    run(test, tmp_path, monkeypatch)


_JOINS = """
import sys
from pathlib import Path
from mxnova.serve.connections import Shares

shares = Shares(Path(sys.argv[1]))
shares.join()
shares.count(7)
print(shares._row, flush=True)
sys.stdin.readline()
shares.leave()
print(flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_processes_take_rows_of_their_own_and_those_of_dead_ones(tmp_path):
    from mxnova.serve.connections import Shares

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", _JOINS, tmp_path / "shares"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        return process, int(process.stdout.readline())

    first, second = start(), start()
    assert [first[1], second[1]] == [0, 1]
    first[0].kill()
    first[0].wait()
    third = start()
    assert third[1] == 0
    assert list(np.fromfile(tmp_path / "shares", np.int32)[:3]) == [8, 8, 0]
    third[0].stdin.write("\n")
    third[0].stdin.flush()
    third[0].stdout.readline()  # it has left, with seven connections
    fourth = start()
    assert fourth[1] == 2
    fourth[0].kill()
    fourth[0].communicate()
    assert list(np.fromfile(tmp_path / "shares", np.int32)[:3]) == [0, 8, 8]
    for process in (second[0], third[0]):
        process.kill()
        process.communicate()
    shares = Shares(tmp_path / "shares")
    shares.join()
    assert list(shares._rows[:3]) == [1, 8, 8]
    shares.forget_dead()
    assert list(shares._rows[:3]) == [1, 0, 0]
    shares.leave()
    first[0].communicate()


def test_the_file_has_all_its_bytes_before_it_is_mapped(tmp_path):
    from mxnova.serve.connections import Shares

    shares = Shares(tmp_path / "shares")
    os.close(shares.open())
    facts = os.stat(tmp_path / "shares")
    assert facts.st_size == 4096
    assert facts.st_blocks * 512 >= facts.st_size
