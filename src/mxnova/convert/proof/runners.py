# SPDX-License-Identifier: Apache-2.0
"""Runners of models of every kind: functions of named arrays, with values of nodes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...artefacts.trusted_code import code_file
from ..source import load
from .mxnet import MXNetRunner
from .onnx_file import ONNXRunner
from .openvino_file import OpenVINORunner
from .python_file import ExportedRunner, PythonRunner
from .runner import Array, Runner
from .target_process import ProcessRunner

__all__ = ["CheckpointRunner", "runner_of"]


class CompiledRunner(ProcessRunner):
    """A compiled model, run by `Predictor`."""

    def prepare_feed(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        return {name: feed[name] for name in self.process.facts["inputs"] if name in feed}


class CheckpointRunner(ProcessRunner, MXNetRunner):
    """A checkpoint whose outputs are computed in a fresh process, and values of nodes in this one.

    Args:
        prefix: of the checkpoint.
        epoch: of the checkpoint.
    """

    def __init__(self, prefix: str, epoch: int) -> None:
        MXNetRunner.__init__(self, load(prefix, epoch))
        ProcessRunner.__init__(self, "checkpoint", prefix, epoch=str(epoch))


def runner_of(
    path: str | os.PathLike[str],
    epoch: int | None = None,
    trust: bool = False,
    types: Mapping[str, str] | None = None,
) -> Runner:
    """Return the model at `path`, by its ending; a path without one is the prefix of a checkpoint.

    Args:
        path: of the file.
        epoch: of a checkpoint; default: the newest.
        trust: load .py and .pt2 files even if this installation did not write them.
        types: dtypes of inputs of MXNet's files, in place of those that the network declares.

    Raises:
        ArgumentError: the file contains no network, or code that nobody vouches for.
        FileError: the file cannot be read.
    """
    text = os.fspath(path)
    ending = Path(text).suffix
    if ending == ".onnx":
        return ONNXRunner(text)
    if ending == ".xml":
        return OpenVINORunner(text)
    if ending == ".mxnova":
        return CompiledRunner("compiled", text)
    if (code := code_file(text)) is not None:
        return PythonRunner(code, trust) if code.endswith(".py") else ExportedRunner(code, trust)
    return MXNetRunner(load(text, epoch, types=types))
