# SPDX-License-Identifier: Apache-2.0
"""The blocks of the guide "Leaving MXNet" run, in their order."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs/leaving.md").read_text(), re.S | re.M)

COMMANDS = """
import json, sys
from mxnova.cli import main
for sys.argv in json.loads(sys.argv[1]):
    main()
"""


def test_the_guide_runs(tmp_path):
    for package in ("onnxruntime", "safetensors"):
        pytest.importorskip(package)
    assert {language for language, _ in BLOCKS} == {"python", "sh"}
    run_blocks(tmp_path, BLOCKS)
    assert (tmp_path / "model-0000.params").read_bytes() == (
        tmp_path / "again-0000.params"
    ).read_bytes()


def run_blocks(folder, blocks):
    """Runs the programs and commands of a page in a folder."""
    for language, block in blocks:
        if language == "python":
            run(folder, "-c", block)
            continue
        lines = [shlex.split(line) for line in block.splitlines()]
        assert {program for program, *_ in lines} == {"mxnova"}
        assert run(folder, "-c", COMMANDS, json.dumps(lines)).stdout


def run(folder, *arguments):
    path = os.pathsep.join([str(ROOT / "src"), str(folder)])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, (arguments, done.stderr)
    return done
