# SPDX-License-Identifier: Apache-2.0
"""A model made one on integers, as accurate as is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..artefacts import InferenceModel, OpenedModel, open_model
from ..convert.request import Request
from ..convert.source import model_of
from ..core.base.errors import ArgumentError
from ..formats.staging import check_targets, staged
from ..formats.temporary import temporary_folder
from .data import Data
from .dataset import dataset
from .layers import checked_names
from .measuring import measured_model
from .method import Task
from .options import Options, kind_and_method
from .outcome import Quantization
from .target import files_at, finished

__all__ = ["quantize"]

Tell = Callable[..., Any]


def quantize(
    model: str | os.PathLike[str] | OpenedModel,
    data: Data,
    output: str | os.PathLike[str] | None = None,
    *,
    method: str | None = None,
    calibration: str | None = None,
    per_channel: bool | None = None,
    asymmetric: bool | None = None,
    exclude: str | Sequence[str] = (),
    max_drop: float | None = None,
    metric: str | None = None,
    samples: int = 320,
    measured: int = 2000,
    batch: int | None = None,
    epoch: int | None = None,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    types: Mapping[str, str] | None = None,
    preprocessing: Mapping[str, Any] | None = None,
    labels: Sequence[str] | None = None,
    seed: int = 0,
    force: bool = False,
    tell: Tell = lambda text, done=0, total=None: None,
) -> Quantization:
    """Writes a model whose layers compute with 8-bit integers, and measures what that costs.

    Ranges are found on some of the data, and accuracy is measured on the rest: on labels, or,
    without labels, on the classes that the model in float finds. All files are written beside
    their places and move there at the end.

    Args:
        model: the prefix of a checkpoint, what `open_model` opens, or what it gives.
        data: a folder with one folder of files for each class, any folder of images or .npy files,
            a .rec file, an .npz file of the input's name and ``label``, an array (items, …), or a
            tuple of such an array and labels.
        output: the prefix of MXNet's files, an .onnx, .xml or .mxnova file; default:
            MODEL-quantized with the method's ending.
        method: ``"mxnet"``, MXNet's own; ``"nncf"``, for OpenVINO; ``"ort"``, ONNX Runtime's;
            default: by the ending of `output`.
        calibration: how ranges are found. mxnet: entropy, naive or none; ort: naive or entropy;
            nncf: mean or naive. The first is the default.
        per_channel: a range for each channel of weights; default: yes, but for mxnet, whose layers
            that have them keep float weights in the file.
        asymmetric: activations whose zero is not the middle; default: yes, but for mxnet, which has
            none.
        exclude: names of nodes that stay in float, or one.
        max_drop: how many percentage points of accuracy may be lost. Layers with the largest errors
            stay in float, as few as are enough.
        metric: ``"accuracy"``, of labels, or ``"agreement"``, with the classes that the model in
            float finds; default: accuracy where all labels are known.
        samples: ranges are found on so many, at most, and never on more than half of the data.
        measured: accuracy is measured on so many, at most.
        batch: samples that are run at once; default: 8, or what the model fixes.
        epoch: of a checkpoint; default: the newest.
        shapes: of the input, by name, where neither model nor data tell; a word leaves a size open.
        types: dtypes of inputs, by name, in place of those that the model declares.
        preprocessing: how an image becomes an input: size, mean, scale, bgr, gray, interpolation,
            in place of what the model tells.
        labels: names of classes, in order, likewise.
        seed: of the samples that are taken.
        force: replace files that are there.
        tell: called with what is done next, and, where it is known, how much is done of how much.

    Returns:
        The files, accuracy, sizes and times before and after, and the values of nodes compared.

    Raises:
        ArgumentError: an argument that does not fit the model, the data or the method.
        FileError: a file cannot be read or written.
        FormatError: the model breaks its format.
        MXNetError: the data cannot be used, a package is missing or refuses the model, or no layer
            can be quantized within `max_drop`.
    """
    source = model.path if isinstance(model, OpenedModel) else os.fspath(model)
    told = None if output is None else os.fspath(output)
    target, kind, method = kind_and_method(told, method, source)
    options = Options.checked(
        method=method,
        calibration=calibration,
        per_channel=per_channel,
        asymmetric=asymmetric,
        samples=samples,
        measured=measured,
        batch=batch,
        max_drop=max_drop,
        metric=metric,
        seed=seed,
    )
    tell("read the model")
    opened = _opened(model, epoch)
    source_model = replace(model_of(opened), types=types or {})
    nodes = checked_names(source_model.graph, [exclude] if isinstance(exclude, str) else exclude)
    check_targets(files_at(target, kind, opened), source_model.files, force, "quantize")
    found = dataset(
        InferenceModel(opened.path, {"types": types} if types else {}, opened),
        data,
        options,
        shapes or {},
        preprocessing or {},
        labels,
        tell,
    )
    request = Request(
        source_model,
        {**(shapes or {}), found.input: found.shape},
        preprocessing=preprocessing or {},
        labels=labels or (),
    )
    request.shapes  # noqa: B018 - names that are no inputs are refused
    with temporary_folder(os.path.dirname(target)) as folder:
        task = Task(request, found.input, found.for_ranges, options, folder)
        made, outcome = measured_model(task, found.for_accuracy, nodes, _called(target, kind), tell)
        tell("write")
        with staged(target) as path:
            finished(made, path, kind, request, opened)
            stage = os.path.dirname(path)
            sizes = {name: os.path.getsize(os.path.join(stage, name)) for name in os.listdir(stage)}
    files = [os.path.join(os.path.dirname(target), name) for name in sorted(sizes)]
    return replace(outcome, kind=kind, files=files, bytes=sum(sizes.values()))


def _called(target: str, kind: str) -> str:
    """What the method calls its files, so that they may move to the target."""
    name = os.path.basename(target)
    return f"{os.path.splitext(name)[0]}.made" if kind == "compiled" else name


def _opened(model: str | os.PathLike[str] | OpenedModel, epoch: int | None) -> OpenedModel:
    if isinstance(model, OpenedModel):
        return model
    path = os.fspath(model)
    if path.endswith(".mxnova"):
        raise ArgumentError(
            f"quantize: {path}: give the model that it was made of: the prefix of a checkpoint, an "
            "archive, a folder or an ONNX file"
        )
    return open_model(path, epoch)
