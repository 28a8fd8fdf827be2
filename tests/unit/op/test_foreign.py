# SPDX-License-Identifier: Apache-2.0
import json

import pytest

import mxnova as mx
from mxnova.core.base.errors import UnknownNameError
from mxnova.core.op.schema import find

NAMES = {
    "_TensorRT": "a TensorRT engine",
    "_Native": "a Python object",
    "_NDArray": "a Python object",
    "_CustomFunction": "not meant for files",
    "_FusedOp": "not meant for files",
    "WarpCTC": "use CTCLoss",
    "CaffeOp": "plugin caffe",
    "CaffeLoss": "plugin caffe",
    "TorchModule": "plugin torch",
    "TorchCriterion": "plugin torch",
    "QConvolution": "BMXNet",
    "QConvolution_v1": "BMXNet",
    "QFullyConnected": "BMXNet",
    "QActivation": "BMXNet",
    "_contrib_gradcancel": "BMXNet",
    "_sg_onednn_conv": "MXNet 2",
    "_sg_unknown_backend": "a backend compiled",
    "_neuron_subgraph_op": "a backend compiled",
    "MultiBoxPrior": "calls it '_contrib_MultiBoxPrior'",
    "ROIAlign": "calls it '_contrib_ROIAlign'",
    "DeformableConvolution": "calls it '_contrib_DeformableConvolution'",
    "Proposal": "calls it '_contrib_Proposal'",
    "ROIAlign_v2": "a fork for detection",
    "ProposalTarget": "a fork for detection",
    "_contrib_inplace_abn": "BatchNorm and LeakyReLU",
    "LSoftmax": "face recognition",
    "Correlation1D": "a fork of MXNet",
    "_npx_masked_matmul_of_the_future": "may be from MXNet 2",
    "SomethingElseAltogether": "may be from another version, a fork or a plugin",
}


@pytest.mark.parametrize("name", NAMES)
def test_find_explains_names_of_forks_and_plugins(name):
    with pytest.raises(UnknownNameError, match="is not registered") as caught:
        find(name)
    assert NAMES[name] in str(caught.value)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("Convolutoin", "'Convolution'"), ("Relu", "'relu'"), ("softmx", "'softmax'")],
)
def test_find_suggests_close_spellings(name, hint):
    with pytest.raises(UnknownNameError, match=f"did you mean .*{hint}"):
        find(name)


def test_load_json_names_the_node_of_a_foreign_operator():
    nodes = [
        {"op": "null", "name": "data", "inputs": []},
        {"op": "WarpCTC", "name": "loss", "inputs": [[0, 0, 0]]},
    ]
    text = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]})
    with pytest.raises(UnknownNameError, match="node 'loss': operator 'WarpCTC' .*plugin warpctc"):
        mx.sym.load_json(text)


def test_custom_without_code_tells_how_to_register_it():
    with pytest.raises(UnknownNameError, match=r"calls mx\.operator\.register\('proposal_x'\)"):
        mx.sym.Custom(mx.sym.var("data"), op_type="proposal_x")
