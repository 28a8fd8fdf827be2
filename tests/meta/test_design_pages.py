# SPDX-License-Identifier: Apache-2.0
"""The code on the pages for newcomers runs, and what they add to the registry disturbs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "design" / "add-an-operator.md").read_text()
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M))

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


def test_the_page_on_operators_runs():
    assert CODE.count("@") >= 3
    run(CODE)


def test_what_holds_for_every_operator_holds_beside_and_for_those_of_users():
    run(CODE + META.format(root=str(ROOT)))
