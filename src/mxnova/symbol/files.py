# SPDX-License-Identifier: Apache-2.0
"""Symbols in files."""

from __future__ import annotations

import os

from ..core.base.doors import door
from ..core.base.errors import ArgumentTypeError, MXNetError
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Symbol
from ..formats.source import read_file

__all__ = ["fromjson", "load", "load_json"]


@door
def load(fname: str | os.PathLike[str]) -> Symbol:
    """The symbol in a JSON file of any MXNet version.

    Raises:
        FileError: the file cannot be read, or is no regular file.
        FormatError: it breaks the format.
    """
    if not isinstance(fname, (str, os.PathLike)):
        raise ArgumentTypeError(f"load: fname is a {type(fname).__name__}, not a path")
    text = read_file(fname)
    try:
        symbol: Symbol = from_json(text)
    except MXNetError as error:
        raise type(error)(f"{os.fspath(fname)}: {error}") from None
    return symbol


@door
def load_json(json_str: str) -> Symbol:
    """The symbol in a JSON text of any MXNet version."""
    if not isinstance(json_str, (str, bytes)):
        raise ArgumentTypeError(f"load_json: json_str is a {type(json_str).__name__}, not text")
    symbol: Symbol = from_json(json_str)
    return symbol


fromjson = load_json
