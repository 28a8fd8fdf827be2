# SPDX-License-Identifier: Apache-2.0
import csv
import json

import numpy as np
import pytest

from mxnova.batch_inference import Prediction, result_file
from mxnova.core.base.errors import ArgumentError, FormatError, MXNetError

SCORES = np.array([0.25, np.nan, 0.75], "f")
BATCH = [
    Prediction("a\n.png", [SCORES, np.eye(2)], None),
    Prediction("bad.png", None, "no image"),
    Prediction("b.png", [SCORES, np.eye(2)], None),
]
NAMES = ["prob", "boxes"]


def write(path, batch=BATCH, **options):
    with result_file(path, 2, ("x", "y", "z"), **options) as results:
        results.add(NAMES, [p for p in batch if results.key(p.name) not in results.done])
    return results


def test_json_lines(tmp_path):
    write(tmp_path / "r.jsonl")
    first, second = map(json.loads, (tmp_path / "r.jsonl").read_text().splitlines())
    assert [first["name"], second["name"]] == ["a\n.png", "b.png"]
    assert first["outputs"]["prob"][0] == {"index": 2, "label": "z", "score": 0.75}
    assert first["outputs"]["boxes"] == [[1, 0], [0, 1]]


def test_csv(tmp_path):
    write(tmp_path / "r.csv")
    head, first, _ = csv.reader((tmp_path / "r.csv").read_text().splitlines())
    assert head[:4] == ["name", "prob_index_1", "prob_label_1", "prob_score_1"]
    assert first[:4] == ["a\\n.png", "2", "z", "0.75"]
    assert json.loads(first[-1]) == [[1, 0], [0, 1]]


def test_npz_has_whole_outputs(tmp_path):
    write(tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz") as found:
        assert found["name"].tolist() == ["a\n.png", "b.png"]
        np.testing.assert_array_equal(found["prob"], [SCORES, SCORES])
        assert found["boxes"].shape == (2, 2, 2)
    other = [Prediction("c", [np.zeros(2, "f"), np.eye(2)], None)]
    with pytest.raises(MXNetError, match="has shape"):
        write(tmp_path / "n.npz", [*BATCH, *other])
    assert [p.name for p in tmp_path.iterdir()] == ["r.npz"]


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_file_that_was_cut_anywhere_is_resumed(tmp_path, ending):
    path = tmp_path / f"r.{ending}"
    write(path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        write(path, resume=True)
        assert path.read_bytes() == whole
    with pytest.raises(ArgumentError, match="exists; --resume"):
        write(path)


@pytest.mark.parametrize(
    "name, text, error",
    [
        ("r.jsonl", "[1]\n", FormatError),
        ("r.jsonl", "{\n", FormatError),
        ("r.csv", "a,b\n", FormatError),
        ("r.csv", "name,b\nx\n", FormatError),
        ("r.csv", "name,b\n", ArgumentError),
        ("r.npz", "", ArgumentError),
        ("r.txt", "", ArgumentError),
    ],
)
def test_other_files_are_refused_and_stay(tmp_path, name, text, error):
    (tmp_path / name).write_text(text)
    with pytest.raises(error):
        write(tmp_path / name, resume=True)
    assert (tmp_path / name).read_text() == text
