# SPDX-License-Identifier: Apache-2.0
"""What errors of shapes say of the data: in calls, and with the names of a graph."""

from __future__ import annotations

import pytest

import mxnova as mx
from mxnova import gluon, nd
from mxnova.base import MXNetError

nn = gluon.nn


def run(layer, *shape, dtype="float32"):
    layer.initialize()
    return layer(nd.ones(shape, dtype=dtype))


CALLS = {
    "Dense": (
        lambda: run(nn.Dense(4, in_units=3), 2, 5),
        "weight has shape [4,3], but needs [4,5] beside data [2,5], bias [4]; each sample of data "
        "has 5 features, the weight is for 3: give data of 3 features, or make the layer with "
        "in_units=5",
    ),
    "Dense of images": (lambda: run(nn.Dense(4, in_units=3), 2, 5, 2), "10 features (all axes but the first, flatten=True), the weight is for 3"),
    "Dense that keeps axes": (
        lambda: run(nn.Dense(4, in_units=3, flatten=False), 2, 5, 2),
        "each sample of data has 2 features, the weight is for 3",
    ),
    "channels last": (
        lambda: run(nn.Conv2D(8, 3, in_channels=3), 1, 224, 224, 3),
        "data [1,224,224,3] has 224 channels in layout NCHW, the weight is for 3 channels; data "
        "looks like NHWC: give data.transpose((0, 3, 1, 2)), or layout='NHWC'",
    ),
    "channels first": (
        lambda: run(nn.Conv2D(8, 3, in_channels=3, layout="NHWC"), 1, 3, 24, 24),
        "data looks like NCHW: give data.transpose((0, 2, 3, 1)), or layout='NCHW'",
    ),
    "one dimension": (
        lambda: run(nn.Conv1D(8, 3, in_channels=3), 1, 24, 3),
        "data looks like NWC: give data.transpose((0, 2, 1))",
    ),
    "three dimensions": (
        lambda: run(nn.Conv3D(8, 3, in_channels=3), 1, 8, 8, 8, 3),
        "data looks like NDHWC: give data.transpose((0, 4, 1, 2, 3))",
    ),
    "other channels": (
        lambda: run(nn.Conv2D(8, 3, in_channels=3), 1, 4, 24, 24),
        "the weight is for 3 channels: make the layer with in_channels=4",
    ),
    "groups": (
        lambda: run(nn.Conv2D(8, 3, in_channels=4, groups=2), 1, 8, 24, 4),
        "the weight is for 4 channels; data looks like NHWC",
    ),
    "transposed": (
        lambda: run(nn.Conv2DTranspose(8, 3, in_channels=3), 1, 24, 24, 3),
        "data looks like NHWC",
    ),
    "BatchNorm": (
        lambda: run(nn.BatchNorm(in_channels=4), 2, 3, 8, 8),
        "data has 3 channels along axis=1, gamma is for 4: make the layer with in_channels=3",
    ),
    "BatchNorm of channels last": (
        lambda: run(nn.BatchNorm(in_channels=3), 2, 8, 8, 3),
        "data has 8 channels along axis=1, gamma is for 3; axis=3 has 3",
    ),
    "LayerNorm": (
        lambda: run(nn.LayerNorm(in_channels=4), 2, 3),
        "data has 3 items along axis=-1, gamma is for 4",
    ),
    "LSTM": (
        lambda: run(gluon.rnn.LSTM(4, 2, input_size=3), 5, 2, 6),
        "data has 6 features, parameters are for input_size=3",
    ),
    "states": (
        lambda: nd.RNN(
            nd.ones((5, 2, 3)), nd.ones(36), nd.ones((1, 9, 4)), state_size=4, num_layers=1,
            mode="rnn_relu",
        ),
        "a batch of 2: begin_state(batch_size)",
    ),
    "concat": (
        lambda: nd.concat(nd.ones((2, 3)), nd.ones((4, 5)), dim=1),
        "arg1 has shape [4,5], but needs [2,?] beside arg0 [2,3]; only axis dim=1 may differ",
    ),
    "pick": (lambda: nd.pick(nd.ones((4, 3)), nd.ones(5)), "index has shape [5], but needs [4]"),
    "types": (
        lambda: run(nn.Dense(4, in_units=3), 2, 3, dtype="float64"),
        "weight has type float32, but needs float64 beside data float64, bias float32; "
        "make them of one type, such as by x.astype('float32')",
    ),
    "one wrong type": (
        lambda: nd.InstanceNorm(*[nd.ones(s, dtype="float16") for s in ((2, 3, 4), (3,), (3,))]),
        "data has type float16, but needs float32 beside gamma float16, beta float16",
    ),
    "many arrays": (
        lambda: nd.concat(*[nd.ones((2, 3))] * 9, nd.ones((4, 3)), dim=1),
        "beside arg0 [2,3], arg1 [2,3], arg2 [2,3], arg3 [2,3], 5 more",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    call, text = CALLS[name]
    with pytest.raises(MXNetError) as caught:
        call()
    assert text in str(caught.value)
    assert name != "one wrong type" or str(caught.value).endswith(text)


def dense(**shapes):
    weight = mx.sym.var("w", **shapes)
    return mx.sym.FullyConnected(mx.sym.var("x"), weight, num_hidden=4, no_bias=True, name="fc")


CASTS = {  # the type that most have, then one of fractions, then what was needed
    "most": (("float64", "float32", "float32"), "float32"),
    "most, of float64": (("float32", "float64", "float64"), "float64"),
    "a fraction": (("int32", "float32"), "float32"),
    "what was needed": (("float64", "float32"), "float64"),
}


@pytest.mark.parametrize("name", CASTS)
def test_types_are_made_that_of_the_others(name):
    types, wanted = CASTS[name]
    arrays = [nd.ones(n, dtype=t) for n, t in zip(((2, 3), (4, 3), 4), types, strict=False)]
    with pytest.raises(MXNetError, match=rf"such as by x\.astype\('{wanted}'\)$"):
        nd.FullyConnected(*arrays, num_hidden=4, no_bias=len(arrays) == 2)


def test_the_axis_of_numpy_is_called_axis():
    arrays = [mx.np.ones((2, 3)), mx.np.ones((4, 5))]
    with pytest.raises(MXNetError, match="; only axis=1 may differ$"):
        mx.np.concatenate(arrays, axis=1)


def test_symbols_are_asked_for_where_symbols_belong():
    with pytest.raises(TypeError, match=r"^relu: data must be a Symbol, not a list$"):
        mx.sym.relu([1, 2])
    with pytest.raises(TypeError, match=r"not a NDArray$"):
        mx.sym.relu(nd.ones(2))


def test_graphs_name_node_and_argument():
    with pytest.raises(MXNetError) as caught:
        dense().infer_shape(x=(2, 5), w=(4, 3))
    assert str(caught.value) == (
        "node 'fc': FullyConnected: weight 'w' has shape [4,3], but needs [4,5] beside data [2,5]; "
        "each sample of data has 5 features, the weight is for 3: give data of 3 features, or make "
        "the layer with in_units=5"
    )


def test_graphs_name_the_argument_of_another_type():
    with pytest.raises(MXNetError, match="node 'fc': FullyConnected: weight 'w' has type float32"):
        dense().infer_type(x="float64", w="float32")
