# SPDX-License-Identifier: Apache-2.0
"""The blocks of the guide "Leaving MXNet" run, in their order."""

from __future__ import annotations

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
        for line in block.splitlines():
            program, *arguments = shlex.split(line)
            assert program == "mxnova"
            assert run(folder, "-m", "mxnova", *arguments).stdout


def run(folder, *arguments):
    path = os.pathsep.join([str(ROOT / "src"), str(folder)])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, (arguments, done.stderr)
    return done
