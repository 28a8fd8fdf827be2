# SPDX-License-Identifier: Apache-2.0
"""What the pages for newcomers add to the registry disturbs nothing, and their steps are enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages.page import ROOT, Page

pytestmark = pytest.mark.slow
ADD_AN_OPERATOR = Page(ROOT / "docs" / "design" / "add-an-operator.md")
BLOCKS = [block for block in ADD_AN_OPERATOR.blocks() if block.language == "python"]
OPERATORS = "\n".join(block.text for block in BLOCKS if not block.is_part)

META_TESTS = ["test_op_instances", "test_op_numbers", "test_op_schema", "test_operators"]
META = """
import sys, pytest
sys.path.insert(0, {root!r})
files = [f"tests/meta/{{name}}.py" for name in {names}]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *files]))
"""


def run(code):
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]


def test_what_holds_for_every_operator_holds_beside_and_for_those_of_users():
    run(OPERATORS + META.format(root=str(ROOT), names=META_TESTS))


@pytest.fixture
def copied_tree(tmp_path):
    """A copy of what the page lets one change; the rest is linked."""
    tree = tmp_path / "tree"
    ignored = {
        "src": "",
        "tests": "data",
        "docs": "",
        "scripts": "",
    }  # Python takes what is compiled
    for name, left_out in ignored.items():
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns(left_out))
    linked = {path.name for path in ROOT.iterdir()} - {".git", *ignored}
    for name in ("tests/data", *linked):
        (tree / name).symlink_to(ROOT / name)
    return tree


def in_tree(tree, *command):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(tree / "src")}
    ran = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout


def test_an_operator_of_mxnova_is_added_in_two_places_and_by_one_script(copied_tree):
    parts = [block.text.partition("\n")[::2] for block in BLOCKS if block.is_part]
    by_hand = {head.removeprefix("# "): addition for head, addition in parts}
    assert [*by_hand] == ["src/mxnova/core/op/families/unary.py", "tests/unit/op/test_unary.py"]
    for name, addition in by_hand.items():
        file = copied_tree / name
        before, table, after = file.read_text("utf-8").partition("SAMPLES = [\n")
        file.write_text(before + table + addition + after, "utf-8")
    in_tree(copied_tree, "scripts/generate")
    names = [*META_TESTS, "test_operator_reference", "test_stubs"]
    files = [*(f"tests/meta/{name}.py" for name in names), "tests/unit/op/test_unary.py"]
    chosen = ["-m", "not slow", "-k", "meta and not editors or log2p1"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-vv", *files, *chosen]
    assert re.search(
        r"tests/unit/op/test_unary\.py.*log2p1.*PASSED", in_tree(copied_tree, *command)
    )
