# SPDX-License-Identifier: Apache-2.0
"""Predictors of every kind cross processes, and files that have changed are refused."""

import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import mxnova as mx
from mxnova.predictor import Predictor
from mxnova.predictor.building import write_compiled

X = np.float32([[1, 2, 3], [0, 1, 0]])
SHAPES = {"data": (2, 3)}
SYMBOL, PARAMS = "net-symbol.json", "net-0002.params"


@pytest.fixture(autouse=True)
def _model(tmp_path, monkeypatch):
    """A checkpoint in the working directory, and an archive of it."""
    monkeypatch.chdir(tmp_path)
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    save(symbol, 1)
    with zipfile.ZipFile("net.zip", "w") as archive:
        for name in (SYMBOL, PARAMS):
            archive.write(name)


def save(symbol, scale):
    weights = {"fc_weight": mx.nd.full((2, 3), scale), "fc_bias": mx.nd.array([0, 1])}
    mx.model.save_checkpoint("net", 2, symbol, weights, {})


def compiled():
    pytest.importorskip("onnxruntime")
    symbol, params = mx.sym.load(SYMBOL), mx.nd.load(PARAMS)
    mx.onnx.export_model(
        symbol, params, [(1, 3)], np.float32, "net.onnx", dynamic=True,
        dynamic_input_shapes=[("N", 3)],
    )  # fmt: skip
    write_compiled("net.onnx", "net.mxnova", "onnxruntime", symbol.list_outputs())
    return Predictor.load("net.mxnova", threads=1).reshape(SHAPES)


def content(path):
    with open(path, "rb") as file:
        return file.read()


OF_FILES = {
    "checkpoint": lambda: Predictor.from_checkpoint("net", 2, SHAPES, backend="aten"),
    "prefix": lambda: mx.open_model("net").predictor(SHAPES, backend="aten"),
    "folder": lambda: mx.open_model(".").predictor(SHAPES),
    "archive": lambda: mx.open_model("net.zip").predictor(SHAPES),
    "compiled": compiled,
}
OF_VALUES = {
    "bytes": lambda: Predictor(content(SYMBOL), content(PARAMS), SHAPES),
    "objects": lambda: Predictor(
        mx.sym.load(SYMBOL), mx.nd.load(PARAMS), SHAPES, ctx=mx.cpu(), backend="aten",
        outputs=["fc"], types={"data": "float32"}, precision="bfloat16",
    ),
}  # fmt: skip
each_of_files = pytest.mark.parametrize("kind", OF_FILES)


@pytest.mark.parametrize("kind", [*OF_FILES, *OF_VALUES])
def test_pickles_restore_model_and_settings(kind, tmp_path):
    predictor = {**OF_FILES, **OF_VALUES}[kind]()
    if kind == "folder":
        os.remove("net.zip")
    pickled = pickle.dumps(predictor)
    assert (str(tmp_path).encode() in pickled) == (kind in OF_FILES)
    again = pickle.loads(pickled)
    np.testing.assert_array_equal(again.predict(data=X)[0], predictor.predict(data=X)[0])
    assert repr(again) == repr(predictor)
    assert pickle.dumps(again) == pickled
    if kind != "compiled":
        assert again.explain() == predictor.explain()
    wide = pickle.loads(pickle.dumps(again.reshape({"data": (5, 3)})))
    assert wide.output_shapes == [(5, 2)]


def test_pickles_of_files_are_small():
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    save(symbol, 1)
    names = mx.nd.load(PARAMS)
    mx.nd.save(PARAMS, {**names, "arg:unused": mx.nd.zeros((1000, 100))})
    for kind in ("checkpoint", "prefix"):
        assert len(pickle.dumps(OF_FILES[kind]())) < 1000
    assert len(pickle.dumps(OF_VALUES["bytes"]())) > 400_000


@pytest.mark.slow
def test_another_process_elsewhere_loads_them():
    made = {kind: make() for kind, make in {**OF_FILES, **OF_VALUES}.items()}
    program = (
        "import pickle, sys; made, x = pickle.load(sys.stdin.buffer)\n"
        "pickle.dump({k: p.predict(data=x)[0] for k, p in made.items()}, sys.stdout.buffer)"
    )
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps((made, X)), capture_output=True,
        cwd="/", env={**os.environ, "PYTHONPATH": path}, check=True,
    )  # fmt: skip
    for kind, found in pickle.loads(done.stdout).items():
        np.testing.assert_allclose(found, made[kind].predict(data=X)[0], err_msg=kind)


def changed(kind):
    """Replaces the model's file."""
    path = {"archive": "net.zip", "compiled": "net.mxnova"}.get(kind, PARAMS)
    with open("next", "wb") as file:
        file.write(content(path) + b"\0")
    os.replace("next", path)
    return os.path.abspath(path)


@each_of_files
def test_files_that_are_others_when_a_pickle_is_loaded_are_refused(kind):
    pickled = pickle.dumps(OF_FILES[kind]())
    path = changed(kind)
    with pytest.raises(mx.MXNetError, match="is not the file that was pickled: its SHA-256") as e:
        pickle.loads(pickled)
    assert path in str(e.value)
    os.remove(path)
    with pytest.raises(FileNotFoundError, match=os.path.basename(path)):
        pickle.loads(pickled)


@each_of_files
def test_files_that_have_changed_since_they_were_read_are_not_pickled(kind):
    predictor = OF_FILES[kind]()
    path = changed(kind)
    with pytest.raises(mx.MXNetError, match="has changed since it was read") as error:
        pickle.dumps(predictor)
    assert path in str(error.value)
