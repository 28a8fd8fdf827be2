# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes beside MXNet and PyTorch: our texts are pinned, and clearer by a written rule."""

from __future__ import annotations

import json
import re
import sys
import traceback
from pathlib import Path

import pytest

import mxnova as mx
from mxnova.core.op.range_check import CHECKS
from tests.mistakes import MISTAKES, Mistake, clarity, mxnet_names, raised, told, torch_names

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "mistakes.json").read_text("utf-8"))
TOLD = {program: part["told"] for program, part in RECORDED.items()}
CHECKED = RECORDED["mxnova"]["checked"]  # what is told with MXNOVA_CHECK=1


def points(program: str, name: str) -> int:
    return clarity(MISTAKES[name].says, TOLD[program].get(name, ""))


@pytest.fixture
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def without_guess(text):
    """`text` without what Python's interpreter adds to it, which differs between versions."""
    return re.sub(r"\. Did you mean: '\w+'\?$", "", text)


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_said(name, in_a_folder):
    """``python scripts/record/mistakes.py mxnova tests/data/mistakes.json`` writes what is said."""
    mistake = MISTAKES[name]
    said = told(mistake.code, mxnet_names(mx))
    assert without_guess(said) == without_guess(TOLD["mxnova"][name])
    if mistake.checked:
        assert told(mistake.code, mxnet_names(mx), checked=True) == CHECKED[name]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 keeps a line of a door")
@pytest.mark.parametrize("name", MISTAKES)
def test_only_the_program_is_in_the_traceback(name, in_a_folder, monkeypatch):
    monkeypatch.setattr(CHECKS, "on", MISTAKES[name].checked)
    error = raised(MISTAKES[name].code, mxnet_names(mx))
    files = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
    assert files == {str(Path(__file__).parents[1] / "mistakes" / "rule.py"), "<program>"}


@pytest.mark.parametrize("name", MISTAKES)
def test_we_are_as_clear_as_mxnet(name):
    assert points("mxnova", name) >= points("mxnet", name)


def test_we_are_as_clear_as_pytorch_in_nine_of_ten():
    comparable = [name for name, mistake in MISTAKES.items() if mistake.torch]
    clear = [name for name in comparable if points("mxnova", name) >= points("pytorch", name)]
    assert len(comparable) >= 40
    assert {n for n in comparable if n not in clear} == set(CHECKED)
    assert len(clear) >= 0.9 * len(comparable)


def test_we_answer_nearly_every_question():
    assert sum(points("mxnova", name) for name in MISTAKES) >= 0.95 * 4 * len(MISTAKES)


def test_the_rule_counts_what_is_answered():
    says = (r"weight", r"2, ?5", r"\b3\b", r"in_units")
    assert clarity(says, "weight (2,5), 3: in_units") == 4
    assert clarity(says, "the weight is wrong") == 1
    assert clarity(says, "") == 0


@pytest.mark.parametrize("name", ["shapes of a sum", "parameters of other shapes in a file"])
def test_pytorch_says_what_is_recorded(name):
    torch = pytest.importorskip("torch")
    if torch.__version__.partition("+")[0] != RECORDED["pytorch"]["version"]:
        pytest.skip("recorded with another version")
    mistake: Mistake = MISTAKES[name]
    assert told(mistake.torch, torch_names()) == TOLD["pytorch"][name]
