# SPDX-License-Identifier: Apache-2.0
"""The model of ``mxnova predict``, and who runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..artefacts import InferenceModel
from ..core.base.errors import argument_error
from ..predictor.picture import Picture
from .inputs import labels_of, preprocessing_of
from .shapes import inputs_of

if TYPE_CHECKING:
    from ..predictor import Predictor

__all__ = ["backends", "opened"]


def opened(options: SimpleNamespace) -> tuple[InferenceModel, Picture, Sequence[str]]:
    """The model, how images become inputs, and labels: as options or the model's files tell.

    Raises:
        MXNetError: an option or a model that cannot be used.
        OSError: a file that cannot be read.
    """
    if options.top < 1:
        raise argument_error("predict", "--top", options.top, "must be 1 or more")
    if options.epoch is not None and options.epoch < 0:
        raise argument_error("predict", "--epoch", options.epoch, "must not be negative")
    told = preprocessing_of(options)
    labels = None if options.labels is None else labels_of(options.labels)
    how: dict[str, Any] = {n: getattr(options, n) for n in ("backend", "ctx", "precision")}
    how["types"] = inputs_of(options.shape).types or None
    how["allow_missing"] = options.allow_missing or None
    model = InferenceModel.open(options.model, options.epoch, **how)
    picture = Picture.of_mapping({**model.preprocessing, **told})
    return model, picture, model.labels if labels is None else labels


def backends(model: InferenceModel, predictor: Predictor) -> str:
    """Who runs the nodes."""
    if model.runtime is not None:
        return f"{model.runtime} (compiled)"
    counts = Counter(row.backend for row in predictor.explain())
    return ", ".join(f"{name} ({n} nodes)" for name, n in counts.most_common())
