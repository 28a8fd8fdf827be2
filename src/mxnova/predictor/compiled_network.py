# SPDX-License-Identifier: Apache-2.0
"""A network in a compiled model's file, run without torch."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any

import numpy as np

from ..core.base.cores import usable_cores
from ..core.base.dtypes import DType, dtype_of
from ..core.base.errors import ArgumentError, FormatError, MXNetError, from_foreign
from ..core.base.shapes import shape_text
from ..formats import compiled_model
from ..formats.compiled_model import CompiledModel, Port
from .engines import ENGINES, Engine
from .network import Array, unknown_input

__all__ = ["CompiledNetwork"]

_MOST_THREADS = 1 << 10
_OF_CODE = re.compile("Exception from |Check '")  # OpenVINO's, where it failed


class CompiledNetwork:
    """A model and what runs it, at some shapes of its inputs.

    Attributes:
        model: what the file holds.
        inputs: names of its inputs.
        output_names: names of its outputs.
        output_shapes: their shapes; None where they are open.
    """

    missing: Sequence[str] = ()

    def __init__(
        self, model: CompiledModel, engine: Engine, shapes: Mapping[str, Sequence[int]]
    ) -> None:
        self.model, self._engine = model, engine
        self._ports = {port.name: port for port in model.inputs}
        self.inputs = tuple(self._ports)
        self.output_names = [port.name for port in model.outputs]
        self._shapes, words = self._settled(shapes)
        self.output_shapes = [_sizes(port.shape, words) for port in model.outputs]

    @classmethod
    def load(cls, path: str | os.PathLike[str], threads: int | None = None) -> CompiledNetwork:
        """See `Predictor.load`."""
        model = compiled_model.read(path)
        if model.runtime not in ENGINES:
            known = ", ".join(ENGINES)
            raise FormatError(f"{path}: runtime {model.runtime!r}: known are {known}")
        first, *others = ENGINES[model.runtime].graphs
        graphs = [first, *(name for name in others if name in model.arrays)]
        compiled_model.check_hashes(path, model, graphs)
        weights = [name for name in model.arrays if name not in graphs]
        with ThreadPoolExecutor(usable_cores(), thread_name_prefix="mxnova-hashes") as pool:
            checks = [
                pool.submit(compiled_model.check_hashes, path, model, [name]) for name in weights
            ]
            engine = _engine(path, model, _threads(threads))
        for check in checks:
            check.result()
        return cls(model, engine, {})

    def _settled(
        self, given: Mapping[str, Sequence[int]]
    ) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
        """Shapes of the inputs, those that are open with ones; and what words stand for."""
        for name in given:
            if name not in self._ports:
                raise unknown_input(name, self.inputs)
        words: dict[str, int] = {}
        for name, shape in given.items():
            _match(self._ports[name], tuple(shape), words)
        found = {
            name: tuple(
                s if isinstance(s, int) else words.setdefault(s, 1) for s in port.shape or ()
            )
            for name, port in self._ports.items()
        }
        return found, words

    def reshaped(self, shapes: Mapping[str, Sequence[int]]) -> CompiledNetwork:
        """The same at other shapes, where the model leaves sizes open."""
        return CompiledNetwork(self.model, self._engine, shapes)

    def input_facts(self, name: str) -> tuple[tuple[int, ...], DType]:
        """Shape and element type of an input."""
        if name not in self._ports:
            raise unknown_input(name, self.inputs)
        return self._shapes[name], dtype_of(self._ports[name].dtype)

    def output_type(self, index: int) -> DType:
        """Element type of an output."""
        return dtype_of(self.model.outputs[index].dtype)

    def value(self, name: str, data: Any, copied: bool) -> Array:
        """What is given for an input, in its shape and element type."""
        shape, dtype = self.input_facts(name)
        values = np.asarray(data.asnumpy() if hasattr(data, "asnumpy") else data)
        if values.shape != shape and values.size != prod(shape):
            raise ArgumentError(
                f"Predictor: {name} has shape {shape_text(values.shape)}, "
                f"expected {shape_text(shape)}"
            )
        make = np.array if copied else np.ascontiguousarray
        return make(values.reshape(shape), dtype.numpy)

    def run(self, fed: Mapping[str, Array], monitor: Any = None) -> list[Array]:
        """The outputs; inputs that are not fed are zeros."""
        if monitor is not None:
            raise MXNetError(
                "Predictor: a compiled model has no nodes that a monitor could be told of"
            )
        try:
            values = {
                port.key: fed[name] if name in fed else self._zeros(name)
                for name, port in self._ports.items()
            }
            return self._engine.run(values)
        except Exception as error:  # noqa: BLE001 - whatever a runtime raises
            raise from_foreign(error, f"Predictor: {self.model.runtime}") from None

    def _zeros(self, name: str) -> Array:
        return np.zeros(self._shapes[name], dtype_of(self._ports[name].dtype).numpy)

    def steps(self, fed: Mapping[str, Array], monitor: Any = None) -> Any:
        """There are none.

        Raises:
            MXNetError: always.
        """
        raise MXNetError("partial_forward: a compiled model runs as a whole")

    def array(self, value: Array, copy: bool) -> Array:
        """The value; outputs of a run belong to nobody else."""
        return value

    def explain(self) -> list[Any]:
        """All of it runs in one runtime.

        Raises:
            MXNetError: always.
        """
        raise MXNetError(f"explain: {self.model.runtime} runs the whole compiled model")

    def __str__(self) -> str:
        return self.model.runtime


def _engine(path: str | os.PathLike[str], model: CompiledModel, threads: int) -> Engine:
    """What runs the model.

    Raises:
        FormatError: its graph or its weights are no runtime's.
        MXNetError: the runtime refuses it, or is not installed.
    """
    try:
        return ENGINES[model.runtime](model, threads)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    except MXNetError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a runtime raises
        raise MXNetError(f"{path}: {model.runtime} refuses the model: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """The first line of what a runtime says that does not tell where in its own code that is."""
    lines = [line for line in str(error).splitlines() if line and not _OF_CODE.match(line)]
    return lines[0] if lines else type(error).__name__


def _match(port: Port, shape: tuple[int, ...], words: dict[str, int]) -> None:
    """Notes what words of an input's shape stand for.

    Raises:
        ArgumentError: the shape does not fit.
    """
    expected = port.shape or ()
    fits = len(expected) == len(shape)
    for size, wanted in zip(shape, expected, strict=False):
        fits = fits and size == (
            wanted if isinstance(wanted, int) else words.setdefault(wanted, size)
        )
    if not fits:
        told = ",".join(map(str, expected))
        raise ArgumentError(
            f"the compiled model takes {port.name} as [{told}], not {shape_text(shape)}"
        )


def _sizes(shape: tuple[int | str, ...] | None, words: Mapping[str, int]) -> tuple[int, ...] | None:
    """A shape in numbers, if all of them are known."""
    if shape is None:
        return None
    found = [words.get(size) if isinstance(size, str) else size for size in shape]
    return None if None in found else tuple(size for size in found if size is not None)


def _threads(given: int | None) -> int:
    """How many threads take part in a run.

    Raises:
        ArgumentError: so many cannot be.
    """
    text = os.environ.get("OMP_NUM_THREADS", "")
    if given is None:
        given = int(text) if text.isdecimal() and 0 < int(text[:9]) <= _MOST_THREADS else 0
    if not isinstance(given, int) or not 0 <= given <= _MOST_THREADS:
        raise ArgumentError(f"Predictor.load: threads={given}: must be from 1 to {_MOST_THREADS}")
    return given
