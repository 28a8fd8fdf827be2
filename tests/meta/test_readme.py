# SPDX-License-Identifier: Apache-2.0
"""Continuous integration runs what the README sets up with, and scripts can run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.pages.page import ROOT, Page

pytestmark = pytest.mark.slow
SCRIPTS = [
    ROOT / ".ci" / "run",
    *(p for p in ROOT.glob("scripts/*") if p.is_file() and not p.suffix),
]


COMMANDS = [line for block in Page(ROOT / "README.md").blocks() for line in block.text.splitlines()]


def test_continuous_integration_runs_what_sets_up():
    ci = (ROOT / ".ci" / "run").read_text().splitlines()
    set_up = {"scripts/demo", "scripts/test"}
    assert set_up <= {*COMMANDS}
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
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


TWINS = ("check", "demo", "environment", "test")


@pytest.mark.parametrize("name", TWINS)
def test_scripts_that_need_no_bash_need_nothing_installed(name):
    """They run before anything is installed, on any system."""
    code = f"import sys; sys.path.insert(0, '.'); import scripts.{name}; print('ok')"
    command = [sys.executable, "-I", "-S", "-c", code]  # without site-packages
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "ok\n", done.stderr


@pytest.mark.parametrize("name", [name for name in TWINS if name != "environment"])
def test_scripts_of_bash_are_their_callers(name):
    last = (ROOT / "scripts" / name).read_text("utf-8").splitlines()[-1]
    assert last == f'exec "${{PYTHON:-python3}}" -m scripts.{name} "$@"'
