# SPDX-License-Identifier: Apache-2.0
"""The files of an artefact: in a folder, in an archive, or in an archive inside of another."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.base.errors import ArgumentError, FormatError, MissingFileError
from ..formats import bounded_json
from ..formats.archive_files import MOST_FILES, Budget, kind_of, read_archive
from ..formats.checkpoint_files import SYMBOL, prefix_of
from ..formats.kinds import PARAMS_MAGIC
from ..formats.paths import joined, names_in, split
from ..formats.remote.urls import is_remote
from ..formats.source import file_size, open_buffer, open_regular, path_exists, read_file

__all__ = ["MOST_NETWORK", "Contents", "contents_of", "is_archive"]

MOST_NETWORK = 1 << 28  # bytes of a text whose reader is bounded by its size
_SIDE_FILES = (
    "hyperparams.json", "model-shapes.json", "signature.json", "synset.txt", "labels.txt",
    "classes.txt", "labels.json", "classes.json",
)  # fmt: skip
_READ = (
    ".json",
    ".params",
    ".txt",
)  # of an archive; what has no ending may be an archive or arrays
_ARCHIVES = (".gz", ".tgz", ".tar", ".zip", ".mar", ".model")
_MOST_TEXT = 1 << 20  # bytes of a file beside a network: JSON takes 16 times as much
_MAX_DEPTH = 32  # brackets
_MOST_FOLDERS = 3  # one in another
_MOST_ARCHIVES = 2  # one in another: model_algo-1 in model.tar.gz


@dataclass
class Contents:
    """Files by their paths, which have slashes.

    Attributes:
        path: of the artefact.
        sizes: bytes of each file.
        parts: what can be read: a file's path or URL, or its bytes.
    """

    path: str
    sizes: dict[str, int] = field(default_factory=dict)
    parts: dict[str, str | bytearray] = field(default_factory=dict)
    _values: dict[str, Any] = field(default_factory=dict)

    def named(self, base: str) -> list[str]:
        """Files whose paths end with the name `base`, the least deep first."""
        found = [name for name in self.sizes if os.path.basename(name) == base]
        return sorted(found, key=lambda name: (name.count("/"), name))

    def part(self, name: str) -> str | bytearray:
        """A file as a path or a URL, or as bytes."""
        return self.parts[name]

    def head(self, name: str) -> bytes:
        """The first bytes of a file; none of one that was not read."""
        part = self.parts.get(name, b"")
        if not isinstance(part, str):
            return bytes(part[:512])
        return _head(part)

    def holds_arrays(self, name: str) -> bool:
        """Return True if a file contains parameters, by its content or its ending."""
        return name.endswith(".params") or self.head(name).startswith(PARAMS_MAGIC)

    def text(self, name: str, most: int = _MOST_TEXT) -> bytes:
        """The bytes of a text file.

        Raises:
            FormatError: it has more than `most`.
        """
        if self.sizes[name] > most:
            raise FormatError(
                f"{self.path}: {name}: {self.sizes[name]} bytes of text; at most {most} are read"
            )
        part = self.parts[name]
        return read_file(part) if isinstance(part, str) else bytes(part)

    def json(self, name: str) -> Any:
        """The value in a JSON file.

        Raises:
            FormatError: it is none.
        """
        if name not in self._values:
            try:
                self._values[name] = bounded_json.loads(self.text(name), max_depth=_MAX_DEPTH)
            except FormatError as error:
                raise FormatError(f"{self.path}: {name}: {error}") from None
        return self._values[name]

    def json_object(self, *bases: str) -> dict[str, Any]:
        """The object in the first file with one of these names; an empty one if there is no file.

        Raises:
            FormatError: it is no object.
        """
        for base in bases:
            for name in self.named(base)[:1]:
                value = self.json(name)
                if not isinstance(value, dict):
                    raise FormatError(f"{self.path}: {name}: expected an object")
                return value
        return {}


def contents_of(path: str) -> Contents:
    """The files of the artefact at `path`.

    Args:
        path: an archive, a folder, a file of a checkpoint or of parameters, an ONNX file, or what
            names of files begin with.

    Raises:
        FileError: there is nothing, or it cannot be read.
        FormatError: an archive is damaged, or breaks a rule of `formats.archive_files`.
    """
    found = Contents(path)
    if not is_remote(path) and os.path.isdir(path):
        _add_folder(found, path)
    elif path.endswith(".onnx") and not is_remote(path) and os.path.isfile(path):
        from .onnx_model import checkpoint_of_onnx

        found.parts.update(checkpoint_of_onnx(path))
        found.sizes.update({name: len(part) for name, part in found.parts.items()})
        return found
    elif not is_remote(path) and (prefix := prefix_of(path)) != path:
        _add_prefix(found, prefix, os.path.basename(path))
    elif path_exists(path):
        size = file_size(path)
        if is_archive(path):
            budget = Budget.of(size)
            with open_regular(path) as file:
                _add_archive(found, file, path, "", budget)
            _unpack_inner(found, budget)
            return found
        _add_file(found, os.path.basename(path), path)
    elif not (is_remote(path) and _add_files(found, path, names_in(path))):
        _add_prefix(found, path)
    _unpack_inner(found, None)
    return found


def is_archive(path: str) -> bool:
    """Whether the file at `path` is a zip, gzip or tar archive."""
    return kind_of(_head(path)) is not None


def _head(path: str) -> bytes:
    return bytes(open_buffer(path)[:512])


# Folders ------------------------------------------------------------------------------------------


def _add_folder(found: Contents, path: str) -> None:
    for folder, name in _walk(path):
        if len(found.sizes) == MOST_FILES:
            raise ArgumentError(f"{path}: holds more than {MOST_FILES} files: no model's folder")
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            _add_file(found, os.path.relpath(file, path).replace(os.sep, "/"), file)


def _walk(path: str) -> Iterator[tuple[str, str]]:
    for folder, folders, names in os.walk(path):
        if os.path.relpath(folder, path).count(os.sep) >= _MOST_FOLDERS:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from ((folder, name) for name in sorted(names))


def _add_files(found: Contents, folder: str, names: Sequence[str]) -> int:
    """Adds the files of these names in a folder of a store; returns how many there are."""
    files = [name for name in names if path_exists(joined(folder, name))]
    for name in files:
        _add_file(found, name, joined(folder, name))
    return len(files)


def _add_prefix(found: Contents, prefix: str, given: str = "") -> None:
    """Adds the files of a checkpoint; if one of parameters is given, without those of others."""
    folder, base = split(prefix)
    try:
        names = sorted(names_in(folder or "."))
    except OSError:
        if is_remote(prefix):
            raise
        names = []
    own = _own([name for name in names if name.startswith(f"{base}-")], base)
    if given.endswith(".params"):
        own = [name for name in own if name == given or not name.endswith(".params")]
    if not own:
        raise MissingFileError(2, "there is no such file, and none that begins so", prefix)
    for name in (*own, *(n for n in names if n in _SIDE_FILES and n not in own)):
        file = joined(folder, name)
        if path_exists(file) and not os.path.isdir(file):
            _add_file(found, name, file)


def _own(names: Sequence[str], base: str) -> list[str]:
    """Files of the network `base`, where there is one, without those of networks `base-…`."""
    if f"{base}{SYMBOL}" not in names:
        return list(names)
    symbols = (name for name in names if name.endswith(SYMBOL) and name != f"{base}{SYMBOL}")
    others = tuple(f"{name.removesuffix(SYMBOL)}-" for name in symbols)
    return [name for name in names if not name.startswith(others)]


def _add_file(found: Contents, name: str, file: str) -> None:
    found.sizes[name] = file_size(file)
    found.parts[name] = file


# Archives -----------------------------------------------------------------------------------------


def _wanted(name: str) -> bool:
    ending = os.path.splitext(name)[1].lower()
    return ending in _READ or ending in _ARCHIVES or not ending or _is_model_name(name)


def _is_model_name(name: str) -> bool:
    return os.path.basename(name).startswith(("model_algo", "params."))  # SageMaker's, Sockeye's


def _add_archive(found: Contents, file: Any, name: str, inside: str, budget: Budget) -> None:
    read = read_archive(file, name, _wanted, budget)
    for path, size in read.sizes.items():
        if not _is_metadata(path):
            found.sizes[inside + path] = size
            if path in read.contents:
                found.parts[inside + path] = read.contents[path]


def _is_metadata(path: str) -> bool:
    """Whether it is metadata that macOS adds to archives."""
    return path.startswith("__MACOSX/") or os.path.basename(path).startswith("._")


def _unpack_inner(found: Contents, budget: Budget | None) -> None:
    """Replaces the archive that is all the model there is, by its files."""
    for _ in range(_MOST_ARCHIVES):
        if any(name.endswith(SYMBOL) for name in found.sizes):
            return
        inner = sorted(name for name in found.parts if _is_inner(found, name))
        if not inner or (len(inner) > 1 and not all(map(_is_model_name, inner))):
            return  # those that several hosts of SageMaker's wrote are alike
        name = inner[0]
        part, size = found.parts.pop(name), found.sizes.pop(name)
        where = f"{found.path}: {name}"
        budget = budget or Budget.of(size)
        if isinstance(part, str):
            with open_regular(part) as file:
                _add_archive(found, file, where, f"{name}/", budget)
        else:
            _add_archive(found, io.BytesIO(part), where, f"{name}/", budget)


def _is_inner(found: Contents, name: str) -> bool:
    ending = os.path.splitext(name)[1].lower()
    may_be = ending in _ARCHIVES or not ending or _is_model_name(name)
    return may_be and kind_of(found.head(name)) is not None
