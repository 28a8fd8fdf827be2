# SPDX-License-Identifier: Apache-2.0
"""`open_model`: an archive, a folder or a prefix as a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.base.errors import ArgumentTypeError, shown
from .contents import contents_of, is_archive
from .layouts import recognized
from .opened import OpenedModel

if TYPE_CHECKING:
    from ..predictor import Predictor

__all__ = ["is_artefact", "open_model"]


def open_model(path: str | os.PathLike[str], epoch: int | None = None) -> OpenedModel:
    """Opens a model artefact of SageMaker, Multi Model Server, Gluon or a checkpoint.

    Known layouts: SageMaker's ``model.tar.gz`` (image classification, object detection, semantic
    segmentation, Linear Learner, Factorization Machines, script mode), ``.mar`` and ``.model``
    archives, folders and archives of checkpoints, prefixes and files of checkpoints, parameters of
    networks of Gluon's zoo, and ONNX files. No code inside is executed, and nothing is written to
    disk.

    Args:
        path: an archive (.tar.gz, .zip, .mar, .model), a folder, a prefix, a file of a checkpoint,
            a .params or an .onnx file.
        epoch: number of the parameters; default: the newest.

    Returns:
        Its parts, ready for `Predictor`.

    Raises:
        FileError: there is nothing, or it cannot be read.
        FormatError: an archive is damaged, leads out of its folder, holds links or devices, or
            unpacks to too much; a file inside breaks its format; or nothing inside is a model.
        ArgumentError: it holds several networks, or not this epoch.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"open_model: path={shown(path)}: expected a path")
    contents = contents_of(os.fspath(path))
    return OpenedModel(contents, recognized(contents, epoch), reopened)


def reopened(
    shapes: Mapping[str, Sequence[int]], path: str, epoch: int | None, options: Mapping[str, Any]
) -> Predictor:
    """The predictor of a model that was pickled."""
    return open_model(path, epoch).predictor(shapes, **options)


def is_artefact(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is a folder or an archive, which `open_model` is needed for."""
    path = os.fspath(path)
    return os.path.isdir(path) or (os.path.isfile(path) and is_archive(path))
