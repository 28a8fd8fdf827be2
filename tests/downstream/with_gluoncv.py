# SPDX-License-Identifier: Apache-2.0
"""GluonCV makes networks of its zoo, of which one is trained for some steps."""

import mxnet as mx
from gluoncv import model_zoo
from mxnet import autograd, gluon

NAMES = [
    "cifar_resnet20_v1",
    "mobilenetv3_small",
    "resnet18_v1b",
    "ssd_300_vgg16_atrous_voc",
    "simple_pose_resnet18_v1b",
]
shapes = {"ssd": (1, 3, 300, 300), "cifar": (2, 3, 32, 32), "simple": (1, 3, 256, 192)}
for name in NAMES:
    has_base = name.startswith(("ssd", "simple"))
    base = {"pretrained_base": False} if has_base else {}
    net = model_zoo.get_model(name, pretrained=False, **base)
    net.initialize(mx.init.Xavier())
    shape = shapes.get(name.partition("_")[0], (1, 3, 224, 224))
    out = net(mx.nd.random.uniform(shape=shape))
    mx.nd.waitall()

mx.random.seed(0)
net = model_zoo.get_model("cifar_resnet20_v1")
net.initialize(mx.init.Xavier())
data = mx.nd.random.normal(shape=(16, 3, 32, 32))
label = mx.nd.arange(16) % 10
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
losses = []
for _ in range(15):
    with autograd.record():
        loss = gluon.loss.SoftmaxCrossEntropyLoss()(net(data), label)
    loss.backward()
    trainer.step(16)
    losses.append(loss.mean().asscalar())
print(f"{len(NAMES)} networks, {'the loss falls' if losses[-1] < losses[0] / 2 else losses}")
