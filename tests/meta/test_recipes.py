# SPDX-License-Identifier: Apache-2.0
"""The page of recipes shows the files as they are; `test_pages` runs its program."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples" / "recipes"
PAGE = (ROOT / "docs" / "recipes.md").read_text()
SHOWN = re.findall(
    r"^`examples/recipes/([\w/.-]+)`:\n\n(?:<!-- [^\n]+ -->\n)?```\w+\n(.*?)^```", PAGE, re.S | re.M
)


def test_blocks_are_the_files():
    files = [p for p in RECIPES.rglob("*.*") if p.is_file() and p.suffix != ".pyc"]
    names = {p.relative_to(RECIPES).as_posix() for p in files} - {"__init__.py"}
    assert {name for name, _ in SHOWN} == names
    for name, block in SHOWN:
        assert (RECIPES / name).read_text().endswith(block), name
