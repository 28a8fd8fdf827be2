# SPDX-License-Identifier: Apache-2.0
"""A model that was opened: its parts, and what is made of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..core.base.errors import ArgumentError, FormatError, MXNetError, argument_error
from ..formats import params, symbol_json
from ..formats.params import ArrayRecord, ParamsFile
from ..formats.safetensors_params import read_params
from ..formats.staging import check_targets, staged
from ..formats.symbol_record import GraphRecord
from ..predictor.origin import Origin, SourceFile
from ..predictor.picture import Picture
from .contents import MOST_NETWORK, Contents
from .detector import detecting
from .features import features_of
from .findings import Findings
from .normalization import normalized
from .side_files import Shapes

if TYPE_CHECKING:
    from ..core.graph.symbol import Symbol
    from ..core.nd.array import NDArray
    from ..predictor import Predictor

__all__ = ["OpenedModel"]

_KINDS = ("arg:", "aux:")
_MOST_ARRAYS = 50_000  # the memory that each takes beside its values is not in its bytes
_SAFE = re.compile(r"\w[\w.+-]{0,99}", re.ASCII)


class OpenedModel:
    """What `open_model` found.

    Telling what is inside takes no torch; `symbol`, `params` and `predictor` do.

    Args:
        contents: the files.
        found: which of them are what.
        reopened: makes the predictor of such a model in another process, see `opening`.

    Attributes:
        path: of the artefact.
        layout: what it is, in words.
        prefix: what the names of the network's files begin with.
        epoch: of the parameters.
        files: bytes of each file inside, by its path.
        labels: names of the scores, or None.
        preprocessing: how an image becomes an input, or None.
        input_shapes: shapes of inputs by name, or None; a word instead of a size leaves it open.
        notes: what else there is to know, such as what the layout does not tell.
        handlers: paths of programs inside, which are never run.
        graph: the network's file; None where there is none.
        saved: the stored parameters.
        np_shape: whether they have NumPy's shapes.

    Raises:
        FormatError: a file of the network breaks its format, or there are no arrays either.
    """

    def __init__(
        self, contents: Contents, found: Findings, reopened: Callable[..., Predictor]
    ) -> None:
        self._contents, self._found, self._reopened = contents, found, reopened
        self.path: str = contents.path
        self.layout: str = found.layout
        self.prefix: str = found.prefix if _SAFE.fullmatch(found.prefix) else "model"
        self.epoch: int = found.epoch
        self.files: dict[str, int] = dict(contents.sizes)
        self.labels: list[str] | None = found.labels
        self.preprocessing: Picture | None = found.preprocessing
        self.notes: list[str] = list(found.notes)
        self.handlers: list[str] = list(found.handlers)
        self._files = tuple(map(SourceFile.noted, self.source_files))
        self._text = None if found.symbol is None else contents.text(found.symbol, MOST_NETWORK)
        self.graph: GraphRecord | None = self._graph()
        self.saved, self.np_shape = self._saved()
        if self.graph is None and not any(self.saved.records):
            raise FormatError(f"{self.path}: contains no model: {found.params} contains no arrays")
        self.input_shapes: Shapes | None = self._input_shapes()

    def _graph(self) -> GraphRecord | None:
        if self._text is None:
            return None
        try:
            graph = symbol_json.loads(self._text)
        except FormatError as error:
            raise FormatError(f"{self.path}: {self._found.symbol}: {error}") from None
        detector = detecting(graph)
        if detector is None:
            return graph
        self._text = symbol_json.dumps(detector).encode()
        self.notes.append("outputs: rows (class, score, x0, y0, x1, y1), class -1 for none")
        return detector

    def _saved(self) -> tuple[ParamsFile, bool]:
        name = self._found.params
        if name is None:
            return ParamsFile([], []), False
        part: Any = self._contents.part(name)
        n_arrays = int.from_bytes(self._contents.head(name)[16:24], "little")
        try:
            if n_arrays > _MOST_ARRAYS:
                raise FormatError(f"{n_arrays} arrays; at most {_MOST_ARRAYS} are read")
            return read_params(part)
        except FormatError as error:
            raise FormatError(f"{self.path}: {name}: {error}") from None

    def _input_shapes(self) -> Shapes | None:
        shapes = self._found.input_shapes
        if shapes is None and self.graph is not None:
            return features_of(self.graph, self.arrays)
        return shapes

    @property
    def source_files(self) -> tuple[str, ...]:
        """Paths on the disk that the network was read from."""
        names = (self._found.symbol, self._found.params)
        parts = [self._contents.parts[name] for name in names if name is not None]
        paths = tuple(part for part in parts if isinstance(part, str))
        return paths if paths and len(paths) == len(parts) else (self.path,)

    @property
    def arrays(self) -> dict[str, ArrayRecord]:
        """Stored parameters by the names of variables; those without a name have their number."""
        names = self.saved.names or [str(i) for i in range(len(self.saved.records))]
        pairs = zip(names, self.saved.records, strict=True)
        return {_bare(name): record for name, record in pairs if record is not None}

    @property
    def input_names(self) -> list[str]:
        """Names of variables that are no parameters, labels of losses included."""
        known = self.arrays
        nodes = [] if self.graph is None else self.graph.nodes
        return [node.name for node in nodes if node.op == "null" and node.name not in known]

    @cached_property
    def _network(self) -> tuple[Symbol | None, dict[str, NDArray]]:
        from .. import ndarray, symbol  # noqa: F401 - the classes of arrays and symbols
        from ..core.graph.serialize import from_json
        from ..core.nd.files import array_of_record

        loaded: Any = {name: array_of_record(record) for name, record in self.arrays.items()}
        if self._text is None:
            return self._of_zoo(loaded)
        try:
            network = from_json(self._text)
        except MXNetError as error:
            raise type(error)(f"{self.path}: {self._found.symbol}: {error}") from None
        states = set(network.list_auxiliary_states())
        return network, {f"{'aux' if n in states else 'arg'}:{n}": a for n, a in loaded.items()}

    def _of_zoo(self, loaded: dict[str, NDArray]) -> tuple[Symbol | None, dict[str, NDArray]]:
        name = self._found.network
        if name is not None and loaded:
            from .zoo import is_known, network_of

            if is_known(name):
                return self._found_in_zoo(name, *network_of(name, loaded))
            self.notes.append(f"only parameters are here, and Gluon's zoo has no network {name!r}")
        return None, {f"arg:{n}": array for n, array in loaded.items()}

    def _found_in_zoo(
        self, name: str, symbol: Symbol, arrays: dict[str, NDArray], size: int
    ) -> tuple[Symbol, dict[str, NDArray]]:
        self.layout = f"parameters of {name} of Gluon's zoo"
        self.input_shapes = {"data": ("N", 3, size, size)}
        self.preprocessing = normalized((size, size))
        return symbol, arrays

    @property
    def symbol(self) -> Symbol | None:
        """The network; None where only parameters are there."""
        return self._network[0]

    @property
    def params(self) -> dict[str, NDArray]:
        """Parameters by ``arg:`` or ``aux:`` and the names of variables."""
        return self._network[1]

    def predictor(
        self, input_shapes: Mapping[str, Sequence[int]] | None = None, **options: Any
    ) -> Predictor:
        """A predictor of the network.

        Args:
            input_shapes: shapes of inputs; default: those that the artefact tells, with 1 for each
                size that is open. Other sizes can be fed in any case.
            **options: of `Predictor`.

        Raises:
            ArgumentError: no shapes are given, and the artefact tells none.
            MXNetError: there is no network, or it does not take the shapes.
        """
        from ..predictor import Predictor

        symbol = self.symbol
        if symbol is None:
            told = "; ".join((f"it is: {self.layout}", *self.notes))
            raise MXNetError(f"{self.path}: holds no network that is known ({told})")
        shapes = self.input_shapes if input_shapes is None else input_shapes
        if shapes is None:
            raise ArgumentError(
                f"{self.path}: which shapes have its inputs? input_shapes is a dict by name, of "
                f"{', '.join(self.input_names) or 'none'}"
            )
        sizes = {n: tuple(1 if isinstance(s, str) else s for s in t) for n, t in shapes.items()}
        try:
            predictor = Predictor(symbol, self.params, sizes, **options)
        except ArgumentError as error:
            raise ArgumentError(f"{self.source_files[-1]}: {error}") from None
        if any(os.path.isdir(file.path) for file in self._files):
            return predictor  # of an archive in a folder, pickled by value
        epoch = self.epoch if self._found.has_epochs else None
        arguments = (os.path.abspath(self.path), epoch, options)
        return predictor.originating(Origin(self._reopened, arguments, self._files, sizes))

    def save(
        self, folder: str | os.PathLike[str], prefix: str | None = None, force: bool = False
    ) -> list[str]:
        """Writes the model as a checkpoint, all files of it or none.

        Args:
            folder: where to; it is made if it is not there.
            prefix: of the files' names; default: `prefix`.
            force: replace files that are there.

        Returns:
            Paths of PREFIX-symbol.json and PREFIX-0000.params, and, as far as they are known, of
            PREFIX-labels.txt, PREFIX-preprocessing.json and PREFIX-shapes.json.

        Raises:
            ArgumentError: a file is there.
            FileError: a file cannot be written.
            MXNetError: there is nothing that could be written.
        """
        folder, prefix = os.fspath(folder), self.prefix if prefix is None else prefix
        if not _SAFE.fullmatch(prefix):
            raise argument_error("save", "prefix", prefix, "must be a name, without folders")
        texts = self._texts(prefix)
        if not texts and not self.saved.records:
            raise MXNetError(f"{self.path}: holds no model that is known, but {self.layout} files")
        made = not os.path.isdir(folder)
        names = [*texts, *([f"{prefix}-0000.params"] if self.saved.records else [])]
        paths = [os.path.join(folder, name) for name in names]
        if made:
            os.makedirs(folder)
        try:
            check_targets(paths, self.source_files, force, "open")
            with staged(os.path.join(folder, prefix)) as place:
                stage = os.path.dirname(place)
                for name, text in texts.items():
                    with open(os.path.join(stage, name), "wb") as file:
                        file.write(text)
                if self.saved.records:
                    self._write_params(f"{place}-0000.params")
        except BaseException:
            if made:
                os.rmdir(folder)
            raise
        return paths

    def _texts(self, prefix: str) -> dict[str, bytes]:
        """Names and contents of the files but that of parameters."""
        made: dict[str, bytes] = {}
        if self._text is not None:
            made[f"{prefix}-symbol.json"] = self._text
        elif self.symbol is not None:
            made[f"{prefix}-symbol.json"] = self.symbol.tojson().encode()
        return {**made, **self.notes_beside(prefix)}

    def notes_beside(self, prefix: str) -> dict[str, bytes]:
        """Names and contents of the files of labels, preprocessing and shapes, as far as known."""
        made: dict[str, bytes] = {}
        if self.labels is not None:
            made[f"{prefix}-labels.txt"] = "".join(f"{name}\n" for name in self.labels).encode()
        if self.preprocessing is not None:
            made[f"{prefix}-preprocessing.json"] = _json(asdict(self.preprocessing))
        if self.input_shapes is not None:
            shapes = self.input_shapes.items()
            rows = [
                {"name": n, "shape": [0 if isinstance(s, str) else s for s in shape]}
                for n, shape in shapes
            ]
            made[f"{prefix}-shapes.json"] = _json(rows)
        return made

    def _write_params(self, path: str) -> None:
        from ..core.nd.files import record_of_array

        if self._found.network is not None or not _are_kinds(self.saved.names):
            records = {name: record_of_array(a) for name, a in self.params.items()}
            saved = ParamsFile(list(records.values()), list(records))
        else:
            saved = self.saved
        params.write(path, saved.records, saved.names, np_shape=self.np_shape)

    def __repr__(self) -> str:
        return f"<OpenedModel {self.path}: {self.layout}, {len(self.saved.records)} arrays>"


def _bare(name: str) -> str:
    return name[4:] if name.startswith(_KINDS) else name


def _are_kinds(names: Sequence[str]) -> bool:
    return bool(names) and all(name.startswith(_KINDS) for name in names)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()
