# SPDX-License-Identifier: Apache-2.0
"""Tests that a run on a GPU leaves out exist: the names are looked up in files of tests and data."""

import itertools
import re
from pathlib import Path

import pytest

from ..on_gpu import OF_THE_CPU

TESTS = Path(__file__).parents[1]


def alternatives(pattern):
    """``a(b|c)|d`` as ab, ac and d."""
    parts = re.split(r"\(([^()]*)\)", pattern)
    choices = [part.split("|") if i % 2 else [part] for i, part in enumerate(parts)]
    return sorted({a for c in itertools.product(*choices) for a in "".join(c).split("|")})


@pytest.fixture(scope="module")
def files(no_collector):
    """The text of each file, by its path."""
    paths = [p for kind in ("py", "json") for p in TESTS.rglob(f"*.{kind}")]
    return {p.as_posix(): p.read_text("utf-8") for p in paths if p != TESTS / "on_gpu.py"}


@pytest.mark.parametrize("pattern", OF_THE_CPU)
def test_what_is_left_out_exists(pattern, files):
    for alternative in alternatives(pattern):
        file = re.match(r"test_\w+\\\.py", alternative)
        if file:
            name = "/" + file[0].replace("\\", "")
            assert any(path.endswith(name) for path in files), f"no file {name}"
        words = re.findall(r"[A-Za-z_]{4,}", re.sub(r"\\[A-Za-z]", " ", alternative))
        for word in words[bool(file) :]:
            assert any(word in text for text in files.values()), f"{alternative}: no {word}"
