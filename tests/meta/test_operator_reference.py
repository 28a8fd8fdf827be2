# SPDX-License-Identifier: Apache-2.0
"""Pages made from declarations say what the declarations say now."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from mxnova.core.op.schema import REGISTRY

ROOT = Path(__file__).parents[2]
PAGES = {path.name: path.read_text() for path in (ROOT / "docs" / "operators").iterdir()}


def test_the_pages_are_up_to_date():
    pages = runpy.run_path(str(ROOT / "scripts" / "reference_pages"))["pages"]()
    stale = {path.name for path, text in pages.items() if path.read_text("utf-8") != text}
    gone = PAGES.keys() - {path.name for path in pages}
    assert stale | gone == set(), "run scripts/generate"


def test_the_index_leads_to_every_operator():
    links = dict(re.findall(r"^- \[`(\w+)`\]\(([\w.]+#\w+)\)$", PAGES["index.md"], re.M))
    anchors = {
        f"{name}#{heading.lower()}"
        for name, text in PAGES.items()
        for heading in re.findall(r"^###? (\w+)$", text, re.M)
        if heading in REGISTRY
    }
    assert links.keys() == set(REGISTRY)
    assert set(links.values()) == anchors


@pytest.mark.parametrize("name", PAGES)
def test_headings_of_a_page_differ(name):
    headings = re.findall(r"^#+ (.*)$", PAGES[name].lower(), re.M)
    assert len(set(headings)) == len(headings)
