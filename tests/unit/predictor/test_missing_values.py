# SPDX-License-Identifier: Apache-2.0
"""Parameters that a model's files lack, and dtypes that they imply."""

import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova.artefacts import InferenceModel
from mxnova.core.base.errors import ArgumentError

S = mx.sym
DATA = S.var("data")
FC = S.FullyConnected(DATA, num_hidden=2, name="fc")
WEIGHT = {"arg:fc_weight": mx.nd.ones((2, 4))}
ONES = np.ones((1, 4), "f")


def test_predictor_rejects_missing_parameter_by_name_and_file(tmp_path):
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, FC, {"fc_weight": mx.nd.ones((2, 4))}, {})
    with pytest.raises(
        ArgumentError, match=r"net-0000\.params lacks fc_bias, .*allow_missing=True"
    ):
        mx.Predictor.from_checkpoint(str(tmp_path / "net"), 0, {"data": (1, 4)})
    with pytest.raises(ArgumentError, match=r"net-0000\.params: .* lacks fc_bias"):
        mx.open_model(tmp_path / "net").predictor({"data": (1, 4)})
    options = {"allow_missing": True}
    model = InferenceModel.open(str(tmp_path / "net"), **options)
    assert model.predictor({"data": (1, 4)}).predict(data=ONES)[0].tolist() == [[4, 4]]


def test_predictor_rejects_missing_auxiliary_states():
    symbol = S.BatchNorm(DATA, name="bn")
    arrays = {"arg:bn_gamma": mx.nd.ones(4), "arg:bn_beta": mx.nd.ones(4)}
    with pytest.raises(ArgumentError, match="params lacks bn_moving_mean, bn_moving_var"):
        mx.Predictor(symbol, arrays, {"data": (1, 4)})


def test_predictor_with_allow_missing_computes_with_zeros_and_pickles():
    predictor = mx.Predictor(FC, WEIGHT, {"data": (1, 4)}, allow_missing=True)
    assert pickle.loads(pickle.dumps(predictor)).predict(data=ONES)[0].tolist() == [[4, 4]]
    assert predictor.predict(data=ONES, fc_bias=[1, 2])[0].tolist() == [[5, 6]]


def test_predictor_accepts_inputs_labels_and_initial_states_without_values():
    state = S.RNN(DATA, S.var("p"), S.var("s"), mode="gru", state_size=2, num_layers=1)
    shape = state.infer_shape(data=(2, 1, 3))[0][1]
    predictor = mx.Predictor(state, {"arg:p": mx.nd.ones(shape)}, {"data": (2, 1, 3)})
    assert predictor.predict(data=np.ones((2, 1, 3)))[0].shape == (2, 1, 2)
    loss = S.LinearRegressionOutput(FC, name="loss")
    arrays = {**WEIGHT, "arg:fc_bias": mx.nd.ones(2)}
    predictor = mx.Predictor(loss, arrays, {"data": (1, 4)})
    assert predictor.predict(data=ONES)[0].tolist() == [[5, 5]]
    mask = mx.Predictor(FC * S.var("mask"), arrays, {"data": (1, 4), "mask": (1, 2)})
    assert mask.predict(data=ONES, mask=[[0, 1]])[0].tolist() == [[0, 5]]


def test_predictor_checks_only_what_the_chosen_outputs_read():
    network = S.FullyConnected(FC, num_hidden=2, name="top")
    arrays = {**WEIGHT, "arg:fc_bias": mx.nd.ones(2)}
    predictor = mx.Predictor(network, arrays, {"data": (1, 4)}, outputs=["fc"])
    assert predictor.predict(data=ONES)[0].tolist() == [[5, 5]]


def test_predictor_infers_dtypes_of_inputs_from_parameters():
    arrays = {n: a.astype("float16") for n, a in {**WEIGHT, "arg:fc_bias": mx.nd.ones(2)}.items()}
    predictor = mx.Predictor(FC, arrays, {"data": (1, 4)})
    assert predictor.predict(data=ONES)[0].dtype == np.float16


def test_predictor_rejects_types_of_unknown_inputs():
    arrays = {**WEIGHT, "arg:fc_bias": mx.nd.ones(2)}
    with pytest.raises(ArgumentError, match=r"types: the model has no input 'date'.*'data'"):
        mx.Predictor(FC, arrays, {"data": (1, 4)}, types={"date": "uint8"})


def test_predictor_with_cache_rejects_missing_and_uses_declared_dtypes(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path))
    options = {"backend": "onnxruntime", "cache": True}
    with pytest.raises(ArgumentError, match="params lacks fc_bias"):
        mx.Predictor(FC, WEIGHT, {"data": (1, 4)}, **options)
    with pytest.raises(ArgumentError, match="cache=True and allow_missing=True"):
        mx.Predictor(FC, WEIGHT, {"data": (1, 4)}, allow_missing=True, **options)
    data = S.Cast(S.var("data", dtype="uint8"), dtype="float32")
    symbol = S.FullyConnected(data, num_hidden=2, no_bias=True, name="fc")
    predictor = mx.Predictor(symbol, WEIGHT, {"data": (1, 4)}, **options)
    assert predictor._network.input_facts("data")[1].name == "uint8"
