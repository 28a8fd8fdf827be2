# SPDX-License-Identifier: Apache-2.0
"""Networks, exported and imported again, and those that PyTorch writes."""

import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import mxnova as mx
from mxnova.gluon import nn as gluon_nn
from mxnova.gluon.model_zoo import vision

onnx = pytest.importorskip("onnx")

from .running import array, outputs  # noqa: E402

RNG = np.random.default_rng(0)


def image(*shape):
    return RNG.uniform(size=shape).astype("float32")


def assert_close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5 * abs(wanted).max())


# There and back ------------------------------------------------------------------------------------


def exported(net, folder, data, dynamic_input_shapes=None):
    """The paths of a network's ONNX file and of its own files."""
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(mx.nd.array(data))
    net.export(str(folder / "net"))
    files = str(folder / "net-symbol.json"), str(folder / "net-0000.params")
    path = str(folder / "net.onnx")
    facts = {"dynamic": dynamic_input_shapes is not None}
    facts["dynamic_input_shapes"] = dynamic_input_shapes
    mx.onnx.export_model(*files, [data.shape], onnx_file_path=path, **facts)
    return path


@pytest.mark.parametrize(
    "name, size", [("resnet18_v1", 64), ("mobilenetv2_0.25", 64), ("squeezenet1.0", 96)]
)
def test_networks_of_the_zoo(name, size, tmp_path):
    net, data = vision.get_model(name), image(2, 3, size, size)
    if name == "squeezenet1.0":  # the rest wants larger images
        features = list(net.features)[:-2]
        net = gluon_nn.HybridSequential()
        net.add(*features)
    path = exported(net, tmp_path, data)
    (found,) = outputs(*mx.onnx.import_model(path), {"data": data})
    assert_close(found, net(mx.nd.array(data)).asnumpy())


def test_parameters_keep_their_names(tmp_path):
    net, data = vision.get_model("resnet18_v1"), image(1, 3, 64, 64)
    path = exported(net, tmp_path, data, [("N", 3, None, None)])
    symbol, arguments, states = mx.onnx.import_model(path)
    own = net.collect_params()
    assert {*arguments, *states} == set(own)
    assert set(states) == {n for n in own if n.endswith(("running_mean", "running_var"))}
    assert symbol.list_outputs() == [f"{net.output.name}_fwd_output"]
    larger = image(3, 3, 96, 80)
    (found,) = outputs(symbol, arguments, states, {"data": larger})
    assert_close(found, net(mx.nd.array(larger)).asnumpy())


def test_what_users_do_with_it(tmp_path):
    net, data = vision.get_model("mobilenetv2_0.25", classes=5), image(2, 3, 32, 32)
    path = exported(net, tmp_path, data)
    expected = net(mx.nd.array(data)).asnumpy()
    symbol, arguments, states = mx.contrib.onnx.import_model(path)
    mx.model.save_checkpoint(str(tmp_path / "again"), 3, symbol, arguments, states)
    symbol, arguments, states = mx.model.load_checkpoint(str(tmp_path / "again"), 3)
    module = mx.mod.Module(symbol=symbol, data_names=["data"], label_names=None)
    module.bind(for_training=False, data_shapes=[("data", data.shape)])
    module.set_params(arguments, states, allow_missing=True)
    module.forward(mx.io.DataBatch([mx.nd.array(data)]))
    assert_close(module.get_outputs()[0].asnumpy(), expected)
    for context in (mx.cpu(), None):
        block = mx.contrib.onnx.import_to_gluon(path, context)
        assert_close(block(mx.nd.array(data)).asnumpy(), expected)


def test_it_can_be_trained_on(tmp_path):
    net, data = vision.get_model("resnet18_v1", classes=3), image(2, 3, 32, 32)
    block = mx.contrib.onnx.import_to_gluon(exported(net, tmp_path, data), [mx.cpu()])
    trainer = mx.gluon.Trainer(block.collect_params(), "sgd", {"learning_rate": 0.01})
    before = {n: p.data().copy() for n, p in block.collect_params().items()}
    with mx.autograd.record():
        loss = block(mx.nd.array(data)).square().sum()
    loss.backward()
    trainer.step(2)
    moved = {n for n, p in block.collect_params().items() if (p.data() != before[n]).sum() > 0}
    assert {n for n in before if n.endswith(("weight", "running_mean"))} <= moved


# From PyTorch --------------------------------------------------------------------------------------


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Attention(nn.Module):
    def __init__(self, units=16, heads=4):
        super().__init__()
        self.projections, self.output = nn.Linear(units, 3 * units), nn.Linear(units, units)
        self.positions, self.heads = nn.Parameter(torch.randn(1, 50, units)), heads

    def forward(self, x):
        batch, steps, units = x.shape
        x = x + self.positions[:, :steps]
        parts = self.projections(x).view(batch, steps, 3, self.heads, units // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        weights = F.softmax(q @ k.transpose(-2, -1) / 2 + torch.full((steps, steps), 0.5), -1)
        return self.output((weights @ v).transpose(1, 2).reshape(batch, steps, units))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.layer = kind(8, 6, **options)

    def forward(self, x):
        output, state = self.layer(x)
        return output.sum(2) + (state[0] if isinstance(state, tuple) else state).sum()


class Upwards(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.down = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, 2, 1)
        self.up = nn.ConvTranspose2d(8, 8, 3, stride=2, padding=1, output_padding=1)
        self.groups, self.each = nn.GroupNorm(4, 8), nn.InstanceNorm2d(8, affine=True)

    def forward(self, x):
        x = F.silu(self.groups(self.first(x)))
        low = F.mish(self.each(self.down(x)))
        wide = F.interpolate(low, scale_factor=2, mode="bilinear", align_corners=False)
        return torch.cat([x, self.up(low), wide], 1)


IMAGES, STEPS = torch.randn(2, 3, 8, 10), torch.randn(2, 5, 8)
CONVOLUTIONS = nn.Sequential(
    nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(),
    nn.MaxPool2d(2, ceil_mode=True), nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.Hardswish(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(), nn.Linear(8, 4),
)  # fmt: skip
TORCH = {  # opset, network, an input, whether its sizes may be open
    "convolutions": (13, CONVOLUTIONS, IMAGES, True),
    "attention": (17, Attention(), torch.randn(2, 6, 16), True),
    "lstm": (11, Recurrent(nn.LSTM, num_layers=2, bidirectional=True, batch_first=True), STEPS, True),
    "gru": (17, Recurrent(nn.GRU, bidirectional=True), STEPS, True),
    "rnn": (13, Recurrent(nn.RNN, nonlinearity="relu", batch_first=True), STEPS, True),
    "upwards": (17, Upwards(), IMAGES, False),
    "pixels": (11, nn.Sequential(nn.Conv2d(3, 12, 3), nn.PixelShuffle(2), nn.PReLU(3)), IMAGES, True),
    "margins": (13, Of(lambda x: F.pad(F.pad(x, (1, 2, 3, 1)), (1, 0, 1, 2), mode="replicate")), IMAGES, True),
    "slices": (13, Of(lambda x: torch.cat([x[:, :, 1:-1, ::2], x[..., -5:][:, :, :-2]], -1)), IMAGES, True),
    "reductions": (17, Of(lambda x: torch.stack([x.max(1)[0], x.sum(1), x.std(1), x.norm(dim=1)], 1)), IMAGES, True),
    "masks": (13, Of(lambda x: torch.where(x > 0, x, x * 0.1).masked_fill((x > 1) & ~(x > 2), 9)), IMAGES, True),
    "views": (17, Of(lambda x: x.view(x.size(0), -1, x.size(3)).transpose(1, 2).reshape(x.size(0) * x.size(3), -1)), IMAGES, True),
    "made of sizes": (13, Of(lambda x: x.mean((2, 3), keepdim=True).expand(-1, -1, x.size(2), x.size(3)) + torch.zeros(x.size(0), 1, 1, x.size(3)) + torch.arange(x.size(3)) * x.shape[2]), IMAGES, True),
    "chosen": (17, Of(lambda x: torch.gather(x, 3, torch.zeros_like(x[..., :2]).long() - 1 + 3) + x[:, [0, 2, 1]][..., 1:2]), IMAGES, True),
    "ordered": (13, Of(lambda x: torch.topk(x, 3, dim=-1)[0] + x.cumsum(1)[..., :3]), IMAGES, True),
    "sums of products": (13, Of(lambda x: torch.einsum("bchw,bdhw->bcd", x, x)), IMAGES, False),
    "distributions": (17, Of(lambda x: F.log_softmax(x, 1).logsumexp(2) + F.normalize(x, dim=1).sum(2)), IMAGES, True),
    "activations": (20, Of(lambda x: F.gelu(x) + F.elu(x) + F.selu(x) + F.softplus(x) + F.hardsigmoid(x) + F.celu(x, 0.7) + F.tanhshrink(x) + x.remainder(0.7) + torch.round(x)), IMAGES, True),
    "samples": (17, Of(lambda x: F.grid_sample(x, torch.tanh(x[:, :2].permute(0, 2, 3, 1)), align_corners=False)), IMAGES, False),
    "sizes": (13, Of(lambda x: F.interpolate(x, size=(13, 7), mode="bicubic") + F.interpolate(x, size=(13, 7))), IMAGES, False),
    "triangles": (17, Of(lambda x: torch.tril(x) + torch.triu(x, 1) * 2), IMAGES, True),
}  # fmt: skip


@pytest.mark.parametrize(
    "name, is_open",
    [(n, way) for n, facts in TORCH.items() for way in (False, True)[: 1 + facts[3]]],
)
def test_networks_that_pytorch_writes(name, is_open, tmp_path):
    opset, net, data, _ = TORCH[name]
    path, axes = (
        str(tmp_path / "net.onnx"),
        {0: "N", 2: "H", 3: "W"} if data.dim() == 4 else {0: "N"},
    )
    options = {"dynamic_axes": {"x": axes}} if is_open else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net.eval(),
            (data,),
            path,
            input_names=["x"],
            opset_version=opset,
            dynamo=False,
            **options,
        )
    symbol, arguments, states = mx.onnx.import_model(path)
    for given in (data, larger(data)) if is_open else (data,):
        with torch.no_grad():
            wanted = net(given).numpy()
        (found,) = outputs(symbol, arguments, states, {"x": given.numpy()})
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def larger(data):
    data = torch.cat([data, data[:1]], 0)
    return torch.cat([data, data[:, :, :2]], 2) if data.dim() == 4 else data


def test_sizes_that_must_be_known_are_asked_for(tmp_path):
    path = str(tmp_path / "net.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = Of(lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True))
        axes = {"x": {0: "N", 2: "H", 3: "W"}}
        torch.onnx.export(
            net,
            (IMAGES,),
            path,
            input_names=["x"],
            opset_version=13,
            dynamo=False,
            dynamic_axes=axes,
        )
    with pytest.raises(mx.MXNetError, match="ceil_mode: margins depend on a size"):
        mx.onnx.import_model(path)
    model = mx.onnx.import_model(path, {"x": ("N", 3, 8, 10)})
    (found,) = outputs(*model, {"x": larger(IMAGES)[:, :, :8].numpy()})
    np.testing.assert_allclose(found, net(larger(IMAGES)[:, :, :8]).numpy(), rtol=1e-4, atol=1e-6)
    assert array(found).shape == (3, 3, 5, 6)
