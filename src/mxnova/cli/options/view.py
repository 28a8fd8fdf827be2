# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova view``."""

from __future__ import annotations

from ..command import Command, Model, Option
from .shared import EPOCH

command = Command(
    "view",
    "view:view",
    [
        Model("model", ", .pt2 or .safetensors", metavar="MODEL"),
        EPOCH,
        Option("--port", type=int, default=0,
               help="Port of the page on this machine (default: 8080, or a free one)."),
        Option("--browse/--no-browse", default=True,
               help="Open a browser, or only print the address (default: open)."),
    ],
    ["mxnova view net", "mxnova view net.onnx --no-browse"],
    epilog="Netron is needed: pip install 'mxnova[view]'. `mxnova plot MODEL -o FILE.html` works "
    "without it. Ctrl-C stops the server.",
)  # fmt: skip
