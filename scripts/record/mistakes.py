# SPDX-License-Identifier: Apache-2.0
"""Records what is said of typical mistakes: ``python scripts/record/mistakes.py NAME OUT``.

NAME is mxnova, mxnet (1.9.1) or pytorch; its part of the file OUT is replaced.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import mistakes


def names_of(program: str) -> tuple[str, dict]:
    """The version of a program, and the names that code for it uses."""
    if program == "pytorch":
        import torch

        return torch.__version__.partition("+")[0], mistakes.torch_names()
    if program == "mxnet":
        import mxnet as mx
    else:
        import mxnova as mx
    return mx.__version__, mistakes.mxnet_names(mx)


def without_descriptions(text: str) -> str:
    """Without the sentences that MXNet adds to each argument that it lists: its documentation."""
    head, listed, arguments = text.partition("Possible Arguments:")
    return head + listed + re.sub(r"\n {4}[^\n]*", "", arguments)


def main(program: str, out: str) -> None:
    """Records one program."""
    path = Path(out).resolve()
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    version, names = names_of(program)
    found, checked = {}, {}
    for name, mistake in mistakes.MISTAKES.items():
        os.chdir(tempfile.mkdtemp())
        code = mistake.torch if program == "pytorch" else mistake.code
        if code:
            found[name] = without_descriptions(mistakes.told(code, dict(names)))
        if program == "mxnova" and mistake.checked:
            checked[name] = mistakes.told(code, dict(names), checked=True)
    recorded[program] = {"version": version, "told": found}
    if checked:
        recorded[program]["checked"] = checked
    text = json.dumps(recorded, indent=1, sort_keys=True, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
