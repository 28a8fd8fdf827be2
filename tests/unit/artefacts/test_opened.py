# SPDX-License-Identifier: Apache-2.0
"""What was opened is written as a checkpoint, all of it or nothing, and opens again."""

from __future__ import annotations

import os
from dataclasses import asdict

import numpy as np
import pytest

import mxnova as mx

from . import made


@pytest.mark.parametrize("name", made.NETWORKS)
def test_what_is_saved_opens_to_the_same(artefacts, name, tmp_path):
    opened = mx.open_model(artefacts / name)
    paths = opened.save(tmp_path / "out")
    assert sorted(map(os.path.basename, paths)) == sorted(os.listdir(tmp_path / "out"))
    again = mx.open_model(tmp_path / "out")
    assert (again.prefix, again.labels) == (opened.prefix, opened.labels)
    assert again.preprocessing == opened.preprocessing
    assert again.input_shapes == opened.input_shapes
    values = np.ones((2, *opened.input_shapes["data"][1:]), np.float32)
    (first,), (second,) = (m.predictor().predict(data=values) for m in (opened, again))
    np.testing.assert_array_equal(first, second)


def test_names_without_a_kind_get_one(tmp_path):
    symbol, _ = made.checkpoint(made.small_images(), data=(1, 3, 8, 8)).values()
    shapes, _, states = made.small_images().infer_shape(data=(1, 3, 8, 8))
    names = made.small_images().list_arguments()
    values = {n: np.ones(s) for n, s in zip(names, shapes) if n not in ("data", "softmax_label")}
    values |= dict(zip(made.small_images().list_auxiliary_states(), map(np.ones, states)))
    files = {"net-symbol.json": symbol, "net-best.params": made.arrays(**values)}
    (tmp_path / "net.zip").write_bytes(made.zipped(files))
    opened = mx.open_model(tmp_path / "net.zip")
    opened.save(tmp_path, "named")
    _, arguments, states = mx.model.load_checkpoint(str(tmp_path / "named"), 0)
    assert set(states) == {"bn_data_moving_mean", "bn_data_moving_var"}
    assert "conv0_weight" in arguments


def test_a_file_that_is_there_stays(artefacts, tmp_path):
    opened = mx.open_model(artefacts / "squeeze.mar")
    (tmp_path / "squeeze-labels.txt").write_text("mine")
    with pytest.raises(mx.MXNetError, match=r"squeeze-labels.txt: exists; --force replaces it"):
        opened.save(tmp_path)
    assert os.listdir(tmp_path) == ["squeeze-labels.txt"]
    opened.save(tmp_path, force=True)
    assert (tmp_path / "squeeze-labels.txt").read_text() == made.SYNSET.decode()


def test_nothing_is_left_of_a_save_that_fails(artefacts, tmp_path, monkeypatch):
    opened = mx.open_model(artefacts / "squeeze.mar")

    def fail(*arguments, **named):
        raise OSError(28, "no space left")

    monkeypatch.setattr("mxnova.artefacts.opened.params.write", fail)
    with pytest.raises(OSError, match="no space"):
        opened.save(tmp_path / "out")
    assert os.listdir(tmp_path) == []


def test_a_prefix_is_a_name(artefacts, tmp_path):
    opened = mx.open_model(artefacts / "squeeze.mar")
    for prefix in ("../x", "a/b", "", "."):
        with pytest.raises(mx.MXNetError, match="prefix"):
            opened.save(tmp_path, prefix)
    assert os.listdir(tmp_path) == []


def test_inputs_whose_shapes_nothing_tells(tmp_path):
    files = made.checkpoint(made.small_images(), data=(1, 3, 24, 32))
    (tmp_path / "m.zip").write_bytes(made.zipped(files))
    opened = mx.open_model(tmp_path / "m.zip")
    assert opened.input_shapes is None
    with pytest.raises(mx.MXNetError, match="input_shapes is a dict by name, of data"):
        opened.predictor()
    assert opened.predictor({"data": (1, 3, 24, 32)}).output_shapes == [(1, 3)]


def test_a_network_that_does_not_parse_names_its_file(tmp_path):
    files = made.checkpoint(made.linear_network(), data=(1, 2))
    path = tmp_path / "m.zip"
    path.write_bytes(made.zipped({**files, "model-symbol.json": b"{"}))
    with pytest.raises(mx.MXNetError, match=r"m\.zip: model-symbol\.json: .*line 1"):
        mx.open_model(path)
    unknown = files["model-symbol.json"].replace(b"FullyConnected", b"FullyDetached")
    path.write_bytes(made.zipped({**files, "model-symbol.json": unknown}))
    opened = mx.open_model(path)
    with pytest.raises(mx.MXNetError, match=r"m\.zip: model-symbol\.json: .*FullyDetached"):
        opened.predictor()


def test_parameters_that_are_broken_name_their_file(tmp_path):
    files = made.checkpoint(made.linear_network(), data=(1, 2))
    header = np.array([0x112, 0, 10**6], "<u8").tobytes()
    for content, text in ((b"\x12", "m.zip: model-0000.params: "), (header, "1000000 arrays")):
        (tmp_path / "m.zip").write_bytes(made.zipped({**files, "model-0000.params": content}))
        with pytest.raises(mx.MXNetError, match=text):
            mx.open_model(tmp_path / "m.zip")


def test_preprocessing_is_plain_values(artefacts):
    told = asdict(mx.open_model(artefacts / "images/model.tar.gz").preprocessing)
    assert told == {
        "size": (24, 32), "mean": (0.0,), "scale": (1.0,), "bgr": False, "gray": False,
        "interpolation": "linear",
    }  # fmt: skip
