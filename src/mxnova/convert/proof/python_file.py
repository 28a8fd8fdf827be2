# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""Python files that hold a model: run, and watched while they run."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...core.base.errors import MXNetError
from ...core.base.packages import missing_package
from ...core.nd.interop import numpy_of
from ...formats import safetensors
from ..python.names import identifier
from .runner import Array, Runner, Take

__all__ = ["PythonRunner", "floating_type"]


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
            self._real = floating_type(self._model.state_dict().values())
        except Exception as error:
            if isinstance(error, ImportError) and error.name == "safetensors":
                raise MXNetError(f"{path}: {missing_package('safetensors')}") from None
            raise MXNetError(f"{path}: it does not run: {type(error).__name__}: {error}") from error

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        given = {identifier(name): self._fed(values) for name, values in feed.items()}
        with torch.no_grad():
            found = self._model(**given)
        found = found if isinstance(found, (tuple, list)) else (found,)
        return [numpy_of(tensor, copy=False) for tensor in found]

    def _fed(self, values: Array) -> Tensor:
        tensor = torch.from_numpy(values)
        return tensor.to(self._real) if values.dtype == np.float32 else tensor

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
                take(name, numpy_of(value, copy=True), seconds)

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


def floating_type(tensors: Iterable[Any]) -> torch.dtype:
    """The element type of a model's inputs: that of most parameters that are no integers."""
    types = Counter(t.dtype for t in tensors if isinstance(t, Tensor) and t.is_floating_point())
    return types.most_common(1)[0][0] if types else torch.float32


def _places(weights: str) -> dict[str, str]:
    if not os.path.exists(weights):
        return {}
    try:
        places = json.loads(safetensors.read(weights).metadata.get("mxnet.nodes", "{}"))
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in places.items()} if isinstance(places, dict) else {}
