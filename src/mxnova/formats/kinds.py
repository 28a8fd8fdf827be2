# SPDX-License-Identifier: Apache-2.0
"""What a file is by its first bytes, for the errors of readers that expect something else."""

from __future__ import annotations

import os

from .source import open_regular

__all__ = ["PARAMS_MAGIC", "is_params_file", "what_it_is"]

PARAMS_MAGIC = b"\x12\x01\0\0\0\0\0\0"  # The first bytes of a file of arrays.
_BEGINNINGS = (
    (PARAMS_MAGIC, "a file of arrays, which mx.nd.load and load_parameters read"),
    (b"\x0a\x23\xd7\xce", "a file of records, which mx.recordio.MXRecordIO reads"),
    (b"{", "JSON, as symbols are, which mx.sym.load reads"),
    (b"\x80", "a pickle, as optimizer states are, which load_states reads"),
    (b"PK\x03\x04", "a zip archive, see mx.open_model"),
    (b"\x1f\x8b", "a gzip archive, see mx.open_model"),
    (b"\x93NUMPY", "an array of NumPy's, which numpy.load reads"),
    (b"\x89HDF", "an HDF5 file, as Keras writes them"),
    (b"\x89PNG", "an image, which mx.image.imread reads"),
    (b"\xff\xd8\xff", "an image, which mx.image.imread reads"),
    (b"version https://", "a pointer of Git LFS: git lfs pull fetches the file itself"),
    (b"<!DOCTYPE", "a web page, such as a server answers instead of a file: download it again"),
    (b"<html", "a web page, such as a server answers instead of a file: download it again"),
)


def is_params_file(path: str | os.PathLike[str]) -> bool:
    """Return True if `path` is a local file of arrays, whatever its name ends in.

    Sockeye writes ``params.best``, SageMaker ``model_algo-1``.
    """
    if not os.path.isfile(path):
        return False
    with open_regular(path) as file:
        return file.read(len(PARAMS_MAGIC)) == PARAMS_MAGIC


def what_it_is(content: bytes | bytearray | memoryview | str, expected: bytes = b"") -> str:
    """A hint such as ``; it begins as JSON, …``; empty where the beginning is not known.

    Args:
        content: of the file.
        expected: how files begin that the reader takes: no hint is given for those.
    """
    head = content[:16].encode() if isinstance(content, str) else bytes(content[:16])
    if not head:
        return "; it is empty"
    if expected and head.startswith(expected):
        return ""
    kind = next((kind for start, kind in _BEGINNINGS if head.startswith(start)), None)
    return "" if kind is None else f"; it begins as {kind}"
