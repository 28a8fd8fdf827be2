# SPDX-License-Identifier: Apache-2.0
"""The versions that are tested are those that the package declares."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path

import pytest

if sys.version_info < (3, 11):
    pytest.skip("needs tomllib", allow_module_level=True)
import tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONSTRAINTS = dict(re.findall(r"^(\S+?)==([\w.]+)", (ROOT / "constraints.txt").read_text(), re.M))


@pytest.fixture(scope="module")
def rows():
    loader = importlib.machinery.SourceFileLoader("matrix", str(ROOT / "scripts" / "matrix"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("matrix", loader))
    sys.modules["matrix"] = module  # where NamedTuple looks for its annotations
    loader.exec_module(module)
    return module.ROWS


def release(text):
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


@pytest.mark.parametrize("package", ["torch", "numpy"])
def test_the_oldest_and_the_newest_are_tested(rows, package):
    (declared,) = [d for d in PROJECT["dependencies"] if d.startswith(package)]
    assert release(getattr(rows["oldest"], package)) == release(declared)
    assert getattr(rows["newest"], package) == "newest"


def test_the_constraints_are_tested(rows):
    row = rows["constraints"]
    assert (row.torch, row.numpy) == (CONSTRAINTS["torch"], CONSTRAINTS["numpy"])


def test_every_python_is_tested(rows):
    oldest = release(PROJECT["requires-python"])
    assert sorted({release(row.python) for row in rows.values()}) == [
        (3, oldest[1] + i) for i in range(5)
    ]


def test_no_extra_and_all_of_them_are_tested(rows):
    extras = PROJECT["optional-dependencies"]
    own = {"dev", "test", "bench", "browser", "docs"}  # of those who work on mxnova
    known = set(re.findall(r"mxnova\[(.*?)\]", " ".join(extras["dev"]))[0].split(","))
    tested = set(rows["all-extras"].extras.split(",")) | known
    assert set(extras) - own - tested - {"onnx"} == set()  # a part of onnxruntime
    assert rows["no-extra"].extras == "test"


def test_a_torch_without_onednn_is_tested(rows):
    assert rows["no-onednn"].without == "onednn"
