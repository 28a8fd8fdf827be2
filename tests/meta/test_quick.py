# SPDX-License-Identifier: Apache-2.0
"""The quick run finds the test file of a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.quick import ROOT, UNIT, mirror


def test_folders_of_tests_are_rooms_of_the_source():
    folders = {file.parent.relative_to(ROOT / UNIT) for file in (ROOT / UNIT).rglob("test_*.py")}
    source = ROOT / "src" / "mxnova"
    assert [
        f for f in folders if not any((top / f).is_dir() for top in (source, source / "core"))
    ] == []


@pytest.mark.parametrize(
    "changed, test",
    [
        ("src/mxnova/core/op/nn/pooling.py", "tests/unit/op/test_pooling.py"),
        ("src/mxnova/core/op/numpy/unary.py", "tests/unit/op/test_numpy_unary.py"),
        ("src/mxnova/gluon/trainer.py", "tests/unit/gluon/test_trainer.py"),
        ("src/mxnova/visualization/__init__.py", "tests/unit/test_visualization.py"),
        ("tests/unit/test_log.py", "tests/unit/test_log.py"),
        ("tests/unit/test_that_was_removed.py", None),
        ("src/mxnova/libinfo.py", None),
    ],
)
def test_mirrors(changed, test):
    found = mirror(Path(changed))
    assert (found and found.as_posix()) == test
