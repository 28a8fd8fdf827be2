# SPDX-License-Identifier: Apache-2.0
"""Peers of several processes: the first answers the harness, the others do what it does.

``python -m benchmarks.group SUBJECT PEER OPTIONS`` is one of the others. It is told what to do by
lines on stdin, and ends with them.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.inputs import import_mx
from benchmarks.subject import Case, Options, find, runtime_of

__all__ = ["environments", "led"]

Makers = Mapping[str, Callable[[], Case]]

_PATIENCE = 5.0  # seconds that servers have to end with their workers


def environments(peer: str, n_workers: int) -> list[dict[str, str]]:
    """Variables of the processes of a peer, of one thread each; the first ones are its workers.

    MXNet needs a scheduler, and has as many servers as workers.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    count = str(n_workers)
    if runtime_of(peer) != "mxnet":
        job = {"WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        return [{**job, "RANK": str(rank), "OMP_NUM_THREADS": "1"} for rank in range(n_workers)]
    job = {
        "DMLC_PS_ROOT_URI": "127.0.0.1",
        "DMLC_PS_ROOT_PORT": port,
        "DMLC_NUM_WORKER": count,
        "DMLC_NUM_SERVER": count,
    }
    roles = [*["worker"] * n_workers, *["server"] * n_workers, "scheduler"]
    return [{**job, "DMLC_ROLE": role, "OMP_NUM_THREADS": "1"} for role in roles]


def led(makers: Makers, variables: Sequence[Mapping[str, str]], arguments: Sequence[str]) -> Makers:
    """Makers of cases in which other processes do what this one does.

    Args:
        makers: of the subject.
        variables: of all processes, the first of which is this one.
        arguments: subject, peer and options of all.
    """
    os.environ.update(variables[0])
    command = [sys.executable, "-m", "benchmarks.group", *arguments]
    others = [
        subprocess.Popen(command, env={**os.environ, **own}, stdin=subprocess.PIPE, text=True)
        for own in variables[1:]
    ]

    def tell(text: str) -> None:
        for other in others:
            assert other.stdin is not None  # noqa: S101 - for mypy
            other.stdin.write(text + "\n")
            other.stdin.flush()

    def end() -> None:
        for other in others:
            assert other.stdin is not None  # noqa: S101 - for mypy
            other.stdin.close()

    def telling(text: str, act: Callable[[], Any] | None) -> Any:
        def tell_and_act() -> Any:
            tell(text)
            return act()  # type: ignore[misc]

        return None if act is None else tell_and_act

    def maker(name: str) -> Case:
        tell(name)
        case = makers[name]()
        atexit.unregister(end)
        atexit.register(end)  # so that it precedes the end of the store, which waits for the others
        return replace(
            case,
            statement=telling("statement", case.statement),  # type: ignore[arg-type]
            finish=telling("finish", case.finish),
            output=telling("output", case.output),
        )

    return {name: lambda name=name: maker(name) for name in makers}  # type: ignore[misc]


def _follow(makers: Makers) -> None:
    case: Any = None
    for line in sys.stdin:
        word = line.strip()
        if word in makers:
            case = makers[word]()
        else:
            getattr(case, word)()


def _end_with_stdin() -> None:
    sys.stdin.read()
    time.sleep(_PATIENCE)
    os._exit(0)


def main() -> None:
    subject, peer, options = sys.argv[1:]
    if os.environ.get("DMLC_ROLE", "worker") == "worker":
        _follow(find(subject).cases(peer, Options(**json.loads(options))))
        return
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        import_mx(peer)  # serves until all workers have ended
    finally:
        os._exit(0)  # at its own end MXNet's scheduler hangs now and then


if __name__ == "__main__":
    main()
