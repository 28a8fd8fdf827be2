# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova launch``, with the names of MXNet's launch.py."""

from __future__ import annotations

from types import SimpleNamespace

import click

from ..command import FILE, PATH, Argument, Command, Count, Option


def _check(options: SimpleNamespace) -> str | None:
    return None if options.line else "which command? mxnova launch -n 2 python train.py"


command = Command(
    "launch",
    "launch:launch",
    [
        Option("-n", "--num-workers", type=Count(1), required=True, metavar="WORKERS",
               help="Processes to start."),
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
        Argument("line", "what every process runs", nargs=-1, type=PATH,
                 metavar="COMMAND [ARGUMENT ...]"),
    ],
    [
        "mxnova launch -n 2 python train.py --epochs 3",
        "mxnova launch -n 4 -H hosts.txt --max-restarts 2 train.py",
    ],
    check=_check,
    context_settings={"allow_interspersed_args": False},
    epilog="The command finds `import mxnet` as under `mxnova run` when it runs here; a .py file "
    "is run by this Python. The first process that fails ends the job, and gives it its status.",
)  # fmt: skip
