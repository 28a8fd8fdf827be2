# SPDX-License-Identifier: Apache-2.0
"""Symbols in files."""

from __future__ import annotations

import os

from ..core.base.errors import ArgumentTypeError, MXNetError
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Symbol

__all__ = ["fromjson", "load", "load_json"]


def load(fname: str | os.PathLike[str]) -> Symbol:
    """The symbol in a JSON file of any MXNet version."""
    if not isinstance(fname, (str, os.PathLike)):
        raise ArgumentTypeError(f"load: fname is a {type(fname).__name__}, not a path")
    with open(fname, "rb") as file:
        text = file.read()
    try:
        return from_json(text)
    except MXNetError as error:
        raise type(error)(f"{os.fspath(fname)}: {error}") from None


def load_json(json_str: str) -> Symbol:
    """The symbol in a JSON text of any MXNet version."""
    if not isinstance(json_str, (str, bytes)):
        raise ArgumentTypeError(f"load_json: json_str is a {type(json_str).__name__}, not text")
    return from_json(json_str)


fromjson = load_json
