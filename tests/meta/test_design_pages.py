# SPDX-License-Identifier: Apache-2.0
"""The code on the pages for newcomers runs, and what they add to the registry disturbs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "design").glob("add-*.md"))


def code_of(page):
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M))


OPERATORS = code_of(ROOT / "docs" / "design" / "add-an-operator.md")

META = """
import sys, pytest
sys.path.insert(0, {root!r})
names = ["test_op_instances", "test_op_numbers", "test_op_schema", "test_operators"]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *(f"tests/meta/{{n}}.py" for n in names)]))
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
    run(OPERATORS + META.format(root=str(ROOT)))
