# SPDX-License-Identifier: Apache-2.0
"""Pickles as data: nothing that a pickle names is imported, looked up or called.

Numbers, text, bytes, tuples, lists and dictionaries are built as they are; a class or function is
the `Global` of its name, and what it was to build is an `Instance` that holds the arguments and
the state. Reading takes linear time, no recursion, and memory within the budget of `Source`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mxnova.core.base.errors import FormatError

from .source import Source

__all__ = ["MAX_INT", "Global", "Instance", "LongText", "loads", "loads_next"]

# Bytes of memory that one opcode takes at most (tracemalloc): one that only puts a value that
# exists on the stack, any other, and what a view of bytes takes beside it.
_PUSH_COST, _OPCODE_COST, _VIEW_COST = 16, 100, 120
_PUSHES = b"NKhj)\x88\x89"
_MAX_TEXT = 1 << 16
MAX_INT = 255  # bytes of an integer
_MAX_KEY = 1 << 60  # larger integers have colliding hashes, and dictionaries of them take O(n²)
_MAX_LINE = 512


@dataclass(frozen=True, slots=True)
class Global:
    """The name of a class or function."""

    module: str
    name: str


@dataclass(slots=True, eq=False)
class Instance:
    """An object that a pickle builds: `callee(*args)`, then given `state`; it is not executed.

    Attributes:
        is_object: Made without calling `__init__` (``callee.__new__(callee, *args)``).
    """

    callee: Global
    args: tuple[object, ...] = ()
    state: object = None
    is_object: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LongText:
    """Text of more than 64 KiB, still encoded: arrays in pickles older than Python 3 are such."""

    encoded: memoryview
    encoding: str


def loads(source: Source) -> object:
    """The value that the pickle in `source` describes.

    Bytes are views of the source.

    Raises:
        FormatError: not a pickle, one of more than plain data, or beyond the memory budget.
    """
    return loads_next(source, 0)[0]


def loads_next(source: Source, offset: int) -> tuple[object, int]:
    """Return the value of the pickle that starts at `offset`, and the offset of its end.

    Raises:
        FormatError: as for `loads`.
    """
    machine = _Machine(source, offset)
    return machine.run(), machine.offset


class _Machine:
    """The stack machine of pickle, protocols 0 to 5."""

    def __init__(self, source: Source, offset: int) -> None:
        self.source = source
        self.bytes = source.view
        self.offset = offset
        self.start = 0  # of the current opcode
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []
        self.memo: dict[int, object] = {}

    def run(self) -> object:
        """The value that is on the stack when the pickle stops."""
        while True:
            self.start = self.offset
            (opcode,) = self.take(1)
            if opcode == _STOP:
                if len(self.stack) != 1 or self.marked:
                    raise self.error(f"stops with {len(self.stack)} values on the stack")
                return self.stack[0]
            step = _STEPS.get(opcode)
            if step is None:
                raise self.error(f"opcode {bytes([opcode])!r} is not one of plain data")
            self.charge(_PUSH_COST if opcode in _PUSHES else _OPCODE_COST)
            step(self)

    # -- reading

    def take(self, n_bytes: int) -> memoryview:
        """The next `n_bytes`."""
        end = self.offset + n_bytes
        if end > len(self.bytes):
            left = len(self.bytes) - self.offset
            raise self.error(f"{n_bytes} bytes wanted, {left} are left")
        piece = self.bytes[self.offset : end]
        self.offset = end
        return piece

    def unpack(self, layout: struct.Struct) -> Any:
        """The one number of `layout`."""
        return layout.unpack(self.take(layout.size))[0]

    def sized(self, layout: struct.Struct) -> memoryview:
        """Read bytes with a length prefix."""
        size = self.unpack(layout)
        if size < 0:
            raise self.error(f"{size} bytes")
        return self.take(size)

    def line(self) -> memoryview:
        """The bytes up to the end of the line, looked for in growing steps: linear in the line."""
        begin = end = self.offset
        step = 64
        while end < len(self.bytes):
            found = bytes(self.bytes[end : end + step]).find(b"\n")
            if found >= 0:
                self.offset = end + found + 1
                return self.bytes[begin : end + found]
            end += step
            step = min(2 * step, _MAX_TEXT)
        raise self.error("a line without an end")

    def short_line(self) -> str:
        """A line of ASCII: a number or a name."""
        line = self.line()
        if len(line) > _MAX_LINE:
            raise self.error(f"a line of {len(line)} bytes, expected at most {_MAX_LINE}")
        return self.decode(line, "ascii")

    def decode(self, piece: memoryview, encoding: str) -> str:
        """Short text."""
        try:
            return str(piece, encoding)
        except UnicodeDecodeError as error:
            raise self.error(f"not {encoding}: {error.reason}") from None

    def charge(self, n_bytes: int) -> None:
        """Takes `n_bytes` from the memory budget."""
        self.source.charge(n_bytes, "pickle", self.start)

    def error(self, reason: str) -> FormatError:
        """The error for the current opcode."""
        return self.source.error("pickle", self.start, reason)

    # -- the stack

    def push(self, value: object) -> None:
        """Puts `value` on the stack."""
        self.stack.append(value)

    def pop(self) -> Any:
        """Takes the topmost value."""
        if not self.stack:
            raise self.error("the stack is empty")
        return self.stack.pop()

    def pop_many(self, n: int) -> tuple[Any, ...]:
        """Takes the `n` topmost values."""
        if len(self.stack) < n:
            raise self.error("the stack is empty")
        values = tuple(self.stack[-n:])
        del self.stack[-n:]
        return values

    def pop_marked(self) -> list[Any]:
        """Takes the values above the last mark."""
        if not self.marked:
            raise self.error("no mark on the stack")
        values, self.stack = self.stack, self.marked.pop()
        return values

    def top(self, kind: type) -> Any:
        """The topmost value, which must be a `kind`."""
        if not self.stack or type(self.stack[-1]) is not kind:
            raise self.error(f"expected {kind.__name__} on the stack")
        return self.stack[-1]

    # -- opcodes

    def mark(self) -> None:
        """Opens a group of values."""
        self.marked.append(self.stack)
        self.stack = []

    def protocol(self) -> None:
        """Announces the protocol."""
        (number,) = self.take(1)
        if number > 5:
            raise self.error(f"protocol {number}, expected at most 5")

    def frame(self) -> None:
        """Announces the length of what follows."""
        self.take(8)

    def integer_line(self) -> None:
        """An integer in decimal, or one of the old spellings of truth."""
        line = self.short_line()
        self.push(line == "01" if line in ("00", "01") else self.number(int, line.rstrip("L")))

    def float_line(self) -> None:
        """A floating-point number in decimal."""
        self.push(self.number(float, self.short_line()))

    def number(self, kind: type[int] | type[float], text: str) -> int | float:
        """The number that `text` spells."""
        try:
            return kind(text)
        except ValueError:
            raise self.error(f"{text!r} is not a number") from None

    def long(self, piece: memoryview) -> None:
        """An integer in two's complement."""
        if len(piece) > MAX_INT:
            raise self.error(f"an integer of {len(piece)} bytes, expected at most {MAX_INT}")
        self.push(int.from_bytes(piece, "little", signed=True))

    def view(self, layout: struct.Struct) -> None:
        """Bytes behind their number, as a view."""
        self.charge(_VIEW_COST)
        self.push(self.sized(layout))

    def text(self, piece: memoryview, encoding: str) -> None:
        """Text, left encoded if it is long."""
        if len(piece) > _MAX_TEXT:
            self.charge(2 * _VIEW_COST)
            self.push(LongText(piece, encoding))
            return
        self.charge(4 * len(piece))
        self.push(self.decode(piece, encoding))

    def quoted_line(self) -> None:
        """A Python 2 string as its repr: each byte becomes the character of its number."""
        line = self.line()
        if len(line) > _MAX_TEXT or not _QUOTED.fullmatch(line):
            raise self.error("not a quoted string of at most 64 KiB")
        self.charge(4 * len(line))
        self.push(_ESCAPE.sub(_unescape, bytes(line[1:-1])).decode("latin-1"))

    def tuple_of_marked(self) -> None:
        """A tuple of the values above the mark."""
        values = self.pop_marked()
        self.push(tuple(values))

    def list_of_marked(self) -> None:
        """A list of the values above the mark."""
        values = self.pop_marked()
        self.push(values)

    def dict_of_marked(self) -> None:
        """A dictionary of the keys and values above the mark."""
        values = self.pop_marked()
        self.push({})
        self.set_items(values)

    def append(self) -> None:
        """Appends one value to the list below it."""
        value = self.pop()
        self.top(list).append(value)

    def append_marked(self) -> None:
        """Appends the values above the mark to the list below it."""
        values = self.pop_marked()
        self.top(list).extend(values)

    def set_items(self, values: list[Any] | tuple[Any, ...]) -> None:
        """Stores keys and values in the dictionary on the stack."""
        target = self.top(dict)
        if len(values) % 2:
            raise self.error("a key without a value")
        for key in values[::2]:
            if type(key) not in (int, str, bool) or (type(key) is int and abs(key) >= _MAX_KEY):
                raise self.error(
                    f"key of type {type(key).__name__}, expected text or a small integer"
                )
        target.update(zip(values[::2], values[1::2], strict=True))

    def global_lines(self) -> None:
        """A name in two lines."""
        self.push(Global(self.short_line(), self.short_line()))

    def global_of_stack(self) -> None:
        """A name from two texts on the stack."""
        module, name = self.pop_many(2)
        if type(module) is not str or type(name) is not str:
            raise self.error("a global whose name is not text")
        self.push(Global(module, name))

    def instance(self, is_object: bool) -> None:
        """What a callee makes of arguments."""
        callee, args = self.pop_many(2)
        if type(callee) is not Global or type(args) is not tuple:
            raise self.error("a call of something that is not a name")
        self.push(Instance(callee, args, None, is_object))

    def build(self) -> None:
        """Gives an object its state."""
        state = self.pop()
        target = self.top(Instance)
        if target.state is not None:
            raise self.error("a second state for one object")
        target.state = state

    def remember(self, index: int) -> None:
        """Stores the topmost value under `index`."""
        if not self.stack:
            raise self.error("the stack is empty")
        self.memo[index] = self.stack[-1]

    def recall(self, index: int) -> None:
        """Puts the value that was stored under `index` on the stack."""
        if index not in self.memo:
            raise self.error(f"nothing is stored under {index}")
        self.push(self.memo[index])

    def index_line(self) -> int:
        """An index of the memo in decimal."""
        index = int(self.number(int, self.short_line()))
        if not 0 <= index < 1 << 32:
            raise self.error(f"index {index}, expected 0 to 2**32 - 1")
        return index


_QUOTED = re.compile(rb"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\", b"'": b"'", b'"': b'"'}


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code[1:], 16)]) if len(code) == 3 else _ESCAPED.get(code, match[0])


_U8, _U16, _U32 = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<I")
_U64, _I32, _F64 = struct.Struct("<Q"), struct.Struct("<i"), struct.Struct(">d")
_STOP = ord(".")

# fmt: off
_STEPS: dict[int, Callable[[_Machine], object]] = {code[0]: step for code, step in {
    b"\x80": _Machine.protocol,
    b"\x95": _Machine.frame,
    b"(":    _Machine.mark,
    b"N":    lambda m: m.push(None),
    b"\x88": lambda m: m.push(True),
    b"\x89": lambda m: m.push(False),
    b"I":    _Machine.integer_line,
    b"L":    _Machine.integer_line,
    b"J":    lambda m: m.push(m.unpack(_I32)),
    b"K":    lambda m: m.push(m.unpack(_U8)),
    b"M":    lambda m: m.push(m.unpack(_U16)),
    b"\x8a": lambda m: m.long(m.sized(_U8)),
    b"\x8b": lambda m: m.long(m.sized(_I32)),
    b"F":    _Machine.float_line,
    b"G":    lambda m: m.push(m.unpack(_F64)),
    b"S":    _Machine.quoted_line,
    b"T":    lambda m: m.text(m.sized(_I32), "latin-1"),
    b"U":    lambda m: m.text(m.sized(_U8), "latin-1"),
    b"V":    lambda m: m.text(m.line(), "raw-unicode-escape"),
    b"X":    lambda m: m.text(m.sized(_U32), "utf-8"),
    b"\x8c": lambda m: m.text(m.sized(_U8), "utf-8"),
    b"\x8d": lambda m: m.text(m.sized(_U64), "utf-8"),
    b"B":    lambda m: m.view(_U32),
    b"C":    lambda m: m.view(_U8),
    b"\x8e": lambda m: m.view(_U64),
    b"\x96": lambda m: m.view(_U64),
    b")":    lambda m: m.push(()),
    b"t":    _Machine.tuple_of_marked,
    b"\x85": lambda m: m.push(m.pop_many(1)),
    b"\x86": lambda m: m.push(m.pop_many(2)),
    b"\x87": lambda m: m.push(m.pop_many(3)),
    b"]":    lambda m: m.push([]),
    b"l":    _Machine.list_of_marked,
    b"a":    _Machine.append,
    b"e":    _Machine.append_marked,
    b"}":    lambda m: m.push({}),
    b"d":    _Machine.dict_of_marked,
    b"s":    lambda m: m.set_items(m.pop_many(2)),
    b"u":    lambda m: m.set_items(m.pop_marked()),
    b"c":    _Machine.global_lines,
    b"\x93": _Machine.global_of_stack,
    b"R":    lambda m: m.instance(is_object=False),
    b"\x81": lambda m: m.instance(is_object=True),
    b"b":    _Machine.build,
    b"p":    lambda m: m.remember(m.index_line()),
    b"q":    lambda m: m.remember(m.unpack(_U8)),
    b"r":    lambda m: m.remember(m.unpack(_U32)),
    b"\x94": lambda m: m.remember(len(m.memo)),
    b"g":    lambda m: m.recall(m.index_line()),
    b"h":    lambda m: m.recall(m.unpack(_U8)),
    b"j":    lambda m: m.recall(m.unpack(_U32)),
}.items()}
# fmt: on
