# SPDX-License-Identifier: Apache-2.0
"""Fresh processes that run converted models as their users do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.base.dtypes import BFLOAT16
from ...core.base.errors import MXNetError
from ...core.base.packages import missing_package
from .runner import RUNS, Array, CannotRunError, Runner

__all__ = ["ProcessRunner", "TargetProcess", "Value"]

_SCRIPT = Path(__file__).with_name("target_script.py")
# Variables that programs need to start and to find packages. All others, such as MXNOVA_* and
# OMP_*, would have the model run otherwise than for its users.
_VARIABLES = frozenset({
    "CONDA_PREFIX", "DYLD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH",
    "LOGNAME", "PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ",
    "USER", "USERPROFILE", "VIRTUAL_ENV",
})  # fmt: skip
# Each kind of model with the package that it needs and the error text for models that fail.
_RUNTIMES = {
    "onnx": ("onnxruntime", "ONNX Runtime cannot run it"),
    "openvino": ("openvino", "OpenVINO cannot run it"),
    "export": ("torch", "torch.export cannot load it"),
    "python": ("torch", "it does not run"),
    "compiled": ("mxnova", "it does not run"),
    "checkpoint": ("mxnova", "it does not run"),
}
_SHOWN = 400  # The number of printed characters that an error quotes.


class Value(NamedTuple):
    """An array of a model: its name, its values, and the seconds that its node took, if known."""

    name: str
    values: Array
    seconds: float | None


class TargetProcess:
    """A fresh Python process with a clean environment that holds one model.

    Args:
        kind: a key of `target_script.KINDS`.
        path: of the model.
        code: the content of the file, if it was read already; the process runs this content.
        **facts: what else the process needs to load the model.

    Attributes:
        facts: what the process reports of the model.

    Raises:
        CannotRunError: the package is not installed, or lacks what the model needs.
        MXNetError: the model cannot be loaded.
    """

    def __init__(self, kind: str, path: str, code: bytes | None = None, **facts: str) -> None:
        self._path = path
        self._package, self._failure = _RUNTIMES[kind]
        self._folder = tempfile.TemporaryDirectory(prefix="mxnova-proof-")
        self._log = os.path.join(self.folder, "log")
        facts["packages"] = str(_SCRIPT.parents[3])
        if code is not None:
            facts["code"] = os.path.join(self.folder, "code")
            Path(facts["code"]).write_bytes(code)
        arguments = [kind, os.path.abspath(path), self.folder, json.dumps(facts)]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(_SCRIPT), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={name: value for name, value in os.environ.items() if name in _VARIABLES},
            )
        self._end = weakref.finalize(self, _end, self._process, self._folder)
        self._count = 0
        self.facts: dict[str, Any] = self._receive()["facts"]

    @property
    def folder(self) -> str:
        """A folder for files that the process reads; it exists as long as the process."""
        return self._folder.name

    def values(self, method: str, feed: Mapping[str, Array], **arguments: Any) -> list[Value]:
        """Return what a method of the model gives for inputs.

        Raises:
            CannotRunError: the runtime lacks what the model needs.
            MXNetError: the model fails, or ends the process.
        """
        found = []
        for name, file, seconds, is_bfloat16 in self._call(method, feed, 0, arguments)["values"]:
            values = np.load(file)
            os.unlink(file)
            found.append(Value(name, values.view(BFLOAT16) if is_bfloat16 else values, seconds))
        return found

    def seconds(self, method: str, feed: Mapping[str, Array], runs: int, **arguments: Any) -> float:
        """Return the time of the fastest of several runs."""
        return float(self._call(method, feed, runs, arguments)["seconds"])

    def _call(
        self, method: str, feed: Mapping[str, Array], runs: int, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        files = {}
        for name, values in feed.items():
            self._count += 1
            files[name] = os.path.join(self.folder, f"in{self._count}.npy")
            np.save(files[name], values, allow_pickle=False)
        request = {"method": method, "feed": files, "runs": runs, "arguments": arguments}
        with suppress(BrokenPipeError):  # `_receive` reports how the process ended
            self._process.stdin.write(json.dumps(request).encode() + b"\n")  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
        try:
            return self._receive()
        finally:
            for file in files.values():
                os.unlink(file)

    def _receive(self) -> dict[str, Any]:
        line = self._process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            status = self._process.wait()
            printed = (
                Path(self._log).read_text(encoding="utf-8", errors="replace").strip()[-_SHOWN:]
            )
            raise MXNetError(
                f"{self._path}: the process that ran it with {self._package} ended with status "
                f"{status}{f': {printed}' if printed else ''}"
            )
        response: dict[str, Any] = json.loads(line)
        if "error" not in response:
            return response
        if response.get("missing") == self._package:
            raise CannotRunError(missing_package(self._package))
        if "missing" in response and response["missing"] == "safetensors":
            raise MXNetError(f"{self._path}: {missing_package('safetensors')}")
        kind = CannotRunError if response["type"] == "NotImplemented" else MXNetError
        raise kind(f"{self._path}: {self._failure}: {response['type']}: {response['error']}")


class ProcessRunner(Runner):
    """A model that runs in a fresh process; arguments are those of `TargetProcess`.

    Attributes:
        process: the process.
        arguments: further arguments of the method that computes the outputs.
    """

    def __init__(self, kind: str, path: str, code: bytes | None = None, **facts: str) -> None:
        self.path = path
        self.process = TargetProcess(kind, path, code, **facts)
        self.arguments: Mapping[str, Any] = {}

    def prepare_feed(self, feed: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return inputs as the process expects them."""
        return feed

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        """Return the outputs for these inputs, by MXNet's names."""
        values = self.process.values("outputs", self.prepare_feed(feed), **self.arguments)
        return [value.values for value in values]

    def seconds(self, feed: Mapping[str, Array]) -> float:
        """Return how long `outputs` takes at best, as the process measures it."""
        return self.process.seconds("outputs", self.prepare_feed(feed), RUNS, **self.arguments)


def _end(process: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str]) -> None:
    """End a process and remove its folder."""
    process.kill()
    process.communicate()
    folder.cleanup()
