# SPDX-License-Identifier: Apache-2.0
"""Pages of docs: every block runs, every link leads somewhere, every page is in a table of contents."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.pages.output import same_output
from tests.pages.page import PAGES, ROOT, RUNNABLE, Page
from tests.pages.runner import is_run, missing_packages

DOCS = [page for page in PAGES if ROOT / "docs" in page.path.parents]
LANGUAGES = {*RUNNABLE, "text", "console", "yaml", "json", "c", "cpp", "{toctree}"}
BY_TEST_EXAMPLES = ROOT / "docs" / "operators"
RUNNING = [p for p in PAGES if p.runnable() and BY_TEST_EXAMPLES not in p.path.parents]


class Runner:
    """The process of `tests.pages.runner`."""

    def __init__(self):
        self.process = None

    def run(self, page, folder):
        if self.process is None:
            path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.pages.runner"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                env={**os.environ, "PYTHONPATH": path},
            )  # fmt: skip
        print(json.dumps({"page": page.name, "folder": str(folder)}), file=self.process.stdin)
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        if self.process is not None:
            self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def runner():
    runner = Runner()
    yield runner
    runner.close()


def write_demo_output(folder):
    """The files of `scripts/demo`, untrained."""
    from examples import digits

    symbol = digits.network()
    executor = digits.bind(symbol, (1, 1, 8, 8), np.random.default_rng(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        digits.save(symbol, executor)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNING, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page, runner, tmp_path):
    missing = missing_packages(page)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    if "demo-output" in page.text:
        write_demo_output(tmp_path)
    answer = runner.run(page, tmp_path)
    assert answer["failed"] is None, answer["failed"]


def test_blocks_have_languages_that_are_known():
    unknown = {(p.name, b.line) for p in PAGES for b in p.blocks() if b.language not in LANGUAGES}
    assert unknown == set()


def test_commands_that_are_not_run_exist():
    for page in PAGES:
        for block in page.runnable():
            if block.language == "sh":
                for line in block.text.replace("\\\n", " ").splitlines():
                    words = shlex.split(line, comments=True)
                    assert not words or is_run(words) or exists(words), (page.name, words)


def exists(words):
    program, *arguments = words
    if program.startswith("scripts/"):
        return (ROOT / program).is_file()
    if program == "python" and arguments[0] == "-m":
        path = ROOT / arguments[1].replace(".", "/")
        is_ours = path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
        return is_ours or arguments[1] == "venv"
    if program == "python":
        return (ROOT / arguments[0]).is_file()
    if program == "pip":
        extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.M)
        named = re.findall(r"\[([\w,]+)\]", " ".join(arguments))
        return {*",".join(named).split(",")} - {""} <= {*extras}
    return program in ("mxnova", "pre-commit", "torchrun", "source")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    anchors = {p.path: p.anchors() for p in PAGES}
    for file, anchor in page.links():
        assert file.exists() or is_generated(file), f"{page.name} links {file}"
        if anchor and file in anchors:
            assert anchor in anchors[file], f"{page.name} links {file.name}#{anchor}"


def is_generated(file):
    """Whether the site's build makes the page."""
    return file.is_relative_to(ROOT / "docs" / "api")


def listed(page):
    """Paths that the tables of contents of a page name."""
    for block in page.blocks():
        if block.language == "{toctree}":
            for line in block.text.splitlines():
                name = re.sub(r"^.*<(.+)>$", r"\1", line.strip())
                if name and not name.startswith(":"):
                    yield (page.path.parent / name).with_suffix(".md").resolve()


def test_every_page_is_in_one_table_of_contents():
    places = [path for page in DOCS for path in listed(page)]
    assert sorted(places) == sorted({*places}), "a page is listed twice"
    pages = {page.path for page in DOCS} - {ROOT / "docs" / "index.md"}
    assert pages == {path for path in places if not is_generated(path)}


@pytest.mark.parametrize(
    "expected, got, same",
    [
        ("loss 0.1234", "loss 0.1235", True),
        ("loss 0.1234", "loss 0.13", False),
        ("[[1. 2.]\n [3. 4.]]", "[[1. 2.] [3. 4.]]", True),
        ("7 rows", "8 rows", False),
        ("took ... s", "took 1.5 s", True),
        ("array([-0.5, 1e-3])", "array([-0.5, 0.001])", True),
        ("a", "a b", False),
    ],
)
def test_outputs_are_compared_with_a_tolerance_of_floats(expected, got, same):
    assert same_output(expected, got) is same


def test_a_page_that_fails_says_where(tmp_path, runner):
    page = Page(ROOT / "docs" / "seeds.md")
    assert [b.language for b in page.blocks()][:1] == ["python"]
    assert Path(page.name) == Path("docs/seeds.md")
