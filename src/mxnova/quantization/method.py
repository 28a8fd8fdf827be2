# SPDX-License-Identifier: Apache-2.0
"""What every method of quantization does."""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ..batch_inference.reading import Array
from ..convert.proof.runner import Runner
from ..convert.request import Request
from .options import Options
from .samples import Samples

__all__ = ["Advance", "Method", "Task", "beside", "comes_from"]

Advance = Callable[[int], object]


@dataclass(frozen=True)
class Task:
    """A model, and the samples that its ranges are found on.

    Attributes:
        request: the model, with the shapes of its input.
        input: name of the input.
        samples: all of them can be read.
        options: how.
        folder: for files that others are made of.
    """

    request: Request
    input: str
    samples: Samples
    options: Options
    folder: str

    def fed(self, advance: Advance) -> Iterator[dict[str, Array]]:
        """Yield the samples batch by batch, as inputs by name in the dtype of the model."""
        done, dtype = 0, self._dtype
        for batch in self.samples.batches():
            yield {self.input: batch.values.astype(dtype, copy=False)}
            done += batch.n_items
            advance(done)

    def example(self) -> Array:
        """Return the first batch in the dtype of the model."""
        return next(self.samples.batches()).values.astype(self._dtype, copy=False)

    @property
    def _dtype(self) -> str:
        dtype = self.request.source_types[self.input]
        return "float32" if dtype == "bfloat16" else dtype


class Method(ABC):
    """Makes models of a task, with any layers left in float.

    Attributes:
        reference: the model in float, run by the program that runs the quantized one.
        onnx: path of the model in float as an ONNX file, where the quantized one is none.
    """

    reference: Runner
    onnx: str | None = None

    @abstractmethod
    def quantize(self, excluded: Collection[str], path: str, advance: Advance) -> Runner:
        """Writes the quantized model to `path`, and opens it.

        Args:
            excluded: names of nodes that stay in float.
            path: of the file, or the prefix of MXNet's; the folder holds nothing else.
            advance: told how many samples ranges were found on.
        """

    @abstractmethod
    def float_bytes(self) -> int:
        """Bytes of the files of the model in float, of the same kind."""


def comes_from(name: str, nodes: Collection[str]) -> bool:
    """Whether an operation of another program's model is of one of these nodes of the network."""
    return any(name == node or name.startswith(f"{node}/") for node in nodes)


def beside(path: str) -> list[str]:
    """Files whose names begin with that of `path`."""
    return [file for file in sorted(glob.glob(f"{glob.escape(path)}*")) if os.path.isfile(file)]
