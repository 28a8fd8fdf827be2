# SPDX-License-Identifier: Apache-2.0
"""Iterators over files of data."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..core.base.handles import find, free, give
from ..io import MXDataIter
from ..io.parameters import ITERATORS, parameters_of
from .arguments import pairs
from .entry_points import extern
from .interface import ffi
from .returns import text_memory, texts_memory


class _Creator:
    """What makes iterators of one kind."""

    noun = "kind of iterator"

    def __init__(self, name: str) -> None:
        self.make = ITERATORS[name]
        fields = parameters_of(name)
        self.name = text_memory(name)
        self.text = text_memory((self.make.__doc__ or "").partition("\n")[0])
        self.count = len(fields)
        self.names, *self._kept_names = texts_memory(f.name for f in fields)
        self.kinds, *self._kept_kinds = texts_memory(f.type_text for f in fields)
        self.docs, *self._kept_docs = texts_memory("" for _ in fields)


class _Iterator:
    """An iterator, with the numbers of its samples, which C may look at."""

    noun = "iterator"

    def __init__(self, iterator: MXDataIter) -> None:
        self.iterator = iterator
        self.index = np.zeros(0, np.uint64)


@cache
def _creators() -> tuple[int, Any]:
    handles = [give(_Creator(name)) for name in sorted(ITERATORS)]
    return len(handles), ffi.new("uintptr_t[]", handles)


@extern
def MXListDataIters(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0] = _creators()


@extern
def MXDataIterGetIterInfo(
    creator: int,
    name: Any,
    description: Any,
    num_args: Any,
    arg_names: Any,
    arg_type_infos: Any,
    arg_descriptions: Any,
) -> None:
    told = find(creator, _Creator)
    name[0], description[0], num_args[0] = told.name, told.text, told.count
    arg_names[0], arg_type_infos[0], arg_descriptions[0] = told.names, told.kinds, told.docs


@extern
def MXDataIterCreateIter(handle: int, num_param: int, keys: Any, vals: Any, out: Any) -> None:
    options = pairs(num_param, keys, vals)
    out[0] = give(_Iterator(find(handle, _Creator).make(**options)))


@extern
def MXDataIterFree(handle: int) -> None:
    free(handle, _Iterator)


@extern
def MXDataIterNext(handle: int, out: Any) -> None:
    out[0] = find(handle, _Iterator).iterator.iter_next()


@extern
def MXDataIterBeforeFirst(handle: int) -> None:
    find(handle, _Iterator).iterator.reset()


@extern
def MXDataIterGetData(handle: int, out: Any) -> None:
    out[0] = give(find(handle, _Iterator).iterator.getdata())


@extern
def MXDataIterGetLabel(handle: int, out: Any) -> None:
    out[0] = give(find(handle, _Iterator).iterator.getlabel())


@extern
def MXDataIterGetIndex(handle: int, out_index: Any, out_size: Any) -> None:
    found = find(handle, _Iterator)
    found.index = np.ascontiguousarray(found.iterator.getindex(), np.uint64)
    out_index[0] = ffi.cast("uint64_t *", found.index.ctypes.data)
    out_size[0] = len(found.index)


@extern
def MXDataIterGetPadNum(handle: int, pad: Any) -> None:
    pad[0] = find(handle, _Iterator).iterator.getpad()
