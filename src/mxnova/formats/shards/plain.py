# SPDX-License-Identifier: Apache-2.0
"""Plain data as JSON, and the arrays in it apart, by name.

    None, True, 1, 0.5, "text", [list]    as JSON has them
    (1, 2)                                {"tuple": [1, 2]}
    {0: 1}                                {"dict": [[0, 1]]}
    b"bytes"                              {"bytes": base64}
    inf, an integer of 19 digits          {"float": "inf"}, {"int": "1000000000000000000"}
    a NumPy array                         {"numpy": name}
    an array of MXNet's                   {"array": name}
    an object, by its class's name        {"object": [module, class], "state": {"dict": ...}}

What is shared is written each time.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mxnova.core.base.dtypes import dtype_of
from mxnova.core.base.errors import ArgumentTypeError, FormatError, shown

from ..params import ArrayRecord
from ..states import ObjectRecord

__all__ = ["Encoder", "decode"]

_MAX_DEPTH = 30
_MAX_DIGITS = 4000
_EXACT = 10**18  # integers of fewer digits are read as JSON has them
_INTEGER = re.compile(rf"-?\d{{1,{_MAX_DIGITS}}}")


class Encoder:
    """Turns values into JSON.

    Args:
        prefix: what names of arrays begin with.

    Attributes:
        arrays: those that were found, by name.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.arrays: dict[str, ArrayRecord] = {}

    def encode(self, value: Any, path: str = "", depth: int = 0) -> Any:
        """`value` as JSON has it.

        Raises:
            ArgumentTypeError: it, or a part of it, is no plain data.
        """
        if depth > _MAX_DEPTH:
            raise ArgumentTypeError(f"checkpoint: {path}: nests more than {_MAX_DEPTH} deep")
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if -_EXACT < value < _EXACT else {"int": _digits(value)}
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, bytes):
            return {"bytes": base64.b64encode(value).decode()}
        if isinstance(value, (np.ndarray, ArrayRecord)):
            return self._array(value, path)
        return self._container(value, path, depth + 1)

    def _container(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, (list, tuple)):
            items = [self.encode(v, f"{path}.{i}", depth) for i, v in enumerate(value)]
            return items if isinstance(value, list) else {"tuple": items}
        if isinstance(value, Mapping):
            pairs = [
                [self.encode(k, path, depth), self.encode(v, f"{path}.{k}", depth)]
                for k, v in value.items()
            ]
            return {"dict": pairs}
        if isinstance(value, ObjectRecord):
            state = self._container(value.state, path, depth)
            return {"object": [value.module, value.name], "state": state}
        if isinstance(value, np.generic):
            return self.encode(value.item(), path, depth)
        raise ArgumentTypeError(
            f"checkpoint: {path or self._prefix}: {shown(value)}: must be plain data: numbers, "
            "text, arrays, containers of those"
        )

    def _array(self, value: Any, path: str) -> Any:
        name = f"{self._prefix}{path}"
        while name in self.arrays:
            name += "~"
        if isinstance(value, ArrayRecord):
            self.arrays[name] = value
            return {"array": name}
        whole = np.asarray(value, order="C")
        self.arrays[name] = ArrayRecord("default", whole.shape, dtype_of(whole), whole)
        return {"numpy": name}


def _digits(value: int) -> str:
    if value.bit_length() > 3 * _MAX_DIGITS:
        raise ArgumentTypeError(f"checkpoint: an integer of {value.bit_length()} bits")
    return str(value)


ArrayOf = Callable[[str, str], Any]


def decode(value: Any, array_of: ArrayOf) -> Any:
    """What was encoded.

    Args:
        value: as it was read of JSON.
        array_of: gives the array of a kind, "numpy" or "array", and a name. It is asked each time
            that a name stands there, and may refuse the second.

    Raises:
        FormatError: it was not written by `Encoder`.
    """
    if isinstance(value, list):
        return [decode(item, array_of) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"object", "state"}:
        return _object(value, array_of)
    if len(value) != 1:
        raise FormatError(f"{shown(value)}: no kind of data is written so")
    ((kind, content),) = value.items()
    if kind in ("tuple", "dict") and isinstance(content, list):
        return _container(kind, content, array_of)
    if isinstance(content, str) and kind in ("array", "numpy"):
        return array_of(kind, content)
    if not isinstance(content, str) or kind not in _ATOMS:
        raise FormatError(f"{shown(value)}: no kind of data is written so")
    return _ATOMS[kind](content)


def _container(kind: str, content: list[Any], array_of: ArrayOf) -> Any:
    if kind == "tuple":
        return tuple([decode(item, array_of) for item in content])
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in content):
        raise FormatError(f"{shown(content)}: must be pairs of keys and values")
    pairs = [[decode(k, array_of), decode(v, array_of)] for k, v in content]
    try:
        return dict(pairs)
    except TypeError as error:
        raise FormatError(f"{shown(content)}: a key: {error}") from None


def _object(value: dict[str, Any], array_of: ArrayOf) -> ObjectRecord:
    names, state = value["object"], decode(value["state"], array_of)
    is_named = isinstance(names, list) and len(names) == 2
    if not is_named or not all(isinstance(n, str) for n in names) or not isinstance(state, dict):
        raise FormatError(f"{shown(value)}: must be an object of a class with a state")
    return ObjectRecord(names[0], names[1], state)


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"{shown(text)}: no base64: {error}") from None


def _float(text: str) -> float:
    if text not in ("inf", "-inf", "nan"):
        raise FormatError(f"{shown(text)}: must be inf, -inf or nan")
    return float(text)


def _int(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise FormatError(f"{shown(text)}: must be an integer of at most {_MAX_DIGITS} digits")
    return int(text)


_ATOMS: dict[str, Callable[[str], Any]] = {"bytes": _bytes, "float": _float, "int": _int}
