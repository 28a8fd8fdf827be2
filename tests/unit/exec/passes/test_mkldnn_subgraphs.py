# SPDX-License-Identifier: Apache-2.0
"""What MXNet's backends for oneDNN take together: recorded from it, but for its defects."""

import json

import pytest

import mxnova as mx

S = mx.sym
X, B = S.var("data"), S.var("b")
CONVOLUTION = S.Convolution(X, kernel=(3, 3), num_filter=4, name="c")
LINEAR = S.FullyConnected(X, num_hidden=4, name="f")
CONV, FC = "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"


def act(data, kind="relu"):
    return S.Activation(data, act_type=kind, name="r")


def leaky(data, kind="leaky"):
    return S.LeakyReLU(data, act_type=kind, name="r")


def norm(data, **options):
    return S.BatchNorm(data, name="bn", **options)


def nodes(symbol, backend):
    graph = json.loads(symbol.get_backend_symbol(backend).tojson())
    return [(n["op"], n["name"]) for n in graph["nodes"] if n["op"] != "null"]


def fused(kind, stem, *rest):
    prefix = "sg_mkldnn_conv" if kind == CONV else "sg_mkldnn_fully_connected"
    return [(kind, f"{prefix}{stem}_0"), *rest]


# fmt: off
CASES = [
    (CONVOLUTION, fused(CONV, ""), None),
    (norm(CONVOLUTION), fused(CONV, "_bn"), None),
    (act(norm(CONVOLUTION)), fused(CONV, "_bn_act"), None),
    (act(CONVOLUTION, "tanh"), fused(CONV, "_act"), fused(CONV, "", ("Activation", "r"))),
    (act(CONVOLUTION, "softsign"), fused(CONV, "", ("Activation", "r")), None),
    (leaky(CONVOLUTION, "gelu"), fused(CONV, "_act"), None),
    (leaky(CONVOLUTION, "elu"), fused(CONV, "", ("LeakyReLU", "r")), None),
    (S.clip(CONVOLUTION, a_min=0, a_max=6, name="r"), fused(CONV, "_act"), None),
    (S.clip(CONVOLUTION, a_min=-1, a_max=6, name="r"), fused(CONV, "", ("clip", "r")), None),
    (S.elemwise_add(B, norm(CONVOLUTION)), fused(CONV, "_bn_add"), None),
    (act(CONVOLUTION + B), fused(CONV, "_add_act"), None),
    (S.clip(CONVOLUTION + B, a_min=0, a_max=6, name="r"), fused(CONV, "_add_act"), fused(CONV, "_add", ("clip", "r"))),
    (act(S.Dropout(CONVOLUTION)), fused(CONV, "_act"), None),
    (S.Convolution(X, kernel=(3,), num_filter=4, name="c"), [("Convolution", "c")], None),
    (LINEAR, fused(FC, ""), None),
    (act(LINEAR, "softrelu"), fused(FC, "_eltwise"), fused(FC, "", ("Activation", "r"))),
    (leaky(LINEAR, "elu"), fused(FC, "_eltwise"), None),
    (S.square(LINEAR, name="r"), fused(FC, "_eltwise"), fused(FC, "", ("square", "r"))),
    (S.abs(LINEAR, name="r"), fused(FC, "_eltwise"), None),
    (S.sigmoid(LINEAR, name="r"), fused(FC, "", ("sigmoid", "r")), None),
    (S.Group([CONVOLUTION, act(CONVOLUTION)]), fused(CONV, "", ("Activation", "r")), None),
    (norm(CONVOLUTION, axis=2), fused(CONV, "", ("BatchNorm", "bn")), None),
    (S.Group(norm(CONVOLUTION, output_mean_var=True)), fused(CONV, "", ("BatchNorm", "bn")), None),
]
# fmt: on


@pytest.mark.parametrize("symbol, real, integers", CASES)
def test_groups(symbol, real, integers):
    assert nodes(symbol, "MKLDNN") == real
    assert nodes(symbol, "MKLDNN_QUANTIZE") == (integers or real)
    assert symbol.optimize_for("MKLDNN").tojson() == symbol.get_backend_symbol("MKLDNN").tojson()


def test_of_two_convolutions_the_first_takes_the_sum():
    other = S.Convolution(X, kernel=(3, 3), num_filter=4, name="other")
    found = (CONVOLUTION + other).get_backend_symbol("MKLDNN")
    assert [n.name for n in found.nodes if n.op] == ["sg_mkldnn_conv_1", "sg_mkldnn_conv_add_0"]
    assert [e.node.name for e in found.nodes[-1].inputs] == [
        "data", "c_weight", "c_bias", "sg_mkldnn_conv_1"
    ]  # fmt: skip
    twice = S.elemwise_add(CONVOLUTION, CONVOLUTION, name="s").get_backend_symbol("MKLDNN")
    assert [n.name for n in twice.nodes if n.op] == ["sg_mkldnn_conv_0", "s"]


def test_states_stay_states():
    found = act(norm(CONVOLUTION)).get_backend_symbol("MKLDNN")
    assert found.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert found.list_outputs() == ["sg_mkldnn_conv_bn_act_0_output"]
    arguments, outputs, _ = found.infer_shape(data=(2, 3, 8, 8))
    assert outputs == [(2, 4, 6, 6)]
    assert arguments[1] == (4, 3, 3, 3)
