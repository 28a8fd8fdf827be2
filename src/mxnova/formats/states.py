# SPDX-License-Identifier: Apache-2.0
"""Optimizer states (`.states`): the pickles that gluon's Trainer and Module write.

A file holds the states by index, alone (Module) or in a pair with the optimizer (Trainer). Behind
states that are alone, mxnova writes a second pickle: the progress of the optimizer. `pickle.loads`
ignores bytes behind a pickle, so MXNet reads such a file as one of its own. All of it is read by
`inert_pickle`, so that no code of a file ever runs.
"""

from __future__ import annotations

import codecs
import dataclasses
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from mxnova.core.base.errors import ArgumentTypeError, FormatError

from .inert_pickle import Global, Instance, LongText, loads_next
from .kinds import what_it_is
from .params import ArrayRecord, dumps_array, loads_array
from .pickle_writer import dumps
from .source import Readable, Source

__all__ = ["ObjectRecord", "StatesFile", "dumps_states", "read_states"]

Key: TypeAlias = "int | str"

_PICKLE = b"\x80"  # how one begins, from protocol 2 on
_MAX_DEPTH, _MAX_ARGS = 32, 4
# Bytes of memory that a resolved container, and an item of it, take at most (tracemalloc).
_CONTAINER_COST, _ITEM_COST = 96, 104


@dataclass(frozen=True, slots=True, eq=False)
class ObjectRecord:
    """An object as a pickle describes it, such as an optimizer; its class was not imported.

    Attributes:
        module: Where the class is said to be, such as "mxnet.optimizer.optimizer".
        name: The name of the class.
        state: Its attributes: plain data, arrays, further objects (an lr_scheduler).
    """

    module: str
    name: str
    state: dict[Key, object]


class StatesFile(NamedTuple):
    """The content of a `.states` file.

    Attributes:
        states: By parameter index: None, an `ArrayRecord`, or nested tuples of those, as the
            optimizer made them.
        optimizer: The optimizer, if it was saved as well.
        progress: The attributes of the optimizer that its updates change, by name, such as
            ``num_update``; None in files of MXNet and where `optimizer` contains them.
    """

    states: dict[Key, object]
    optimizer: ObjectRecord | None
    progress: dict[str, object] | None = None


# -- reading


def read_states(source: Readable) -> StatesFile:
    """The states, and the optimizer if it is there, of a path, bytes or a binary stream.

    Pickles of all protocols are read, those of Python 2 included. An object of any class becomes
    an `ObjectRecord`, a class that is a value a `Global`, a NumPy number a plain one. Arrays own
    their memory, and what the pickle shares is copied. Calls are refused, but for the few that
    make arrays and bytes.

    Raises:
        FormatError: not a pickle, not one of states, or one that would do more than hold data.
        OSError: the path cannot be read.
    """
    opened = Source(source)
    resolver = _Resolver(opened)
    try:
        raw, end = loads_next(opened, 0)
        value = resolver.value(raw)
    except FormatError as error:
        raise FormatError(f"{error}{what_it_is(opened.view, _PICKLE)}") from None
    states, optimizer = value if type(value) is tuple and len(value) == 2 else (value, None)
    if type(states) is not dict or not isinstance(optimizer, (ObjectRecord, type(None))):
        raise FormatError(
            f"{opened.name}: a pickled {type(value).__name__}, "
            "expected states by index, alone or in a pair with an optimizer"
        )
    return StatesFile(states, optimizer, _read_progress(resolver, end))


def _read_progress(resolver: _Resolver, offset: int) -> dict[str, object] | None:
    """Return the dictionary in the pickle at `offset`, or None where no pickle begins."""
    source = resolver.source
    if source.view[offset : offset + 1] != _PICKLE:
        return None
    value = resolver.value(loads_next(source, offset)[0])
    if type(value) is not dict or not all(isinstance(name, str) for name in value):
        raise source.error(
            "progress of the optimizer", offset,
            f"a pickled {type(value).__name__}, expected a dictionary of attributes by name",
        )  # fmt: skip
    return value


class _Resolver:
    """Turns an inert pickle into the values it stands for: a tree, in which nothing is shared.

    Each item is charged each time, so that a small pickle whose parts contain each other many
    times cannot become a large tree.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def value(self, raw: object, depth: int = 0) -> Any:
        """What `raw` stands for."""
        if isinstance(raw, (Instance, tuple, list, dict)):
            if depth == _MAX_DEPTH:
                raise self.error(f"nested more than {_MAX_DEPTH} deep")
            n_items = 0 if isinstance(raw, Instance) else len(raw)
            self.charge(_CONTAINER_COST + _ITEM_COST * n_items)
        if isinstance(raw, Instance):
            return self.instance(raw, depth + 1)
        if isinstance(raw, dict):
            return {key: self.value(item, depth + 1) for key, item in raw.items()}
        if isinstance(raw, (tuple, list)):
            return type(raw)([self.value(item, depth + 1) for item in raw])
        return self.copied(raw) if isinstance(raw, (memoryview, LongText)) else raw

    def instance(self, raw: Instance, depth: int) -> object:
        """What a call or an object stands for."""
        if raw.is_object and not raw.args:
            return self.object_record(raw.callee, raw.state, depth)
        resolve = None if raw.is_object else _CALLS.get(_location(raw.callee))
        if resolve is None:
            called = f"{raw.callee.module:.80}.{raw.callee.name:.80}"
            raise self.error(f"it calls {called}, which reading never does")
        if len(raw.args) > _MAX_ARGS:  # as they may be shared, slicing many could be quadratic
            raise self.error(f"a call with {len(raw.args)} arguments")
        return resolve(self, raw, depth)

    def object_record(self, cls: Global, state: object, depth: int) -> ObjectRecord:
        """An object of any class."""
        attributes = {} if state is None else state
        if not isinstance(attributes, dict):
            raise self.error(f"an object of {cls.name:.80} whose state is no dictionary")
        return ObjectRecord(cls.module, cls.name, self.value(attributes, depth))

    def old_object(self, raw: Instance, depth: int) -> ObjectRecord:
        """An object of protocols 0 and 1: ``_reconstructor(cls, object, None)``."""
        cls = self.part(raw.args, 0, Global)
        if raw.args[2:] != (None,):
            raise self.error(f"an object of {cls.name:.80} with the value of a base class")
        return self.object_record(cls, raw.state, depth)

    def array(self, raw: Instance, _depth: int) -> ArrayRecord | None:
        """An NDArray: its state holds the bytes that `loads_array` reads."""
        handle = self.part((raw.state,), 0, dict).get("handle")
        if handle is None:
            return None
        return self.array_record(self.buffer(handle))

    def own_sparse(self, raw: Instance, _depth: int) -> ArrayRecord | None:
        """A sparse array as `pickle` writes one of ours: its bytes, and its context."""
        return self.array_record(self.buffer(self.part(raw.args, 0, object)))

    def array_record(self, content: memoryview) -> ArrayRecord | None:
        """The array in bytes that `loads_array` reads."""
        record = loads_array(self.source.part("pickle", content))
        is_decoded = content.obj is not self.source.view.obj
        if record is None or record.data.flags.owndata or is_decoded:
            return record
        self.charge(record.data.nbytes)
        return dataclasses.replace(record, data=record.data.copy())

    def bytes_value(self, raw: Instance, _depth: int) -> bytes:
        """Bytes, or the bytearray of them."""
        return self.copied(raw)

    def numpy_scalar(self, raw: Instance, _depth: int) -> Any:
        """A NumPy number: ``scalar(dtype, bytes)``."""
        return self.numpy_values((), self.part(raw.args, 0, Instance), raw.args[1:])[()].item()

    def numpy_array(self, raw: Instance, _depth: int) -> Any:
        """A NumPy array, whose state is (version, shape, dtype, is Fortran, bytes)."""
        state = self.part((raw.state,), 0, tuple)[:5]
        shape, dtype = self.part(state, 1, tuple), self.part(state, 2, Instance)
        return self.numpy_values(shape, dtype, state[4:], "F" if state[3:4] == (True,) else "C")

    def numpy_buffer(self, raw: Instance, _depth: int) -> Any:
        """A NumPy array of protocol 5: ``_frombuffer(bytes, dtype, shape, order)``."""
        dtype, shape = self.part(raw.args, 1, Instance), self.part(raw.args, 2, tuple)
        return self.numpy_values(shape, dtype, raw.args, "F" if raw.args[3:] == ("F",) else "C")

    def numpy_values(
        self, shape: tuple[Any, ...], dtype: Instance, content: tuple[object, ...], order: Any = "C"
    ) -> Any:
        """The NumPy array of a dtype (``dtype("f8", False, True)``, then its state) and bytes."""
        code = self.part(dtype.args, 0, str)
        byte_order = self.part((dtype.state or (3, "|"),), 0, tuple)[1:2]
        is_dtype = _location(dtype.callee) == ("numpy", "dtype") and code in _NUMPY_CODES
        if not is_dtype or byte_order not in (("<",), ("|",), ("=",)):
            raise self.error(f"NumPy dtype {code[:20]!r}, expected little-endian numbers")
        if len(shape) > _MAX_DEPTH or any(type(n) is not int or n < 0 for n in shape):
            raise self.error("a NumPy array without a proper shape")
        values = self.buffer(self.part(content, 0, object))
        if len(values) != math.prod(shape) * np.dtype(code).itemsize or not values:
            raise self.error(f"a NumPy array of {len(values)} bytes for shape {shape}")
        self.charge(len(values) + _CONTAINER_COST)
        return np.ndarray(shape, code, bytearray(values), order=order)

    def copied(self, raw: object) -> bytes:
        """Bytes of their own."""
        content = self.buffer(raw)
        self.charge(len(content))
        return bytes(content)

    def buffer(self, raw: object) -> memoryview:
        """Return bytes, stored as such in the pickle or as the text of older protocols."""
        for _ in range(_MAX_DEPTH):
            if isinstance(raw, memoryview):
                return raw
            if isinstance(raw, str):
                raw = LongText(memoryview(raw.encode("utf-8", "surrogatepass")), "utf-8")
            if isinstance(raw, LongText):
                return self.decoded(raw)
            if not isinstance(raw, Instance) or _CALLS.get(_location(raw.callee)) is not _BYTES:
                break
            if len(raw.args) > 2 or raw.args[1:] not in ((), ("latin-1",), ("latin1",)):
                break
            raw = raw.args[0] if raw.args else memoryview(b"")
        raise self.error("no bytes where bytes are expected")

    def decoded(self, text: LongText) -> memoryview:
        """One byte for each character; in steps, to keep the temporaries small."""
        self.charge(len(text.encoded))
        decoder = codecs.getincrementaldecoder(text.encoding)()
        result = bytearray()
        try:
            for start in range(0, len(text.encoded), _STEP):
                result += decoder.decode(text.encoded[start : start + _STEP]).encode("latin-1")
            result += decoder.decode(b"", final=True).encode("latin-1")
        except UnicodeError:
            raise self.error("text that stands for bytes, but holds other characters") from None
        return memoryview(result)

    def part(self, parts: tuple[Any, ...], index: int, kind: type[_T]) -> _T:
        """One of `parts`, which must be there and be a `kind`."""
        value = parts[index] if index < len(parts) else None
        if isinstance(value, kind):
            return value
        raise self.error(f"a {kind.__name__} is missing in a call")

    def charge(self, n_bytes: int) -> None:
        """Takes `n_bytes` from the memory budget."""
        self.source.charge(n_bytes, "pickle")

    def error(self, reason: str) -> FormatError:
        """The error for a pickle that is well formed, but not one of states."""
        return self.source.error("pickle", None, reason)


_T = TypeVar("_T")
_STEP = 1 << 16
_NUMPY_CODES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
_BYTES = _Resolver.bytes_value

_CALLS: dict[tuple[str, str], Callable[[_Resolver, Instance, int], object]] = {
    ("builtins", "bytearray"): _BYTES,
    ("_codecs", "encode"): _BYTES,
    ("copyreg", "_reconstructor"): _Resolver.old_object,
    ("numpy._core.multiarray", "scalar"): _Resolver.numpy_scalar,
    ("numpy._core.multiarray", "_reconstruct"): _Resolver.numpy_array,
    ("numpy._core.numeric", "_frombuffer"): _Resolver.numpy_buffer,
    ("mxnet.ndarray", "NDArray"): _Resolver.array,
    ("mxnet.ndarray.ndarray", "NDArray"): _Resolver.array,
    ("mxnet.ndarray.sparse", "CSRNDArray"): _Resolver.array,
    ("mxnet.ndarray.sparse", "RowSparseNDArray"): _Resolver.array,
    ("mxnet.numpy", "ndarray"): _Resolver.array,
    ("mxnet.numpy.multiarray", "ndarray"): _Resolver.array,
    ("mxnova.core.nd.array", "NDArray"): _Resolver.array,
    ("mxnova.core.nd.numpy_array", "ndarray"): _Resolver.array,
    ("mxnova.core.nd.sparse", "_unpickled"): _Resolver.own_sparse,
}
_RENAMED_MODULES = {
    "__builtin__": "builtins",
    "copy_reg": "copyreg",
    "numpy.core.multiarray": "numpy._core.multiarray",
    "numpy.core.numeric": "numpy._core.numeric",
}


def _location(name: Global) -> tuple[str, str]:
    return _RENAMED_MODULES.get(name.module, name.module), name.name


# -- writing


def dumps_states(
    states: Mapping[Key, object],
    optimizer: ObjectRecord | None = None,
    *,
    progress: Mapping[str, object] | None = None,
    np_shape: bool = False,
    classes: Collection[Global] = (),
) -> bytes:
    """The pickle of `states` that MXNet 1.9.1 loads, in a pair with the optimizer if one is given.

    Args:
        states: By parameter index, as in `StatesFile`.
        optimizer: Loaded by MXNet as an object of the class it names.
        progress: As in `StatesFile`; MXNet ignores it.
        np_shape: Write arrays for a program that has NumPy shape semantics on; see `params.write`.
        classes: Classes that objects may have beside MXNet's: those that the caller answers for.

    Raises:
        ArgumentError: an array that this form cannot hold, or an object of a class that is neither
            MXNet's nor among `classes`: loading it would run code that nobody answers for.
        ArgumentTypeError: a value that is no plain data.
    """

    def describe(value: object) -> Instance:
        if isinstance(value, ArrayRecord):
            content = Instance(_BYTEARRAY, (dumps_array(value, np_shape=np_shape),))
            return Instance(_ARRAY_CLASSES[value.stype], (None,), {"handle": content})
        if isinstance(value, ObjectRecord):
            return Instance(Global(value.module, value.name), (), value.state, is_object=True)
        raise ArgumentTypeError(f"a {type(value).__name__} has no place in optimizer states")

    def allow(name: Global) -> bool:
        is_mxnet = name.module.split(".")[0] == "mxnet" and name.name.isidentifier()
        return is_mxnet or name == _BYTEARRAY or name in classes

    plain = dict(states)
    content = dumps(plain if optimizer is None else (plain, optimizer), describe, allow)
    return content if progress is None else content + dumps(dict(progress), describe, allow)


_BYTEARRAY = Global("builtins", "bytearray")
_ARRAY_CLASSES = {
    "default": Global("mxnet.ndarray.ndarray", "NDArray"),
    "row_sparse": Global("mxnet.ndarray.sparse", "RowSparseNDArray"),
    "csr": Global("mxnet.ndarray.sparse", "CSRNDArray"),
}
