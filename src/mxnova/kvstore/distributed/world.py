# SPDX-License-Identifier: Apache-2.0
"""Who takes part in a job and where they meet, as whoever started the processes tells by variables.

Understood are, the first that is there: MXNet's launchers (DMLC_ROLE and others), torchrun (RANK,
WORLD_SIZE, MASTER_ADDR, MASTER_PORT), srun of Slurm, and mpirun of Open MPI, MPICH and Intel MPI.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.base import env
from ...core.base.errors import ArgumentError, MXNetError, argument_error
from ...core.base.parameter_types import IntKind

__all__ = ["World", "find"]

_COUNT = IntKind("int", 1, 1 << 20)
_COUNT_OR_NONE = IntKind("int", 0, 1 << 20)
_PORT = IntKind("int", 1, 65535)

# Rank and number of processes, as the launchers of MPI name them.
_MPI = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"),
)


@dataclass(frozen=True)
class World:
    """The processes of a job, and the part of this one.

    Attributes:
        role: of this process: ``worker`` or ``scheduler``.
        rank: the number of a worker; None: they agree on it when they meet.
        num_workers: processes that compute.
        master_address: name or address of the machine where they meet.
        master_port: its port.
        is_host: whether this process opens that port; otherwise it connects to it.
        attempt: how often the job was restarted.
        interface: the network interface to be used, such as ``eth0``; empty: the one that leads to
            the master.
        node_address: by which others reach this process; empty: that of the interface.
        timeout: seconds after which a process that does not answer is taken for dead.
        start_timeout: seconds to wait for all processes at the start.
        source: what has told all this: ``DMLC``, ``torchrun``, ``Slurm`` or ``MPI``.
        is_reused: whether workers before these may have met there, in the same attempt.
    """

    role: str
    rank: int | None
    num_workers: int
    master_address: str
    master_port: int
    is_host: bool
    attempt: int = 0
    interface: str = ""
    node_address: str = ""
    timeout: float = 60.0
    start_timeout: float = 300.0
    source: str = "torchrun"
    is_reused: bool = False


def find(variables: Mapping[str, str] | None = None) -> World | None:
    """The world that a launcher has made; None: this process is alone.

    Args:
        variables: of the environment, by default this process's.

    Raises:
        ArgumentError: a variable is missing or has a value that it cannot have.
    """
    given = _Given(os.environ if variables is None else variables)
    for source, look in _SOURCES.items():
        told = look(given)
        if told is not None:
            return World(
                **{"role": "worker", **told},
                interface=given.text("DMLC_INTERFACE", ""),
                node_address=given.text("DMLC_NODE_HOST", ""),
                timeout=env.get("MXNOVA_DIST_TIMEOUT"),
                start_timeout=env.get("MXNOVA_DIST_START_TIMEOUT"),
                source=source,
            )
    return None


class _Given:
    """Variables with types; what is empty is not set."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def __contains__(self, name: str) -> bool:
        return bool(self._variables.get(name))

    def text(self, name: str, default: str | None = None, *, wanted_by: str = "") -> str:
        value = self._variables.get(name) or default
        if value is None:
            raise ArgumentError(f"environment: {name} is not set, which {wanted_by} needs")
        return value

    def number(
        self, name: str, kind: IntKind = _COUNT_OR_NONE, default: Any = None, *, wanted_by: str = ""
    ) -> int:
        if name not in self and default is not None:
            return int(default)
        text = self.text(name, wanted_by=wanted_by)
        try:
            return int(kind.parse(text))
        except ValueError as error:
            raise argument_error("environment", name, text, str(error)) from None

    def rank(self, name: str, count: int, count_name: str) -> int:
        value = self.number(name)
        if value >= count:
            reason = f"must be below {count_name}, which is {count}"
            raise argument_error("environment", name, value, reason)
        return value


def _by_dmlc(given: _Given) -> dict[str, Any] | None:
    """MXNet's: the scheduler is where all others meet, and has no part in the computation."""
    if "DMLC_ROLE" not in given and "DMLC_PS_ROOT_URI" not in given:
        return None
    role = given.text("DMLC_ROLE", "worker")
    if role not in ("worker", "scheduler"):  # servers, which end when they begin, need no world
        raise argument_error("environment", "DMLC_ROLE", role, "must be 'worker' or 'scheduler'")
    because = f"DMLC_ROLE={role}"
    count = given.number("DMLC_NUM_WORKER", _COUNT, wanted_by=because)
    rank = 0 if role == "scheduler" else None
    if rank is None and "DMLC_WORKER_ID" in given:
        rank = given.rank("DMLC_WORKER_ID", count, "DMLC_NUM_WORKER")
    return {
        "role": role,
        "rank": rank,
        "num_workers": count,
        "master_address": given.text("DMLC_PS_ROOT_URI", wanted_by=because),
        "master_port": given.number("DMLC_PS_ROOT_PORT", _PORT, wanted_by=because),
        "is_host": role == "scheduler",
        "attempt": given.number("DMLC_NUM_ATTEMPT", default=0),
    }


def _by_torchrun(given: _Given) -> dict[str, Any] | None:
    """torchrun's, and that of Kubernetes' PyTorchJob: rank 0 is the master, or torchrun itself."""
    if "RANK" not in given or "WORLD_SIZE" not in given:
        return None
    count = given.number("WORLD_SIZE", _COUNT)
    rank = given.rank("RANK", count, "WORLD_SIZE")
    has_agent = given.text("TORCHELASTIC_USE_AGENT_STORE", "False") == "True"
    return {
        "rank": rank,
        "num_workers": count,
        "master_address": given.text("MASTER_ADDR", wanted_by="RANK"),
        "master_port": given.number("MASTER_PORT", _PORT, wanted_by="RANK"),
        "is_host": rank == 0 and not has_agent,
        # No attempt: agents that come or go begin none, and each counts its own.
        "is_reused": has_agent,
    }


def _by_slurm(given: _Given) -> dict[str, Any] | None:
    """A step of Slurm, which srun starts; a script of sbatch outside of a step is alone."""
    if "SLURM_PROCID" not in given or "SLURM_STEP_NUM_TASKS" not in given:
        return None
    count = given.number("SLURM_STEP_NUM_TASKS", _COUNT)
    if count == 1:
        return None
    rank = given.rank("SLURM_PROCID", count, "SLURM_STEP_NUM_TASKS")
    job = given.number("SLURM_JOB_ID", IntKind("int", 0, 1 << 40), default=0)
    step = given.number("SLURM_STEP_ID", IntKind("int", 0, 1 << 40), default=0)
    nodes = given.text("SLURM_STEP_NODELIST", "localhost")
    return {
        "rank": rank,
        "num_workers": count,
        "master_address": given.text("MASTER_ADDR", _first_node(nodes)),
        "master_port": given.number("MASTER_PORT", _PORT, default=_port(job * 31 + step)),
        "is_host": rank == 0,
        "attempt": given.number("SLURM_RESTART_COUNT", default=0),
    }


def _first_node(nodes: str) -> str:
    """The first name of a list such as ``gpu[003-005,9],login``, which is where rank 0 runs."""
    found = re.match(r"(?:[^\s,\[\]]|\[\d+[^\[\]]*\])+", nodes)
    if found is None:
        raise argument_error("environment", "SLURM_STEP_NODELIST", nodes, "names no node")
    return re.sub(r"\[(\d+)[^\]]*\]", r"\1", found[0])


def _by_mpi(given: _Given) -> dict[str, Any] | None:
    """What mpirun starts; across machines it must be told where rank 0 is."""
    for rank_name, count_name, local_name in _MPI:
        if rank_name not in given or count_name not in given:
            continue
        count = given.number(count_name, _COUNT)
        if count == 1:
            return None
        rank = given.rank(rank_name, count, count_name)
        is_local = given.number(local_name, default=0) == count
        if "MASTER_ADDR" not in given and not is_local:
            raise MXNetError(
                f"environment: {rank_name}={rank} of {count} processes on several machines: "
                "they need MASTER_ADDR, the address of rank 0, and MASTER_PORT; pass them on, "
                "such as by `mpirun -x MASTER_ADDR=... -x MASTER_PORT=...`"
            )
        return {
            "rank": rank,
            "num_workers": count,
            "master_address": given.text("MASTER_ADDR", "127.0.0.1"),
            "master_port": given.number("MASTER_PORT", _PORT, default=_port_of_mpi(given)),
            "is_host": rank == 0,
        }
    return None


def _port_of_mpi(given: _Given) -> int:
    """Another one for each mpirun that names its job: several may run on a machine."""
    if "PMIX_NAMESPACE" not in given:
        return 29500
    return _port(zlib.crc32(given.text("PMIX_NAMESPACE").encode(errors="replace")))


def _port(number: int) -> int:
    """One below 32768, where systems begin to give ports to connections."""
    return 10000 + number % 20000


_SOURCES = {"DMLC": _by_dmlc, "torchrun": _by_torchrun, "Slurm": _by_slurm, "MPI": _by_mpi}
