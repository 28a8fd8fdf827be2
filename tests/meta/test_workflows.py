# SPDX-License-Identifier: Apache-2.0
"""GitHub's workflows: what they may do, what they run, and that they name the versions declared."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
tomllib = pytest.importorskip("tomllib")

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FILES}
JOBS = {f"{w}.{j}": job for w, flow in WORKFLOWS.items() for j, job in flow["jobs"].items()}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINNED = re.compile(r"uses: ([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$")
README = (ROOT / "README.md").read_text("utf-8")


def rows():
    return runpy.run_path(str(ROOT / "scripts" / "matrix"))["ROWS"]


def steps(job):
    return job["steps"]


def minor(text):
    return tuple(map(int, text.split(".")[:2]))


def test_workflows_are_there():
    assert {*WORKFLOWS} == {"benchmarks", "docs", "release", "tests"}


def test_actions_are_pinned_by_hash_and_named_once():
    found = {}
    for path in FILES:
        for line in path.read_text("utf-8").splitlines():
            if "uses:" in line:
                pinned = PINNED.search(line)
                assert pinned, f"{path.name}: {line.strip()}"
                found.setdefault(pinned[1], set()).add(pinned.group(2, 3))
    assert {action: len(pins) for action, pins in found.items()} == dict.fromkeys(found, 1)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_nothing_is_allowed_by_default(name):
    assert WORKFLOWS[name]["permissions"] == {}
    assert WORKFLOWS[name]["concurrency"]["group"]


@pytest.mark.parametrize("name", JOBS)
def test_jobs_have_least_permissions_and_end(name):
    job = JOBS[name]
    assert job["timeout-minutes"] <= 90
    allowed = {"id-token": "write"} if name == "release.publish" else {"contents": "read"}
    assert job["permissions"].items() <= allowed.items()
    for step in steps(job):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("name", JOBS)
def test_commands_run_what_is_there(name):
    for step in steps(JOBS[name]):
        command = step.get("run", "")
        assert "${{" not in command, "expressions come in by the environment, as data"
        words = command.split()
        if "-m" in words[:2]:
            module = ROOT / words[words.index("-m") + 1].replace(".", "/")
            known = words[2] in ("pip", "pytest")
            assert (
                known or module.with_suffix(".py").is_file() or (module / "__main__.py").is_file()
            )
        elif words and "scripts/" in command:
            assert all((ROOT / word).is_file() for word in words if word.startswith("scripts/"))
        for file in re.findall(r"-r (\S+)", command):
            assert (ROOT / file).is_file()


def test_the_matrix_is_that_of_the_script():
    include = JOBS["tests.tests"]["strategy"]["matrix"]["include"]
    stated = {entry["row"]: (entry["runner"], entry["python"]) for entry in include}
    assert stated == {name: (row.runner, row.python) for name, row in rows().items()}


def test_versions_and_systems_agree():
    pythons = sorted({minor(row.python) for row in rows().values()})
    assert pythons[0] == minor(PROJECT["requires-python"].removeprefix(">="))
    python = "Programming Language :: Python :: "
    classified = [c.removeprefix(python) for c in PROJECT["classifiers"] if c.startswith(python)]
    assert [minor(c) for c in classified if "." in c] == pythons
    oldest, newest = (".".join(map(str, pythons[i])) for i in (0, -1))
    assert f"Python {oldest} to {newest}" in README
    systems = {"ubuntu": "Linux", "macos": "macOS", "windows": "Windows"}
    run = {systems[row.runner.split("-")[0]] for row in rows().values()}
    classified = " ".join(c for c in PROJECT["classifiers"] if c.startswith("Operating System"))
    for system in run:
        assert system in README
        assert system.lower() in classified.lower()


def test_torch_and_numpy_are_run_from_the_oldest_to_the_newest():
    run = {(row.torch, row.numpy) for row in rows().values()}
    assert ("2.6.0", "1.26.4") in run
    assert ("newest", "newest") in run
    assert "nightly" in {torch for torch, _ in run}


@pytest.mark.parametrize(
    "command", [("actionlint", *FILES), ("zizmor", "--offline", "--quiet", ROOT / ".github")]
)
def test_linters_find_nothing(command):
    beside = Path(sys.executable).parent / command[0]
    program = str(beside) if beside.exists() else shutil.which(command[0])
    if program is None:
        assert not os.environ.get("MXNOVA_TEST_LINTERS"), f"{command[0]} is not installed"
        pytest.skip(f"no {command[0]}")
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
