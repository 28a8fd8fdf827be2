# SPDX-License-Identifier: Apache-2.0
"""Files of results: JSON lines and CSV, which grow batch by batch, and .npz.

A batch is appended by one write, so that a process that is killed leaves whole lines; what a write
that was cut short left is removed when the file is resumed.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from ..core.base.errors import ArgumentError, FileError, FormatError, MXNetError
from ..core.base.printable import printable
from ..core.base.shapes import shape_text
from ..formats import bounded_json
from ..formats.atomic import replacing
from ..formats.source import check_regular, open_regular
from .pipeline import Prediction
from .reading import Array
from .scores import json_value, largest

__all__ = ["Results", "json_line", "result_file"]

_DEPTH = 64  # brackets


class Results(Protocol):
    """A file of results; to be used in a `with` block.

    Attributes:
        done: names of items that are in it already.
    """

    done: set[str]

    def key(self, name: str) -> str:
        """A name as `done` has it."""

    def add(self, names: Sequence[str], batch: Sequence[Prediction]) -> None:
        """Adds items that did not fail.

        Args:
            names: of the outputs.
            batch: the items.
        """

    def __enter__(self) -> Results: ...

    def __exit__(self, *error: object) -> None: ...


def result_file(path: Path, top: int, labels: Sequence[str] = (), resume: bool = False) -> Results:
    """The file at `path`, whose ending tells its kind.

    Args:
        path: .jsonl, .csv or .npz.
        top: how many of the largest scores are written of outputs that are a vector an item.
        labels: names of the scores.
        resume: go on with a file that is there; without, .jsonl and .csv files that hold something
            are refused, and .npz files are replaced at the end.

    Raises:
        ArgumentError: there is no such kind, or the file is there.
        FormatError: the file to go on with holds something else.
        FileError: it cannot be opened.
    """
    kinds = {".jsonl": _JsonLines, ".csv": _Csv}
    if path.suffix == ".npz":
        if resume:
            raise ArgumentError(f"--resume {path}: is for .jsonl and .csv files")
        return _Npz(path)
    if path.suffix not in kinds:
        raise ArgumentError(f"--output {path}: must end in .jsonl, .csv or .npz")
    return kinds[path.suffix](path, top, labels, resume)


class _Lines:
    """A file that grows by whole lines."""

    def __init__(self, path: Path, top: int, labels: Sequence[str], resume: bool) -> None:
        self._path, self._top, self._labels = path, top, labels
        self.done: set[str] = set()
        try:
            size = os.stat(path).st_size
        except FileNotFoundError:
            size = 0
        if size and not resume:
            raise ArgumentError(f"--output {path}: exists; --resume goes on with it")
        if size:
            self.done.update(self._names(self._whole_lines()))
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            check_regular(os.fstat(self._file).st_mode, path)
        except FileError:
            os.close(self._file)
            raise
        except OSError as error:
            raise FileError.of(error, path) from None

    def _names(self, lines: Iterator[bytes]) -> Iterator[str]:
        raise NotImplementedError

    def _text(self, names: Sequence[str], batch: Sequence[Prediction]) -> str:
        raise NotImplementedError

    def key(self, name: str) -> str:
        return name

    def _whole_lines(self) -> Iterator[bytes]:
        """The lines; what stands behind the last of them is removed."""
        end = 0
        with open_regular(self._path) as file:
            for line in file:
                if not line.endswith(b"\n"):
                    os.truncate(self._path, end)
                    return
                end += len(line)
                yield line

    def add(self, names: Sequence[str], batch: Sequence[Prediction]) -> None:
        """Appends the items, all or none."""
        content = memoryview(self._text(names, batch).encode())
        start = os.fstat(self._file).st_size
        try:
            while content:
                content = content[os.write(self._file, content) :]
        except OSError as error:
            os.ftruncate(self._file, start)
            raise FileError.of(error, self._path) from None

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._file)


def json_line(
    prediction: Prediction, names: Sequence[str], top: int, labels: Sequence[str] = ()
) -> str:
    """The line of an item that did not fail: its name, and its outputs by `names`."""
    values = (json_value(output, top, labels) for output in prediction.outputs or ())
    row = {"name": prediction.name, "outputs": dict(zip(names, values, strict=True))}
    return json.dumps(row, allow_nan=False) + "\n"


class _JsonLines(_Lines):
    """An object a line: the name, and outputs by name."""

    def _names(self, lines: Iterator[bytes]) -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            try:
                found = bounded_json.loads(line, max_depth=_DEPTH)
                name = found.get("name") if isinstance(found, dict) else None
            except FormatError as error:
                raise FormatError(f"{self._path}: line {number}: {error}") from None
            if not isinstance(name, str):
                raise FormatError(f"{self._path}: line {number}: no result of this command")
            yield name

    def _text(self, names: Sequence[str], batch: Sequence[Prediction]) -> str:
        done = (p for p in batch if p.outputs is not None)
        return "".join(json_line(p, names, self._top, self._labels) for p in done)


class _Csv(_Lines):
    """A line an item: the name, then scores in columns, or other outputs as JSON."""

    _columns: list[str] | None = None

    def key(self, name: str) -> str:
        return printable(name)  # a line is a line

    def _names(self, lines: Iterator[bytes]) -> Iterator[str]:
        rows = csv.reader(line.decode("utf-8", "backslashreplace") for line in lines)
        try:
            self._columns = next(rows, None)
            for row in rows:
                if len(row) != len(self._columns or ()):
                    raise csv.Error(f"{len(row)} cells")
                yield row[0]
        except csv.Error as error:
            raise FormatError(f"{self._path}: line {rows.line_num}: {error}") from None
        if self._columns and self._columns[0] != "name":
            raise FormatError(f"{self._path}: no results of this command")

    def _text(self, names: Sequence[str], batch: Sequence[Prediction]) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for prediction in batch:
            if prediction.outputs is None:
                continue
            cells: dict[str, Any] = {"name": self.key(prediction.name)}
            for name, output in zip(names, prediction.outputs, strict=True):
                cells.update(self._cells(name, output))
            self._check(writer, list(cells))
            writer.writerow(cells.values())
        return text.getvalue()

    def _check(self, writer: Any, columns: list[str]) -> None:
        if self._columns is None:
            self._columns = columns
            writer.writerow(columns)
        elif self._columns != columns:
            raise ArgumentError(
                f"--output {self._path}: has columns {', '.join(self._columns)[:200]}; these "
                f"results have {', '.join(columns)[:200]}"
            )

    def _cells(self, name: str, output: Array) -> Iterator[tuple[str, Any]]:
        name = printable(name)
        if output.ndim != 1:
            yield name, json.dumps(json_value(output, self._top))
            return
        for rank, score in enumerate(largest(output, self._top, self._labels), 1):
            yield f"{name}_index_{rank}", score.index
            if self._labels and score.label is not None:
                yield f"{name}_label_{rank}", printable(score.label)
            yield f"{name}_score_{rank}", f"{score.score:.9g}"


class _Npz:
    """Arrays by name: ``name``, and each output whole, a row an item.

    Values wait in temporary files beside it, as an array's shape stands before its values.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.done: set[str] = set()
        self._items: list[str] = []
        self._rows: dict[str, Array] = {}  # one of each output
        self._files: dict[str, IO[bytes]] = {}
        self._open = ExitStack()

    def key(self, name: str) -> str:
        return name

    def add(self, names: Sequence[str], batch: Sequence[Prediction]) -> None:
        """Adds the items."""
        for prediction in batch:
            if prediction.outputs is None:
                continue
            for name, output in zip(names, prediction.outputs, strict=True):
                first = self._rows.setdefault(name, output)
                if (first.shape, first.dtype) != (output.shape, output.dtype):
                    raise MXNetError(
                        f"{self._path}: {prediction.name}: {name} has shape "
                        f"{shape_text(output.shape)}, those before {shape_text(first.shape)}: a "
                        ".jsonl file takes both"
                    )
                self._file(name).write(output.tobytes())
            self._items.append(prediction.name)

    def _file(self, name: str) -> IO[bytes]:
        if name not in self._files:
            try:
                file = tempfile.TemporaryFile(dir=self._path.parent)  # noqa: SIM115 - of the stack
            except OSError as error:
                raise FileError.of(error, self._path) from None
            self._files[name] = self._open.enter_context(file)
        return self._files[name]

    def __enter__(self) -> _Npz:
        return self

    def __exit__(self, *error: object) -> None:
        with self._open:
            if error[0] is None:
                self._write()

    def _write(self) -> None:
        with replacing(self._path) as target, zipfile.ZipFile(target, "w") as archive:
            with archive.open("name.npy", "w", force_zip64=True) as member:
                names = np.array(self._items, dtype=None if self._items else "U1")
                np.lib.format.write_array(member, names, allow_pickle=False)
            for name, file in self._files.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    _copy(
                        file, member, (len(self._items), *self._rows[name].shape), self._rows[name]
                    )


def _copy(file: IO[bytes], member: IO[bytes], shape: tuple[int, ...], row: Array) -> None:
    header = {
        "descr": np.lib.format.dtype_to_descr(row.dtype),
        "fortran_order": False,
        "shape": shape,
    }
    np.lib.format.write_array_header_1_0(member, header)
    file.seek(0)
    while chunk := file.read(1 << 20):
        member.write(chunk)
