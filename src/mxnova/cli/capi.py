# SPDX-License-Identifier: Apache-2.0
"""``mxnova capi``: MXNet's interface to C and C++ as a library."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from ..capi.build import build
from ..core.base.printable import printable
from ..core.base.progress import progress

__all__ = ["build_library"]


def build_library(options: SimpleNamespace) -> None:
    """Makes the library in the folder `options.out`, and says how to link with it."""
    with progress() as tell:
        tell("compile")
        built = build(options.out)
    sys.stdout.write(printable(f"{built.library}\nlink with: {built.links}\n", keep="\n"))
