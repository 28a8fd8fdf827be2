# SPDX-License-Identifier: Apache-2.0
"""A model of any kind, with what its files note, before the sizes of its inputs are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.gc_pause import loading
from ..formats import compiled_model
from ..formats.compiled_model import CompiledModel
from .opened import OpenedModel
from .opening import open_model

if TYPE_CHECKING:
    from ..predictor import Predictor

__all__ = ["InferenceModel"]

Shape = tuple[int | str, ...]


@dataclass
class InferenceModel:
    """A compiled model, a checkpoint or an artefact.

    Attributes:
        path: where it is.
        options: of `Predictor`, for models that are not compiled.
        source: what its files hold.
    """

    path: str
    options: Mapping[str, Any]
    source: CompiledModel | OpenedModel

    @classmethod
    def open(cls, path: str, epoch: int | None = None, **options: Any) -> InferenceModel:
        """The model at `path`; torch is not imported yet, and never for a compiled one.

        Args:
            path: a .mxnova file, what `open_model` opens, or the prefix of a checkpoint.
            epoch: number of the .params file; None for the newest.
            **options: of `Predictor`; those that are None are left out.

        Raises:
            MXNetError: it cannot be opened, or an option is not for models of this kind.
            OSError: a file cannot be read.
        """
        given = {name: value for name, value in options.items() if value is not None}
        if not path.endswith(".mxnova"):
            return cls(path, given, open_model(path, epoch))
        if given or epoch is not None:
            name = next(iter(given), "epoch").replace("_", "-").replace("types", "shape NAME:DTYPE")
            raise ArgumentError(f"{path}: --{name} is not for compiled models")
        return cls(path, {}, compiled_model.read(Path(path)))

    @property
    def runtime(self) -> str | None:
        """What runs a compiled model as a whole; None for others."""
        return self.source.runtime if isinstance(self.source, CompiledModel) else None

    @property
    def input_names(self) -> list[str]:
        """Names of its inputs, labels of losses included."""
        if isinstance(self.source, CompiledModel):
            return [port.name for port in self.source.inputs]
        return self.source.input_names

    @property
    def shapes(self) -> dict[str, Shape]:
        """Shapes of inputs, words for sizes that are open, as far as they are noted."""
        if isinstance(self.source, CompiledModel):
            return {p.name: p.shape for p in self.source.inputs if p.shape is not None}
        return {name: tuple(shape) for name, shape in (self.source.input_shapes or {}).items()}

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the scores that are noted."""
        return tuple(self.source.labels or ())

    @property
    def preprocessing(self) -> dict[str, Any]:
        """How an image becomes an input, as it is noted: fields of `Picture`."""
        if isinstance(self.source, CompiledModel):
            return dict(self.source.preprocessing)
        return {} if self.source.preprocessing is None else asdict(self.source.preprocessing)

    def only_input(self) -> str:
        """The name of the input that is no label of a loss.

        Raises:
            ArgumentError: there are several, or none.
        """
        names = list(self.shapes) or self.input_names
        if (
            len(names) > 1
            and isinstance(self.source, OpenedModel)
            and self.source.symbol is not None
        ):
            from ..core.graph.labels import labels_of

            labels = labels_of(self.source.symbol)
            names = [name for name in names if name not in labels]
        if len(names) != 1:
            raise ArgumentError(
                f"{self.path}: files are for models with one input; this one has "
                f"{', '.join(names) or 'none'}: --input NAME=FILE for each"
            )
        return names[0]

    def predictor(self, sizes: Mapping[str, Sequence[int]]) -> Predictor:
        """A predictor for inputs of these shapes.

        Raises:
            MXNetError: the model does not take them, or cannot be loaded.
        """
        with loading():
            if isinstance(self.source, CompiledModel):
                from ..predictor import Predictor

                return Predictor.load(self.path).reshape(sizes)
            return self.source.predictor(sizes, **self.options)

    def shares_runs(self, name: str, row: Sequence[int]) -> bool:
        """Whether each output has one row for each row of the input, by the shapes.

        Args:
            name: of the input.
            row: sizes of the input but the first.
        """
        if isinstance(self.source, CompiledModel):
            first = (self.shapes.get(name) or (None,))[0]
            return all(port.shape and port.shape[0] == first for port in self.source.outputs)
        infer = partial(_output_shapes, self.source.symbol, name)
        try:
            return all(
                len(shape) > 0 and shape[0] == rows
                for rows in (2, 3)
                for shape in infer((rows, *row))
            )
        except MXNetError:
            return False


def _output_shapes(symbol: Any, name: str, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(found) for found in symbol.infer_shape(**{name: shape})[1] or ((),)]
