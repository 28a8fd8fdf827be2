# SPDX-License-Identifier: Apache-2.0
"""Networks of Gluon's, exported from their files, give in ONNX Runtime what they give here."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.gluon import nn, rnn
from mxnova.gluon.model_zoo import vision

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from .test_export import answers


def called(net, *inputs):
    return net(*inputs)


def assert_exported(net, tmp_path, *inputs, call=called, array=mx.nd.array):
    net.initialize(mx.init.Xavier())
    net.hybridize()
    expected = call(net, *(array(x, dtype=x.dtype) for x in inputs))
    net.export(str(tmp_path / "net"))
    paths = str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")
    path = str(tmp_path / "net.onnx")
    shapes, types = [x.shape for x in inputs], [x.dtype for x in inputs]
    mx.onnx.export_model(*paths, shapes, types, onnx_file_path=path)
    names = [n for n in mx.sym.load(paths[0]).list_inputs() if n.startswith("data")]
    found = answers(path, **dict(zip(names, inputs, strict=True)))
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other.asnumpy(), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    "name, size",
    [
        ("resnet18_v1", 64),
        ("resnet18_v2", 64),
        ("mobilenet0.25", 64),
        ("mobilenetv2_0.25", 64),
        ("squeezenet1.0", 96),
        ("densenet121", 64),
        ("vgg11_bn", 64),
        ("alexnet", 96),
        ("inceptionv3", 160),
    ],
)
def test_vision(name, size, tmp_path):
    net = vision.get_model(name)
    image = np.random.default_rng(0).uniform(size=(2, 3, size, size)).astype("float32")
    if name in (
        "densenet121",
        "vgg11_bn",
        "alexnet",
        "inceptionv3",
        "squeezenet1.0",
    ):  # the rest wants larger images
        net = nn.HybridSequential()
        net.add(
            *list(vision.get_model(name).features)[: -4 if name in ("vgg11_bn", "alexnet") else -2]
        )
    assert_exported(net, tmp_path, image)


@pytest.mark.parametrize("kind", [rnn.LSTM, rnn.GRU, rnn.RNN])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_recurrent_layers(kind, layout, tmp_path):
    net, rng = kind(4, num_layers=2, bidirectional=True, layout=layout), np.random.default_rng(0)
    shapes = [(3, 2, 5), *(state["shape"] for state in net.state_info(2 if layout == "TNC" else 3))]
    inputs = [rng.normal(size=shape).astype("float32") for shape in shapes]

    def call(net, x, *states):
        output, states = net(x, list(states))
        return [output, *states]

    assert_exported(net, tmp_path, *inputs, call=call)


class Encoder(nn.HybridBlock):
    """A layer of a Transformer, with the lengths of its sequences."""

    def __init__(self, units=8, heads=2):
        super().__init__()
        self.heads, self.units = heads, units
        with self.name_scope():
            self.projections = nn.Dense(3 * units, flatten=False)
            self.output = nn.Dense(units, flatten=False)
            self.norm, self.last_norm = nn.LayerNorm(), nn.LayerNorm()
            self.wide, self.narrow = nn.Dense(16, flatten=False), nn.Dense(units, flatten=False)

    def hybrid_forward(self, F, x, lengths):
        q, k, v = F.split(self.projections(x), num_outputs=3, axis=2)
        q, k, v = (self.apart(F, part) for part in (q, k, v))
        scores = F.contrib.div_sqrt_dim(F.batch_dot(q, k, transpose_b=True))
        steps = F.repeat(lengths, repeats=self.heads).reshape((-1, 1))
        steps = F.broadcast_like(steps, scores, lhs_axes=(1,), rhs_axes=(1,))
        weights = F.softmax(scores, steps, use_length=True, axis=-1)
        mixed = F.batch_dot(weights, v).reshape((-1, self.heads, 0, 0), reverse=True)
        mixed = F.transpose(mixed, axes=(0, 2, 1, 3)).reshape((0, 0, -1))
        x = self.norm(x + self.output(mixed))
        return self.last_norm(x + self.narrow(F.LeakyReLU(self.wide(x), act_type="gelu")))

    def apart(self, F, x):
        apart = F.transpose(x.reshape((0, 0, self.heads, -1)), axes=(0, 2, 1, 3))
        return apart.reshape((-1, 0, 0), reverse=True)


def test_a_transformer(tmp_path):
    rng = np.random.default_rng(0)
    data, lengths = rng.normal(size=(2, 5, 8)), np.array([3, 5])
    assert_exported(Encoder(), tmp_path, data.astype("float32"), lengths.astype("int32"))


class NumpyNet(nn.HybridBlock):
    """In NumPy's names."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.convolution, self.norm, self.dense = nn.Conv2D(4, 3), nn.BatchNorm(), nn.Dense(5)

    def hybrid_forward(self, F, x):
        x = F.npx.relu(self.norm(self.convolution(x)))
        x = F.np.mean(x, axis=(2, 3), keepdims=True) * F.np.exp(x) + 1.5
        x = self.dense(F.npx.reshape(x, (-2, -1)))
        return F.npx.softmax(x / F.np.sqrt(F.np.sum(x * x, axis=-1, keepdims=True)))


def test_a_network_in_numpys_names(tmp_path):
    with mx.util.np_shape(True), mx.util.np_array(True):
        image = np.random.default_rng(0).uniform(size=(2, 3, 8, 8)).astype("float32")
        assert_exported(NumpyNet(), tmp_path, image, array=mx.np.array)


# Open sizes ---------------------------------------------------------------------------------------


def assert_open(net, tmp_path, given, *several, **options):
    """An export at the first inputs gives the right answers to all."""
    net.initialize(mx.init.Xavier())
    net.hybridize()
    for inputs in several:
        expected = net(*(mx.nd.array(x, dtype=x.dtype) for x in inputs))
        if not (tmp_path / "net-symbol.json").exists():
            net.export(str(tmp_path / "net"))
            paths = str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")
            facts = [x.shape for x in inputs], [x.dtype for x in inputs], str(tmp_path / "net.onnx")
            mx.onnx.export_model(*paths, *facts, dynamic=True, dynamic_input_shapes=given)
            names = [n for n in mx.sym.load(paths[0]).list_inputs() if n.startswith("data")]
        (found,) = answers(tmp_path / "net.onnx", **dict(zip(names, inputs, strict=True)))
        np.testing.assert_allclose(found, expected.asnumpy(), rtol=1e-3, atol=1e-5)


def images(*shape):
    return (np.random.default_rng(0).uniform(size=shape).astype("float32"),)


@pytest.mark.parametrize("given", [None, [("N", 3, None, None)]])
def test_images_of_any_size(given, tmp_path):
    net = vision.get_model("resnet18_v2", classes=10)
    assert_open(net, tmp_path, given, images(1, 3, 64, 64), images(3, 3, 96, 64))


def test_batches_of_any_size(tmp_path):
    net = vision.get_model("mobilenetv2_0.25", classes=10)
    assert_open(net, tmp_path, [("N", 3, 64, 64)], images(1, 3, 64, 64), images(3, 3, 64, 64))


def test_sequences_of_any_length(tmp_path):
    rng = np.random.default_rng(0)

    def batch(n, steps):
        data = rng.normal(size=(n, steps, 8)).astype("float32")
        return data, rng.integers(1, steps, n).astype("int32")

    given = [("N", "T", 8), ("N",)]
    assert_open(Encoder(), tmp_path, given, batch(2, 5), batch(3, 7), batch(1, 2))


def exported_open(symbol, shape, given, path):
    mx.onnx.export_model(
        symbol, {}, [shape], onnx_file_path=str(path), dynamic=True, dynamic_input_shapes=[given]
    )


OPEN = ("N", 2, None, None)
DATA = mx.sym.var("data")
HALF = mx.sym.slice(DATA, begin=(0, 0, 0, 0), end=(None,) * 4, step=(1, 1, 2, 2))
SEQUENCE = mx.sym.reshape(DATA, shape=(0, -1, 1))
ROWS = mx.sym.concat(  # class, score, left, top, right, bottom
    *[mx.sym.slice_axis(SEQUENCE, axis=1, begin=i, end=i - 9) + i // 4 for i in range(6)], dim=2
)
SAMPLES = [
    mx.sym.slice_like(mx.sym.UpSampling(HALF, scale=2, sample_type="nearest"), DATA),
    mx.sym.slice(DATA, begin=(0, 0, 1, -2), end=(None, 1, -1, None)),
    mx.sym.reverse(DATA, axis=(0, 3)),
    mx.sym.topk(DATA, k=0, axis=3, ret_typ="value"),
    mx.sym.broadcast_add(mx.sym.zeros_like(HALF), mx.sym.contrib.arange_like(HALF, axis=3)),
    mx.sym.contrib.arange_like(
        mx.sym.slice(DATA, begin=(0,) * 4, end=(None,) * 4, step=(1, 1, 1, 512)), axis=3
    ),
    mx.sym.GroupNorm(DATA, mx.sym.ones((1,)), mx.sym.zeros((1,)), num_groups=1),
    mx.sym.contrib.div_sqrt_dim(mx.sym.repeat(DATA, repeats=3, axis=2)),
    mx.sym.shape_array(DATA),
    mx.sym.clip(DATA * 1e10, a_min=-1e8, a_max=1e9),
    mx.sym.contrib.box_nms(ROWS, coord_start=2, score_index=1, valid_thresh=0.5),
]


@pytest.mark.parametrize("symbol", SAMPLES, ids=lambda s: s.name)
def test_operators_on_any_size(symbol, tmp_path):
    path = tmp_path / "open.onnx"
    exported_open(symbol, (1, 2, 6, 6), OPEN, path)
    for shape in ((1, 2, 6, 6), (2, 2, 7, 9), (3, 2, 8, 7)):
        data = np.random.default_rng(0).uniform(size=shape).astype("float32")
        (expected,) = symbol.eval(data=mx.nd.array(data))
        (found,) = answers(path, data=data)
        np.testing.assert_allclose(found, expected.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "symbol, text",
    [
        (
            mx.sym.Pooling(DATA, kernel=(3, 3), stride=(2, 2), pooling_convention="full", name="p"),
            r"node 'p' \(Pooling\): it is made for sizes that are not left open",
        ),
        (
            mx.sym.contrib.AdaptiveAvgPooling2D(DATA, output_size=(2, 2), name="p"),
            "node 'p' pools images of a size that is left open. Leave fewer sizes open",
        ),
        (
            mx.sym.contrib.BilinearResize2D(DATA, scale_height=1.5, scale_width=1.5, name="p"),
            "node 'p' needs a size that does not follow from those left open",
        ),
        (mx.sym.random.uniform_like(DATA, name="p"), "node 'p' .* made for sizes"),
    ],
)
def test_sizes_that_cannot_be_open_are_named(symbol, text, tmp_path):
    with pytest.raises(MXNetError, match=text):
        exported_open(symbol, (1, 2, 6, 6), OPEN, tmp_path / "open.onnx")
