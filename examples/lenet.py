# SPDX-License-Identifier: Apache-2.0
"""A convolutional network on handwritten digits: python -m examples.lenet.

LeNet (LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998), for images of
8 × 8 pixels, with batch normalization. The exit status is 1 where a full training ends below 98 %
of held-out images.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.progress import epochs

MIN_ACCURACY = 0.98
EPOCHS = 12
DEVICE = mx.cpu()  # where to copy what workers have put into shared memory
nn = mx.gluon.nn


class LeNet(mx.gluon.HybridBlock):
    """Two convolutions and three dense layers; `features` is all but the last."""

    def __init__(self, classes: int = 10, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential()
            with self.features.name_scope():
                for channels in (20, 50):
                    self.features.add(
                        nn.Conv2D(channels, kernel_size=3, padding=1),
                        nn.BatchNorm(),
                        nn.Activation("relu"),
                        nn.MaxPool2D(pool_size=2, strides=2),
                    )
                self.features.add(nn.Dense(120, activation="relu"), nn.Dense(84, activation="relu"))
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F: Any, images: Any) -> Any:
        return self.output(self.features(images))


def loader(images: np.ndarray, labels: np.ndarray, batch: int, workers: int, learn: bool) -> Any:
    """Batches of NDArrays; shuffled ones to learn from."""
    dataset = mx.gluon.data.ArrayDataset(images, labels)
    last = "discard" if learn else "keep"
    return mx.gluon.data.DataLoader(
        dataset, batch, shuffle=learn, last_batch=last, num_workers=workers
    )


def train(net: Any, batches: Any, count: int, rate: float) -> None:
    """`count` epochs of Adam on the cross-entropy of `net`'s scores; `rate` falls to its 20th."""
    schedule = mx.lr_scheduler.CosineScheduler(count * len(batches), rate, final_lr=rate / 20)
    options = {"learning_rate": rate, "lr_scheduler": schedule}
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", options)
    loss_of, accuracy = mx.gluon.loss.SoftmaxCrossEntropyLoss(), mx.metric.Accuracy()
    for epoch in epochs(count, batches, "images"):
        accuracy.reset()
        for images, labels in epoch:
            images, labels = images.as_in_context(DEVICE), labels.as_in_context(DEVICE)
            with mx.autograd.record():
                scores = net(images)
                loss = loss_of(scores, labels)
            loss.backward()
            trainer.step(len(labels))
            accuracy.update(labels, scores)
            epoch.show(len(labels), loss=loss.mean().asscalar(), accuracy=accuracy.get()[1])


def accuracy_of(net: Any, batches: Any) -> float:
    """The share of images whose highest score is that of their label."""
    accuracy = mx.metric.Accuracy()
    for images, labels in batches:
        accuracy.update(labels, net(images.as_in_context(DEVICE)))
    return float(accuracy.get()[1])


def main(arguments: list[str] | None = None) -> int:
    """Trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--workers", type=int, default=2, help="processes that load images")
    options = parser.parse_args(arguments)

    np.random.seed(0)  # DataLoader shuffles with NumPy
    mx.random.seed(0)
    x, y, x_test, y_test = digits()
    net = LeNet()
    net.initialize(mx.init.Xavier(magnitude=2.24))
    net.hybridize(static_alloc=True)
    train(net, loader(x, y, options.batch, options.workers, True), options.epochs, options.rate)
    accuracy = accuracy_of(net, loader(x_test, y_test, 50, options.workers, False))
    print(f"held-out accuracy {accuracy:.2%} of {len(y_test)} images")
    return int(options.epochs >= EPOCHS and accuracy < MIN_ACCURACY)


if __name__ == "__main__":
    sys.exit(main())
