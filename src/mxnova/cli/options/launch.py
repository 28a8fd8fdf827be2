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
               help="Processes to start (default: --max)."),
        Option("--min", type=Count(1), metavar="N",
               help="Go on without workers that have gone, as long as so many are left."),
        Option("--max", type=Count(1), metavar="N",
               help="Take more workers, up to so many: SIGUSR1 to this process adds one."),
        Option("-s", "--num-servers", type=Count(0), metavar="SERVERS",
               help="Starts none: workers share the values among them."),
        Option("--launcher", type=click.Choice(["local", "ssh", "mpi"]),
               help="Where: on this machine, or on those of --hostfile (default: ssh with "
               "--hostfile, else local)."),
        Option("-H", "--hostfile", type=FILE, metavar="FILE",
               help="Machines, one a line: name or name:port."),
        Option("--sync-dst-dir", metavar="DIR",
               help="ssh: copy the current directory there first, and run the command there."),
        Option("--env", multiple=True, metavar="NAME",
               help="ssh, mpi: pass this variable on; repeatable."),
        Option("--env-worker", multiple=True, metavar="NAME:VALUE",
               help="A variable of workers; repeatable."),
        Option("--env-server", multiple=True, metavar="NAME:VALUE",
               help="A variable of servers, of which there are none; repeatable."),
        Option("-p", "--p3", is_flag=True,
               help="Has no effect: parameters are always exchanged by priority."),
        Option("--max-restarts", type=Count(0), default=0, metavar="N",
               help="Start all again when a worker has failed, at most so often (default: 0)."),
        Option("--report", is_flag=True,
               help="Show how long the steps of each worker take, at the end."),
        Option("--report-json", type=FILE, metavar="FILE",
               help="Write that report to a file."),
        Argument("line", "what every process runs", nargs=-1, type=PATH,
                 metavar="COMMAND [ARGUMENT ...]"),
    ],
    [
        "mxnova launch -n 2 python train.py --epochs 3",
        "mxnova launch --min 1 --max 4 --report python train.py",
        "mxnova launch -n 4 -H hosts.txt --max-restarts 2 train.py",
    ],
    check=_check,
    context_settings={"allow_interspersed_args": False},
    epilog="The command finds `import mxnet` as under `mxnova run` when it runs here; a .py file "
    "is run by this Python. The first process that fails ends the job, and gives it its status.",
)  # fmt: skip
