# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest

from mxnova.cli.arguments import parse
from mxnova.core.base.errors import MXNetError


@pytest.fixture(scope="module")
def data(folder):
    """Rows of `net`'s input, labelled by what it finds."""
    rows = np.random.default_rng(0).uniform(-1, 1, (40, 2)).astype("f")
    scores = rows @ np.array([[1, 0, 1], [0, 1, 1]], "f")
    np.savez(folder / "rows.npz", data=rows, label=scores.argmax(axis=1))
    return folder / "rows.npz"


def run(*args):
    options = parse(["quantize", *map(str, args)])
    return options.act(options)


@pytest.fixture
def given(folder, data, tmp_path):
    return folder / "net", "--data", data, "-o", tmp_path / "q", "--calibration", "naive"


def test_what_it_costs_is_shown(given, tmp_path, capsys):
    run(*given, "--max-drop", 50, "--batches", 2, "--batch", 4, "--html", tmp_path / "q.html")
    shown = capsys.readouterr().out.splitlines()
    assert "nodes, in float and on integers" in shown
    assert "Samples for ranges    8" in shown
    names = ("q-0001.params", "q-shapes.json", "q-symbol.json")
    assert {f"{tmp_path}/{name}" for name in names} <= {*shown[-5:-1]}
    assert shown[-1].startswith("accuracy 100.00% before, ")
    page = (tmp_path / "q.html").read_text()
    assert '<p class="verdict equal">accuracy 100.00% before' in page
    assert "<dt>Accuracy on integers</dt>" in page


def test_all_of_it_as_json(given, capsys):
    run(*given, "--json", "--metric", "agreement", "--seed", 1)
    found = json.loads(capsys.readouterr().out)
    assert (found["measure"], found["before"], found["samples"]) == ("agreement", 1, 20)
    assert (found["options"]["calibration"], found["options"]["seed"]) == ("naive", 1)
    assert {row["name"] for row in found["proof"]["nodes"]} == {"fc", "prob"}
    assert [row["inputs"] for row in found["seconds"]] == ["batch 8", "batch 1"]


def test_items_that_cannot_be_used_are_told(folder, tmp_path, capsys):
    for number in range(4):
        np.save(tmp_path / f"{number}.npy", np.full((1, 2), number, "f"))
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY")
    run(folder / "net", "--data", tmp_path, "-o", tmp_path / "q", "--calibration", "none")
    shown = capsys.readouterr()
    assert "broken.npy: no .npy file of numbers" in shown.err
    assert "Items that could not be used  1" in shown.out


@pytest.mark.parametrize(
    "more, text",
    [
        (("--batches", 0), "--batches 0: must be 1 or more"),
        (("--exclude", "fcc"), "no such node; did you mean 'fc'"),
        (("--with", "ort"), "--with ort writes .onnx"),
        (("--max-drop", -1), "--max-drop=-1.0"),
        (("--shape", "data=N,3"), "has shape"),
        (("--html", __file__), "exists, and is no page"),
        (("--labels", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_what_cannot_be_done(given, more, text):
    with pytest.raises((MXNetError, OSError), match=text):
        run(*given, *more)


@pytest.mark.slow
def test_an_error_is_one_line_and_status_1(warm):
    done = warm("quantize", "net", "--data", "nothing")
    assert (done.returncode, done.stderr) == (
        1,
        "error: nothing: there is no such file or folder\n",
    )
