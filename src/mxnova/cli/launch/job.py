# SPDX-License-Identifier: Apache-2.0
"""The processes of a job, their roles, and the environment variables of each."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

from ...core.base import env
from ...core.base.errors import ArgumentError, shown
from ...formats.source import read_file

__all__ = ["Host", "Job", "Part", "hosts_of", "job_of"]

_SECRET = "MXNOVA_JOB_SECRET"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"  # not a dash in front, which would make it an option
_HOST = re.compile(rf"({_PART}@)?({_PART}|\[?[0-9A-Fa-f:]+\]?)")


@dataclass(frozen=True)
class Part:
    """A child process of the launcher.

    Attributes:
        name: that it has in messages, such as ``worker 0``.
        command: its words.
        variables: of its environment, beside the launcher's own.
        first_line: of its standard input, which is held open then, so that it ends with the
            launcher; None: it has no such input.
    """

    name: str
    command: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    first_line: str | None = None


@dataclass(frozen=True)
class Host:
    """A machine of a host file: its name, as ssh takes it, and the port of its sshd."""

    name: str
    port: int | None = None


@dataclass(frozen=True)
class Job:
    """The options of a job.

    Attributes:
        launcher: ``local``, ``ssh`` or ``mpi``.
        command: its words.
        num_workers: processes.
        variables: that all of them are told.
        secret: by which they know each other; it stands on no command line.
        hosts: of the host file, whose path is `hostfile`.
        folder: where the command runs on other machines.
        sync: whether the current directory is copied there before.
        limits: how many processes an elastic job may have; (0, 0): all or none.
    """

    launcher: str
    command: Sequence[str]
    num_workers: int
    variables: dict[str, str]
    secret: str
    hosts: Sequence[Host] = ()
    hostfile: Path | None = None
    folder: str = "."
    sync: bool = False
    limits: tuple[int, int] = (0, 0)

    @property
    def is_elastic(self) -> bool:
        """Whether workers may go and come."""
        return self.limits != (0, 0)

    @property
    def grace(self) -> float:
        """Seconds from the request to end to the end: elastic jobs need a step and a checkpoint."""
        return 30.0 if self.is_elastic else 5.0

    def hosts_of_ranks(self) -> Iterator[Host]:
        """The machine of each process, which are dealt out in turns; none on this machine."""
        if self.hosts:
            yield from (self.hosts[rank % len(self.hosts)] for rank in range(self.num_workers))

    def resized(self, num_workers: int, hosts: Sequence[Host]) -> Job:
        """The same job with other processes, on a machine each."""
        variables = {**self.variables, "DMLC_NUM_WORKER": str(num_workers)}
        return replace(self, num_workers=num_workers, hosts=hosts, variables=variables)


def job_of(options: SimpleNamespace) -> Job:
    """The job that the options of ``mxnova launch`` describe.

    Raises:
        ArgumentError: options do not go together, or have values that they cannot have.
        FileError: the host file cannot be read.
    """
    launcher = options.launcher or ("ssh" if options.hostfile else "local")
    hosts = hosts_of(options.hostfile) if options.hostfile else []
    if launcher == "local" and hosts:
        raise ArgumentError("launch: --hostfile: is for other machines: --launcher ssh or mpi")
    if launcher == "ssh" and not hosts:
        raise ArgumentError("launch: --launcher ssh: needs machines: --hostfile")
    if options.sync_dst_dir and launcher != "ssh":
        raise ArgumentError("launch: --sync-dst-dir: is for --launcher ssh")
    _pairs("--env-server", options.env_server)
    num_workers, limits = _sizes(options, launcher)
    told = {**_passed(options.env), **_pairs("--env-worker", options.env_worker)}
    secret = told.pop(_SECRET, "") or env.get(_SECRET) or secrets.token_hex(32)
    return Job(
        launcher,
        options.line,
        num_workers,
        {
            **told,
            "DMLC_ROLE": "worker",
            "DMLC_NUM_WORKER": str(num_workers),
            "DMLC_NUM_SERVER": str(options.num_servers or 0),
            "DMLC_JOB_CLUSTER": launcher,
        },
        secret,
        hosts,
        options.hostfile,
        options.sync_dst_dir or os.getcwd(),
        bool(options.sync_dst_dir),
        limits,
    )


def _sizes(options: SimpleNamespace, launcher: str) -> tuple[int, tuple[int, int]]:
    """How many processes a job begins with, and may have: at least, at most."""
    if options.min is None and options.max is None:
        if options.num_workers is None:
            raise ArgumentError("launch: how many processes? -n/--num-workers, or --min and --max")
        return options.num_workers, (0, 0)
    wrong = "--max-restarts" if options.max_restarts else "--launcher mpi"
    if options.max_restarts or launcher == "mpi":
        raise ArgumentError(f"launch: --min, --max: do not go with {wrong}")
    low, high = options.min or 1, options.max or options.num_workers or options.min
    n = options.num_workers or high
    if not low <= n <= high:
        raise ArgumentError(f"launch: --min {low} --max {high}: -n {n}: must be between them")
    return n, (low, high)


def hosts_of(path: Path) -> list[Host]:
    """The machines of a host file.

    Raises:
        ArgumentError: it names none, or a line has none.
        FileError: it cannot be read.
    """
    hosts = []
    for number, line in enumerate(read_file(path).decode(errors="replace").splitlines(), 1):
        words = line.partition("#")[0].split()  # what follows a name, such as slots=2, is MPI's
        if not words:
            continue
        name, colon, port = words[0].rpartition(":")
        if not colon or ":" in name.strip("[]") or not port.isdigit():
            name, port = words[0], ""
        if not _HOST.fullmatch(name) or (port and not 0 < int(port) < 65536):
            raise ArgumentError(
                f"launch: {path}, line {number}: {shown(words[0])}: must be a name or name:port"
            )
        hosts.append(Host(name, int(port) if port else None))
    if not hosts:
        raise ArgumentError(f"launch: {path}: names no machine")
    return hosts


def _passed(names: Sequence[str]) -> dict[str, str]:
    """Variables of this process by name; ``NAME:VALUE`` is understood, too."""
    passed: dict[str, str] = {}
    for name in names:
        if ":" in name or "=" in name:
            passed |= _pairs("--env", [name])
        elif name not in os.environ:
            raise ArgumentError(f"launch: --env {shown(name)}: there is no such variable here")
        else:
            passed[name] = os.environ[name]
    return passed


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, _, value = text.partition(":" if ":" in text.partition("=")[0] else "=")
        if not _NAME.fullmatch(name) or len(name) == len(text):
            raise ArgumentError(f"launch: {option} {shown(text)}: must be NAME:VALUE")
        pairs[name] = value
    return pairs
