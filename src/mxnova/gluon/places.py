# SPDX-License-Identifier: Apache-2.0
"""Where published weights and data sets come from: servers and folders, tried in their order."""

from __future__ import annotations

import errno
import os
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..core.base import env
from ..core.base.errors import FormatError, MissingFileError, MXNetError
from .utils import _get_repo_url, download

__all__ = ["HUB", "first_that_has", "places"]

HUB = "hf"  # Hugging Face's hub, which has other files than the published ones
_T = TypeVar("_T")


def places() -> list[str]:
    """The entries of MXNOVA_MIRRORS, then that of MXNET_GLUON_REPO; each once."""
    mirrors: str = env.get("MXNOVA_MIRRORS")
    return list(dict.fromkeys([*mirrors.split(), _get_repo_url()]))


def first_that_has(
    names: Sequence[str],
    accept: Callable[[str], _T],
    target: str,
    about: str,
    from_hub: Callable[[], _T] | None = None,
) -> _T:
    """What `accept` makes of a file, of the first place whose file it does not refuse.

    Args:
        names: paths below a place, of which any will do; servers are asked for the first only, in
            folders the last parts of the paths are looked for, too.
        accept: takes the path of a file, which it moves or copies; raises FormatError for another
            file than the published one.
        target: path that the file is to have in the end, for the message.
        about: what it is, and how to recognize it, for the message.
        from_hub: what gets it from the hub, if that is among the places.

    Raises:
        MissingFileError: no place has it; the text says what is wrong with each.
    """
    reasons = []
    for place in places():
        try:
            if place == HUB:
                if from_hub is None:
                    raise FormatError("the hub has none that mxnova knows")
                return from_hub()
            folder = _folder(place)
            if folder is not None:
                return accept(_in_folder(folder, names))
            with tempfile.TemporaryDirectory() as scratch:
                url = f"{place.rstrip('/')}/{names[0]}"
                return accept(download(url, path=os.path.join(scratch, names[0].split("/")[-1])))
        except (MXNetError, OSError, RuntimeError) as error:
            what = place if place == HUB else f"{place.rstrip('/')}/{names[0]}"
            reasons.append(f"{what} ({error.__cause__ or error})")
    raise MissingFileError(
        errno.ENOENT,
        f"{about} is missing, and none can be fetched from {'; '.join(reasons)}. Put the file "
        "there by hand, or name another place in MXNOVA_MIRRORS",
        target,
    )


def _folder(place: str) -> str | None:
    """The folder that a place is, None for a server."""
    parts = urllib.parse.urlsplit(place)
    if parts.scheme in ("http", "https"):
        return None
    if parts.scheme == "file":
        return urllib.request.url2pathname(parts.path)
    return os.path.expanduser(place)


def _in_folder(folder: str, names: Sequence[str]) -> str:
    """The path of a file by one of these names.

    Raises:
        FormatError: there is none.
    """
    for name in names:
        for path in (
            os.path.join(folder, *name.split("/")),
            os.path.join(folder, name.split("/")[-1]),
        ):
            if os.path.isfile(path):
                return path
    raise FormatError("there is no such file")
