# SPDX-License-Identifier: Apache-2.0
"""``mxnova open``."""

from __future__ import annotations

import json

import pytest

from mxnova.cli import main

from ..artefacts import made


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Calls the command line; returns its status, output and errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.tar.gz").write_bytes(made.object_detection())
    (tmp_path / "squeeze.mar").write_bytes(made.mar())

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["mxnova", *arguments])
        try:
            main()
            status = 0
        except SystemExit as stopped:
            status = stopped.code
        return (status, *capsys.readouterr())

    return call


def test_a_table_of_what_is_inside(run):
    status, output, _ = run("open", "squeeze.mar")
    lines = output.splitlines()
    assert status == 0
    assert lines[0] == "squeeze.mar: archive of Multi Model Server"
    assert "data  ('N', 3, 24, 32)" in lines
    assert any(line.startswith("signature.json") for line in lines)
    assert "labels: n01440764 tench, Tinca tinca, n01443537 goldfish" in output
    assert "handlers: mxnet_vision_service.py" in lines
    assert "outputs: softmax[0]" in lines


def test_json(run):
    _, output, _ = run("open", "model.tar.gz", "--json")
    told = json.loads(output)
    assert told["layout"] == "SageMaker object detection"
    assert told["inputs"] == [{"name": "data", "shape": ["N", 3, 32, 32]}]
    assert told["outputs"] == ["det_out[0]"]
    assert told["handlers"] == []
    assert told["parameters"]["arrays"] == 6


def test_a_checkpoint_is_written(run, tmp_path):
    status, output, _ = run("open", "model.tar.gz", "-o", "out", "--prefix", "cars")
    assert status == 0
    names = ["-0000.params", "-preprocessing.json", "-shapes.json", "-symbol.json"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [f"cars{n}" for n in names]
    assert "out/cars-0000.params" in output
    before = (tmp_path / "out/cars-symbol.json").read_bytes()
    status, _, errors = run("open", "squeeze.mar", "-o", "out", "--prefix", "cars")
    assert status == 1
    assert "exists; --force replaces it" in errors
    assert (tmp_path / "out/cars-symbol.json").read_bytes() == before
    assert run("open", "squeeze.mar", "-o", "out", "--prefix", "cars", "--force")[0] == 0
    assert (tmp_path / "out/cars-symbol.json").read_bytes() != before


def test_an_error_is_one_line(run, tmp_path):
    (tmp_path / "bad.zip").write_bytes(made.zipped({"../x": b"x"}))
    for arguments, text in (
        (["bad.zip", "-o", "out"], "leads out of the archive"),
        (["none"], "none"),
        (["squeeze.mar", "--prefix", "x"], "-o FOLDER is missing"),
        (["squeeze.mar", "-o", "out", "--prefix", "../x"], "without folders"),
    ):
        status, output, errors = run("open", *arguments)
        assert (status, output) == (1, "")
        assert errors.startswith("error: ")
        assert text in errors
        assert errors.count("\n") == 1
    assert not (tmp_path / "out").exists()
    assert sorted(p.name for p in tmp_path.parent.glob("x*")) == []


def test_a_model_is_converted_from_its_archive(run, tmp_path):
    pytest.importorskip("safetensors")
    status, output, _ = run("convert", "squeeze.mar", "squeeze.safetensors")
    assert status == 0
    assert "squeeze.safetensors" in output
    status, output, _ = run("convert", "squeeze.mar", "squeeze", "--to", "mxnet")
    assert status == 0
    assert "max diff" in output


@pytest.mark.parametrize("command", [["open"], ["plot"], ["convert", "-s", "data=N,2"]])
def test_archive_without_model_is_an_error(command, run, tmp_path):
    (tmp_path / "empty.zip").write_bytes(made.zipped({}))
    name, *options = command
    targets = ["net.onnx"] if name == "convert" else []
    status, _, errors = run(name, "empty.zip", *targets, *options)
    assert status == 1
    assert errors.startswith("error: empty.zip: contains no model: it has no files. Expected ")
