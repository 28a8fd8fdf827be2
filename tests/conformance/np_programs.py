# SPDX-License-Identifier: Apache-2.0
"""Short programs in the style of a textbook, with `mx.np` and Gluon.

Each gives numbers (a dict of lists) that do not depend on MXNet's random generators: values that
are drawn come from NumPy, and parameters are set. `scripts/record/np_programs.py` records what
MXNet 1.9.1 gives; run as a script, this prints what the installed `mxnet` gives, as JSON.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as onp
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn, rnn

PROGRAMS: dict[str, Callable[[], dict[str, Any]]] = {}


def program(function: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    PROGRAMS[function.__name__] = function
    return function


def run(name: str) -> dict[str, Any]:
    """The numbers of a program, under NumPy's semantics."""
    npx.set_np()
    try:
        return {k: numbers(v) for k, v in PROGRAMS[name]().items()}
    finally:
        npx.reset_np()


def numbers(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [numbers(v) for v in value]
    if hasattr(value, "asnumpy"):
        assert isinstance(value, np.ndarray), type(value)
        value = value.asnumpy()
    if hasattr(value, "tolist"):
        value = value.astype("float64").tolist()
    return value


def drawn(seed: int, *shape: int, scale: float = 1.0) -> Any:
    return np.array(onp.random.RandomState(seed).normal(0, scale, shape).astype("float32"))


def fill(net: Any, seed: int = 7, scale: float = 0.2) -> None:
    """Sets all parameters that have a gradient to drawn numbers, in sorted order."""
    random = onp.random.RandomState(seed)
    for _, p in sorted(net.collect_params().items()):
        if p.grad_req != "null":
            p.set_data(np.array(random.normal(0, scale, p.shape).astype("float32")))


def ready(net: Any, *inputs: Any, hybrid: bool = True, seed: int = 7) -> Any:
    net.initialize(init.Xavier())
    net(*inputs)
    fill(net, seed)
    if hybrid:
        net.hybridize()
    return net


def classes(seed: int, n: int, count: int) -> Any:
    return np.array(onp.random.RandomState(seed).randint(0, count, n))


def fit(net: Any, loss: Any, batches: Any, optimizer: str, options: dict[str, Any]) -> list[float]:
    trainer = gluon.Trainer(net.collect_params(), optimizer, options)
    losses = []
    for *xs, y in batches:
        with autograd.record():
            value = loss(net(*xs), y)
        value.backward()
        trainer.step(len(y))
        losses.append(float(value.mean()))
    return losses


# Linear models ------------------------------------------------------------------------------------


def line(n: int = 64) -> Any:
    w, b = np.array([2, -3.4]), 4.2
    x = drawn(1, n, 2)
    return x, np.dot(x, w) + b + drawn(2, n, scale=0.01)


@program
def linear_regression_from_scratch() -> dict[str, Any]:
    features, labels = line()
    w, b = drawn(3, 2, 1, scale=0.01), np.zeros(1)
    w.attach_grad()
    b.attach_grad()
    losses = []
    for _ in range(3):
        for i in range(0, 64, 16):
            index = np.array(list(range(i, i + 16)))
            x, y = features[index], labels[index]
            with autograd.record():
                y_hat = np.dot(x, w) + b
                loss = (y_hat - y.reshape(y_hat.shape)) ** 2 / 2
            loss.backward()
            for param in [w, b]:
                param[:] = param - 0.1 * param.grad / 16
        losses.append(float(loss.mean()))
    return {"losses": losses, "w": w, "b": b, "grad": w.grad}


@program
def linear_regression_concise() -> dict[str, Any]:
    features, labels = line()
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(features, labels), batch_size=16)
    net = nn.Sequential()
    net.add(nn.Dense(1))
    ready(net, features[:1], hybrid=False)
    losses = []
    for _ in range(3):
        losses += fit(net, gluon.loss.L2Loss(), data, "sgd", {"learning_rate": 0.03})
    return {"losses": losses, "w": net[0].weight.data(), "b": net[0].bias.data()}


def softmax(x: Any) -> Any:
    exp = np.exp(x)
    return exp / exp.sum(1, keepdims=True)


def cross_entropy(y_hat: Any, y: Any) -> Any:
    return -np.log(y_hat[range(len(y_hat)), y])


@program
def softmax_from_scratch() -> dict[str, Any]:
    x, y = drawn(4, 40, 3, 4), classes(5, 40, 5)
    w, b = drawn(6, 12, 5, scale=0.1), np.zeros(5)
    for param in (w, b):
        param.attach_grad()
    losses, hits = [], []
    for _ in range(5):
        with autograd.record():
            y_hat = softmax(np.dot(x.reshape(-1, w.shape[0]), w) + b)
            loss = cross_entropy(y_hat, y)
        loss.backward()
        for param in (w, b):
            param -= 0.5 * param.grad / 40
        losses.append(float(loss.sum()))
        hits.append(float((y_hat.argmax(axis=1).astype(y.dtype) == y).astype("float32").sum()))
    return {"losses": losses, "hits": hits, "w": w}


@program
def perceptron_and_decay() -> dict[str, Any]:
    x, y = drawn(8, 32, 6), classes(9, 32, 3)
    net = nn.Sequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
    ready(net, x, hybrid=False)
    net.collect_params(".*bias").setattr("wd_mult", 0)
    options = {"learning_rate": 0.2, "wd": 0.01, "momentum": 0.9}
    losses = fit(net, gluon.loss.SoftmaxCrossEntropyLoss(), [(x, y)] * 6, "sgd", options)
    norm = np.linalg.norm(net[0].weight.data())
    return {"losses": losses, "norm": norm, "out": net(x)[:3]}


@program
def dropout_layers() -> dict[str, Any]:
    def dropout(x: Any, mask: Any, p: float) -> Any:
        return mask.astype(np.float32) * x / (1.0 - p)

    x = np.arange(16).reshape((2, 8))
    mask = drawn(10, 2, 8) > 0.3
    net = nn.HybridSequential()
    net.add(nn.Dense(6, activation="relu"), nn.Dropout(0.5), nn.Dense(2))
    ready(net, x)
    still = net(x)
    with autograd.record():
        kept = nn.Dropout(0.5)(np.ones((200, 200)))
    share = float((kept > 0).mean())
    is_half = abs(share - 0.5) < 0.02 and set(numbers(np.unique(kept))) == {0.0, 2.0}
    return {"out": dropout(x, mask, 0.3), "still": still, "share": [float(is_half)]}


# Convolutions -------------------------------------------------------------------------------------


def corr2d(x: Any, k: Any) -> Any:
    h, w = k.shape
    y = np.zeros((x.shape[0] - h + 1, x.shape[1] - w + 1))
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = (x[i : i + h, j : j + w] * k).sum()
    return y


@program
def convolution_by_hand() -> dict[str, Any]:
    x = np.ones((6, 8))
    x[:, 2:6] = 0
    k = np.array([[1, -1]])
    y = corr2d(x, k)
    conv2d = nn.Conv2D(1, kernel_size=(1, 2), use_bias=False)
    conv2d.initialize(init.Constant(0.1))
    x, wanted = x.reshape(1, 1, 6, 8), y.reshape(1, 1, 6, 7)
    losses = []
    for _ in range(6):
        with autograd.record():
            loss = (conv2d(x) - wanted) ** 2
        loss.backward()
        conv2d.weight.data()[:] -= 3e-2 * conv2d.weight.grad()
        losses.append(float(loss.sum()))
    return {"y": y, "losses": losses, "kernel": conv2d.weight.data().reshape(1, 2)}


@program
def lenet() -> dict[str, Any]:
    x, y = drawn(11, 8, 1, 28, 28), classes(12, 8, 10)
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(channels=6, kernel_size=5, padding=2, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Dense(120, activation="sigmoid"),
        nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )
    ready(net, x)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = fit(net, loss, [(x, y)] * 4, "sgd", {"learning_rate": 0.9})
    hits = (net(x).argmax(axis=1).astype(y.dtype) == y).astype("float32").sum()
    return {"losses": losses, "out": net(x)[:2], "hits": hits}


def batch_norm(x: Any, gamma: Any, beta: Any, mean_var: Any, eps: float = 1e-5) -> Any:
    if not autograd.is_training():
        x_hat = (x - mean_var[0]) / np.sqrt(mean_var[1] + eps)
    else:
        axis = 0 if len(x.shape) == 2 else (0, 2, 3)
        mean = x.mean(axis=axis, keepdims=True)
        var = ((x - mean) ** 2).mean(axis=axis, keepdims=True)
        x_hat = (x - mean) / np.sqrt(var + eps)
        mean_var = (0.9 * mean_var[0] + 0.1 * mean, 0.9 * mean_var[1] + 0.1 * var)
    return gamma * x_hat + beta, mean_var


class BatchNorm(nn.Block):
    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        shape = (1, n, 1, 1)
        self.gamma = self.params.get("gamma", shape=shape, init=init.One())
        self.beta = self.params.get("beta", shape=shape, init=init.Zero())
        self.state = (np.zeros(shape), np.ones(shape))

    def forward(self, x: Any) -> Any:
        y, self.state = batch_norm(x, self.gamma.data(), self.beta.data(), self.state)
        return y


@program
def batch_norm_from_scratch() -> dict[str, Any]:
    x = drawn(13, 4, 3, 5, 5, scale=2.0)
    own, library = BatchNorm(3), nn.BatchNorm(epsilon=1e-5)
    result = {}
    for name, layer in (("own", own), ("library", library)):
        layer.initialize()
        for _ in range(2):
            with autograd.record():
                y = layer(x)
                total = (y**2 * np.arange(5)).sum()
            total.backward()
        result[name] = [y[0, 0], layer(x)[0, 1], layer.gamma.grad().reshape(-1)]
    return {**result, "states": [s.reshape(-1) for s in own.state]}


class Residual(nn.HybridBlock):
    def __init__(self, channels: int, turned: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        strides = 2 if turned else 1
        self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2D(channels, kernel_size=1, strides=strides) if turned else None
        self.bn1, self.bn2 = nn.BatchNorm(), nn.BatchNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.npx.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.npx.relu(y + (self.conv3(x) if self.conv3 is not None else x))


@program
def residual_network() -> dict[str, Any]:
    x, y = drawn(14, 4, 2, 12, 12), classes(15, 4, 3)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, kernel_size=3, padding=1), Residual(4), Residual(8, True))
    net.add(nn.GlobalAvgPool2D(), nn.Dense(3))
    ready(net, x)
    losses = fit(net, gluon.loss.SoftmaxCELoss(), [(x, y)] * 4, "adam", {"learning_rate": 0.01})
    return {"losses": losses, "out": net(x)}


# Sequences ----------------------------------------------------------------------------------------


def corpus(n: int = 40, seed: int = 16) -> Any:
    return onp.random.RandomState(seed).randint(0, 6, n)


@program
def rnn_from_scratch() -> dict[str, Any]:
    tokens = corpus()
    x, y = np.array(tokens[:20].reshape(2, 10)), np.array(tokens[1:21].reshape(2, 10))
    params = [drawn(20 + i, *s, scale=0.1) for i, s in enumerate([(6, 5), (5, 5), (5, 6)])]
    params += [np.zeros(5), np.zeros(6)]
    for p in params:
        p.attach_grad()
    w_xh, w_hh, w_hq, b_h, b_q = params
    losses = []
    for _ in range(4):
        state = np.zeros((2, 5))
        with autograd.record():
            outputs = []
            for step in npx.one_hot(x.T, 6):
                state = np.tanh(np.dot(step, w_xh) + np.dot(state, w_hh) + b_h)
                outputs.append(np.dot(state, w_hq) + b_q)
            y_hat = np.concatenate(outputs, axis=0)
            loss = npx.pick(-npx.log_softmax(y_hat), y.T.reshape(-1)).mean()
        loss.backward()
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in params))
        for p in params if norm > 0.5 else []:
            p.grad[:] *= 0.5 / norm
        for p in params:
            p[:] = p - 1.0 * p.grad
        losses.append(math.exp(float(loss)))
    return {"perplexities": losses, "state": state, "w": w_hh}


def clip(params: Any, theta: float) -> None:
    grads = [p.grad() for p in params]
    norm = math.sqrt(sum(float((g**2).sum()) for g in grads))
    for grad in grads if norm > theta else []:
        grad[:] *= theta / norm


class Model(nn.Block):
    def __init__(self, layer: Any, vocab: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rnn, self.vocab, self.dense = layer, vocab, nn.Dense(vocab)

    def forward(self, inputs: Any, state: Any) -> Any:
        x = npx.one_hot(inputs.T, self.vocab)
        y, state = self.rnn(x, state)
        return self.dense(y.reshape(-1, y.shape[-1])), state


def _recurrent(layer: Any) -> dict[str, Any]:
    tokens = corpus()
    x, y = np.array(tokens[:20].reshape(2, 10)), np.array(tokens[1:21].reshape(2, 10))
    model = Model(layer, 6)
    state = layer.begin_state(batch_size=2)
    model.initialize()
    model(x, state)
    fill(model)
    trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 0.5})
    loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(3):
        state = [s.detach() for s in state] if losses else state
        with autograd.record():
            out, state = model(x, state)
            value = loss(out, y.T.reshape(-1)).mean()
        value.backward()
        clip(model.collect_params().values(), 1.0)
        trainer.step(1)
        losses.append(float(value))
    return {"losses": losses, "state": list(state), "out": out[:4]}


@program
def rnn_concise() -> dict[str, Any]:
    return _recurrent(rnn.RNN(5))


@program
def gru_layer() -> dict[str, Any]:
    return _recurrent(rnn.GRU(5, num_layers=2))


@program
def lstm_bidirectional() -> dict[str, Any]:
    return _recurrent(rnn.LSTM(4, bidirectional=True))


def masked_softmax(x: Any, valid_len: Any) -> Any:
    if valid_len is None:
        return npx.softmax(x)
    shape = x.shape
    is_vector = valid_len.ndim == 1
    valid_len = valid_len.repeat(shape[1], axis=0) if is_vector else valid_len.reshape(-1)
    x = npx.sequence_mask(x.reshape(-1, shape[-1]), valid_len, True, axis=1, value=-1e6)
    return npx.softmax(x).reshape(shape)


class DotProductAttention(nn.Block):
    def __init__(self, dropout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Any, key: Any, value: Any, valid_len: Any = None) -> Any:
        scores = npx.batch_dot(query, key, transpose_b=True) / math.sqrt(query.shape[-1])
        weights = self.dropout(masked_softmax(scores, valid_len))
        return npx.batch_dot(weights, value)


class MLPAttention(nn.Block):
    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        options = {"activation": "tanh", "use_bias": False, "flatten": False}
        self.w_k, self.w_q = nn.Dense(units, **options), nn.Dense(units, **options)
        self.v = nn.Dense(1, use_bias=False, flatten=False)

    def forward(self, query: Any, key: Any, value: Any, valid_len: Any) -> Any:
        query, key = self.w_q(query), self.w_k(key)
        features = np.expand_dims(query, axis=2) + np.expand_dims(key, axis=1)
        weights = masked_softmax(np.squeeze(self.v(features), axis=-1), valid_len)
        return npx.batch_dot(weights, value)


@program
def attention() -> dict[str, Any]:
    query, keys = drawn(31, 2, 3, 4), drawn(32, 2, 5, 4)
    values = np.arange(40).reshape(1, 10, 4)[:, :5].repeat(2, axis=0)
    lengths = np.array([2, 4])
    dot = DotProductAttention(0.5)
    dot.initialize()
    mlp = MLPAttention(6)
    mlp.initialize()
    mlp(query, keys, values, lengths)
    fill(mlp)
    keys.attach_grad()
    with autograd.record():
        out = mlp(query, keys, values, lengths)
        total = (out * drawn(33, 2, 3, 4)).sum()
    total.backward()
    return {"dot": dot(query, keys, values, lengths), "mlp": out, "grad": keys.grad}


class Encoder(nn.Block):
    def __init__(self, vocab: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.embedding, self.rnn = nn.Embedding(vocab, 4), rnn.GRU(5)

    def forward(self, x: Any) -> Any:
        x = self.embedding(x).swapaxes(0, 1)
        return self.rnn(x, self.rnn.begin_state(batch_size=x.shape[1], ctx=x.ctx))


class Decoder(nn.Block):
    def __init__(self, vocab: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attention = MLPAttention(5)
        self.embedding, self.rnn = nn.Embedding(vocab, 4), rnn.GRU(5)
        self.dense = nn.Dense(vocab, flatten=False)

    def forward(self, x: Any, state: Any) -> Any:
        encoded, hidden, lengths = state
        outputs = []
        for step in self.embedding(x).swapaxes(0, 1):
            query = np.expand_dims(hidden[0][-1], axis=1)
            context = self.attention(query, encoded, encoded, lengths)
            step = np.concatenate((context, np.expand_dims(step, axis=1)), axis=-1)
            out, hidden = self.rnn(step.swapaxes(0, 1), hidden)
            outputs.append(out)
        return self.dense(np.concatenate(outputs, axis=0)).swapaxes(0, 1)


@program
def sequence_to_sequence() -> dict[str, Any]:
    source, target = np.array(corpus(12).reshape(3, 4)), np.array(corpus(15, 17).reshape(3, 5))
    lengths = np.array([4, 3, 2])
    encoder, decoder = Encoder(6), Decoder(6)
    blocks = nn.Sequential()
    blocks.add(encoder, decoder)
    blocks.initialize()

    def forward() -> Any:
        encoded, hidden = encoder(source)
        return decoder(target, (encoded.swapaxes(0, 1), hidden, lengths))

    forward()
    fill(blocks)
    trainer = gluon.Trainer(blocks.collect_params(), "adam", {"learning_rate": 0.01})
    loss, losses = gluon.loss.SoftmaxCELoss(), []
    for _ in range(3):
        with autograd.record():
            weights = np.expand_dims(np.ones_like(target), axis=-1)
            weights = npx.sequence_mask(weights, lengths, True, axis=1)
            value = loss(forward(), target, weights)
        value.backward()
        trainer.step(3)
        losses.append(value)
    return {"losses": losses, "out": forward()[:, :2]}


@program
def word_embeddings() -> dict[str, Any]:
    center = np.array(corpus(4).reshape(4, 1))
    context = np.array(corpus(12, 18).reshape(4, 3))
    label = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]])
    mask = np.array([[1, 1, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]])
    net = nn.Sequential()
    net.add(nn.Embedding(6, 4), nn.Embedding(6, 4))
    ready_ = [net.initialize(), net[0](center), net[1](context), fill(net)]
    assert ready_
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    losses = []
    for _ in range(3):
        with autograd.record():
            v, u = net[0](center), net[1](context)
            pred = npx.batch_dot(v, u.swapaxes(1, 2))
            value = loss(pred.reshape(label.shape), label, mask) * mask.shape[1] / mask.sum(axis=1)
        value.backward()
        trainer.step(4)
        losses.append(value)
    w = net[0].weight.data()
    cos = np.dot(w, w[1]) / np.sqrt(np.sum(w * w, axis=1) * np.sum(w[1] ** 2) + 1e-9)
    return {"losses": losses, "closest": npx.topk(cos, k=3, ret_typ="indices"), "cos": cos}


# Boxes, optimizers, layers, files -----------------------------------------------------------------


@program
def anchors() -> dict[str, Any]:
    boxes = npx.multibox_prior(np.zeros((1, 3, 4, 4)), sizes=[0.75, 0.5], ratios=[1, 2, 0.5])
    ground_truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    some = np.array([
        [0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98],
        [0.66, 0.45, 0.8, 0.8], [0.57, 0.3, 0.92, 0.9],
    ])  # fmt: skip
    labels = npx.multibox_target(
        np.expand_dims(some, axis=0), np.expand_dims(ground_truth, axis=0), np.zeros((1, 3, 5))
    )
    found = np.array([
        [0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91],
        [0.55, 0.2, 0.9, 0.88],
    ])  # fmt: skip
    probabilities = np.array([[0] * 4, [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]])
    output = npx.multibox_detection(
        np.expand_dims(probabilities, axis=0),
        np.zeros((1, 16)),
        np.expand_dims(found, axis=0),
        nms_threshold=0.5,
    )
    return {"boxes": boxes[0, :8], "labels": list(labels), "output": output}


@program
def optimizers_from_scratch() -> dict[str, Any]:
    x, y = line(16)
    result = {}
    for name in ("momentum", "adagrad", "adam"):
        w, b = drawn(41, 2, 1, scale=0.01), np.zeros(1)
        states = [(np.zeros(p.shape), np.zeros(p.shape)) for p in (w, b)]
        for p in (w, b):
            p.attach_grad()
        for t in range(1, 5):
            with autograd.record():
                loss = ((np.dot(x, w) + b - y.reshape(-1, 1)) ** 2 / 2).mean()
            loss.backward()
            for p, (v, s) in zip((w, b), states, strict=True):
                if name == "momentum":
                    v[:] = 0.5 * v + p.grad
                    p[:] -= 0.1 * v
                elif name == "adagrad":
                    s[:] += np.square(p.grad)
                    p[:] -= 0.1 * p.grad / np.sqrt(s + 1e-6)
                else:
                    v[:] = 0.9 * v + 0.1 * p.grad
                    s[:] = 0.999 * s + 0.001 * np.square(p.grad)
                    corrected = s / (1 - 0.999**t)
                    p[:] -= 0.1 * v / (1 - 0.9**t) / (np.sqrt(corrected) + 1e-6)
        result[name] = [w, b, loss]
    return result


class CenteredLayer(nn.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x - F.np.mean(x)


class MyDense(nn.Block):
    def __init__(self, units: int, in_units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(in_units, units))
        self.bias = self.params.get("bias", shape=(units,))

    def forward(self, x: Any) -> Any:
        return npx.relu(np.dot(x, self.weight.data()) + self.bias.data())


class MyInit(init.Initializer):
    def _init_weight(self, name: str, data: Any) -> None:
        data[:] = np.arange(data.size).reshape(data.shape) / 10
        data *= np.abs(data) >= 0.5


@program
def layers_of_ones_own() -> dict[str, Any]:
    x = drawn(42, 3, 4)
    net = nn.Sequential()
    net.add(nn.Dense(5), CenteredLayer(), MyDense(2, 5))
    net.initialize(MyInit())
    unknown = [s if s > 0 else 0 for s in net[0].weight.shape]
    out = net(x)
    net[0].weight.data()[0, 0] = 42
    net[0].weight.data()[:] += 1
    centered = CenteredLayer()
    centered.hybridize()
    return {
        "unknown": unknown, "known": list(net[0].weight.shape), "out": out,
        "weight": net[0].weight.data(), "mean": [centered(x), net(x)],
    }  # fmt: skip


@program
def files() -> dict[str, Any]:
    x = drawn(43, 2, 20)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x")
        npx.save(path, [x, np.zeros((0, 3)), np.array(7.0)])
        several = npx.load(path)
        npx.save(path, {"x": x, "y": np.arange(3)})
        named = npx.load(path)
        net = nn.HybridSequential()
        net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
        ready(net, x)
        out = net(x)
        net.save_parameters(path)
        clone = nn.HybridSequential()
        clone.add(nn.Dense(8, activation="relu"), nn.Dense(3))
        clone.load_parameters(path)
        same = clone(x)
        net.export(path)
        block = gluon.SymbolBlock.imports(path + "-symbol.json", "data", path + "-0000.params")
        imported = block(x)
    shapes = [list(a.shape) for a in several]
    return {
        "several": several, "shapes": shapes, "named": [named["x"], named["y"]], "out": out,
        "same": same, "imported": imported,
    }  # fmt: skip


if __name__ == "__main__":
    names = sys.argv[1:] or list(PROGRAMS)
    sys.stdout.write(json.dumps({name: run(name) for name in names}) + "\n")
