# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin, loaded by `scripts/test quick`: the tests that the changes at hand concern.

Runs tests/meta, the operators' samples as eager calls only, and the test file that mirrors each
module changed since the branch left main, committed or not. Tests marked `slow` and rooms that start
processes are left out; the report names the changed files whose tests did not run.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UNIT = Path("tests", "unit")
SAMPLES = UNIT / "op"
ALWAYS = (Path("tests", "meta"), SAMPLES)
SLOW = [UNIT / room for room in ("capi", "kvstore/distributed", "cli/launch")]


def changed_files() -> list[Path]:
    """Files that differ from where the branch left main, new ones too, relative to ROOT."""
    base = _git("merge-base", "HEAD", "main") or _git("merge-base", "HEAD", "origin/main")
    named = _git("diff", "--name-only", base or "HEAD")
    new = _git("ls-files", "--others", "--exclude-standard")
    return [Path(line) for line in sorted({*named.splitlines(), *new.splitlines()})]


def _git(*arguments: str) -> str:
    """What a command of git prints, nothing if it fails."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip() if ran.returncode == 0 else ""


def mirror(path: Path) -> Path | None:
    """The test file of a source or test file, relative to ROOT; None if there is none.

    The nearest one is taken: src/mxnova/core/op/nn/pooling.py has tests/unit/op/test_pooling.py,
    src/mxnova/core/op/numpy/unary.py has tests/unit/op/test_numpy_unary.py.
    """
    if path.parts[0] == "tests":
        return path if (ROOT / path).exists() else None
    parts = [p for p in path.with_suffix("").parts[2:] if p not in ("core", "__init__")]
    return next((file for file in _candidates(parts) if (ROOT / file).exists()), None)


def _candidates(parts: list[str]) -> Iterator[Path]:
    """Names of a module's test file: its own, then those of the packages that hold it."""
    for n in range(len(parts), 0, -1):
        for name in ("_".join(parts[max(n - 2, 0) : n]), parts[n - 1]):
            for folder in range(n, -1, -1):
                yield UNIT.joinpath(*parts[:folder], f"test_{name}.py")


def mirrors() -> dict[Path, Path | None]:
    """Changed source and test files -> the test file of each; None where it is missing or slow."""
    found = {path: mirror(path) for path in changed_files() if _has_tests(path)}
    return {path: None if _is_slow(file) else file for path, file in found.items()}


def _has_tests(path: Path) -> bool:
    is_test = path.parts[0] == "tests" and path.name.startswith("test_")
    return path.suffix == ".py" and (is_test or path.parts[:2] == ("src", "mxnova"))


def _is_slow(file: Path | None) -> bool:
    if file is None:
        return False
    outside = {UNIT, *ALWAYS}.isdisjoint(file.parents)
    return outside or not {*SLOW}.isdisjoint(file.parents)


def pytest_configure(config: pytest.Config) -> None:
    """Chooses the files, unless the command line names some."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        concerned = {file for file in mirrors().values() if file is not None}
        outside = sorted(file for file in concerned if {*ALWAYS}.isdisjoint(file.parents))
        config.args[:] = [str(ROOT / path) for path in (*ALWAYS, *outside)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the changed files whose tests did not run."""
    for path in (path for path, file in mirrors().items() if file is None):
        terminalreporter.write_line(f"changed, but without a quick test: {path}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is slow, and of operators that did not change all but the samples."""
    concerned = {ROOT / file for file in mirrors().values() if file is not None}

    def runs(item: pytest.Item) -> bool:
        if item.get_closest_marker("slow") is not None:
            return False
        is_sample = getattr(item, "originalname", None) == "test_sample"
        return is_sample or item.path in concerned or ROOT / SAMPLES not in item.path.parents

    left_out = [item for item in items if not runs(item)]
    items[:] = [item for item in items if runs(item)]
    config.hook.pytest_deselected(items=left_out)
