# SPDX-License-Identifier: Apache-2.0
"""Images: datasets and transformations."""

from ....core.base.doors import facade
from . import datasets, transforms
from .datasets import (
    CIFAR10,
    CIFAR100,
    MNIST,
    FashionMNIST,
    ImageFolderDataset,
    ImageRecordDataset,
)

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageRecordDataset",
    "datasets",
    "transforms",
]


facade(__name__)
