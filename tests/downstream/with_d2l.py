# SPDX-License-Identifier: Apache-2.0
"""Dive into Deep Learning's first regression, concisely, with its own library."""

from d2l import mxnet as d2l
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn

npx.set_np()
true_w, true_b = np.array([2, -3.4]), 4.2
features, labels = d2l.synthetic_data(true_w, true_b, 1000)
batches = d2l.load_array((features, labels), 10)
net = nn.Sequential()
net.add(nn.Dense(1))
net.initialize(init.Normal(sigma=0.01))
loss = gluon.loss.L2Loss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})
for _ in range(3):
    for X, y in batches:
        with autograd.record():
            value = loss(net(X), y)
        value.backward()
        trainer.step(10)
w, b = net[0].weight.data(), net[0].bias.data()
error = max(float(np.abs(true_w - w.reshape(2)).max()), float(np.abs(true_b - b).max()))
print("weights within 0.01" if error < 0.01 else f"weights off by {error}")
