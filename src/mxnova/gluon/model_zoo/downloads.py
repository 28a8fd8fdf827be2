# SPDX-License-Identifier: Apache-2.0
"""Pretrained weights and data sets by their names, as ``mxnova download`` takes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from ...base import data_dir
from ...core.base.errors import ArgumentError, candidates, shown
from ..data import vision
from ..data.vision.datasets import _Published
from . import hub, model_store

__all__ = ["check", "fetch", "names"]

_DATA_SETS: dict[str, type[_Published]] = {
    "mnist": vision.MNIST,
    "fashion-mnist": vision.FashionMNIST,
    "cifar10": vision.CIFAR10,
    "cifar100": vision.CIFAR100,
}


def names() -> dict[str, str]:
    """Name -> what it is: networks of the zoo, data sets, and repositories of the hub."""
    return {
        **{name: f"weights, SHA-1 {sha1}" for name, sha1 in model_store._model_sha1.items()},
        **dict.fromkeys(_DATA_SETS, "data set"),
        **{repo: f"weights of {name}, on the hub" for name, repo in hub.REPOSITORIES.items()},
    }


def check(wanted: Iterable[str]) -> None:
    """Refuses names that nothing has.

    Raises:
        ArgumentError: there is one.
    """
    known = names()
    for name in wanted:
        if name not in known:
            hint = candidates(name, known)
            raise ArgumentError(f"download: name={shown(name)}: there is none{hint}")


def fetch(name: str, root: str | None = None) -> list[str]:
    """Paths of the files of a name, which are fetched where they are not there, and checked.

    Args:
        name: one of `names()`, such as 'resnet18_v1', 'mnist' or 'timm/resnet18.gluon_in1k'.
        root: folder; ``models`` or ``datasets/NAME`` in MXNET_HOME unless given.

    Raises:
        ArgumentError: nothing has such a name.
        FormatError: a file of a data set is there, but not the published one.
        MissingFileError: no place has the file: see MXNOVA_MIRRORS.
    """
    check([name])
    if name in _DATA_SETS:
        folder = root or os.path.join(data_dir(), "datasets", name)
        return _data_set(_DATA_SETS[name], os.path.expanduser(folder))
    folder = os.path.expanduser(root or os.path.join(data_dir(), "models"))
    for network, repository in hub.REPOSITORIES.items():
        if name == repository:
            os.makedirs(folder, exist_ok=True)
            return [hub.weights_of(network, folder)]
    return [model_store.get_model_file(name, root=folder)]


def _data_set(kind: type[_Published], folder: str) -> list[str]:
    """Paths of a data set's files, which have been read, and are the published ones."""
    files: list[str] = []
    strict: Callable[..., Any] = type(kind.__name__, (kind,), {"_published": files})
    for train in (True, False):
        strict(root=folder, train=train)
    return sorted({*files})
