# SPDX-License-Identifier: Apache-2.0
"""How stores are asked, as environment variables say."""

from __future__ import annotations

from typing import NamedTuple

from mxnova.core.base import env

__all__ = ["Settings"]


class Settings(NamedTuple):
    """See ``MXNOVA_REMOTE_…`` in `core.base.env`; sizes are in bytes, times in seconds."""

    request_size: int
    read_ahead: int
    requests: int
    cache: int
    max_size: int
    retries: int
    timeout: float

    @classmethod
    def of_environment(cls) -> Settings:
        """What the variables say now.

        Raises:
            ArgumentError: one has a value that cannot be used.
        """
        return cls(*(env.get(f"MXNOVA_REMOTE_{name.upper()}") for name in cls._fields))
