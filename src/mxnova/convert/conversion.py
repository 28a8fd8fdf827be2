# SPDX-License-Identifier: Apache-2.0
"""One model turned into another kind of file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..artefacts.trusted_code import remember_code
from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..formats.staging import check_targets, staged
from ..onnx.opsets import checked
from .proof import Verification
from .proof.conversions import NETWORKLESS, UNASKED, proved
from .request import DTYPES, Request
from .source import load
from .target import kind_of
from .writers import WRITERS

__all__ = ["Conversion", "convert"]


class Conversion(NamedTuple):
    """What was written.

    Attributes:
        kind: of the target.
        files: paths.
        proof: what comparing it with the source found; None where it holds parameters only, or
            nobody could or should run it.
        line: the proof in a line.
    """

    kind: str
    files: list[str]
    proof: Verification | None
    line: str


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    to: str | None = None,
    epoch: int | None = None,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    types: Mapping[str, str] | None = None,
    dtype: str | None = None,
    opset: int | None = None,
    runtime: str = "onnxruntime",
    preprocessing: Mapping[str, Any] | None = None,
    labels: Sequence[str] = (),
    force: bool = False,
    prove: bool = True,
    tell: Callable[[str], Any] = lambda text: None,
) -> Conversion:
    """Writes a model as another kind of file.

    All files are written beside their places and move there at the end: after an error there is
    nothing of them, and what stood there is as it was.

    Args:
        source: the prefix of a checkpoint, or the path of an .onnx, .safetensors or .params file.
        target: the path of the file; of MXNet's files the prefix.
        to: kind of the target: mxnet, params, safetensors, onnx, openvino, export, python or
            compiled; default: by its ending.
        epoch: of a checkpoint; default: the newest.
        shapes: of inputs, by name; a word instead of a size leaves it open.
        types: dtypes of inputs, by name, in place of those that the source declares or implies.
        dtype: float16 or bfloat16, for what is float32.
        opset: of an ONNX file, 13 to 21; default: 13.
        runtime: of a compiled model: onnxruntime or openvino.
        preprocessing: how an image becomes an input: size, mean, scale, bgr, gray, interpolation,
            in place of what the source tells; for Python files, ONNX files and compiled models.
        labels: names of the scores, likewise; for compiled models.
        force: replace files that are there, and keep files that do not compute the same.
        prove: run source and target on random inputs, and compare.
        tell: called with what is done next.

    Returns:
        The kind of the target, the paths of its files and what the comparison found.

    Raises:
        ArgumentError: an argument that does not fit; a target that exists, is a source, or is a
            symbolic link.
        FileError: a file cannot be read or written.
        FormatError: the source breaks its format.
        MXNetError: a model that the target has no words for, with its nodes; a target that does
            not compute the same.
    """
    target = os.fspath(target)
    kind = kind_of(target, to)
    writer = WRITERS[kind]
    if dtype is not None and dtype not in DTYPES:
        raise ArgumentError(f"convert: --dtype {dtype}{candidates(dtype, DTYPES)}")
    if opset is not None and kind not in ("onnx", "openvino"):
        raise ArgumentError(f"convert: --opset {opset}: {target} is no ONNX file")
    checked(opset, "convert: --opset")
    tell("read")
    request = Request(
        load(source, epoch, shapes, types),
        shapes or {},
        dtype,
        opset,
        runtime,
        preprocessing or {},
        labels,
    )
    request.picture  # noqa: B018 - bad values are refused before anything is written
    check_targets(writer.files(request, target), request.model.files, force, "convert")
    is_network = writer.is_network and (request.model.symbol is not None or kind != "mxnet")
    if is_network:
        request.model.graph  # noqa: B018 - parameters alone are refused at once
    tell("write")
    with staged(target) as path:
        writer.write(request, path)
        proof, line = None, NETWORKLESS
        if is_network:
            tell("prove")
            proof, line = proved(request, path, kind, tell) if prove else (None, UNASKED)
            if proof is not None and not proof.is_equal and not force:
                raise MXNetError(f"convert: {target}: does not compute the same: {line}")
        writer.finish(path, line)
        names = [os.path.basename(file) for file in writer.files(request, path)]
        made = [name for name in names if os.path.exists(os.path.join(os.path.dirname(path), name))]
        remember_code(path)
    folder = os.path.dirname(target)
    return Conversion(kind, [os.path.join(folder, name) for name in made], proof, line)
