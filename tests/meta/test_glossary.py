# SPDX-License-Identifier: Apache-2.0
"""Terms of the glossary occur in the source, at the place it names; retired words do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mxnova

ROOT = Path(__file__).parents[2]
PACKAGE = Path(mxnova.__file__).parent
GLOSSARY = (ROOT / "docs" / "design" / "glossary.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (`[^|]+) \|$", GLOSSARY, re.M)

# Names and phrases that gave way to a term of the glossary.
RETIRED = [
    "crew",
    "deputy",
    "early_maxima",
    "free_names",
    "keeper",
    "layer_chain",
    "lie together",
    "lone_pools",
    "lone_threads",
    "meeting place",
    "memory_files",
    "of whatever elements",
    "parcels",
    "placed_by_python",
    "portion",
    "regain",
    "shortening",
    "signs of life",
    "starters",
    "straight away",
    "straight_of",
    "words said",
    "writes_apart",
]


def source():
    files = sorted(PACKAGE.rglob("*.py"))
    texts = [f"{path.relative_to(PACKAGE)}\n{path.read_text('utf-8')}" for path in files]
    return "\n".join(texts).lower()


SOURCE = source()


def occurs(term):
    """Whether the words of `term` follow each other in the source, joined by spaces, `-` or `_`."""
    words = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", term.lower())))
    return re.search(rf"(?<![a-z]){words}(?:s|es)?(?![a-z])", SOURCE) is not None


def exists(place):
    """Whether `place` is a package or module of mxnova, or a class that one defines."""
    path = PACKAGE.joinpath(*place.split("."))
    is_class = re.search(rf"^class {place.lower()}\b", SOURCE, re.M) is not None
    return path.is_dir() or path.with_suffix(".py").is_file() or is_class


def test_the_table_is_read_whole():
    n_rows = sum(line.startswith("| ") for line in GLOSSARY.splitlines())
    assert len(ROWS) == n_rows - 1 >= 40
    terms = [term for term, _, _ in ROWS]
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize(("term", "place"), [(t, p) for t, _, p in ROWS], ids=[r[0] for r in ROWS])
def test_a_term_occurs_and_its_place_exists(term, place):
    assert occurs(term)
    for name in re.findall(r"`([^`]+)`", place):
        assert exists(name), name


@pytest.mark.parametrize("word", RETIRED)
def test_a_retired_word_is_gone(word):
    assert not occurs(word)


def test_the_search_finds_and_misses():
    assert occurs("row_sparse")
    assert occurs("fast path")
    assert not occurs("fast " + "pathology")


def test_the_index_links_the_glossary():
    assert "(glossary.md)" in (ROOT / "docs" / "design" / "index.md").read_text("utf-8")
