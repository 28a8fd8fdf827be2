# SPDX-License-Identifier: Apache-2.0
"""``mxnova alias``: the package `mxnet` of this environment."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

from ..core.base.printable import printable
from . import environment

__all__ = ["act"]


def act(options: SimpleNamespace) -> None:
    """Does what `options.what` says."""
    {"install": _install, "remove": _remove, "status": _status}[options.what]()


def _install() -> None:
    """Puts it there."""
    _say(f"installed: `import mxnet` is mxnova, by {environment.install()}")


def _remove() -> None:
    """Takes it away."""
    removed = environment.remove()
    _say("there is none" if removed is None else f"removed: {removed}")


def _status() -> None:
    """Says what is there."""
    found = environment.find()
    if found is None:
        _say(f"not installed: no mxnet in {environment.site_packages()}")
    elif found.ours:
        _say(f"installed: `import mxnet` is mxnova, by {_folder(found.place)}")
    else:
        _say(f"not installed: another mxnet is at {_folder(found.place)}")


def _folder(place: Path) -> Path:
    return place.parent if place.name == "__init__.py" else place


def _say(text: str) -> None:
    sys.stdout.write(printable(text) + "\n")
