# SPDX-License-Identifier: Apache-2.0
"""The file systems of fsspec behind URLs."""

from __future__ import annotations

import errno
import os
import re
import sys
import weakref
from typing import Any, NamedTuple

from mxnova.core.base.errors import FileError, MXNetError
from mxnova.core.base.packages import missing_package

from .failures import file_error, retried
from .settings import Settings

__all__ = ["Place", "located"]

_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "http": "aiohttp",
    "https": "aiohttp",
    "hdfs": "pyarrow",
    "webhdfs": "requests",
    "abfs": "adlfs",
    "az": "adlfs",
}
_OF_EXTRA = ("fsspec", "aiohttp")
_WHOLE_PUTS = {"s3", "s3a", "gs", "gcs", "abfs", "az", "memory", "http", "https"}


class Place(NamedTuple):
    """Where an object is.

    Attributes:
        url: as the user wrote it.
        files: fsspec's file system.
        path: of the object in there.
        settings: how it is asked.
    """

    url: str
    files: Any
    path: str
    settings: Settings

    @property
    def is_http(self) -> bool:
        """Whether fsspec's file system is that of servers of HTTP."""
        return "http" in self._protocols

    @property
    def puts_whole(self) -> bool:
        """Whether what is being written cannot be seen before it is complete."""
        return not _WHOLE_PUTS.isdisjoint(self._protocols)

    @property
    def _protocols(self) -> tuple[str, ...]:
        protocol = self.files.protocol
        return (protocol,) if isinstance(protocol, str) else tuple(protocol)

    def info(self) -> dict[str, Any]:
        """What the store knows of the object now.

        Raises:
            FileError: there is none, or the store fails.
        """

        def ask() -> dict[str, Any]:
            self.files.invalidate_cache(self.path)
            found: dict[str, Any] = self.files.info(self.path)
            return found

        return retried(ask, self.url, self.settings)


def located(url: str) -> Place:
    """Where `url` leads.

    Raises:
        MXNetError: a package is not installed that is needed for it.
        FileError: it is no URL of a known store.
    """
    settings = Settings.of_environment()
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MXNetError(f"{url}: {_missing('fsspec')}") from None
    try:
        files, path = url_to_fs(url)
    except ImportError as error:
        scheme = re.split("::|://", url)[0].lower()
        package = _PACKAGES.get(scheme)
        raise MXNetError(f"{url}: {_missing(package) if package else error}") from None
    except ValueError as error:
        raise FileError(errno.EINVAL, str(error), url) from None
    except Exception as error:  # noqa: BLE001 - each store has classes of its own
        raise file_error(error, url) from None
    _located[id(files)] = files
    return Place(url, files, path, settings)


def _missing(package: str) -> str:
    text = missing_package(package, "remote")
    return text if package in _OF_EXTRA else f"{text} {package}"


# fsspec forgets its file systems in a forked process, and closes their connections there: in the
# queue of events that it shares with the process before, which then waits for ever. So a forked
# process keeps those that were there; they are held before it, as fsspec's hook may be first in it.
_located: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_inherited: list[list[Any]] = []


def _hold() -> None:
    registry = sys.modules.get("fsspec.registry")
    kinds = list(registry.registry.values()) if registry else []
    cached = [files for kind in kinds for files in list(getattr(kind, "_cache", {}).values())]
    _inherited.append([*cached, *(reference() for reference in _located.valuerefs())])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_inherited.pop)
