# SPDX-License-Identifier: Apache-2.0
"""Findings of scripts, a line each, or as JSON."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from ...core.base.printable import printable
from ...core.base.progress import counting
from ..report import write_json
from .finding import Finding
from .sources import findings_in, scripts_in

__all__ = ["check"]

_UNREADABLE = ("file", "syntax")


def check(options: SimpleNamespace) -> int:
    """Shows what in scripts needs a look.

    Args:
        options: paths, ignore, json.

    Returns:
        0: nothing was found; 1: something was; 2: a file could not be read as Python.
    """
    scripts = [script for path in options.paths for script in scripts_in(path)]
    found: list[tuple[Path, Finding]] = []
    with counting(len(scripts), is_shown=len(scripts) > 1) as advance:
        for script in scripts:
            kept = (f for f in findings_in(script) if f.kind not in options.ignore)
            found += ((script, finding) for finding in kept)
            advance(1)
    if options.json:
        rows = [{"file": str(path), **finding._asdict()} for path, finding in found]
        write_json({"files": len(scripts), "findings": rows})
    else:
        _show(len(scripts), found)
    if any(finding.kind in _UNREADABLE for _, finding in found):
        return 2
    return int(bool(found))


def _show(n_files: int, found: list[tuple[Path, Finding]]) -> None:
    for path, finding in found:
        remedy = f" ({finding.remedy})" if finding.remedy else ""
        place = f"{path}:{finding.line}:{finding.column}"
        sys.stdout.write(printable(f"{place}: {finding.kind}: {finding.text}{remedy}") + "\n")
    counts = Counter(finding.kind for _, finding in found)
    told = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common()) or "no findings"
    sys.stdout.write(f"{n_files:,} file{'s' * (n_files != 1)}: {told}\n")
