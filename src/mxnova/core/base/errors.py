# SPDX-License-Identifier: Apache-2.0
"""The exception hierarchy, and the single format "Op: name=value: reason" of messages.

Texts are bounded, whatever was passed or read: values are put into them by `shown`, and an error
keeps at most `MAX_TEXT` characters of what it is given.

MXNetError                      RuntimeError, as in MXNet
├── FormatError                 a file or a byte string that breaks its format (also ValueError)
├── ArgumentError               a bad argument of an operator or function (also ValueError)
│   ├── AssertedError           what MXNet asserts of arguments (also AssertionError)
│   └── UnknownDTypeError       an element type that does not exist (also TypeError, as NumPy's)
├── ArgumentTypeError           an argument of the wrong Python type (also TypeError)
├── UnknownNameError            an operator, argument or output that does not exist (also KeyError)
├── MissingAttributeError       what an object lacks (also AttributeError)
├── OutOfRangeError             an index beyond its axis (also IndexError)
├── FileError                   a path that cannot be opened, read or written (also OSError)
│   ├── MissingFileError        there is no such file (also FileNotFoundError)
│   ├── FilePermissionError     it may not be opened (also PermissionError)
│   └── DirectoryError          it is a directory (also IsADirectoryError)
├── OutOfMemoryError            memory that is not to be had (also MemoryError)
├── NotImplementedForSymbol     what arrays can and symbols cannot
└── NotSupportedForSparseNDArray

The second base of each lets `except ValueError` and the like work where MXNet's users wrote it.
"""

from __future__ import annotations

import difflib
import itertools
import os
import re
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

from .credentials import without_credentials
from .printable import printable
from .synonyms import SYNONYMS

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "AssertedError",
    "AssertedTypeError",
    "DirectoryError",
    "FileError",
    "FilePermissionError",
    "FormatError",
    "MXNetError",
    "MissingAttributeError",
    "MissingFileError",
    "NoLengthError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "OutOfMemoryError",
    "OutOfRangeError",
    "UnknownDTypeError",
    "UnknownNameError",
    "argument_error",
    "bounded",
    "candidates",
    "from_foreign",
    "of_values",
    "shown",
    "told_as",
]

MAX_TEXT = 8192
_TAIL = 2048


def bounded(text: str) -> str:
    """`text`, without its middle where it is longer than an error's text may be."""
    if len(text) <= MAX_TEXT:
        return text
    left_out = f" ... ({len(text):,} characters in all) ... "
    return text[: MAX_TEXT - _TAIL - len(left_out)] + left_out + text[-_TAIL:]


class MXNetError(RuntimeError):
    """Any failure that mxnova reports.

    Its text is safe to show: names from files, that it may quote, cannot steer a terminal, and URLs
    have neither passwords nor signatures.

    Attributes:
        of_values: whether only the values of arrays and numbers told it. Who waits for the results
            of an operator gets such an error, as in MXNet, and not who calls it.
        kind: what its text begins with in C; MXNet's Python part raises the exception of this name.
    """

    of_values = False
    kind = "MXNetError"

    def __init__(self, *args: Any) -> None:
        super().__init__(*map(_bounded_text, args))

    def __str__(self) -> str:
        return printable(super().__str__(), keep="\n\t")


def of_values(error: MXNetError) -> MXNetError:
    """`error` as one that is kept until somebody waits for the operator's results."""
    error.of_values = True
    return error


def told_as(kind: str, error: MXNetError) -> MXNetError:
    """`error` as a ValueError, IndexError or TypeError, too: MXNet's operator raises it as that.

    C is told of it under that name.
    """
    if kind not in (parent.__name__ for parent in type(error).__mro__):
        error = _BUILT_IN[kind](*error.args)
    error.kind = kind
    return error


def _bounded_text(value: Any) -> Any:
    return bounded(without_credentials(value)) if type(value) is str else value


class FormatError(MXNetError, ValueError):
    """Bytes that break their format; the message names the place (file, offset) and the rule."""


class ArgumentError(MXNetError, ValueError):
    """An argument with a value that cannot be used."""


class AssertedError(ArgumentError, AssertionError):
    """An argument that MXNet has an assert statement for, which programs catch."""


class UnknownDTypeError(ArgumentError, TypeError):
    """An operator's dtype that cannot be used; MXNet leaves it to NumPy, which raises TypeError."""


class ArgumentTypeError(MXNetError, TypeError):
    """An argument of a Python type that cannot be used."""


class AssertedTypeError(ArgumentTypeError, AssertionError):
    """An argument of a Python type that MXNet has an assert statement against."""


class NoLengthError(ArgumentTypeError, IndexError):
    """What has no axes has no length: a TypeError in NumPy, an IndexError of MXNet's own arrays."""


class UnknownNameError(MXNetError, KeyError):
    """A name that nothing is registered or listed under."""

    def __str__(self) -> str:  # KeyError would print the repr
        return printable(str(self.args[0]), keep="\n\t") if self.args else ""


class MissingAttributeError(MXNetError, AttributeError):
    """An attribute that an object does not have."""


class OutOfRangeError(MXNetError, IndexError):
    """An index beyond the end of what it indexes."""


_BUILT_IN: dict[str, type[MXNetError]] = {
    "IndexError": OutOfRangeError,
    "TypeError": ArgumentTypeError,
    "ValueError": ArgumentError,
}  # classes of `told_as`


class FileError(MXNetError, OSError):
    """A path that cannot be opened, read or written.

    Args:
        errno: the system's number of the error.
        strerror: what is wrong.
        filename: the path.
    """

    def __new__(cls, *args: Any) -> FileError:
        """OSError's, which keeps errno and filename; RuntimeError's would come first."""
        return OSError.__new__(cls, *map(_bounded_text, args))

    def __init__(self, *_args: Any) -> None:
        OSError.__init__(self)  # everything was done before

    def __str__(self) -> str:
        if self.filename is None:
            return OSError.__str__(self)
        return printable(f"{self.filename}: {self.strerror}", keep="\n\t")

    @staticmethod
    def of(error: OSError, path: object) -> FileError:
        """The error that says of `path` what the system said."""
        kinds = (MissingFileError, FilePermissionError, DirectoryError)
        kind = next((k for k in kinds if isinstance(error, k.__bases__[-1])), FileError)
        return kind(error.errno, error.strerror or str(error), str(path))


class MissingFileError(FileError, FileNotFoundError):
    """A path at which there is no file; its text has names of the folder that are close."""

    def __str__(self) -> str:
        text = super().__str__()
        is_the_systems = self.errno is not None and self.strerror == os.strerror(self.errno)
        return text + printable(_near(str(self.filename))) if is_the_systems else text


class FilePermissionError(FileError, PermissionError):
    """A file that this process may not open."""


class DirectoryError(FileError, IsADirectoryError):
    """A directory where a file is needed."""


class OutOfMemoryError(MXNetError, MemoryError):
    """Memory that neither the system nor the device has."""


_MOST_NAMES = 1000  # of a folder, which are compared in 10 ms


def _near(path: str) -> str:
    """A hint at files beside `path` with names like it, or that its folder is missing."""
    folder, name = os.path.split(path)
    if "://" in path:
        return ""
    try:
        with os.scandir(folder or ".") as entries:
            return candidates(name, [e.name for e in itertools.islice(entries, _MOST_NAMES)])
    except FileNotFoundError:
        return f"; there is no folder {folder!r}"
    except (OSError, ValueError):
        return ""


class _NotFor(MXNetError):  # noqa: N818 - the base of two of MXNet's names
    """What some kind of thing cannot do.

    Args:
        function: the method, or its name.
        alias: the operator that it stands for.
        args: what it was called with.
    """

    _reason: str

    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None:
        super().__init__(function, alias, *args)
        self.function: str = bounded(getattr(function, "__name__", str(function)))
        self.alias = alias

    def __str__(self) -> str:
        shown = f"{self.function} ({self.alias})" if self.alias else self.function
        return f"{shown} is for {self._reason}"


class NotImplementedForSymbol(_NotFor):
    """Raised for an operation that arrays support and symbols do not."""

    _reason = (
        "arrays: a Symbol has no data until it is bound; hybrid_forward computes by operators of F "
        "(F.where or F.contrib.cond for a condition), unless the block is not hybridized"
    )


class NotSupportedForSparseNDArray(_NotFor):
    """Raised for an operation that dense arrays support and sparse arrays do not."""

    _reason = "dense arrays: tostype('default') makes one of a sparse array"


class _Shown(reprlib.Repr):
    """Bounds in items and depth; what is beyond them is never turned into text."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 20
        self.maxstring = self.maxother = 1 << 10

    def repr_str(self, x: str, level: int) -> str:
        return repr(x[: self.maxstring])

    def repr_bytes(self, x: bytes | bytearray, level: int) -> str:
        return repr(x[: self.maxstring])

    repr_bytearray = repr_bytes

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() < 1 << 10 else f"<an integer of {x.bit_length()} bits>"

    def repr_dict(self, x: Mapping[Any, Any], level: int) -> str:
        if level <= 0:
            return "{...}"
        items = itertools.islice(x.items(), self.maxdict)
        pairs = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in items]
        return "{" + ", ".join(pairs + ["..."] * (len(x) > len(pairs))) + "}"


_SHOWN = _Shown()


def shown(value: object, limit: int = 200) -> str:
    """The repr of `value` in at most `limit` characters, made in bounded time and memory."""
    text = _SHOWN.repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def argument_error(
    op: str, name: str, value: object, reason: str, kind: type[ArgumentError] = ArgumentError
) -> ArgumentError:
    """The error for argument `name` of `op`: ``Convolution: num_filter='0': must be >= 1``."""
    return kind(f"{op}: {name}={shown(value)}: {reason}")


def from_foreign(error: Exception, where: str) -> MXNetError:
    """The MXNetError for what ATen, NumPy or Python raised: ``where: what it said``."""
    lines = str(error).splitlines()
    text = f"{where}: {_of_gpu(lines[0]) if lines else type(error).__name__}"
    if _is_about_memory(error):
        return OutOfMemoryError(text)
    return OutOfRangeError(text) if isinstance(error, IndexError) else MXNetError(text)


# ATen's words for a GPU without memory, before those on its own settings.
_FULL_GPU = re.compile(
    r"CUDA out of memory\. Tried to allocate (\S+ \S+)\. GPU (\d+) has a total capacity of "
    r"(\S+ \S+) of which (\S+ \S+) is free\.(?:.* (\S+ \S+) allowed;)?"
)


def _of_gpu(text: str) -> str:
    """ATen's sentence, in words of contexts where it is about a GPU's memory or a late error."""
    full = _FULL_GPU.match(text)
    if full:
        asked, number, total, free, share = full.groups()
        limit = f", {share} allowed by MXNET_GPU_MEM_POOL_RESERVE" if share else ""
        return f"gpu({number}) lacks memory: {asked} asked for, {free} of {total} free{limit}"
    if text.startswith("CUDA error"):
        advice = "of this call or of an earlier one, since a GPU works on while Python goes on"
        return f"{text}, {advice}; with CUDA_LAUNCH_BLOCKING=1 it is told where it arises"
    return text


def _is_about_memory(error: Exception) -> bool:
    """ATen has a class for what a GPU lacks, and a RuntimeError for what the system lacks."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or any(text in str(error) for text in _OF_MEMORY)
    )


_OF_MEMORY = (
    "can't allocate memory",
    "not enough memory",
    "DefaultCPUAllocator",
    "Storage size calculation overflowed",
    "numel: integer multiplication overflow",
)


_LONGEST_NAME = 256  # Longer names get no suggestions: difflib takes memory for each character.


def candidates(name: object, known: Iterable[str], limit: int = 3, similarity: float = 0.6) -> str:
    """Return a hint such as ``; did you mean 'relu'?``, empty when nothing is close.

    Other programs' words for the same come first; case is ignored.

    Args:
        name: the unknown name.
        known: the names to choose from.
        limit: the largest number of suggestions.
        similarity: the smallest similarity of a suggestion, as difflib measures it: 1 for equal.
    """
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    spelled = {k.lower(): k for k in known if isinstance(k, str)}
    wanted = name.lower()
    synonyms = [words.split(" and ") for words in SYNONYMS.get(wanted, ())]
    found = [words for words in synonyms if spelled.keys() >= set(words)]
    near = difflib.get_close_matches(wanted, spelled, n=limit, cutoff=similarity)
    found += [[word] for word in near if not any(word in words for words in found)]
    meant = [" and ".join(repr(spelled[word]) for word in words) for words in found[:limit]]
    return f"; did you mean {' or '.join(meant)}?" if meant else ""
