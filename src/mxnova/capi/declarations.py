# SPDX-License-Identifier: Apache-2.0
"""The declarations of the C interface, read from its headers, as cffi wants them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["HEADERS", "Declarations", "declarations"]

HEADERS = Path(__file__).parent / "include"

_FILES = ("mxnet/c_api.h", "mxnet/c_predict_api.h", "nnvm/c_api.h")
_FOR_CPP = re.compile(r"#ifdef __cplusplus.*?#endif", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_HANDLE = re.compile(r"typedef (?:const )?void \*(\w+);")
_FUNCTION = re.compile(r"(?:MXNET|NNVM)_DLL .*?\b(\w+)\(")


class Declarations(NamedTuple):
    """What the headers declare.

    Attributes:
        types: typedefs, structs and enumerations. Handles are integers of a pointer's size, which
            cffi turns into Python's numbers without a box around each.
        functions: name -> declaration.
    """

    types: str
    functions: dict[str, str]


@cache
def declarations() -> Declarations:
    """What the headers declare."""
    types: dict[str, None] = {}
    functions: dict[str, str] = {}
    for file in _FILES:
        for statement in _statements((HEADERS / file).read_text(encoding="utf-8")):
            function = _FUNCTION.match(statement)
            if function is None:
                types[_HANDLE.sub(r"typedef uintptr_t \1;", statement)] = None
            else:
                functions[function[1]] = statement.partition(" ")[2]
    return Declarations("\n".join(types), functions)


def _statements(text: str) -> list[str]:
    """The declarations of a header, each on one line."""
    text = _COMMENT.sub("", _FOR_CPP.sub("", text))
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\s+DEFAULT\(\w+\)", "", text)
    pieces = re.findall(r"[^;{}]*(?:\{[^}]*\}[^;]*)?;", text)
    return [" ".join(piece.split()) for piece in pieces]
