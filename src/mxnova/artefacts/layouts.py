# SPDX-License-Identifier: Apache-2.0
"""The layouts that are known: how each is told, and what its files mean.

Where a layout does not say something, `notes` tell that, with what was found instead. Programs are
listed, never run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..core.base.errors import FormatError, MXNetError, shown
from ..formats.checkpoint_files import SYMBOL
from ..predictor.picture import Picture
from .contents import MOST_NETWORK, Contents
from .findings import Findings, checkpoint_of
from .normalization import normalized
from .side_files import image_shape, labels_of, number, settings_text, shapes_of

__all__ = ["recognized"]

_PROGRAMS = (".py", ".pyc", ".sh", ".jar", ".so", ".ipynb")
_ELSEWHERE = {
    ".onnx": "ONNX", ".pt2": "torch.export", ".pt": "PyTorch", ".pth": "PyTorch",
    ".pb": "TensorFlow", ".h5": "Keras", ".pkl": "pickle", ".joblib": "pickle",
}  # fmt: skip
_MOST_NAMED = 5  # The number of files that an error lists.
_HASHED = re.compile(r"(.+)-[0-9a-f]{8}\.params")


def recognized(contents: Contents, epoch: int | None) -> Findings:
    """Return what the files are.

    Args:
        contents: the files.
        epoch: of the parameters; None for the newest.

    Raises:
        ArgumentError: there are several networks, or there is no such epoch.
        FormatError: a file breaks its format, or there is neither a network nor parameters.
    """
    found = Findings()
    found.handlers = sorted(n for n in contents.sizes if n.lower().endswith(_PROGRAMS))
    found.input_shapes = shapes_of(contents)
    found.labels = labels_of(contents)
    fits = next(read for is_it, read in _LAYOUTS if is_it(contents))
    fits(contents, found, epoch)
    _add_saved(contents, found)
    if found.handlers:
        found.notes.append("programs were found; they are not run, what they do to inputs is lost")
    for name in sorted(contents.sizes):
        kind = _ELSEWHERE.get(os.path.splitext(name)[1].lower())
        if kind is not None:
            found.notes.append(f"{name} is a {kind} file, which is left alone")
    if found.symbol is None and found.params is None:
        raise FormatError(f"{contents.path}: contains no model: {_describe_files(contents, found)}")
    return found


def _describe_files(contents: Contents, found: Findings) -> str:
    """Return what was found instead of a model, and what was expected, for an error."""
    names = sorted(contents.sizes)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    files = ", ".join(shown(name)[1:-1] for name in names[:_MOST_NAMED]) + more
    parts = [f"its files are {files}" if names else "it has no files", *found.notes]
    return f"{'; '.join(parts)}. Expected NAME-symbol.json and NAME-0000.params, or a .params file"


def _add_saved(contents: Contents, found: Findings) -> None:
    """Adds what `OpenedModel.save` wrote beside a checkpoint."""
    found.input_shapes = found.input_shapes or shapes_of(contents, f"{found.prefix}-shapes.json")
    found.labels = found.labels or labels_of(contents, f"{found.prefix}-labels.txt")
    for name in contents.named(f"{found.prefix}-preprocessing.json")[:1]:
        told = contents.json(name)
        try:
            found.preprocessing = Picture.of_mapping(told)
        except (MXNetError, TypeError, ValueError) as error:
            raise FormatError(f"{contents.path}: {name}: {error}") from None


# Multi Model Server -------------------------------------------------------------------------------


def _is_mms(contents: Contents) -> bool:
    return bool(_manifest(contents))


def _manifest(contents: Contents) -> Mapping[str, Any]:
    """The part about the model of the manifest of an archive, of version 0.x or 1.0."""
    for name in contents.named("MANIFEST.json")[:1]:
        value = contents.json(name)
        told = (value.get("model") or value.get("Model")) if isinstance(value, dict) else None
        if not isinstance(told, dict):
            raise FormatError(f"{contents.path}: {name}: it says nothing of a model")
        return told
    return {}


def _mms(contents: Contents, found: Findings, epoch: int | None) -> None:
    told = _manifest(contents)
    texts = {key: value for key, value in told.items() if isinstance(value, str)}
    found.layout = "archive of Multi Model Server"
    checkpoint_of(contents, found, epoch, texts.get("modelName", texts.get("Model-Name")))
    for key, part in (("Symbol", "symbol"), ("Parameters", "params")):
        if texts.get(key) in contents.sizes:
            setattr(found, part, texts[key])
    found.notes.append(f"manifest: {settings_text(texts)}")
    signature = contents.json_object("signature.json")
    if str(signature.get("input_type", "")).startswith("image/") and found.input_shapes:
        shape = next(iter(found.input_shapes.values()))
        found.preprocessing = _image_of(shape, interpolation="cubic")
        found.notes.append("preprocessing: as the server's vision service does it, RGB unscaled")


def _image_of(shape: tuple[int | str, ...], interpolation: str = "linear") -> Picture | None:
    """Pixels as they are, for an input (batch, channels, height, width)."""
    if len(shape) != 4 or shape[1] not in (1, 3):
        return None
    height, width = shape[2:]
    size = (height, width) if isinstance(height, int) and isinstance(width, int) else None
    return Picture(size, gray=shape[1] == 1, interpolation=interpolation)


# SageMaker ----------------------------------------------------------------------------------------


def _settings(contents: Contents) -> dict[str, Any]:
    return contents.json_object("hyperparams.json")


def _is_segmentation(contents: Contents) -> bool:
    return "backbone" in _settings(contents)


def _segmentation(contents: Contents, found: Findings, epoch: int | None) -> None:
    settings = _settings(contents)
    found.layout = "SageMaker semantic segmentation"
    names = (*contents.named("model_best.params"), *contents.named("model_algo-1"))
    found.params = next(iter(names), None)
    found.preprocessing = normalized()
    network = f"{settings.get('algorithm', 'fcn')} on {settings['backbone']}"
    found.notes += [
        f"network: GluonCV's {shown(network)[1:-1]}, {settings.get('num_classes', '?')} classes; "
        "only its parameters are here. Make it with gluoncv.model_zoo, load_parameters and export, "
        "then open what was exported",
        f"hyperparameters: {settings_text(settings)}",
        "preprocessing: GluonCV's for segmentation",
    ]


def _is_detection(contents: Contents) -> bool:
    return not {"nms_threshold", "base_network"}.isdisjoint(_settings(contents))


def _detection(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "SageMaker object detection"
    _pictures(contents, found, epoch)


def _is_classification(contents: Contents) -> bool:
    by_settings = contents.named("model_algo_1-symbol.json") and "image_shape" in _settings(
        contents
    )
    return bool(contents.named("image-classification-symbol.json") or by_settings)


def _classification(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "SageMaker image classification"
    _pictures(contents, found, epoch)


def _pictures(contents: Contents, found: Findings, epoch: int | None) -> None:
    """The network of an algorithm for images, which takes RGB from 0 to 255."""
    checkpoint_of(contents, found, epoch)
    settings = _settings(contents)
    shape = image_shape(settings)
    if shape is not None and found.input_shapes is None:
        found.input_shapes = {"data": ("N", *shape)}
    if found.input_shapes:
        found.preprocessing = _image_of(next(iter(found.input_shapes.values())))
        found.notes.append("preprocessing: RGB, resized, unscaled, as SageMaker's containers do it")
    if settings:
        found.notes.append(f"hyperparameters: {settings_text(settings)}")
    n_classes = number(settings, "num_classes")
    if found.labels is None and n_classes is not None:
        found.notes.append(f"{n_classes} classes, whose names SageMaker does not keep")


def _is_linear(contents: Contents) -> bool:
    return bool(contents.named("mx-mod-symbol.json"))


def _linear(contents: Contents, found: Findings, epoch: int | None) -> None:
    checkpoint_of(contents, found, epoch)
    is_linear = found.symbol and b'"fc0_weight"' in contents.text(found.symbol, MOST_NETWORK)
    found.layout = (
        "SageMaker Linear Learner"
        if is_linear
        else "SageMaker Factorization Machines, or what is written alike"
    )
    for base in ("additional-params.json", "manifest.json"):
        if told := settings_text(contents.json_object(base)):
            found.notes.append(f"{base}: {told}")


def _is_script_mode(contents: Contents) -> bool:
    return bool(contents.named("model-symbol.json") and contents.named("model-shapes.json"))


def _script_mode(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "SageMaker script mode"
    checkpoint_of(contents, found, epoch)


def _is_series(contents: Contents) -> bool:
    return any(os.path.basename(n).startswith("prediction_net-") for n in contents.sizes)


def _series(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "GluonTS predictor, as DeepAR's"
    checkpoint_of(contents, found, epoch)
    told = contents.json_object("parameters.json").get("kwargs", {})
    if isinstance(told, dict):
        found.notes.append(f"parameters: {settings_text(told)}")
    found.notes.append("what a series becomes before it is an input stands in GluonTS's own files")


def _is_topics(contents: Contents) -> bool:
    return any(contents.holds_arrays(name) for name in contents.named("params"))


def _topics(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "SageMaker Neural Topic Model, or what is written alike"
    found.params = contents.named("params")[0]
    found.symbol = next(iter(contents.named("symbol.json")), None)
    if told := settings_text(contents.json_object("meta.json")):
        found.notes.append(f"meta.json: {told}")
    found.notes.append("arg:projection_weight has a column for each topic, a row for each word")


def _is_arrays(contents: Contents) -> bool:
    names = (*contents.named("model_algo-1"), *contents.named("model_algo_1"))
    return any(contents.holds_arrays(name) for name in names)


def _arrays(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "SageMaker arrays"
    names = (*contents.named("model_algo-1"), *contents.named("model_algo_1"))
    found.params = names[0]


# Others -------------------------------------------------------------------------------------------


def _is_checkpoint(contents: Contents) -> bool:
    return any(name.endswith(SYMBOL) for name in contents.sizes)


def _checkpoint(contents: Contents, found: Findings, epoch: int | None) -> None:
    found.layout = "ONNX file" if contents.path.endswith(".onnx") else "checkpoint"
    checkpoint_of(contents, found, epoch)


def _rest(contents: Contents, found: Findings, epoch: int | None) -> None:
    """Parameters alone, whose file's name may be that of a network of Gluon's zoo, or nothing."""
    found.layout = "parameters"
    names = list(filter(contents.holds_arrays, contents.sizes))
    if len(names) > 1:
        checkpoint_of(contents, found, epoch)
    elif names:
        found.params = names[0]
    if found.params is None:
        return
    base = os.path.basename(found.params)
    match = _HASHED.fullmatch(base)
    found.network = match[1] if match else base.removesuffix(".params")


Reader = Callable[[Contents, Findings, "int | None"], None]
_LAYOUTS: tuple[tuple[Callable[[Contents], bool], Reader], ...] = (  # the first that fits
    (_is_mms, _mms),
    (_is_segmentation, _segmentation),
    (_is_detection, _detection),
    (_is_classification, _classification),
    (_is_linear, _linear),
    (_is_series, _series),
    (_is_script_mode, _script_mode),
    (_is_checkpoint, _checkpoint),
    (_is_topics, _topics),
    (_is_arrays, _arrays),
    (lambda contents: True, _rest),
)
