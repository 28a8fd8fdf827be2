# SPDX-License-Identifier: Apache-2.0
"""The README's commands and code do what they say."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
SCRIPTS = [
    ROOT / ".ci" / "run",
    *(p for p in ROOT.glob("scripts/*") if p.is_file() and not p.suffix),
]
MXNOVA = [sys.executable, "-c", "from mxnova.cli import main; main()"]


def commands(block):
    return [shlex.split(line, comments=True) for line in block.splitlines() if line]


COMMANDS = [
    command for language, block in BLOCKS if language == "sh" for command in commands(block)
]


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def demo_output(tmp_path, monkeypatch):
    """The files of `scripts/demo`, untrained, in a new current directory."""
    import numpy as np

    monkeypatch.chdir(tmp_path)
    digits = load_example("digits")
    symbol = digits.network()
    digits.save(symbol, digits.bind(symbol, (1, 1, 8, 8), np.random.default_rng(0)))


@pytest.mark.usefixtures("demo_output")
def test_code_and_commands_run_in_the_order_of_the_readme():
    for language, block in BLOCKS:
        if language == "python":
            run_python(block)
        else:
            run_mxnova(commands(block))


def run_python(block):
    """A block that starts with ``# name.py`` is that file; others run."""
    name = re.match(r"# (\w+\.py)\n", block)
    if name:
        Path(name[1]).write_text(block)
    else:
        exec(compile(block, "README.md", "exec"), {})


def run_mxnova(block_commands):
    for program, *arguments in block_commands:
        # What changes the environment runs in one of its own, in tests/unit/as_mxnet; examples in
        # tests/unit/test_examples.py; servers in test_serving.py.
        is_left_out = arguments[:1] in (["alias"], ["serve"]) or "-m" in arguments
        if program == "mxnova" and not is_left_out:
            done = subprocess.run([*MXNOVA, *arguments], capture_output=True, text=True)
            assert done.returncode == 0, (arguments, done.stderr)
            assert done.stdout


def test_commands_exist():
    assert {"alias", "inspect", "predict", "run"} <= {c[1] for c in COMMANDS if c[0] == "mxnova"}
    for program, *arguments in COMMANDS:
        if program.startswith("scripts/"):
            assert ROOT / program in SCRIPTS
        elif program == "python":
            is_module = arguments[0] == "-m"
            path = ROOT / (arguments[1].replace(".", "/") if is_module else arguments[0])
            assert (path.with_suffix(".py") if is_module else path).is_file() or (
                is_module and (path / "__main__.py").is_file()
            )
        else:
            assert program in ("mxnova", "pip", "torchrun")


def test_continuous_integration_runs_what_sets_up():
    ci = (ROOT / ".ci" / "run").read_text().splitlines()
    set_up = {"scripts/demo", "scripts/test"}
    assert set_up <= {" ".join(command) for command in COMMANDS}
    assert set_up <= set(ci)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_can_run(script):
    assert os.access(script, os.X_OK)
    text = script.read_text()
    if text.startswith("#!/usr/bin/env bash"):
        assert "set -euo pipefail" in text
        subprocess.run(["bash", "-n", script], check=True)
    else:
        assert text.startswith("#!/usr/bin/env python3")
        compile(text, script, "exec")


def test_fuzz_finds_nothing_in_a_few_inputs(tmp_path):
    command = [sys.executable, ROOT / "scripts" / "fuzz", "--inputs", "15", "--findings", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
