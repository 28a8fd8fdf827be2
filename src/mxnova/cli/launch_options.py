# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova launch``, with the names of MXNet's launch.py."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

__all__ = ["add_launch"]


def add_launch(parser: argparse.ArgumentParser) -> None:
    """Those of ``mxnova launch``; what follows the first word that is none is the command."""
    add = parser.add_argument
    parser.usage = "mxnova launch [-h] -n WORKERS [OPTION ...] COMMAND [ARGUMENT ...]"
    parser.epilog = (
        "The command finds `import mxnet` as under `mxnova run` when it runs here; a .py file is "
        "run by this Python. The first process that fails ends the job, and gives it its status."
    )
    add("-n", "--num-workers", type=_count(1), metavar="WORKERS",
        help="processes to start (default: --max)")  # fmt: skip
    add("--min", type=_count(1), metavar="N",
        help="go on without workers that have gone, as long as so many are left")  # fmt: skip
    add("--max", type=_count(1), metavar="N",
        help="take more workers, up to so many: SIGUSR1 to this process adds one")  # fmt: skip
    add("-s", "--num-servers", type=_count(0), metavar="SERVERS",
        help="starts none: workers share the values among them")  # fmt: skip
    add("--launcher", choices=("local", "ssh", "mpi"),
        help="where: on this machine, or on those of --hostfile (default: ssh with --hostfile, "
        "else local)")  # fmt: skip
    add("-H", "--hostfile", type=Path, metavar="FILE",
        help="machines, one a line: name or name:port")  # fmt: skip
    add("--sync-dst-dir", metavar="DIR",
        help="ssh: copy the current directory there first, and run the command there")  # fmt: skip
    add("--env", action="append", default=[], metavar="NAME",
        help="ssh, mpi: pass this variable on; repeatable")  # fmt: skip
    add("--env-worker", action="append", default=[], metavar="NAME:VALUE",
        help="a variable of workers; repeatable")  # fmt: skip
    add("--env-server", action="append", default=[], metavar="NAME:VALUE",
        help="a variable of servers, of which there are none; repeatable")  # fmt: skip
    add("-p", "--p3", action="store_true",
        help="has no effect: parameters are always exchanged by priority")  # fmt: skip
    add("--max-restarts", type=_count(0), default=0, metavar="N",
        help="start all again when a worker has failed, at most so often (default: 0)")  # fmt: skip
    add("--report", action="store_true",
        help="show how long the steps of each worker take, at the end")  # fmt: skip
    add("--json", type=Path, metavar="FILE", help="write that report to a file")
    add("line", nargs=argparse.REMAINDER, metavar="COMMAND", help="what every process runs")
    parser.set_defaults(act=_act_launch)


def _count(low: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        number = int(text)
        if number < low:
            raise argparse.ArgumentTypeError(f"must be at least {low}, not {number}")
        return number

    return count


def _act_launch(options: argparse.Namespace) -> None:
    from .launch import launch

    options.line = options.line[options.line[:1] == ["--"] :]
    if not options.line:
        options.parser.error("which command? mxnova launch -n 2 python train.py")
    launch(options)
