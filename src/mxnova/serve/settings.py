# SPDX-License-Identifier: Apache-2.0
"""What a server is asked for: options, and the variables that SageMaker sets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.base.cores import share_of_cores
from ..core.base.errors import ArgumentError, argument_error

__all__ = ["ModelSource", "Settings", "sagemaker_options"]

_LARGEST_BATCH = 256  # a predictor keeps nine sizes of batches, powers of two
Shapes = Mapping[str, tuple[int | str, ...]]


@dataclass(frozen=True)
class ModelSource:
    """Where a model is, and what its files do not say.

    Attributes:
        path: a compiled model, what `open_model` opens, or a folder with one of these.
        shapes: of the inputs of a checkpoint, by name; words for sizes that are left open.
        types: dtypes of inputs of a checkpoint, by name; others are those that its files declare.
        epoch: number of the .params file; None: the newest.
        backend: who runs a checkpoint, see `Predictor`; compiled models have their own.
        ctx: where a checkpoint runs, as text; None: on the CPU.
        labels: a file with names of the scores, one a line; None: what the model notes.
        preprocessing: of images, options of `Picture`; empty: what the model notes.
    """

    path: str
    shapes: Shapes = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    epoch: int | None = None
    backend: str | None = None
    ctx: str | None = None
    labels: str | None = None
    preprocessing: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """A server.

    Attributes:
        models: to load at the start, by name; the first one answers ``/invocations``.
        host: address to bind to.
        port: to bind to; 0: any.
        workers: processes.
        threads: of each process that run models, each on an equal share of the cores.
        max_batch: rows that are run at once.
        max_delay: seconds that a request waits for others to share a batch with.
        max_queue: requests of a model that may wait.
        max_request_bytes: of a body, after decompression.
        max_text_bytes: of JSON and CSV in a body, after decompression.
        max_elements: of all inputs of a request.
        max_pixels: of an image.
        max_models: that may be loaded at a time.
        timeout: seconds until a body is there, until it is decoded, until the model has answered,
            and until the response is sent.
        load_timeout: seconds until a model is loaded.
        idle_timeout: seconds that a connection may be idle, or take to send headers.
        root: folder whose models clients may load; None: they cannot load others.
        backend: who runs those models, see `ModelSource`.
        ctx: where.
        state: file by which the processes of a server agree about models.
    """

    models: Mapping[str, ModelSource]
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    threads: int = 2
    max_batch: int = 8
    max_delay: float = 0.0
    max_queue: int = 128
    max_request_bytes: int = 64 << 20
    max_text_bytes: int = 4 << 20
    max_elements: int = 1 << 26
    max_pixels: int = 50_000_000
    max_models: int = 64
    timeout: float = 60.0
    load_timeout: float = 300.0
    idle_timeout: int = 20
    root: Path | None = None
    backend: str | None = None
    ctx: str | None = None
    state: Path | None = None

    def __post_init__(self) -> None:
        counts = ("workers", "threads", "max_batch", "max_queue", "max_request_bytes",
                  "max_text_bytes", "max_elements", "max_pixels", "max_models")  # fmt: skip
        for name in counts:
            if getattr(self, name) < 1:
                raise _option_error(name, getattr(self, name), "must be 1 or more")
        if self.max_batch > _LARGEST_BATCH:
            raise _option_error("max_batch", self.max_batch, f"must be at most {_LARGEST_BATCH}")
        if not 0 <= self.port <= 65535:
            raise _option_error("port", self.port, "must be from 0 to 65535")
        if not 0 <= self.max_delay <= 60:
            raise _option_error("max_delay", self.max_delay, "must be from 0 to 60 seconds")
        for name in ("timeout", "idle_timeout", "load_timeout"):
            if not 0 < getattr(self, name) <= 86400:
                raise _option_error(name, getattr(self, name), "must be from 0 to 86400 seconds")
        if not self.models and self.root is None:
            raise ArgumentError("serve: which models? NAME=PATH, or --model-root FOLDER")

    @property
    def cores_of_run(self) -> int:
        """How many cores a run has: all runs that go at once have equal shares.

        More threads than cores wait for each other: ResNet-50 by two runs of two threads each on
        two cores answers 46 requests a second, by two of one thread or one of two threads 64.
        """
        return share_of_cores(self.workers * self.threads)


def _option_error(name: str, value: object, reason: str) -> ArgumentError:
    return argument_error("serve", f"--{name.replace('_', '-')}", value, reason)


_MODEL_FOLDER = "/opt/ml/model"  # where SageMaker puts the model
_MODELS_FOLDER = "/opt/ml/models"  # where it puts those of a multi-model endpoint
_VARIABLES = {
    "SAGEMAKER_BIND_TO_PORT": ("port", 1),
    "SAGEMAKER_MODEL_SERVER_WORKERS": ("workers", 1),
    "SAGEMAKER_MODEL_SERVER_TIMEOUT": ("timeout", 1),
    "SAGEMAKER_MAX_PAYLOAD_IN_MB": ("max_request_bytes", 1 << 20),
}


def sagemaker_options(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Fields of `Settings` that SageMaker's variables set; and `model`, where it puts the model.

    Raises:
        ArgumentError: a variable is no number.
    """
    found: dict[str, Any] = {}
    for variable, (name, factor) in _VARIABLES.items():
        text = environment.get(variable)
        if text is None:
            continue
        if not text.isdecimal() or len(text) > 9:
            raise argument_error("environment", variable, text, "must be a number")
        found[name] = int(text) * factor
    if environment.get("SAGEMAKER_MULTI_MODEL", "").lower() == "true":
        found["root"] = Path(_MODELS_FOLDER)
    elif "SM_MODEL_DIR" in environment or Path(_MODEL_FOLDER).is_dir():
        found["model"] = environment.get("SM_MODEL_DIR", _MODEL_FOLDER)
    return found
