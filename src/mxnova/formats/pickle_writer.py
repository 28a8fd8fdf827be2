# SPDX-License-Identifier: Apache-2.0
"""Pickles of plain data, and of calls that are described but not made: see `inert_pickle`."""

from __future__ import annotations

import struct
from collections.abc import Callable

from mxnova.core.base.errors import ArgumentError

from .inert_pickle import MAX_INT, Global, Instance

__all__ = ["dumps"]

_U8, _U32, _U64, _F64 = (struct.Struct(code) for code in ("<B", "<I", "<Q", ">d"))


def dumps(
    value: object, describe: Callable[[object], Instance], allow: Callable[[Global], bool]
) -> bytes:
    """The pickle (protocol 4) of plain data; what is shared in `value` stays shared.

    Args:
        value: None, numbers, text, bytes, tuples, lists, dictionaries, `Global`, `Instance`.
        describe: Tells how anything else is built.
        allow: Tells which names may be written.

    Raises:
        ArgumentError: a name that is not allowed, or an integer that is too large.
    """
    writer = _Writer(describe, allow)
    writer.value(value)
    return b"".join((b"\x80\x04", *writer.parts, b"."))


class _Writer:
    """The opcodes of a value, in order."""

    def __init__(
        self, describe: Callable[[object], Instance], allow: Callable[[Global], bool]
    ) -> None:
        self.describe = describe
        self.allow = allow
        self.parts: list[bytes | memoryview] = []
        self.memo: dict[int | Global, int] = {}
        self.described: list[Instance] = []  # alive, so that no id in the memo is used again

    def value(self, value: object) -> None:
        """Writes any value."""
        key = value if isinstance(value, Global) else id(value)
        if key in self.memo:
            self.parts.append(b"j" + _U32.pack(self.memo[key]))
        elif value is None or isinstance(value, (bool, int, float, str, bytes, memoryview)):
            self.atom(value)
        elif isinstance(value, tuple):
            self.group(value)
        else:
            self.shared(key, value)

    def shared(self, key: int | Global, value: object) -> None:
        """Writes what can be referred to again."""
        if isinstance(value, Global):
            if not self.allow(value):
                raise ArgumentError(f"{value.module}.{value.name} may not be named in this pickle")
            self.value(value.module)
            self.value(value.name)
            self.remember(b"\x93", key)
        elif isinstance(value, list):
            self.remember(b"]", key)
            self.parts.append(b"(")
            for item in value:
                self.value(item)
            self.parts.append(b"e")
        elif isinstance(value, dict):
            self.remember(b"}", key)
            self.parts.append(b"(")
            for name, item in value.items():
                self.value(name)
                self.value(item)
            self.parts.append(b"u")
        else:
            self.instance(key, value if isinstance(value, Instance) else self.describe(value))

    def instance(self, key: int | Global, instance: Instance) -> None:
        """Writes a call and the state after it."""
        self.described.append(instance)
        self.value(instance.callee)
        self.group(instance.args)
        self.remember(b"\x81" if instance.is_object else b"R", key)
        if instance.state is not None:
            self.value(instance.state)
            self.parts.append(b"b")

    def group(self, values: tuple[object, ...]) -> None:
        """Writes a tuple."""
        self.parts.append(b"(")
        for value in values:
            self.value(value)
        self.parts.append(b"t")

    def remember(self, opcode: bytes, key: int | Global) -> None:
        """Writes `opcode`, whose value can be referred to from here on."""
        self.memo[key] = len(self.memo)
        self.parts.append(opcode + b"\x94")

    def atom(self, value: bool | int | float | str | bytes | memoryview | None) -> None:
        """Writes what has no parts."""
        if value is None or isinstance(value, bool):
            self.parts.append({None: b"N", True: b"\x88", False: b"\x89"}[value])
        elif isinstance(value, int):
            size = value.bit_length() // 8 + 1
            if size > MAX_INT:
                raise ArgumentError(f"an integer of {size} bytes, expected at most {MAX_INT}")
            self.parts.append(
                b"\x8a" + _U8.pack(size) + value.to_bytes(size, "little", signed=True)
            )
        elif isinstance(value, float):
            self.parts.append(b"G" + _F64.pack(value))
        elif isinstance(value, str):
            encoded = value.encode("utf-8", "surrogatepass")
            self.parts.extend((b"\x8d" + _U64.pack(len(encoded)), encoded))
        else:
            self.parts.extend((b"\x8e" + _U64.pack(memoryview(value).nbytes), value))
