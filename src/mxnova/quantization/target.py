# SPDX-License-Identifier: Apache-2.0
"""The files of a quantized model at their place."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import NamedTuple

from ..artefacts import OpenedModel
from ..convert.request import Request
from ..formats.atomic import replacing
from ..formats.checkpoint_files import CheckpointFiles
from ..predictor.building import write_compiled
from .method import beside

__all__ = ["Made", "files_at", "finished"]


class Made(NamedTuple):
    """A model that a method wrote.

    Attributes:
        path: of the file, or the prefix of MXNet's; called as the target is, but for the ending
            of compiled models.
        onnx: path of the model in float as an ONNX file, where it is of OpenVINO's kind.
    """

    path: str
    onnx: str | None = None


def files_at(target: str, kind: str, opened: OpenedModel) -> list[str]:
    """Paths of all files that are written, those included that may not be needed."""
    if kind == "mxnet":
        files = CheckpointFiles.of(target, opened.epoch)
        folder, prefix = os.path.split(target)
        notes = [os.path.join(folder, name) for name in opened.notes_beside(prefix)]
        return [files.symbol, files.params, *notes]
    if kind == "openvino":
        return [target, f"{os.path.splitext(target)[0]}.bin"]
    return [target, f"{target}.data"] if kind == "onnx" else [target]


def finished(made: Made, path: str, kind: str, request: Request, opened: OpenedModel) -> None:
    """Puts a model that a method wrote at `path`, which lies on the same disk.

    Args:
        made: the model.
        path: of the target.
        kind: of the target.
        request: the model in float.
        opened: what its files note.
    """
    if kind == "compiled":
        _compile(made, path, request)
        return
    folder, name = os.path.split(path)
    stem = os.path.splitext(made.path)[0] if kind == "openvino" else made.path
    for file in beside(stem):
        os.replace(file, os.path.join(folder, os.path.basename(file)))
    if kind == "mxnet":
        for note, content in opened.notes_beside(name).items():
            with replacing(os.path.join(folder, note)) as out:
                out.write(content)


def _compile(made: Made, path: str, request: Request) -> None:
    """A compiled model of an ONNX file or of OpenVINO's files, with what the source notes."""
    from ..onnx.signed_weights import make_weights_signed

    model, is_openvino = request.model, made.path.endswith(".xml")
    if not is_openvino:
        make_weights_signed(made.path)
    write_compiled(
        made.onnx or made.path,
        path,
        "openvino" if is_openvino else "onnxruntime",
        model.graph.list_outputs(),
        sources=model.hashes,
        preprocessing=None if request.picture is None else asdict(request.picture),
        labels=request.labels or model.labels,
        openvino_file=made.path if is_openvino else None,
    )
