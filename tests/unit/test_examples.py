# SPDX-License-Identifier: Apache-2.0
"""Every example learns in a short run, and prints what it found."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).parents[2] / "examples"
NUMBER = r"([\d.]+)"

# name: (arguments, what it prints, bounds of each number there)
RUNS = {
    "lenet": ("--epochs 3 --workers 1", rf"accuracy {NUMBER}% of 450", [(93, 100)]),
    "char_lstm": (
        "--epochs 1 --characters 60000 --length 32 --batch 16 --units 96 --layers 1",
        rf"perplexity {NUMBER}; of a table of pairs {NUMBER}",
        [(4, 18), (8, 25)],
    ),
    "transformer": (
        "--epochs 1 --layers 1 --units 32",
        rf"accuracy {NUMBER}% of \d+ functions; the most frequent {NUMBER}%",
        [(50, 100), (10, 40)],
    ),
    "sparse_embedding": (
        "--epochs 1 --rows 20000 --units 16",
        rf"{NUMBER} of 20000 rows have changed, (0) of(?:.|\n)*"
        rf"accuracy {NUMBER}% of \d+ functions; the most frequent {NUMBER}%",
        [(1000, 19_999), (0, 0), (65, 100), (10, 40)],
    ),
    "fine_tuning": (
        "--epochs 3 --few-epochs 8",
        rf"(0) of 14 frozen(?:.|\n)*accuracy {NUMBER}% of 450 noisy images; "
        rf"before fine-tuning {NUMBER}%, without the checkpoint {NUMBER}%",
        [(0, 0), (60, 100), (40, 100), (10, 90)],
    ),
    "module_digits": ("--epochs 2", rf"accuracy {NUMBER}% of 450 images", [(93, 100)]),
    "bucketing": (
        "--epochs 4 --units 48 --sentences 1200",
        rf"perplexity {NUMBER}; of the words' frequencies {NUMBER}",
        [(40, 170), (120, 260)],
    ),
    "image_records": ("--epochs 2", rf"accuracy {NUMBER}% of 450 images", [(70, 100)]),
    "sparse_linear": (
        "--epochs 1 --features 20000",
        rf"accuracy {NUMBER}% of \d+ functions; the most frequent {NUMBER}%",
        [(80, 100), (10, 40)],
    ),
    "int8": (
        "--epochs 2 --calibration naive",
        rf"{NUMBER} operators (?:.|\n)*accuracy {NUMBER}% of 450 images before, {NUMBER}% after",
        [(10, 20), (93, 100), (92, 100)],
    ),
    "features": (
        "--epochs 2",
        rf"{NUMBER} features (?:.|\n)*accuracy {NUMBER}% of 450 images; by pixels {NUMBER}%",
        [(64, 64), (75, 100), (40, 70)],
    ),
}


# Those of many workers: (arguments, what they print together, bounds of each number there)
LAUNCHED = {
    "data_parallel_gluon": (
        "--epochs 2",
        rf"worker [01] of 2: loss {NUMBER}(?:.|\n)*accuracy {NUMBER}% of 450",
        [(0.2, 1.2), (75, 100)],
    ),
    "data_parallel_module": ("--epochs 2", rf"accuracy {NUMBER}% of 450.*2 workers", [(75, 100)]),
}

SPAWNING = {
    "torch_ddp": (
        "--epochs 2",
        rf"accuracy {NUMBER}% of 450 images before, {NUMBER}% after",
        [(20, 99), (80, 100)],
    ),
}


def test_every_example_is_run():
    programs = {path.stem for path in FOLDER.glob("*.py") if "\ndef main(" in path.read_text()}
    # digits is run by scripts/demo, elastic beside the tests of mx.elastic
    assert programs == {*RUNS, *LAUNCHED, *SPAWNING, "digits", "elastic", "resume"}


@pytest.mark.parametrize("name", LAUNCHED)
def test_example_learns_with_two_workers(name):
    learns("-m", "mxnova", "launch", "-n", "2", sys.executable, name=name, run=LAUNCHED[name])


@pytest.mark.parametrize("name", SPAWNING)
def test_example_that_spawns_workers_learns(name):
    learns(name=name, run=SPAWNING[name])


def learns(*launcher, name, run):
    arguments, printed, bounds = run
    done = subprocess.run(
        [sys.executable, *launcher, "-m", f"examples.{name}", *arguments.split()],
        cwd=FOLDER.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = re.search(printed, done.stdout)
    assert found, done.stdout
    for number, (low, high) in zip(found.groups(), bounds):
        assert low <= float(number) <= high, done.stdout
    assert len(re.findall(r"epoch 1 .*/s", done.stdout)) == 1


def test_a_killed_worker_changes_nothing(monkeypatch, capfd):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
    monkeypatch.chdir(FOLDER.parent)
    assert importlib.import_module("examples.resume").main(["--steps", "30"]) == 0
    out, err = capfd.readouterr()
    assert "worker 1 was ended by SIGKILL; restart 1 of 1" in err
    assert "worker 1 of 2 begins with step 10" in out
    found = re.search(rf"loss {NUMBER} without a kill, {NUMBER} with one", out)
    assert found
    assert found[1] == found[2]


@pytest.mark.parametrize("name", RUNS)
def test_example_learns(name, capsys):
    arguments, printed, bounds = RUNS[name]
    status = importlib.import_module(f"examples.{name}").main(arguments.split())
    text = capsys.readouterr().out
    found = re.search(printed, text)
    assert found, text
    assert status == 0
    for number, (low, high) in zip(found.groups(), bounds):
        assert low <= float(number) <= high, text
    assert re.search(r"epoch 1 .*/s", text)
