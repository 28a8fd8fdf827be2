# SPDX-License-Identifier: Apache-2.0
"""Compiled models in the cache folder, by the hashes of what they were made from."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..core.base.cache_folder import cache_folder
from ..core.base.dtypes import dtype_of
from ..core.base.errors import ArgumentError, FormatError, MXNetError
from ..formats.source import sha256_of
from .compiled_network import CompiledNetwork
from .engines import ENGINES

if TYPE_CHECKING:
    from .model_parts import PathOrBytes

__all__ = ["CompiledRequest", "cached_network"]

_log = logging.getLogger("mxnova")


@dataclass(frozen=True)
class CompiledRequest:
    """A model that shall be compiled; see `Predictor` for what is given.

    Raises:
        ArgumentError: `backend` is no runtime of compiled models.
    """

    symbol: Any
    params: PathOrBytes | Mapping[str, Any]
    input_shapes: Mapping[str, Sequence[int]]
    outputs: Sequence[str] | None
    types: Mapping[str, Any] | None
    backend: str | None

    def __post_init__(self) -> None:
        if self.backend is None or self.backend not in ENGINES:
            known = " or ".join(map(repr, ENGINES))
            raise ArgumentError(f"Predictor: cache=True: backend={self.backend!r}: must be {known}")

    def key(self) -> str:
        """A hash of all that decides what is compiled."""
        digest = hashlib.sha256()
        for part in (self.symbol, self.params):
            digest.update(_digest(part))
        shapes = {name: [int(n) for n in shape] for name, shape in self.input_shapes.items()}
        kinds = {name: dtype_of(kind).name for name, kind in (self.types or {}).items()}
        versions = __version__, self.backend, _version(str(self.backend))
        facts = [*versions, shapes, list(self.outputs or ()), kinds]
        digest.update(json.dumps(facts).encode())
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Writes the compiled model."""
        import torch

        from ..core.graph.infer import infer_complete_dtypes
        from ..core.graph.missing import needed_values
        from ..core.op.dtypes import mx_dtype, torch_dtype
        from ..onnx.export import export_for_runtime
        from .building import write_compiled
        from .model_parts import arrays_of, missing_values, outputs_of, symbol_of

        graph, arrays = outputs_of(symbol_of(self.symbol), self.outputs), arrays_of(self.params)
        missing = needed_values(graph, {*arrays, *self.input_shapes})
        if missing:
            source = self.params if isinstance(self.params, (str, os.PathLike)) else "params"
            raise ArgumentError(missing_values(os.fspath(source), missing))
        names = [name for name in graph.list_inputs() if name in self.input_shapes]
        shapes = [tuple(self.input_shapes[name]) for name in names]
        dtypes = {name: array._tensor.dtype for name, array in arrays.items()}
        dtypes.update((name, torch_dtype(kind)) for name, kind in (self.types or {}).items())
        table = infer_complete_dtypes(graph.nodes, dtypes)
        inferred = {n.name: table[n][0] or torch.float32 for n in graph.nodes if n.op is None}
        kinds = [mx_dtype(inferred[name]).name for name in names]
        open_shapes = [("N", *shape[1:]) if shape else shape for shape in shapes]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.onnx")
            export = partial(export_for_runtime, graph, arrays, shapes, kinds, file)
            try:
                export(dynamic=True, dynamic_input_shapes=open_shapes)
            except MXNetError:  # such as one that reshapes to a number of items
                export()
            write_compiled(file, path, str(self.backend), graph.list_outputs())


def cached_network(request: CompiledRequest) -> CompiledNetwork:
    """The model as its runtime runs it, compiled unless the cache has it.

    When the cache has it, torch is not imported. A file there that is damaged is made again; where
    the cache cannot be written, the model is compiled for this process alone.

    Raises:
        MXNetError: the model cannot be compiled.
    """
    path = cache_folder() / "compiled" / f"{request.key()}.mxnova"
    try:
        return _loaded(path, request)
    except FileNotFoundError:
        pass
    except (MXNetError, OSError) as error:
        _log.warning("compiled again: %s", error)
        with contextlib.suppress(OSError):
            path.unlink()  # not overwritten: others may have it open
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_writable(path.parent)
        request.write(path)
        return _loaded(path, request)
    except OSError as error:
        _log.warning("the compiled model is not kept: %s", error)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / path.name
        request.write(path)
        return CompiledNetwork.load(path)


def _loaded(path: Path, request: CompiledRequest) -> CompiledNetwork:
    network = CompiledNetwork.load(path)
    if network.model.runtime != request.backend:
        raise FormatError(f"{path}: is for {network.model.runtime}, not {request.backend}")
    return network


def _check_writable(folder: Path) -> None:
    """Before anything is compiled for it."""
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _digest(part: Any) -> bytes:
    """SHA-256 of a symbol or of parameters, however they are given."""
    digest = hashlib.sha256()
    if isinstance(part, Mapping):
        for name, array in part.items():
            values = array.asnumpy()
            digest.update(f"{name} {values.dtype} {values.shape}\n".encode())
            digest.update(values.tobytes())
    elif isinstance(part, bytes):
        digest.update(part)
    elif hasattr(part, "tojson"):
        digest.update(part.tojson().encode())
    elif isinstance(part, str) and part.lstrip()[:1] == "{":
        digest.update(part.encode())
    else:
        return bytes.fromhex(sha256_of(part))
    return digest.digest()
