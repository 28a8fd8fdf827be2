# SPDX-License-Identifier: Apache-2.0
"""Foolbox 2 asks a Gluon network for scores and gradients, and attacks it."""

import foolbox
import mxnet as mx
import numpy as np

mx.random.seed(0)
net = mx.gluon.nn.HybridSequential()
net.add(mx.gluon.nn.Dense(3, in_units=12))
net.initialize(mx.init.Normal(0.5))
image = np.random.RandomState(0).uniform(0, 1, (3, 2, 2)).astype("float32")
model = foolbox.models.MXNetGluonModel(net, bounds=(0, 1), num_classes=3, ctx=mx.cpu())
scores, gradient = model.forward_and_gradient_one(image, 1)

weight = net[0].weight.data().asnumpy()
exact = weight @ image.ravel()
chances = np.exp(exact - exact.max()) / np.exp(exact - exact.max()).sum()
expected = (chances - np.eye(3)[1]) @ weight
np.testing.assert_allclose(scores, exact, rtol=1e-5)
np.testing.assert_allclose(gradient.ravel(), expected, rtol=1e-4, atol=1e-6)

label = np.array([int(exact.argmax())])
changed = foolbox.attacks.FGSM(model)(image[None], label, epsilons=20)
assert model.forward(changed).argmax() != label[0]
print("the gradient is that of the network")
