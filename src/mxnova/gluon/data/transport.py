# SPDX-License-Identifier: Apache-2.0
"""How arrays go from one process to another: in shared memory, of which pickles carry the place."""

from __future__ import annotations

import io
import multiprocessing
import multiprocessing.queues
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any, cast

from mxnova import ndarray as nd
from mxnova.context import Context
from mxnova.core.nd import sharing
from mxnova.core.nd.numpy_array import ndarray as np_ndarray
from mxnova.core.nd.wrapping import wrap
from mxnova.core.runtime.shared_memory import n_blocks

__all__ = [
    "ConnectionWrapper",
    "Queue",
    "SimpleQueue",
    "dump",
    "rebuild_ndarray",
    "rebuild_np_ndarray",
    "reduce_ndarray",
    "reduce_np_ndarray",
    "settled",
]


_SHARED = Context("cpu_shared", 0)


def reduce_ndarray(data: nd.NDArray) -> Any:
    """Pickle an array by its location in shared memory, to which it is copied if needed.

    Only one process can unpickle it, once.
    """
    if not data.size:
        return data.__reduce__()
    address, _, dtype, shape, offset = sharing.reduce_array(data.as_in_context(_SHARED))
    pid, *rest = address
    return rebuild_ndarray, (pid, (*rest, offset), shape, dtype)


def rebuild_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: Any) -> nd.NDArray:
    """The array that another process has in shared memory.

    Args:
        pid: that process.
        fd: what finds the memory there.
        shape: shape of the array.
        dtype: its element type.
    """
    *rest, offset = fd
    return sharing.rebuild_array((pid, *rest), _SHARED, dtype, shape, offset)


def reduce_np_ndarray(data: np_ndarray) -> Any:
    """`reduce_ndarray` of an array of `mx.np`."""
    rebuild, facts = reduce_ndarray(data)
    return (rebuild_np_ndarray if rebuild is rebuild_ndarray else rebuild), facts


def rebuild_np_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: Any) -> np_ndarray:
    """`rebuild_ndarray` of an array of `mx.np`."""
    return cast("np_ndarray", rebuild_ndarray(pid, fd, shape, dtype).as_np_ndarray())


_REDUCERS = {nd.NDArray: reduce_ndarray, np_ndarray: reduce_np_ndarray}


def dump(value: Any, file: Any) -> None:
    """Pickles `value` into `file`, its arrays as places in shared memory."""
    pickler = ForkingPickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {**pickler.dispatch_table, **cast(dict[type, Any], _REDUCERS)}
    pickler.dump(value)


def _dumps(value: Any) -> bytes:
    buffer = io.BytesIO()
    dump(value, buffer)
    return buffer.getvalue()


class ConnectionWrapper:
    """A connection whose messages have their arrays in shared memory."""

    def __init__(self, conn: Any):
        self._conn = conn

    def send(self, obj: Any) -> None:
        """Sends a message."""
        self._conn.send_bytes(_dumps(obj))

    def recv(self) -> Any:
        """The next message."""
        return pickle.loads(self._conn.recv_bytes())

    def __getattr__(self, name: str) -> Any:
        if name == "_conn":  # asked for while it is unpickled
            raise AttributeError(name)
        return getattr(self._conn, name)


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg]
    """multiprocessing's queue, with arrays in shared memory."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, ctx=multiprocessing.get_context(), **kwargs)

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Adds an object."""
        super().put(_dumps(obj), block, timeout)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove and return the oldest object."""
        return pickle.loads(super().get(block, timeout))


class SimpleQueue(multiprocessing.queues.SimpleQueue):  # type: ignore[type-arg]
    """multiprocessing's simple queue, with arrays in shared memory."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, ctx=multiprocessing.get_context(), **kwargs)

    def put(self, obj: Any) -> None:
        """Adds an object."""
        super().put(_dumps(obj))

    def get(self) -> Any:
        """Remove and return the oldest object."""
        return pickle.loads(super().get())


def _as_in_context(data: Any, ctx: Context) -> Any:
    """`data` with its arrays on `ctx`; tuples become lists, whatever else is in it stays."""
    if isinstance(data, nd.NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, (list, tuple)):
        return [_as_in_context(part, ctx) for part in data]
    return data


# Each block of shared memory takes two of the files that a process may have open, often 256 or
# 1024: whoever collects batches gets copies from here on.
_MANY_BLOCKS = 64


def settled(batch: Any) -> Any:
    """`batch`, or a copy in ordinary memory while many blocks of shared memory are in use."""
    return batch if n_blocks() <= _MANY_BLOCKS else _copied(batch)


def _copied(data: Any) -> Any:
    if isinstance(data, nd.NDArray) and data.stype == "default":
        return wrap(data._tensor.clone(), data.context, type(data))
    if type(data) in (list, tuple):
        return type(data)(_copied(part) for part in data)
    if type(data) is dict:
        return {key: _copied(part) for key, part in data.items()}
    return data
