# SPDX-License-Identifier: Apache-2.0
"""The processes of a job, their roles, and the environment variables of each."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from ...core.base import env
from ...core.base.errors import ArgumentError, shown
from ...formats.source import read_file

__all__ = ["Host", "Job", "Part", "job_of"]

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


def job_of(options: SimpleNamespace) -> Job:
    """The job that the options of ``mxnova launch`` describe.

    Raises:
        ArgumentError: options do not go together, or have values that they cannot have.
        FileError: the host file cannot be read.
    """
    launcher = options.launcher or ("ssh" if options.hostfile else "local")
    hosts = _hosts(options.hostfile) if options.hostfile else []
    if launcher == "local" and hosts:
        raise ArgumentError("launch: --hostfile: is for other machines: --launcher ssh or mpi")
    if launcher == "ssh" and not hosts:
        raise ArgumentError("launch: --launcher ssh: needs machines: --hostfile")
    if options.sync_dst_dir and launcher != "ssh":
        raise ArgumentError("launch: --sync-dst-dir: is for --launcher ssh")
    _pairs("--env-server", options.env_server)
    told = {**_passed(options.env), **_pairs("--env-worker", options.env_worker)}
    secret = told.pop(_SECRET, "") or env.get(_SECRET) or secrets.token_hex(32)
    return Job(
        launcher,
        options.line,
        options.num_workers,
        {
            **told,
            "DMLC_ROLE": "worker",
            "DMLC_NUM_WORKER": str(options.num_workers),
            "DMLC_NUM_SERVER": str(options.num_servers or 0),
            "DMLC_JOB_CLUSTER": launcher,
        },
        secret,
        hosts,
        options.hostfile,
        options.sync_dst_dir or os.getcwd(),
        bool(options.sync_dst_dir),
    )


def _hosts(path: Path) -> list[Host]:
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
