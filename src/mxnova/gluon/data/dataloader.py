# SPDX-License-Identifier: Apache-2.0
"""DataLoader: batches of a dataset, made here, by threads, or by worker processes.

Batches of worker processes lie in shared memory, which the workers fill and this process maps;
nothing is copied on the way.
"""

from __future__ import annotations

import io
import itertools
import multiprocessing
import pickle
import weakref
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.pool import ThreadPool
from multiprocessing.reduction import ForkingPickler
from typing import Any

from mxnova import context
from mxnova.core.base.errors import ArgumentError, AssertedError, MXNetError, shown
from mxnova.core.base.html import fact_table
from mxnova.util import is_np_array, is_np_shape, set_np

from ...core.base.doors import facade, leave
from .batchify import default_batchify_fn, default_mp_batchify_fn
from .dataloader_v1 import (
    DataLoaderV1,
    _MultiWorkerIterV1,
    fetcher_loop_v1,
    worker_loop_v1,
)
from .sampler import batches_of
from .transport import (
    ConnectionWrapper,
    Queue,
    SimpleQueue,
    _as_in_context,
    dump,
    rebuild_ndarray,
    rebuild_np_ndarray,
    reduce_ndarray,
    reduce_np_ndarray,
    settled,
)
from .worker_pool import WorkerPool, WorkerTimeout

__all__ = [
    "ConnectionWrapper",
    "DataLoader",
    "DataLoaderV1",
    "ForkingPickler",
    "Queue",
    "SimpleQueue",
    "_MultiWorkerIter",
    "_MultiWorkerIterV1",
    "_as_in_context",
    "default_batchify_fn",
    "default_mp_batchify_fn",
    "fetcher_loop_v1",
    "rebuild_ndarray",
    "rebuild_np_ndarray",
    "reduce_ndarray",
    "reduce_np_ndarray",
    "worker_loop_v1",
]

# In workers: what they were given when they were started.
_worker_dataset: Any = None
_worker_batchify_fn: Any = None


def _worker_initializer(
    dataset: Any, active_shape: bool, active_array: bool, batchify_fn: Any = None
) -> None:
    global _worker_dataset, _worker_batchify_fn
    _worker_dataset, _worker_batchify_fn = dataset, batchify_fn
    set_np(shape=active_shape, array=active_array)


def _worker_fn(samples: Any, batchify_fn: Any, dataset: Any = None) -> bytes:
    """The batch of the elements `samples`, as bytes; its arrays lie in shared memory.

    Args:
        samples: indices.
        batchify_fn: what makes a batch of elements; None: what the worker was started with.
        dataset: default: what the worker was started with.
    """
    dataset = _worker_dataset if dataset is None else dataset
    batch = (batchify_fn or _worker_batchify_fn)(_elements(dataset, samples))
    buffer = io.BytesIO()
    dump(batch, buffer)
    return buffer.getvalue()


def _thread_worker_initializer(active_shape: bool, active_array: bool) -> None:
    set_np(shape=active_shape, array=active_array)


def _thread_worker_fn(samples: Any, batchify_fn: Any, dataset: Any) -> Any:
    """The batch of the elements `samples`."""
    return batchify_fn(_elements(dataset, samples))


def _elements(dataset: Any, samples: Any) -> list[Any]:
    """Those at the indices; data sets may leave out what is broken."""
    of_batch: Callable[[Any], list[Any]] | None = getattr(dataset, "__getitems__", None)
    return [dataset[i] for i in samples] if of_batch is None else of_batch(samples)


class _Rest:
    """What a sampler gives after `n_skipped` batches."""

    def __init__(self, sampler: Any, n_skipped: int):
        self._sampler, self._n_skipped = sampler, n_skipped

    def __len__(self) -> int:
        return max(len(self._sampler) - self._n_skipped, 0)

    def __iter__(self) -> Iterator[Any]:
        return itertools.islice(self._sampler, self._n_skipped, None)


class _Failed:
    """In the place of a batch whose indices could not be had: the error, when it is its turn."""

    def __init__(self, error: Exception):
        self._error = error

    def get(self, _timeout: float | None = None) -> Any:
        raise self._error


class _MultiWorkerIter:
    """The batches of one epoch, from a pool that makes some of them in advance.

    Args:
        worker_pool: a pool with `apply_async`: a WorkerPool, or one of multiprocessing's.
        batchify_fn: what makes a batch of elements.
        batch_sampler: gives the indices of each batch.
        pin_memory: copy batches into page-locked memory.
        pin_device_id: of which device.
        worker_fn: what the pool runs with (indices, batchify_fn, dataset).
        prefetch: how many batches are asked for in advance.
        dataset: for threads; where it is None, `worker_fn` gives pickled batches.
        data_loader: kept, so that it does not end the pool.
        timeout: seconds to wait for a batch.
    """

    def __init__(
        self,
        worker_pool: Any,
        batchify_fn: Callable[[list[Any]], Any] | None,
        batch_sampler: Any,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., Any] = _worker_fn,
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ):
        self._worker_pool = worker_pool
        self._batchify_fn = batchify_fn
        self._batch_sampler = batch_sampler
        self._data_buffer: dict[int, Any] = {}
        self._rcvd_idx = 0
        self._sent_idx = 0
        self._iter = iter(self._batch_sampler)
        self._worker_fn = worker_fn
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._dataset = dataset
        self._data_loader = data_loader
        self._timeout = timeout
        for _ in range(prefetch):
            if not self._push_next():
                break

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def _push_next(self) -> bool:
        """Has the next batch made; False if there is none."""
        try:
            samples = next(self._iter, None)
        except Exception as error:  # noqa: BLE001 - raised when its turn has come
            self._data_buffer[self._sent_idx] = _Failed(error)
            self._sent_idx += 1
            return False
        if samples is None:
            return False
        if not hasattr(samples, "__len__"):
            samples = list(samples)
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(
            self._worker_fn, (samples, self._batchify_fn, self._dataset)
        )
        self._sent_idx += 1
        return True

    def __next__(self) -> Any:
        try:
            self._push_next()
            if not self._data_buffer:
                self._tell(None)
                raise StopIteration
            result = self._data_buffer.pop(self._rcvd_idx)
            self._rcvd_idx += 1
            try:
                batch = self._received(result)
            except BaseException:
                self._data_buffer.clear()
                self._iter = iter(())
                raise
            self._tell(self._rcvd_idx)
            if self._pin_memory:
                return _as_in_context(batch, context.cpu_pinned(self._pin_device_id))
            return batch
        except Exception as error:
            leave(error)
            raise

    def _tell(self, n_given: int | None) -> None:
        """Tells a DataLoader how many batches of the epoch it has given out; None: it has ended."""
        if isinstance(self._data_loader, DataLoader):
            self._data_loader._note(n_given)

    def _received(self, result: Any) -> Any:
        try:
            batch = result.get(self._timeout)
        except multiprocessing.TimeoutError as error:
            if isinstance(self._worker_pool, WorkerPool):
                self._worker_pool.terminate()  # the next epoch starts others
            raise WorkerTimeout(
                f"DataLoader: no batch after timeout={self._timeout} seconds; transformations may "
                "be slow, a worker may wait for something, or have been killed"
            ) from error
        try:
            return settled(pickle.loads(batch) if self._dataset is None else batch)
        except MXNetError:  # what a worker shared went with it, if it has ended since
            if isinstance(self._worker_pool, WorkerPool):
                self._worker_pool.check_workers()
            raise

    def next(self) -> Any:
        """The next batch."""
        return self.__next__()

    def __iter__(self) -> Iterator[Any]:
        return self


class DataLoader:
    """The batches of a dataset, anew each time it is iterated over.

    Workers are started when it is made, and again where they were killed. Each draws other random
    numbers than the next, in Python's, NumPy's and mxnova's generators, which follow from the state
    of NumPy's when they are started.

    Args:
        dataset: what has a length and elements.
        batch_size: elements of a batch.
        shuffle: visit the elements in random order.
        sampler: the order of elements, instead of `shuffle`.
        last_batch: ``"keep"`` (the default), ``"discard"`` or ``"rollover"``, see BatchSampler.
        batch_sampler: gives the indices of each batch, instead of the four arguments before it.
        batchify_fn: makes a batch of a list of elements; default: `default_batchify_fn`, with
            workers `default_mp_batchify_fn`.
        num_workers: processes (or threads) that make batches; 0: they are made here.
        pin_memory: copy batches into page-locked memory, which GPUs read faster.
        pin_device_id: of which GPU.
        prefetch: batches that workers make in advance; default: two for each.
        thread_pool: use threads instead of processes.
        timeout: seconds to wait for a batch.
        auto_reload: start the next epoch as soon as one ends, before it is asked for.

    Raises:
        ArgumentError: arguments exclude each other, or the batch size is missing.
        AssertedError: `timeout` is not positive.

    Example:
        >>> loader = mx.gluon.data.DataLoader(mx.gluon.data.SimpleDataset([1.0, 2.0, 3.0]), 2)
        >>> [batch.asnumpy().tolist() for batch in loader]
        [[1.0, 2.0], [3.0]]
    """

    _worker_pool: Any = None
    _given: int | None = None  # batches of the running epoch
    _n_before = 0  # batches of that epoch, or the next one, before it went on from a state
    _n_skipped = 0  # those of them that the sampler does not know of
    auto_reload = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ):
        if timeout <= 0:
            raise AssertedError(f"DataLoader: timeout={timeout!r}: must be positive")
        self._dataset = dataset
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._thread_pool = thread_pool
        self._timeout = timeout
        self._batch_sampler = batches_of(
            dataset, batch_size, shuffle, sampler, last_batch, batch_sampler
        )
        self._num_workers = max(num_workers, 0)
        self._prefetch = max(0, 2 * self._num_workers if prefetch is None else int(prefetch))
        default = default_mp_batchify_fn if self._num_workers else default_batchify_fn
        self._batchify_fn = batchify_fn or default
        self._inherited_batchify_fn = self._batchify_fn
        self.auto_reload = auto_reload
        self._iter: Any = None
        if self._num_workers:
            self._start_workers()
        if self.auto_reload:
            self.refresh()

    def _repr_html_(self) -> str:
        facts = {
            "dataset": type(self._dataset).__name__,
            "samples": _length(self._dataset),
            "batches": _length(self._batch_sampler),
            "workers": f"{self._num_workers} {'threads' if self._thread_pool else 'processes'}",
        }
        return fact_table("DataLoader", facts)

    def _start_workers(self) -> None:
        active = is_np_shape(), is_np_array()
        if self._thread_pool:
            self._worker_pool = ThreadPool(
                self._num_workers, initializer=_thread_worker_initializer, initargs=active
            )
            weakref.finalize(self, self._worker_pool.terminate)
        else:
            self._inherited_batchify_fn = self._batchify_fn
            initargs = (self._dataset, *active, self._batchify_fn)
            self._worker_pool = WorkerPool(
                self._num_workers, _worker_initializer, initargs, discard=pickle.loads
            )

    def _epoch(self) -> Iterator[Any]:
        if self._num_workers == 0:
            return self._same_process_iter()
        self._given = 0
        if isinstance(self._worker_pool, WorkerPool) and not self._worker_pool.usable:
            self._start_workers()  # they were killed, or this process is a fork
        inherits = self._batchify_fn is self._inherited_batchify_fn
        return _MultiWorkerIter(
            self._worker_pool,
            None if inherits and not self._thread_pool else self._batchify_fn,
            self._samples(),
            pin_memory=self._pin_memory,
            pin_device_id=self._pin_device_id,
            worker_fn=_thread_worker_fn if self._thread_pool else _worker_fn,
            prefetch=self._prefetch,
            dataset=self._dataset if self._thread_pool else None,
            data_loader=self,
            timeout=self._timeout,
        )

    def _same_process_iter(self) -> Iterator[Any]:
        try:
            self._given = 0
            for n, samples in enumerate(self._samples(), 1):
                batch = self._batchify_fn(_elements(self._dataset, samples))
                if self._pin_memory:
                    batch = _as_in_context(batch, context.cpu_pinned(self._pin_device_id))
                self._note(n)
                yield batch
            self._note(None)
        except Exception as error:
            leave(error)
            raise

    def __iter__(self) -> Iterator[Any]:
        return self._reloading() if self.auto_reload else self._epoch()

    def _reloading(self) -> Iterator[Any]:
        """This epoch; the next one is started as it ends."""
        batches, self._iter = self._iter, None
        yield from batches if batches is not None else self._epoch()
        self.refresh()

    def refresh(self) -> None:
        """Start the next epoch, for `auto_reload`."""
        self._iter = self._epoch()

    def clean(self) -> None:
        """Give up the epoch that `auto_reload` has started."""
        self._iter = None

    def _note(self, n_given: int | None) -> None:
        self._given = n_given
        if n_given is None:
            self._n_before = 0

    def _samples(self) -> Any:
        """The indices of each batch, from where a state said."""
        n_skipped, self._n_skipped = self._n_skipped, 0
        return _Rest(self._batch_sampler, n_skipped) if n_skipped else self._batch_sampler

    def state_dict(self) -> dict[str, Any]:
        """Where the running epoch stands: batches that were given out, and the sampler's state.

        The order of a shuffled epoch is in it; random numbers that workers draw are not.
        """
        sampler = getattr(self._batch_sampler, "state_dict", None)
        of_epoch = () if self._given is None else (self._given,)
        given = self._n_before + (self._given or 0)
        return {"batches": given, "sampler": sampler(*of_epoch) if sampler else None}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Has the next epoch go on from a state, with any number of workers.

        A sampler without `state_dict` and `load_state_dict` must repeat its order.

        Raises:
            ArgumentError: it is no such state.
        """
        given, of_sampler = state.get("batches"), state.get("sampler")
        if not isinstance(given, int) or given < 0:
            raise ArgumentError(f"DataLoader: {shown(state)} is no state of a DataLoader")
        self.clean()
        self._given, self._n_before, self._n_skipped = None, given, given
        if of_sampler is not None:
            self._batch_sampler.load_state_dict(of_sampler)
            self._n_skipped = 0
        if self.auto_reload:
            self.refresh()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __del__(self) -> None:
        if self._worker_pool is not None:
            self._worker_pool.terminate()


def _length(items: Any) -> str:
    return f"{len(items):,}" if hasattr(items, "__len__") else "unknown"


facade(__name__)
