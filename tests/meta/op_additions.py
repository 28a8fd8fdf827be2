# SPDX-License-Identifier: Apache-2.0
"""Operators of mxnova that MXNet 1.9.1 does not have: `op_additions.json`, which this module writes."""

from __future__ import annotations

import json
from pathlib import Path

import mxnova.core.exec.calls.control_flow
import mxnova.core.exec.calls.custom
import mxnova.core.exec.fused.mkldnn_layers
import mxnova.core.op.library  # noqa: F401 - these register operators
from mxnova.core.op.schema import REGISTRY

__all__ = ["FILE", "SCHEMA", "additions"]

HERE = Path(__file__).parent
FILE = HERE / "op_additions.json"
SCHEMA = json.loads((HERE.parent / "data" / "golden" / "op_schema.json").read_text())


def additions() -> dict[str, str]:
    """Name -> first line of the documentation; users' own operators are not asked about."""
    ours = {n: t for n, t in REGISTRY.items() if t.declaration.__module__.startswith("mxnova.")}
    names = sorted(ours.keys() - {entry["name"] for entry in SCHEMA})
    return {name: ours[name].doc.strip().partition("\n")[0] for name in names}


if __name__ == "__main__":
    FILE.write_text(json.dumps(additions(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
