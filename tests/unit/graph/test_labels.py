# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.core.graph.labels import labels_of, without_label_graphs
from mxnova.core.graph.missing import needed_values, parameters_among

S = mx.sym
DATA, LABEL = S.var("data"), S.var("label")
FC = S.FullyConnected(DATA, num_hidden=2, name="fc")
CASES = {
    "SoftmaxOutput": (S.SoftmaxOutput(FC, LABEL), {"label"}),
    "SVMOutput": (S.SVMOutput(FC, LABEL), {"label"}),
    "CTCLoss": (S.CTCLoss(DATA, LABEL), set()),
    "softmax_cross_entropy": (S.softmax_cross_entropy(DATA, LABEL), set()),
    "an output, too": (S.Group([S.SoftmaxOutput(FC, LABEL), LABEL]), set()),
    "read elsewhere": (S.Group([S.SoftmaxOutput(FC, LABEL), LABEL + 1]), set()),
    "computed": (S.SoftmaxOutput(FC, S.Reshape(LABEL, shape=(-1,))), set()),
}


@pytest.mark.parametrize("name", CASES)
def test_labels_of_returns_variables_that_no_output_reads(name):
    symbol, expected = CASES[name]
    assert labels_of(symbol) == expected


def test_without_label_graphs_replaces_computed_labels_by_variables():
    symbol = S.SoftmaxOutput(FC, S.Reshape(LABEL, shape=(-1,)), name="softmax")
    cut = without_label_graphs(symbol)
    assert cut.list_arguments() == ["data", "fc_weight", "fc_bias", "softmax_label"]
    assert labels_of(cut) == {"softmax_label"}
    assert without_label_graphs(FC) is FC


def test_without_label_graphs_gives_new_names():
    label = S.Reshape(S.var("softmax_label"), shape=(-1,))
    cut = without_label_graphs(S.SoftmaxOutput(FC, label, name="softmax"))
    assert cut.list_arguments()[-1] == "softmax_label_1"


def test_needed_values_leaves_out_labels_and_initial_states():
    state = S.RNN(DATA, S.var("p"), S.var("s"), S.var("c"), mode="lstm", state_size=2, num_layers=1)
    symbol = S.Group([S.SoftmaxOutput(FC, LABEL), state])
    assert needed_values(symbol, {"data", "fc_weight"}) == ["fc_bias", "p"]


def test_parameters_among_returns_weights_and_auxiliary_states():
    symbol = S.BatchNorm(FC * S.var("mask"), name="bn")
    names = ["data", "fc_bias", "mask", "bn_gamma", "bn_moving_var"]
    assert parameters_among(symbol, names) == ["fc_bias", "bn_gamma", "bn_moving_var"]
