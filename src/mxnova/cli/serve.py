# SPDX-License-Identifier: Apache-2.0
"""``mxnova serve``: models over HTTP."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..core.base import env
from ..core.base.errors import ArgumentError, MXNetError
from ..serve.settings import ModelSource, Settings, sagemaker_options
from .inputs import preprocessing_of
from .shapes import inputs_of

__all__ = ["serve", "settings_of"]


def serve(options: SimpleNamespace) -> None:
    """Serves until it is told to stop.

    Raises:
        MXNetError: an option or a model that cannot be used, or mxnova[serve] is not installed.
    """
    settings = settings_of(options)
    try:
        from ..serve.server import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "mxnova").partition(".")[0] == "mxnova":
            raise
        raise MXNetError(f"serve: pip install 'mxnova[serve]' ({error})") from None
    run(settings)


def settings_of(options: SimpleNamespace) -> Settings:
    """The settings of the options; SageMaker's variables stand for those that are not given.

    Raises:
        ArgumentError: one cannot be used.
    """
    defaults = sagemaker_options()
    given = {
        field.name: getattr(options, field.name, None)
        for field in fields(Settings)
        if field.name not in ("models", "root", "state")
    }
    given["root"] = options.model_root
    given["host"] = options.host or env.get("MXNOVA_SERVE_HOST")
    chosen = {**defaults, **{n: v for n, v in given.items() if v is not None}}
    model = chosen.pop("model", None)
    texts = options.models or ([] if model is None or chosen.get("root") else [model])
    return Settings(_sources(texts, options), **chosen)


def _sources(texts: list[str], options: SimpleNamespace) -> dict[str, ModelSource]:
    """Where models are, by name: what is told, else that of the file or folder."""
    inputs = inputs_of(options.shape)
    told: dict[str, Any] = {
        "shapes": inputs.shapes,
        "types": inputs.types,
        "epoch": options.epoch,
        "backend": options.backend,
        "ctx": options.ctx,
        "labels": None if options.labels is None else str(options.labels),
        "preprocessing": preprocessing_of(options),
    }
    sources: dict[str, ModelSource] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals:
            name, path = Path(text).resolve().name.removesuffix(".mxnova"), text
        if not name or not path:
            raise ArgumentError(f"serve: {text}: must be NAME=MODEL")
        if name in sources:
            raise ArgumentError(f"serve: {text}: there are two models {name!r}")
        sources[name] = ModelSource(path, **told)
    return sources
