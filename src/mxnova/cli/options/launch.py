# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova launch``, with the names of MXNet's launch.py."""

from __future__ import annotations

from types import SimpleNamespace

import click

from ..command import FILE, PATH, Argument, Command, Count, Option


def _check(options: SimpleNamespace) -> str | None:
    if not options.line:
        return "which command? mxnova launch -n 2 python train.py"
    if options.num_workers is options.min is options.max is None:
        return "how many processes? -n/--num-workers, or --min and --max"
    return None


command = Command(
    "launch",
    "launch:launch",
    [
        Option("-n", "--num-workers", type=Count(1), metavar="WORKERS",
               help="Number of processes (default: --max)."),
        Option("--min", type=Count(1), metavar="N",
               help="Continue after workers have left, while at least N remain."),
        Option("--max", type=Count(1), metavar="N",
               help="Accept new workers, up to N in all; SIGUSR1 to this process adds one."),
        Option("-s", "--num-servers", type=Count(0), metavar="SERVERS",
               help="Accepted for compatibility: no servers are started; workers hold the values."),
        Option("--launcher", type=click.Choice(["local", "ssh", "mpi"]),
               help="How to start processes: local on this machine; ssh or mpi on those of "
               "--hostfile (default: ssh with --hostfile, else local)."),
        Option("-H", "--hostfile", type=FILE, metavar="FILE",
               help="File of machines, one per line: name or name:port."),
        Option("--sync-dst-dir", metavar="DIR",
               help="With ssh: copy the current directory to DIR on each machine, and run the "
               "command there."),
        Option("--env", multiple=True, metavar="NAME",
               help="With ssh or mpi: environment variable to pass on; repeatable."),
        Option("--env-worker", multiple=True, metavar="NAME:VALUE",
               help="Environment variable of the workers; repeatable."),
        Option("--env-server", multiple=True, metavar="NAME:VALUE",
               help="Accepted for compatibility, without effect; repeatable."),
        Option("-p", "--p3", is_flag=True,
               help="Accepted for compatibility: parameters are always exchanged by priority."),
        Option("--max-restarts", type=Count(0), default=0, metavar="N",
               help="Restart the job at most N times after a worker has failed (default: 0)."),
        Option("--report", is_flag=True,
               help="At the end, show how long the steps of each worker took."),
        Option("--report-json", type=FILE, metavar="FILE",
               help="Write this report to a file."),
        Argument("line", "command that each process runs", nargs=-1, type=PATH,
                 metavar="COMMAND [ARGUMENT ...]"),
    ],
    [
        "mxnova launch -n 2 python train.py --epochs 3",
        "mxnova launch --min 1 --max 4 --report python train.py",
        "mxnova launch -n 4 -H hosts.txt --max-restarts 2 train.py",
    ],
    check=_check,
    context_settings={"allow_interspersed_args": False},
    epilog="As under `mxnova run`, `import mxnet` imports mxnova in local processes. A .py file "
    "is run by this Python. The first process that fails ends the job, whose exit status "
    "is that of this process.",
)  # fmt: skip
