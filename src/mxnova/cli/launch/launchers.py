# SPDX-License-Identifier: Apache-2.0
"""Command lines that start the processes of a job: here, by ssh, or by mpirun."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

import mxnova

from ...core.base.cores import share_of_cores
from ...core.base.errors import MXNetError
from ..environment import PACKAGE
from .job import Host, Job, Part

__all__ = ["LAUNCHERS", "copy_to_hosts"]

# What ssh runs: the command in a session of its own, which is ended when the launcher, and with it
# ssh and its standard input, has gone. The first line of that is the job's secret.
_REMOTE = """\
cd {folder} || exit 1
read -r MXNOVA_JOB_SECRET && export MXNOVA_JOB_SECRET
exec 3<&0
setsid env {variables} sh -c {command} </dev/null 3<&- &
job=$!
{{ cat <&3 >/dev/null; kill -TERM -$job; sleep {grace:g}; kill -KILL -$job; }} >/dev/null 2>&1 &
watch=$!
wait $job
status=$?
kill $watch 2>/dev/null
exit $status"""


def _local(job: Job, common: dict[str, str]) -> Iterator[Part]:
    ours = {"PYTHONPATH": _python_path(), "MXNOVA_JOB_SECRET": job.secret}
    if "OMP_NUM_THREADS" not in os.environ:
        ours["OMP_NUM_THREADS"] = str(share_of_cores(job.num_workers))
    is_script = job.command[0].endswith(".py") and not os.access(job.command[0], os.X_OK)
    command = [sys.executable, *job.command] if is_script else job.command
    for rank in range(job.num_workers):
        told = ours | job.variables | common | {"DMLC_WORKER_ID": str(rank)}
        yield Part(f"worker {rank}", command, told)


def _python_path() -> str:
    """With the package `mxnet`, as children of ``mxnova run`` have it."""
    ours = os.path.dirname(os.path.dirname(os.path.realpath(mxnova.__file__)))
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    last = [] if ours in map(os.path.realpath, [*sys.path, *given]) else [ours]
    return os.pathsep.join([str(PACKAGE), *filter(None, given), *last])


def _ssh(job: Job, common: dict[str, str]) -> Iterator[Part]:
    for rank in range(job.num_workers):
        host = job.hosts[rank % len(job.hosts)]
        told = job.variables | common | {"DMLC_WORKER_ID": str(rank)}
        command = [*_ssh_to(host), _script(job, told)]
        yield Part(f"worker {rank} on {host.name}", command, first_line=job.secret)


def _ssh_to(host: Host) -> list[str]:
    port = [] if host.port is None else ["-p", str(host.port)]
    return ["ssh", "-o", "BatchMode=yes", *port, "--", host.name]


def _script(job: Job, variables: Mapping[str, str]) -> str:
    # One word is a line already, as in: mxnova launch -n 2 'source env.sh && python train.py'
    line = job.command[0] if len(job.command) == 1 else shlex.join(job.command)
    if job.is_elastic:  # the shell stays until its command has ended, which the signal reaches, too
        line = f"trap : TERM; {line}"
    return _REMOTE.format(
        folder=shlex.quote(job.folder),
        variables=shlex.join(f"{name}={value}" for name, value in variables.items()),
        command=shlex.quote(line),
        grace=job.grace,
    )


def copy_to_hosts(job: Job) -> None:
    """Copies the current directory to `job.folder` of every host.

    Raises:
        MXNetError: that failed for one.
    """
    for host in dict.fromkeys(job.hosts):
        remote = shlex.join(_ssh_to(host)[:-2])  # rsync adds the host
        target = f"{host.name}:{job.folder.rstrip('/')}/"
        try:
            done = subprocess.run(["rsync", "-az", "-e", remote, "--", "./", target], check=False)
        except OSError as error:
            raise MXNetError(f"launch: --sync-dst-dir: rsync: {error.strerror}") from None
        if done.returncode:
            raise MXNetError(f"launch: rsync to {target} ended with status {done.returncode}")


def _mpi(job: Job, common: dict[str, str]) -> Iterator[Part]:
    """One mpirun, whose processes agree on their ranks."""
    told = (job.variables | common).items()
    is_open_mpi = _is_open_mpi()
    pairs = [("-x", f"{k}={v}") if is_open_mpi else ("-env", k, v) for k, v in told]
    if is_open_mpi:  # others pass the whole environment on
        pairs.append(("-x", "MXNOVA_JOB_SECRET"))
    hosts = ["--hostfile", str(job.hostfile)] if job.hostfile else []
    count = str(job.num_workers)
    command = ["mpirun", "-n", count, *hosts, *chain(*pairs), *job.command]
    yield Part("mpirun", command, {"MXNOVA_JOB_SECRET": job.secret})


def _is_open_mpi() -> bool:
    try:
        asked = subprocess.run(
            ["mpirun", "--version"], capture_output=True, text=True, check=False, timeout=60
        )
    except OSError as error:
        raise MXNetError(f"launch: --launcher mpi: mpirun: {error.strerror}") from None
    return "Open MPI" in asked.stdout or "OpenRTE" in asked.stdout


# launcher -> the processes of a job, from it and the variables that all of them are told
LAUNCHERS: dict[str, Callable[[Job, dict[str, str]], Iterator[Part]]] = {
    "local": _local,
    "ssh": _ssh,
    "mpi": _mpi,
}
