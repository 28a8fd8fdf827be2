# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""Models of PyTorch: Python files, and archives of torch.export."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from ...artefacts.trusted_code import read_code
from ...formats import safetensors
from ..python.names import identifier
from .runner import Array, Take
from .target_process import ProcessRunner

__all__ = ["ExportedRunner", "PythonRunner"]


class PythonRunner(ProcessRunner):
    """A file with a function ``load``, which returns a module.

    Values of nodes are outputs of modules and variables of their ``forward``. The metadata of the
    file of weights map them to MXNet's names, and inputs to arguments.

    Args:
        path: the file.
        trust: run its code even if this installation did not write it.
    """

    def __init__(self, path: str, trust: bool = False) -> None:
        code = read_code(path, trust)
        weights = f"{os.path.splitext(path)[0]}.safetensors"
        facts = safetensors.read(weights).metadata if os.path.exists(weights) else {}
        self._places = _names_of(facts.get("mxnet.nodes", ""))
        self._arguments = _names_of(facts.get("mxnet.inputs", ""))
        types = _names_of(facts.get("mxnet.types", ""))  # Maps names of inputs to dtypes.
        dtypes = {self._arguments.get(name, name): dtype for name, dtype in types.items()}
        super().__init__("python", path, code, types=json.dumps(dtypes))

    def prepare_feed(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        """Return the inputs by names of arguments."""
        return {self._arguments.get(n, identifier(n)): values for n, values in feed.items()}

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        for value in self.process.values("nodes", self.prepare_feed(feed), places=self._places):
            take(*value)


class ExportedRunner(ProcessRunner):
    """An archive of torch.export.

    Args:
        path: the file.
        trust: let torch load it even if this installation did not write it.
    """

    def __init__(self, path: str, trust: bool = False) -> None:
        super().__init__("export", path, read_code(path, trust))
        names = _names_of(self.process.facts["names"])  # Only archives of mxnova contain them.
        self.arguments = {"names": names}


def _names_of(text: str) -> dict[str, str]:
    """Return a table of names that is written as JSON, empty if `text` is something else."""
    try:
        names = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in names.items()} if isinstance(names, dict) else {}
