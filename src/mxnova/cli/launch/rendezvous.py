# SPDX-License-Identifier: Apache-2.0
"""The rendezvous address of a job: at the launcher, as at MXNet's scheduler."""

from __future__ import annotations

import os
from typing import Any

from ...core.base import env
from ...core.base.addresses import address_toward, listen, own_address
from ...core.base.errors import ArgumentError, MXNetError
from .job import Job
from .output import Output

__all__ = ["Place"]


class Place:
    """An open port, and from the first visitor on a store behind it.

    DMLC_PS_ROOT_URI and DMLC_PS_ROOT_PORT choose address and port, as for MXNet's launcher.

    Attributes:
        variables: that tell processes of the job where it is.
    """

    def __init__(self, job: Job) -> None:
        address = os.environ.get("DMLC_PS_ROOT_URI") or _address(job)
        here = env.get("MXNOVA_DIST_LISTEN") or address
        port = os.environ.get("DMLC_PS_ROOT_PORT") or "0"
        if not port.isdigit() or int(port) > 65535:
            raise ArgumentError(f"launch: DMLC_PS_ROOT_PORT={port!r}: must be the number of a port")
        try:
            self._listener = listen(here, int(port))
        except OSError as error:
            raise MXNetError(f"launch: cannot listen on {here}, port {port}: {error}") from None
        self.variables = {
            "DMLC_PS_ROOT_URI": address,
            "DMLC_PS_ROOT_PORT": str(self._listener.getsockname()[1]),
        }
        self._timeout = env.get("MXNOVA_DIST_TIMEOUT")
        self._store: Any = None

    def open_on_demand(self, output: Output) -> None:
        """Has `output` open the store when somebody comes."""
        if self._store is None:
            output.once(self._listener.fileno(), self._open)

    def told_steps(self, attempt: int, num_workers: int) -> dict[int, bytes]:
        """What workers of an attempt have told about their steps, by rank."""
        keys = {rank: f"mxnova/{attempt}/steps/{rank}" for rank in range(num_workers)}
        if self._store is None:
            return {}
        return {r: self._store.get(key) for r, key in keys.items() if self._store.check([key])}

    def _open(self) -> None:
        from ...kvstore.distributed.rendezvous import host  # takes a second: it needs PyTorch

        self._store = host(self._listener, self._timeout)


def _address(job: Job) -> str:
    """Return the address of this machine on the route to the job's machines."""
    if job.launcher == "local":
        return "127.0.0.1"
    if not job.hosts:
        return own_address()
    other = job.hosts[0].name.rpartition("@")[2]
    try:
        return address_toward(other)
    except OSError as error:
        raise MXNetError(
            f"launch: {other}: {error}; DMLC_PS_ROOT_URI tells by which address its processes "
            "reach this machine"
        ) from None
