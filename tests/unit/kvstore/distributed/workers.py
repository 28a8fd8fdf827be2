# SPDX-License-Identifier: Apache-2.0
"""Functions run by several workers of one job, each in a process of its own."""

import os
import traceback

from tests.clean_processes import CLEAN_PROCESSES
from tests.ports import free_port


def run(n, function, *args, timeout=100, **variables):
    """What `function`, which stands in a module, returns on each of `n` workers.

    It is called with the worker's rank and `args`; an exception that it raises fails the test.
    """
    results = outcomes(n, function, *args, timeout=timeout, **variables)
    failed = [f"worker {i}: {text}" for i, (kind, text) in enumerate(results) if kind != "result"]
    assert not failed, "\n".join(failed)
    return [result for _, result in results]


def outcomes(n, function, *args, timeout=100, **variables):
    """For each worker ("result", value), ("error", traceback) or ("gone", exit code)."""
    workers = start(n, function, *args, **variables)
    try:
        return [_outcome(process, pipe, timeout) for process, pipe in workers]
    finally:
        for process, _ in workers:
            process.kill()
            process.join()


def start(n, function, *args, **variables):
    """The processes and pipes of `n` workers that have begun."""
    place = {"WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    workers = []
    for rank in range(n):
        here, there = CLEAN_PROCESSES.Pipe(duplex=False)
        environment = {**place, "RANK": str(rank), **variables}
        process = CLEAN_PROCESSES.Process(
            target=_work, args=(there, environment, function, rank, *args), daemon=True
        )
        process.start()
        there.close()
        workers.append((process, here))
    return workers


def _work(pipe, environment, function, *args):
    os.environ.update(environment)
    try:
        outcome = ("result", function(*args))
    except BaseException:  # noqa: BLE001 - told to the test
        outcome = ("error", traceback.format_exc())
    pipe.send(outcome)
    pipe.close()


def _outcome(process, pipe, timeout):
    try:
        if pipe.poll(timeout):
            return pipe.recv()
    except EOFError:
        process.join(timeout)
        return "gone", process.exitcode
    return "gone", f"not finished after {timeout} s"
