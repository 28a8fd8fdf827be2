# SPDX-License-Identifier: Apache-2.0
"""``mxnova download``: pretrained weights and data sets by their names."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

from ..core.base.progress import progress
from ..gluon.model_zoo import downloads
from .report import print_table, write_json

__all__ = ["download"]


def download(options: SimpleNamespace) -> None:
    """Fetches what is named, or shows the names.

    Args:
        options: name, list, root, places, json.

    Raises:
        ArgumentError: nothing has such a name; nothing is fetched then.
        MissingFileError: no place has a file.
    """
    if options.list:
        known = [{"name": name, "about": about} for name, about in downloads.names().items()]
        write_json({"names": known}) if options.json else print_table("names", known)
        return
    downloads.check(options.name)
    if options.places:
        os.environ["MXNOVA_MIRRORS"] = " ".join(map(_without_blanks, options.places))
    rows = []
    with progress() as tell:
        for name in options.name:
            tell(f"fetch {name}")
            rows += [
                {"name": name, "file": path, "bytes": os.path.getsize(path)}
                for path in downloads.fetch(name, options.root)
            ]
    write_json({"files": rows}) if options.json else print_table("files", rows)


def _without_blanks(place: str) -> str:
    """A place as MXNOVA_MIRRORS takes it, which blanks end."""
    return Path(place).expanduser().absolute().as_uri() if len(place.split()) > 1 else place
