# SPDX-License-Identifier: Apache-2.0
"""Networks that end in a loss: labels that outputs do not read are no inputs of the target."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert

pytest.importorskip("onnxruntime")
pytest.importorskip("safetensors")
from .in_process import check

S = mx.sym
DATA, LABEL = S.var("data"), S.var("label")
WEIGHTS = {n: S.var(f"fc{n}_weight") for n in (1, 3, 6, 12)}


def scores(n=3):
    return S.FullyConnected(DATA, WEIGHTS[n], num_hidden=n, no_bias=True, name=f"fc{n}")


def steps():
    return S.Reshape(scores(12), shape=(4, 2, 3))


def maps():
    return S.Reshape(scores(6), shape=(0, 3, 2))


HEADS = {
    "LinearRegressionOutput": S.LinearRegressionOutput(scores(), name="out"),
    "LinearRegressionOutput of a column": S.LinearRegressionOutput(scores(1), name="out"),
    "LogisticRegressionOutput": S.LogisticRegressionOutput(scores(), name="out"),
    "MAERegressionOutput": S.MAERegressionOutput(scores(), name="out"),
    "SVMOutput": S.SVMOutput(scores(), name="out"),
    "SoftmaxOutput": S.SoftmaxOutput(scores(), name="softmax"),
    "SoftmaxOutput multi_output": S.SoftmaxOutput(maps(), multi_output=True, name="softmax"),
    "SoftmaxOutput preserve_shape": S.SoftmaxOutput(maps(), preserve_shape=True, name="softmax"),
    "SoftmaxOutput of flattened axes": S.SoftmaxOutput(maps(), name="softmax"),
    "a reshaped label": S.SoftmaxOutput(scores(), S.Reshape(LABEL, shape=(-1,)), name="softmax"),
    "a sliced label": S.SoftmaxOutput(
        scores(), S.Reshape(S.slice_axis(LABEL, axis=1, begin=0, end=1), shape=(-1,)), name="s"
    ),
    "two losses": S.Group([S.SoftmaxOutput(scores(), name="a"), S.SVMOutput(scores(), name="b")]),
    "two losses of one label": S.Group([S.SoftmaxOutput(scores(), LABEL), S.SVMOutput(scores(), LABEL)]),
    "a layer behind the loss": S.relu(S.LinearRegressionOutput(scores(), name="out")),
    "BlockGrad": S.BlockGrad(scores()),
    "IdentityAttachKLSparseReg": S.IdentityAttachKLSparseReg(S.sigmoid(scores()), name="kl"),
}  # fmt: skip
READ = {  # losses whose outputs depend on the label
    "MakeLoss": (S.MakeLoss(S.sum(S.square(scores(1) - LABEL), axis=1)), {"label": (2, 1)}),
    "softmax_cross_entropy": (S.softmax_cross_entropy(scores(), LABEL), {"label": (2,)}),
    "a label that is an output, too": (
        S.Group([S.SoftmaxOutput(scores(), LABEL), LABEL + 1]),
        {"label": (2,)},
    ),
}
ONLY_PYTHON = {
    "CTCLoss": (S.CTCLoss(steps(), LABEL), {"label": (2, 2)}),
    "CTCLoss with lengths": (
        S.CTCLoss(
            steps(), LABEL, S.var("steps"), S.var("count"),
            use_data_lengths=True, use_label_lengths=True, blank_label="last",
        ),
        {"label": (2, 2), "steps": (2,), "count": (2,)},
    ),
}  # fmt: skip


def save(symbol, folder):
    values = {n: w.name for n, w in WEIGHTS.items()}
    rng = np.random.default_rng(0)
    names = symbol.list_arguments()
    arrays = {w: mx.nd.array(rng.normal(size=(n, 4))) for n, w in values.items() if w in names}
    states = {n: mx.nd.ones(3) for n in symbol.list_auxiliary_states()}
    mx.model.save_checkpoint(str(folder / "net"), 0, symbol, arrays, states)


def convert_and_compare(symbol, ending, folder, shapes):
    save(symbol, folder)
    check(folder / "net", folder / f"x{ending}", {"data": (2, 4), **shapes})


@pytest.mark.parametrize("ending", [".py", ".onnx"])
@pytest.mark.parametrize("name", HEADS)
def test_convert_needs_no_label_that_outputs_do_not_read(name, ending, tmp_path):
    convert_and_compare(HEADS[name], ending, tmp_path, {})


def test_convert_to_exported_program_needs_no_label(tmp_path):
    save(HEADS["two losses of one label"], tmp_path)
    done = convert(tmp_path / "net", tmp_path / "x.pt2", shapes={"data": (2, 4)})
    assert done.proof.is_equal


@pytest.mark.parametrize("ending", [".py", ".onnx"])
@pytest.mark.parametrize("name", READ)
def test_convert_keeps_label_that_outputs_read(name, ending, tmp_path):
    symbol, shapes = READ[name]
    convert_and_compare(symbol, ending, tmp_path, shapes)


@pytest.mark.parametrize("name", ONLY_PYTHON)
def test_convert_writes_ctc_loss_as_python(name, tmp_path):
    symbol, shapes = ONLY_PYTHON[name]
    convert_and_compare(symbol, ".py", tmp_path, shapes)


def test_convert_accepts_shape_of_a_label_that_is_not_needed(tmp_path):
    convert_and_compare(HEADS["a reshaped label"], ".onnx", tmp_path, {"label": (2, 1)})


def test_convert_to_mxnet_keeps_the_training_graph(tmp_path):
    symbol = HEADS["a reshaped label"]
    mx.model.save_checkpoint(
        str(tmp_path / "net"), 0, symbol, {"fc3_weight": mx.nd.ones((3, 4))}, {}
    )
    convert(tmp_path / "net", tmp_path / "again", to="mxnet", shapes={"data": (2, 4)})
    assert mx.sym.load(str(tmp_path / "again-symbol.json")).tojson() == symbol.tojson()
