# SPDX-License-Identifier: Apache-2.0
"""All facts and findings, shown as tables or as JSON."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import mxnova

from ...core.base.progress import progress
from ..report import Report, show
from .finding import Finding
from .machine import backends, devices, processor, threads
from .settings import caches, variables
from .versions import packages

__all__ = ["doctor"]


def doctor(options: SimpleNamespace) -> int:
    """Shows versions, processor, GPUs, threads, backends, caches, variables and findings.

    Args:
        options: json.

    Returns:
        1 if there are findings, else 0.
    """
    findings: list[Finding] = []
    facts: dict[str, Any] = {}
    with progress() as tell:
        for name, part in _PARTS.items():
            tell(name)
            facts[name], found = part()
            findings += found
    facts["findings"] = [finding._asdict() for finding in findings]
    show(Report("mxnova", f"{mxnova.__version__}, {sys.executable}", facts), as_json=options.json)
    return int(bool(findings))


_PARTS = {
    "versions": packages,
    "processor": processor,
    "threads": threads,
    "devices": devices,
    "backends": backends,
    "caches": caches,
    "variables": variables,
}
