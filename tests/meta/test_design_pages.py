# SPDX-License-Identifier: Apache-2.0
"""The code on the pages for newcomers runs, and what they add to the registry disturbs nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PART = re.compile(r"# ((?:src|tests)/\S+\.py)\n")
PAGES = sorted((ROOT / "docs" / "design").glob("add-*.md"))


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


def code_of(page):
    """What a reader's program says; blocks that name a file of mxnova are parts of that file."""
    return "\n".join(block for block in blocks_of(page) if not PART.match(block))


ADD_AN_OPERATOR = ROOT / "docs" / "design" / "add-an-operator.md"
OPERATORS = code_of(ADD_AN_OPERATOR)

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs(page):
    code = code_of(page)
    assert code.count("\n") > 30
    run(code)


def test_what_holds_for_every_operator_holds_beside_and_for_those_of_users():
    run(OPERATORS + META.format(root=str(ROOT), names=META_TESTS))


@pytest.fixture
def copied_tree(tmp_path):
    """A copy of what the page lets one change; the rest is linked."""
    tree = tmp_path / "tree"
    ignored = {"src": "__pycache__", "tests": "data", "docs": "", "scripts": ""}
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
    by_hand = {
        found[1]: block for block in blocks_of(ADD_AN_OPERATOR) if (found := PART.match(block))
    }
    assert [*by_hand] == ["src/mxnova/core/op/families/unary.py", "tests/unit/op/test_unary.py"]
    for name, block in by_hand.items():
        file, addition = copied_tree / name, block.partition("\n")[2]
        before, table, after = file.read_text("utf-8").partition("SAMPLES = [\n")
        file.write_text(before + table + addition + after, "utf-8")
    in_tree(copied_tree, "scripts/generate")
    pytest_ = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    names = [*META_TESTS, "test_operator_reference", "test_stubs"]
    files = [f"tests/meta/{name}.py" for name in names]
    in_tree(copied_tree, *pytest_, *files, "-m", "not slow")
    found = in_tree(copied_tree, *pytest_, "tests/unit/op/test_unary.py", "-k", "log2p1", "-v")
    assert "1 passed" in found
