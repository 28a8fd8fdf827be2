# SPDX-License-Identifier: Apache-2.0
"""Layers, losses and networks of Gluon, and what is compared of them.

`scripts/record/layers.py` and `scripts/record/model_zoo.py` run this with MXNet, tests with mxnova.
Parameters and inputs are made of names by NumPy; arrays are compared by two numbers each.
"""

from __future__ import annotations

import hashlib
import json
import zlib

import numpy as np

SIZE = 10007  # of what random numbers are drawn before they repeat

IMAGE, IMAGE_LAST = [(2, 4, 7, 6)], [(2, 7, 6, 4)]
LAYERS = {  # expression -> shapes of inputs
    "nn.Dense(5)": [(2, 3, 4)],
    "nn.Dense(5, 'tanh', False, False)": [(2, 3, 4)],
    "nn.Dense(5, in_units=4, weight_initializer='xavier', bias_initializer='ones')": [(2, 4)],
    "nn.Dense(5, flatten=False, prefix='fc_')": [(2, 3, 4)],
    "nn.Conv1D(6, 3)": [(2, 4, 9)],
    "nn.Conv1D(6, 3, 2, 1, 2, 2, activation='relu', use_bias=False, in_channels=4)": [(2, 4, 9)],
    "nn.Conv2D(6, 3)": IMAGE,
    "nn.Conv2D(6, (3, 2), (2, 1), (1, 0), (1, 2), 2, activation='sigmoid')": IMAGE,
    "nn.Conv2D(6, 3, groups=2, use_bias=False)": IMAGE,
    "nn.Conv2D(6, 3, layout='NHWC')": IMAGE_LAST,
    "nn.Conv2D(6, 3, 2, 1, layout='NHWC', in_channels=4, use_bias=False)": IMAGE_LAST,
    "nn.Conv3D(3, (1, 2, 2), padding=1)": [(1, 2, 4, 4, 3)],
    "nn.Conv1DTranspose(6, 3, 2, 1, 1)": [(2, 4, 5)],
    "nn.Conv2DTranspose(6, 3)": IMAGE,
    "nn.Conv2DTranspose(6, (3, 2), (2, 3), 1, (1, 0), groups=2, in_channels=4)": IMAGE,
    "nn.Conv2DTranspose(6, 3, dilation=2, use_bias=False, activation='relu')": IMAGE,
    "nn.Conv3DTranspose(3, 2, 2)": [(1, 2, 2, 3, 2)],
    **{
        f"nn.{kind}Pool{n}D()": [(2, 3, 7, 6, 5)[: n + 2]]
        for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg")
        for n in (1, 2, 3)
    },
    "nn.MaxPool2D(3, 2, 1, ceil_mode=True)": IMAGE,
    "nn.MaxPool2D((3, 2), (1, 2), (1, 0), 'NHWC')": IMAGE_LAST,
    "nn.AvgPool2D(3, 2, 1, ceil_mode=True, count_include_pad=False)": IMAGE,
    "nn.AvgPool1D(3, 2, 1, 'NWC')": [(2, 7, 3)],
    "nn.GlobalAvgPool2D('NHWC')": IMAGE_LAST,
    "nn.ReflectionPad2D(2)": IMAGE,
    "nn.ReflectionPad2D((0, 0, 0, 0, 1, 2, 3, 0))": IMAGE,
    **{
        f"nn.Activation('{name}')": [(2, 5)]
        for name in ("relu", "sigmoid", "tanh", "softrelu", "softsign")
    },
    "nn.LeakyReLU(0.1)": [(2, 5)],
    "nn.PReLU()": [(2, 5)],
    "nn.PReLU(in_channels=3)": [(2, 3, 4)],
    "nn.ELU()": [(2, 5)],
    "nn.ELU(0.3)": [(2, 5)],
    "nn.SELU()": [(2, 5)],
    "nn.GELU()": [(2, 5)],
    "nn.Swish()": [(2, 5)],
    "nn.Swish(1.5)": [(2, 5)],
    "nn.Dropout(0)": [(2, 5)],
    "nn.Flatten()": [(2, 3, 4)],
    "nn.BatchNorm()": IMAGE,
    "nn.BatchNorm(axis=-1, momentum=0.7, epsilon=0.01, center=False, scale=False)": IMAGE_LAST,
    "nn.BatchNorm(use_global_stats=True, in_channels=4)": IMAGE,
    "nn.InstanceNorm()": IMAGE,
    "nn.InstanceNorm(axis=-1, scale=True, center=False)": IMAGE_LAST,
    "nn.LayerNorm()": [(2, 3, 4)],
    "nn.LayerNorm(axis=1, epsilon=0.1, center=False)": [(2, 3, 4)],
    "nn.GroupNorm(2)": IMAGE,
    "nn.GroupNorm(4, scale=False)": IMAGE,
    "nn.HybridLambda('relu')": [(2, 5)],
    "nn.HybridLambda(lambda F, x, y: F.broadcast_add(x, y))": [(2, 5), (1, 5)],
    "contrib.nn.Identity()": [(2, 5)],
    "contrib.nn.SyncBatchNorm(num_devices=1)": IMAGE,
    "contrib.nn.SyncBatchNorm(4, 1, scale=False, prefix='sync_')": IMAGE,
    "contrib.nn.PixelShuffle1D(2)": [(2, 4, 5)],
    "contrib.nn.PixelShuffle2D((2, 3))": [(1, 12, 2, 3)],
    "contrib.nn.PixelShuffle2D(2)": [(1, 8, 2, 3)],
    "contrib.nn.PixelShuffle3D((2, 3, 2))": [(1, 24, 2, 3, 2)],
    "contrib.cnn.DeformableConvolution(6)": IMAGE,
    "contrib.cnn.DeformableConvolution(6, 3, 2, 1, use_bias=False, activation='relu')": IMAGE,
    "contrib.cnn.DeformableConvolution(6, (3, 2), num_deformable_group=2, groups=2)": IMAGE,
    "contrib.cnn.ModulatedDeformableConvolution(6, 3, padding=1)": IMAGE,
    "contrib.cnn.ModulatedDeformableConvolution(6, 3, offset_use_bias=False)": IMAGE,
    "chain(nn.HybridSequential(), nn.Dense(4), nn.Activation('relu'), nn.Dense(2))": [(2, 3)],
    "chain(nn.HybridSequential(prefix='net_'), nn.Dense(4), nn.Dense(3), nn.Dense(2))[1:]": [
        (2, 3)
    ],
    "chain(contrib.nn.HybridConcurrent(1), nn.Dense(4), contrib.nn.Identity())": [(2, 3)],
    "chain(contrib.nn.HybridConcurrent(axis=1, prefix='two_'), nn.Conv2D(2, 1))": IMAGE,
}

NO_KERNEL = [  # MXNet has none for CPUs: no values, their graphs alone are compared
    *(e for e in LAYERS if "Conv2D" in e and "NHWC" in e),
    *(e for e in LAYERS if "Modulated" in e),
]

ERRORS = [
    *(
        f"nn.Conv{n}D(6, 3, layout='{layout}')"
        for n in (1, 2, 3)
        for layout in ("NCW", "NWC", "NCHW", "NHWC", "CHWN", "NCDHW", "NDHWC")
    ),
    *(
        f"nn.Conv{n}DTranspose(6, 3, layout='{layout}')"
        for n in (1, 2, 3)
        for layout in ("NCW", "NWC", "NCHW", "NHWC", "NDHWC")
    ),
    *(
        f"nn.{kind}Pool{n}D(layout='{layout}')"
        for kind in ("Max", "GlobalAvg")
        for n in (1, 2, 3)
        for layout in ("NCW", "NWC", "NCHW", "NHWC", "NDHWC")
    ),
    "nn.Conv2D(6, (3,))",
    "nn.Conv2D(6, (3, 3, 3))",
    "nn.Conv2D(6, 3, strides=(1,))",
    "nn.Conv2D(6, 3, padding=(1,))",
    "nn.Conv2D(6, [3, 3], [1, 1], [1, 1], [1, 1])",
    "nn.Conv2D(6, np.int64(3), np.int32(2))",
    "nn.Conv2D(0, 3)",
    "nn.Conv2D(6.5, 3)",
    "nn.Conv2D(6, 3, groups=4, in_channels=4)",
    "nn.Conv2D(6, 3, groups=3, in_channels=4)",
    "nn.Conv2D(6, 3, colour=1)",
    "nn.Conv2DTranspose(6, 3, output_padding=(1,))",
    "nn.MaxPool2D((3,))",
    "nn.AvgPool1D((3, 3))",
    "nn.ReflectionPad2D((1, 2))",
    "nn.LeakyReLU(-1)",
    "nn.LeakyReLU(0)",
    "nn.GroupNorm(2, in_channels=3)",
    "nn.Lambda('no_such_function')",
    "nn.HybridLambda('no_such_function')",
    "nn.Lambda(3)",
    "nn.HybridLambda(3)",
    "nn.Sequential()[0]",
    "nn.Sequential()['a']",
    "nn.HybridSequential().add(nn.Sequential())",
    "contrib.nn.PixelShuffle2D((2,))",
    "contrib.nn.PixelShuffle3D('a')",
    "contrib.nn.PixelShuffle1D((2,))",
    "contrib.cnn.DeformableConvolution(6, layout='NCW')",
    "loss.CTCLoss('CNT')",
    "loss.CTCLoss(label_layout='TNC')",
    "loss.LogisticLoss(label_format='other')",
    "loss.Loss(None, 0)(mx.nd.ones((2, 3)))",
    "loss.L1Loss(weight='a')(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))",
    "loss.L1Loss(weight=mx.nd.ones(1))(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))",
    "loss.L2Loss()(mx.nd.ones((2, 3)), mx.nd.ones((3, 3)))",
    "loss.SoftmaxCELoss()(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))",
    "loss.L2Loss(speed=1)",
    "model_zoo.vision.get_model('resnet19_v1')",
    "model_zoo.vision.get_resnet(3, 18)",
    "model_zoo.vision.get_resnet(1, 19)",
    "model_zoo.vision.get_vgg(12)",
    "model_zoo.vision.SqueezeNet('1.2')",
    "model_zoo.vision.VGG([1], [64, 64])",
    "model_zoo.vision.ResNetV2(model_zoo.vision.BasicBlockV2, [2, 2], [64, 64])",
    "model_zoo.model_store.short_hash('resnet19_v1')",
    "model_zoo.model_store.short_hash('resnet50_v1')",
]

PAIR = {"pred": (4, 3), "label": (4, 3)}
LOSSES = {  # expression -> inputs, `name: shape` or `name: [kind, shape]`, in the order of the call
    **{
        f"loss.{name}({args})": {**PAIR, "label": ("sign", (4, 3)), **more}
        for name in (
            "L1Loss",
            "L2Loss",
            "HingeLoss",
            "SquaredHingeLoss",
            "HuberLoss",
            "LogisticLoss",
            "SigmoidBCELoss",
        )
        for args, more in (
            ("", {}),
            ("weight=0.3, batch_axis=1", {}),
            ("weight=2", {"sample_weight": (4, 1)}),
        )
    },
    "loss.L1Loss(None, 0)": {"pred": (4, 3), "label": (12,)},
    "loss.L2Loss(1.5)": {"pred": (4, 3, 2), "label": (4, 6), "sample_weight": (4, 1, 1)},
    "loss.HingeLoss(margin=0.2)": {"pred": (4, 3), "label": ("sign", (4, 3))},
    "loss.SquaredHingeLoss(margin=2)": {"pred": (4, 3), "label": ("sign", (4, 3))},
    "loss.HuberLoss(rho=0.4)": PAIR,
    "loss.LogisticLoss(label_format='binary')": {"pred": (4, 3), "label": ("unit", (4, 3))},
    "loss.SigmoidBCELoss(from_sigmoid=True)": {"pred": ("unit", (4, 3)), "label": ("unit", (4, 3))},
    "loss.SigmoidBCELoss(False, 0.5)": {
        "pred": (4, 3),
        "label": ("unit", (4, 3)),
        "sample_weight": (4, 1),
        "pos_weight": ("unit", (1, 3)),
    },
    "loss.SigmoidBCELoss(True, 2.0)": {
        "pred": ("unit", (4, 3)),
        "label": ("unit", (4, 3)),
        "sample_weight": (4, 1),
        "pos_weight": ("unit", (1, 3)),
    },
    "loss.SoftmaxCELoss()": {"pred": (4, 3), "label": ("class", (4,))},
    "loss.SoftmaxCELoss(weight=2)": {
        "pred": (4, 3),
        "label": ("class", (4, 1)),
        "sample_weight": (4, 1),
    },
    "loss.SoftmaxCELoss(axis=1)": {"pred": (4, 3, 5), "label": ("class", (4, 5))},
    "loss.SoftmaxCELoss(axis=1, batch_axis=2)": {"pred": (4, 3, 5), "label": ("class", (4, 1, 5))},
    "loss.SoftmaxCELoss(sparse_label=False)": {
        "pred": (4, 3),
        "label": ("unit", (4, 3)),
        "sample_weight": (4, 1),
    },
    "loss.SoftmaxCELoss(sparse_label=False, from_logits=True, weight=0.5)": PAIR,
    "loss.SoftmaxCELoss(from_logits=True)": {"pred": (4, 3), "label": ("class", (4,))},
    "loss.KLDivLoss()": {"pred": (4, 3), "label": ("unit", (4, 3))},
    "loss.KLDivLoss(False, 1, 0.5)": {
        "pred": (4, 3, 2),
        "label": ("unit", (4, 3, 2)),
        "sample_weight": (4, 1, 1),
    },
    "loss.CTCLoss()": {"pred": (2, 9, 4), "label": ("class", (2, 3))},
    "loss.CTCLoss('TNC', 'TN', 0.5)": {"pred": (9, 2, 4), "label": ("class", (3, 2))},
    "loss.CTCLoss(weight=2)": {
        "pred": (2, 9, 4),
        "label": ("class", (2, 3)),
        "pred_lengths": ("six", (2,)),
        "label_lengths": ("two", (2,)),
    },
    "loss.CTCLoss('NTC', 'TN')": {
        "pred": (2, 9, 4),
        "label": ("class", (3, 2)),
        "pred_lengths": ("six", (2,)),
    },
    "loss.CTCLoss('TNC')": {
        "pred": (9, 2, 4),
        "label": ("class", (2, 3)),
        "pred_lengths": None,
        "label_lengths": ("two", (2,)),
        "sample_weight": (2,),
    },
    "loss.TripletLoss()": {"pred": (4, 3), "positive": (4, 3), "negative": (4, 3)},
    "loss.TripletLoss(margin=0.2, weight=3, batch_axis=1)": {
        "pred": (4, 3),
        "positive": (12,),
        "negative": (4, 3),
    },
    "loss.PoissonNLLLoss()": {"pred": (4, 3), "target": ("count", (4, 3))},
    "loss.PoissonNLLLoss(0.5, False)": {
        "pred": ("unit", (4, 3)),
        "target": ("count", (12,)),
        "sample_weight": (4, 1),
    },
    "loss.CosineEmbeddingLoss()": {"input1": (4, 3), "input2": (4, 3), "label": ("sign", (4,))},
    "loss.CosineEmbeddingLoss(2, 0, -0.5)": {
        "input1": (4, 3),
        "input2": (4, 3),
        "label": ("sign", (4,)),
        "sample_weight": (4, 1),
    },
    "loss.SDMLLoss()": {"x1": (4, 3), "x2": (4, 3)},
    "loss.SDMLLoss(0.1, 2)": {"x1": (5, 3), "x2": (5, 3)},
}

MODELS = {  # model -> smallest size of images that it takes, or that of its weights
    "alexnet": 63,
    **{f"densenet{n}": 224 for n in (121, 161, 169, 201)},
    "inceptionv3": 299,
    **{f"mobilenet{m}": 32 for m in ("0.25", "0.5", "0.75", "1.0")},
    **{f"mobilenetv2_{m}": 32 for m in ("0.25", "0.5", "0.75", "1.0")},
    **{f"resnet{n}_v{v}": 32 for n in (18, 34, 50, 101, 152) for v in (1, 2)},
    "squeezenet1.0": 224,
    "squeezenet1.1": 224,
    **{f"vgg{n}{bn}": 32 for n in (11, 13, 16, 19) for bn in ("", "_bn")},
}


def chain(block, *layers):
    """`block` with `layers` in it, named by it."""
    with block.name_scope():
        block.add(*layers)
    return block


def evaluated(mx, expression: str):
    gluon = mx.gluon
    names = {
        "mx": mx,
        "np": np,
        "chain": chain,
        **{k: getattr(gluon, k) for k in ("nn", "loss", "contrib", "model_zoo")},
    }
    return eval(expression, names)


def draw(name: str, shape, kind: str = "normal") -> np.ndarray:
    """Numbers that depend on nothing but `name`."""
    random = np.random.RandomState(zlib.crc32(name.encode()))
    size = int(np.prod(shape))
    numbers = {
        "normal": lambda n: random.standard_normal(n),
        "unit": lambda n: random.uniform(0.05, 0.95, n),
        "sign": lambda n: random.randint(0, 2, n) * 2 - 1,
        "class": lambda n: random.randint(0, 3, n),
        "count": lambda n: random.randint(1, 6, n),
        "two": lambda n: np.full(n, 2),
        "six": lambda n: np.full(n, 6),
    }[kind](min(size, SIZE))
    return np.resize(numbers, shape).astype(np.float32)


def parameter(name: str, shape) -> np.ndarray:
    """Values that keep activations at the size of inputs."""
    values = draw(name, shape)
    if name.endswith(("_var", "_gamma")):
        return 1 + 0.1 * np.tanh(values)
    if len(shape) > 1:
        return values * np.float32(np.sqrt(1.5 / np.prod(shape[1:])))
    return 0.1 * values


def numbers(array) -> list:
    """Shape, type, and two numbers that depend on every element."""
    values = array.asnumpy()
    flat = values.astype(np.float64).ravel()
    weights = np.resize(np.random.RandomState(0).uniform(0.5, 1.5, SIZE), flat.size)
    projection, magnitude = (float(f"{x:.7g}") for x in (flat @ weights, np.abs(flat).mean()))
    return [list(values.shape), str(values.dtype), projection, magnitude]


def nodes(block, inputs) -> list:
    graph = json.loads(block(*inputs).tojson())["nodes"]
    return [[n["op"], n["name"], _attributes(n), [i[:2] for i in n["inputs"]]] for n in graph]


def _attributes(node) -> dict:
    """As written; the shape of some parameters is a list in MXNet."""
    attributes = dict(node.get("attrs", {}))
    if "__shape__" in attributes:
        attributes["__shape__"] = attributes["__shape__"].translate(str.maketrans("[]", "()"))
    return attributes


def digest(lines) -> str:
    return hashlib.sha1("\n".join(map(str, lines)).encode()).hexdigest()[:16]


def described(block) -> list:
    """Name, shape, initializer and gradient of each parameter."""
    found = []
    for p in block.collect_params().values():
        init = p.init.dumps() if hasattr(p.init, "dumps") else p.init
        found.append([p.name, list(p.shape), str(np.dtype(p.dtype)), init, p.grad_req])
    return found


def give_parameters(mx, block) -> None:
    for p in block.collect_params().values():
        p.set_data(mx.nd.array(parameter(p.name, p.shape)))


def gradients(mx, block, arrays, train: bool = True) -> dict:
    """Output and gradients of `block`."""
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record(train):
        out = block(*arrays)
    out.backward(mx.nd.array(draw("heads", out.shape)))
    found = {"output": numbers(out)}
    for i, array in enumerate(arrays):
        found[f"grad {i}"] = numbers(array.grad)
    for p in block.collect_params().values():
        found[p.name] = numbers(p.data() if p.grad_req == "null" else p.grad())
    return found


def layer(mx, expression: str, shapes, hybridize: bool = False) -> dict:
    """What is compared of a layer."""
    with mx.name.NameManager():
        block = evaluated(mx, expression)
        before = repr(block)
        symbols = [mx.sym.var(f"data{i}") for i in range(len(shapes))]
        graph = nodes(block, symbols)
        block.initialize()
        if expression in NO_KERNEL:
            return {"repr": [before], "parameters": described(block), "graph": graph}
        arrays = [mx.nd.array(draw(f"data{i}", shape)) for i, shape in enumerate(shapes)]
        block(*arrays).wait_to_read()
        give_parameters(mx, block)
        if hybridize:
            block.hybridize()
        values = gradients(mx, block, arrays)
        inference = numbers(block(*arrays))
    return {
        "repr": [before, repr(block)],
        "parameters": described(block),
        "graph": graph,
        "values": values,
        "inference": inference,
    }


def arrays_of(mx, inputs: dict) -> list:
    """Arrays for a call, None for what is left out."""
    arrays = []
    for name, what in inputs.items():
        kind, shape = what if what and isinstance(what[0], str) else ("normal", what)
        arrays.append(None if shape is None else mx.nd.array(draw(name, shape, kind)))
    return arrays


def loss(mx, expression: str, inputs: dict, hybridize: bool = False) -> dict:
    """What is compared of a loss."""
    block = evaluated(mx, expression)
    if hybridize:
        block.hybridize()
    arrays = arrays_of(mx, inputs)
    arrays[0].attach_grad()
    with mx.autograd.record():
        out = block(*arrays)
    out.backward(mx.nd.array(draw("heads", out.shape)))
    return {"repr": repr(block), "output": numbers(out), "grad": numbers(arrays[0].grad)}


def error(mx, expression: str) -> str:
    """The name of what is raised, or what there is otherwise."""
    try:
        return repr(evaluated(mx, expression))
    except Exception as caught:  # noqa: BLE001 - whatever it is
        return type(caught).__name__


def model(mx, name: str, size: int) -> dict:
    """What is compared of a network: its symbol, its arguments, the output of each of its layers."""
    net = mx.gluon.model_zoo.vision.get_model(name, classes=10, prefix="net_")
    graph = nodes(net, [mx.sym.var("data")])
    net.initialize()
    net.hybridize()
    images = mx.nd.array(draw("images", (1, 3, size, size)))
    net(images).wait_to_read()
    give_parameters(mx, net)
    values = []
    x = images
    for child in net.features._children.values():
        x = child(x)
        values.append(numbers(x)[2:])
    symbol = net(mx.sym.var("data"))
    shapes, _, states = symbol.infer_shape(data=images.shape)
    names = symbol.list_arguments() + symbol.list_auxiliary_states()
    return {
        "graph": digest(graph),
        "arguments": digest(zip(names, shapes + states)),
        "parameters": digest(map(str, described(net))),
        "layers": values,
        "output": numbers(net(images)),
    }
