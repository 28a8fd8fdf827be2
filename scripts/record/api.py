# SPDX-License-Identifier: Apache-2.0
"""Records what calls of MXNet's public functions give; run it with an interpreter that has MXNet.

    OMP_NUM_THREADS=1 python scripts/record/api.py tests/data/api

Each case is one expression, evaluated with fresh arrays and symbols and a fresh name counter. Of
random arrays only shape and type are kept. Beside them stands what every function of symbols makes
without arrays, with parameters that `tests/data/golden/ops` has for its operator.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import api_expressions as expressions

ROOMS = {"contrib": "_contrib_", "linalg": "_linalg_", "image": "_image_", "sparse": "_sparse_"}


def parameters(golden: Path) -> dict[str, dict[str, str]]:
    """Operator -> parameters that it was recorded with."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted((golden / "ops").glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            for node in json.loads(case.get("symbol_json") or '{"nodes": []}')["nodes"]:
                attrs = {k: v for k, v in node.get("attrs", {}).items() if k[:2] != "__"}
                found.setdefault(node["op"], attrs)
    return found


def functions(golden: Path):
    """(module, function, parameters) of every function of symbols."""
    recorded = parameters(golden)
    for entry in json.loads((golden / "op_schema.json").read_text()):
        name = entry["name"]
        room = next((r for r, prefix in ROOMS.items() if name.startswith(prefix)), "")
        name = name.removeprefix(ROOMS.get(room, ""))
        module = getattr(mxnet.sym, room) if room else mxnet.sym
        if name in getattr(module, "__all__", ()) and name not in ("Custom", "reset_arrays"):
            yield room, name, recorded.get(entry["real"], {})


def in_a_process(function, *arguments):
    """What `function` gives, as JSON can hold it; None where it does not survive."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, json.dumps(function(*arguments)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.wait()
    return json.loads(text) if text else None


def made(golden: Path) -> dict:
    table = {}
    for room, name, attrs in functions(golden):
        symbol = in_a_process(expressions.made, mxnet, room, name, attrs)
        if symbol is not None and "error" not in symbol:
            table[f"{room}.{name}".lstrip(".")] = [attrs, symbol]
    return table


def main(folder: Path) -> None:
    table = made(folder.parent / "golden")
    lines = (f"{json.dumps(name)}: {json.dumps(case)}" for name, case in table.items())
    (folder / "functions.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    table = {
        group: {case: expressions.outcome(mxnet, case, group) for case in cases}
        for group, cases in expressions.GROUPS.items()
    }
    text = json.dumps(table, indent=0, ensure_ascii=False)
    (folder / "calls.json").write_text(text + "\n")
    print(sum(map(len, table.values())), "cases")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
