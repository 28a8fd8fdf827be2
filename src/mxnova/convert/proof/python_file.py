# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""Python files that hold a model: run, and watched while they run."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ...core.base.errors import MXNetError
from ...formats import safetensors
from ..python.names import identifier
from .runner import Array, Runner, Take

__all__ = ["PythonRunner"]


class PythonRunner(Runner):
    """A file with a function ``load``, which gives a module.

    What nodes give is told by modules, and by the variables of their ``forward``: the metadata of
    the weights' file say which is which.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        weights = f"{os.path.splitext(path)[0]}.safetensors"
        self._places = _places(weights)
        try:
            spec = importlib.util.spec_from_file_location("_mxnova_verified", path)
            module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
            spec.loader.exec_module(module)  # type: ignore[union-attr]
            self._model: nn.Module = module.load()
        except Exception as error:
            raise MXNetError(f"{path}: it does not run: {type(error).__name__}: {error}") from error

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        given = {identifier(name): torch.from_numpy(values) for name, values in feed.items()}
        with torch.no_grad():
            found = self._model(**given)
        return [t.numpy() for t in (found if isinstance(found, (tuple, list)) else (found,))]

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        with self._watched(take):
            self.outputs(feed)

    @contextmanager
    def _watched(self, take: Take) -> Iterator[None]:
        """While it runs, `take` is told of values under their nodes' names."""
        by_id = {id(module): path for path, module in self._model.named_modules()}
        begun: dict[str, float] = {}

        def tell(place: str, value: Any, seconds: float | None) -> None:
            name = self._places.get(place)
            if name is not None and isinstance(value, Tensor):
                take(name, value.numpy().copy(), seconds)

        def watch(frame: Any, event: str, value: Any) -> None:
            if event not in ("call", "return") or frame.f_code.co_name != "forward":
                return
            path = by_id.get(id(frame.f_locals.get("self")))
            if path is None:
                return
            if event == "call":
                begun[path] = time.perf_counter()
                return
            if path:
                tell(path, value, time.perf_counter() - begun[path])
            for name, local in frame.f_locals.items():
                tell(f"{path}:{name}", local, None)

        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            yield
        finally:
            sys.setprofile(before if callable(before) else None)


def _places(weights: str) -> dict[str, str]:
    if not os.path.exists(weights):
        return {}
    try:
        places = json.loads(safetensors.read(weights).metadata.get("mxnet.nodes", "{}"))
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in places.items()} if isinstance(places, dict) else {}
