# SPDX-License-Identifier: Apache-2.0
"""Operators with states, modes and gradients of their own; small networks."""

import numpy as np

from .kit import program


def normalized(k, x, train_mode=True):
    gamma, beta = k.leaf([1, 2]), k.leaf([0, 1])
    mean, var = k.nd.zeros((2,)), k.nd.ones((2,))
    with k.ag.record(train_mode):
        y = k.nd.BatchNorm(x, gamma, beta, mean, var, fix_gamma=False)
        z = y * k.nd.array([[1, 2], [3, 5]])
    z.backward(train_mode=train_mode)
    return [y, x.grad, gamma.grad, beta.grad, mean, var]


@program
def batch_norm_training(k, x):
    return normalized(k, x)


@program
def batch_norm_predicting(k, x):
    return normalized(k, x, False)


@program
def batch_norm_with_states_as_leaves(k, x):
    mean, var = k.leaf([0, 0]), k.leaf([1, 1])
    with k.ag.record():
        y = k.nd.BatchNorm(x, k.nd.ones((2,)), k.nd.zeros((2,)), mean, var)
    y.backward()
    return [mean, var, mean.grad]


@program
def dropout_follows_its_mask(k, x):
    x = k.leaf(np.ones(1000))
    with k.ag.record():
        y = k.nd.Dropout(x, p=0.5)
    y.backward()
    return [bool((x.grad.asnumpy() == y.asnumpy()).all()), float(y.max().asscalar())]


@program
def dropout_predicting(k, x):
    with k.ag.record(train_mode=False):
        y = k.nd.Dropout(x, p=0.5)
    y.backward()
    return [y, x.grad]


@program
def softmax_output(k, x):
    with k.ag.record():
        y = k.nd.SoftmaxOutput(x, k.nd.array([0, 1]))
    y.backward()
    return [y, x.grad]


@program
def make_loss(k, x):
    with k.ag.record():
        y = k.nd.MakeLoss(x * x, grad_scale=3)
    y.backward()
    return x.grad


@program
def linear_regression(k, x):
    with k.ag.record():
        y = k.nd.LinearRegressionOutput(x, k.nd.ones((2, 2)))
    y.backward()
    return x.grad


@program
def embedding(k, x):
    with k.ag.record():
        y = k.nd.Embedding(k.nd.array([1, 1, 0]), x, input_dim=2, output_dim=2)
        z = y * k.nd.array([[1, 2], [3, 4], [5, 6]])
    z.backward()
    return x.grad


@program
def convolution(k, x):
    data, weight = (
        k.leaf(np.arange(16).reshape(1, 1, 4, 4)),
        k.leaf(np.arange(9).reshape(1, 1, 3, 3)),
    )
    with k.ag.record():
        y = k.nd.Convolution(data, weight, kernel=(3, 3), num_filter=1, no_bias=True)
    y.backward()
    return [y, data.grad, weight.grad]


@program
def network(k, x):
    w1, b1 = k.leaf([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]), k.leaf([0.1, 0.2, 0.3])
    w2 = k.leaf([[0.7, -0.8, 0.9], [0.2, 0.1, -0.3]])
    label = k.nd.array([1, 0])
    losses = []
    for _ in range(5):
        with k.ag.record():
            h = k.nd.relu(k.nd.FullyConnected(x, w1, b1, num_hidden=3))
            logits = k.nd.FullyConnected(h, w2, no_bias=True, num_hidden=2)
            loss = -k.nd.pick(k.nd.log_softmax(logits), label).mean()
        loss.backward()
        for parameter in (w1, b1, w2):
            k.nd.sgd_update(parameter, parameter.grad, lr=0.5, out=parameter)
        losses.append(loss)
    return [losses, w1, b1, w2]


@program
def momentum(k, x):
    state = k.nd.zeros((2, 2))
    for _ in range(3):
        with k.ag.record():
            y = (x * x).sum()
        y.backward()
        k.nd.sgd_mom_update(x, x.grad, state, lr=0.1, momentum=0.9, out=x)
    return [x, state]


@program
def where(k, x):
    with k.ag.record():
        y = k.nd.where(x > 2, x * x, x * 5)
    y.backward()
    return x.grad


@program
def broadcasting(k, x):
    w = k.leaf([[1], [2]])
    with k.ag.record():
        y = x * w + w
    y.backward()
    return [x.grad, w.grad]


@program
def reductions(k, x):
    with k.ag.record():
        y = x.sum(axis=0) * x.mean() + x.max(axis=1) - k.nd.norm(x)
    y.backward()
    return x.grad


@program
def matrix_products(k, x):
    w = k.leaf([[1, 2, 3], [4, 5, 6]])
    with k.ag.record():
        y = k.nd.dot(x, w) + k.nd.dot(w, w, transpose_a=True)[0:2]
    y.backward()
    return [x.grad, w.grad]


@program
def power_and_division(k, x):
    with k.ag.record():
        y = x**2 / (1 + x) + 2**x - 3 / x + x % 3
    y.backward()
    return x.grad


@program
def scaled_loss(k, x):
    with k.ag.record():
        loss = k.nd.softmax_cross_entropy(x, k.nd.array([0, 1]))
    loss.backward(k.nd.array([128]))
    return x.grad
