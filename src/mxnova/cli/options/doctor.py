# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova doctor``."""

from __future__ import annotations

from ..command import Command
from .shared import JSON

command = Command(
    "doctor",
    "doctor:doctor",
    [JSON],
    ["mxnova doctor", "mxnova doctor --json > report.json"],
    epilog="The exit status is 1 if a fault was found. Secrets are not shown.",
)
