# SPDX-License-Identifier: Apache-2.0
"""The DataLoader of MXNet 1.3, which some programs still name: its workers live for one epoch."""

from __future__ import annotations

import multiprocessing
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from mxnova import context
from mxnova.core.base.errors import MXNetError

from .batchify import default_batchify_fn, default_mp_batchify_fn
from .sampler import batches_of
from .transport import Queue, _as_in_context
from .worker_pool import WorkerDied, WorkerTraceback, portable

__all__ = ["DataLoaderV1", "fetcher_loop_v1", "worker_loop_v1"]

_POLL_S = 0.002


class _Failure:
    """In the place of a batch: what its worker raised."""

    def __init__(self, error: Exception, text: str):
        self.error, self.text = error, text


def worker_loop_v1(dataset: Any, key_queue: Any, data_queue: Any, batchify_fn: Any) -> None:
    """Turns pairs (number, indices) into pairs (number, batch), until the number is None."""
    while True:
        number, samples = key_queue.get()
        if number is None:
            return
        try:
            batch = batchify_fn([dataset[i] for i in samples])
        except Exception as error:  # noqa: BLE001 - raised where the batch is asked for
            batch = _Failure(portable(error), traceback.format_exc())
        data_queue.put((number, batch))


def fetcher_loop_v1(
    data_queue: Any,
    data_buffer: dict[int, Any],
    pin_memory: bool = False,
    pin_device_id: int = 0,
    data_buffer_lock: Any = None,
) -> None:
    """Moves batches from a queue into `data_buffer`, by number, until the number is None."""
    place = context.cpu_pinned(pin_device_id) if pin_memory else context.cpu()
    while True:
        try:
            number, batch = data_queue.get()
        except MXNetError:  # a worker ended, and its memory with it: who waits for it finds out
            return
        if number is None:
            return
        batch = _as_in_context(batch, place)
        if data_buffer_lock is None:
            data_buffer[number] = batch
        else:
            with data_buffer_lock:
                data_buffer[number] = batch


class _MultiWorkerIterV1:
    """The batches of one epoch, made by processes of its own."""

    _shutdown = True

    def __init__(
        self,
        num_workers: int,
        dataset: Any,
        batchify_fn: Callable[[list[Any]], Any],
        batch_sampler: Any,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., None] = worker_loop_v1,
    ):
        self._num_workers = num_workers
        self._dataset = dataset
        self._batchify_fn = batchify_fn
        self._batch_sampler = batch_sampler
        self._key_queue = Queue()
        self._data_queue = Queue()
        self._data_buffer: dict[int, Any] = {}
        self._data_buffer_lock = threading.Lock()
        self._rcvd_idx = self._sent_idx = 0
        self._iter = iter(batch_sampler)
        self._workers = [
            multiprocessing.Process(
                target=worker_fn,
                args=(dataset, self._key_queue, self._data_queue, batchify_fn),
                daemon=True,
            )
            for _ in range(num_workers)
        ]
        for worker in self._workers:
            worker.start()
        self._shutdown = False
        arguments = (
            self._data_queue,
            self._data_buffer,
            pin_memory,
            pin_device_id,
            self._data_buffer_lock,
        )
        self._fetcher = threading.Thread(target=fetcher_loop_v1, args=arguments, daemon=True)
        self._fetcher.start()
        for _ in range(2 * num_workers):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __del__(self) -> None:
        self.shutdown()

    def _push_next(self) -> None:
        samples = next(self._iter, None)
        if samples is not None:
            self._key_queue.put((self._sent_idx, samples))
            self._sent_idx += 1

    def __next__(self) -> Any:
        if self._shutdown or self._rcvd_idx == self._sent_idx:
            self.shutdown()
            raise StopIteration
        batch = self._wait_for(self._rcvd_idx)
        self._rcvd_idx += 1
        if isinstance(batch, _Failure):
            self.shutdown()
            raise batch.error from WorkerTraceback(batch.text)
        self._push_next()
        return batch

    next = __next__

    def __iter__(self) -> Iterator[Any]:
        return self

    def _wait_for(self, number: int) -> Any:
        while True:
            with self._data_buffer_lock:
                if number in self._data_buffer:
                    return self._data_buffer.pop(number)
            self._fetcher.join(_POLL_S)
            dead = [w for w in self._workers if not w.is_alive()]
            if dead:
                self.shutdown()
                raise WorkerDied(
                    f"DataLoader: worker process {dead[0].pid} ended, exit code {dead[0].exitcode}"
                )
            if not self._fetcher.is_alive():
                self.shutdown()
                raise WorkerDied("DataLoader: a batch's memory is gone before it was received")

    def shutdown(self) -> None:
        """Ends the workers."""
        if self._shutdown:
            return
        self._shutdown = True
        self._data_queue.cancel_join_thread()  # a worker that is killed may have its lock for ever
        self._data_queue.put((None, None))
        for worker in self._workers:
            worker.terminate()
            worker.join()
        self._key_queue.close()
        self._key_queue.cancel_join_thread()


class DataLoaderV1:
    """The batches of a dataset; arguments are those of `DataLoader`."""

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
    ):
        self._dataset = dataset
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._batch_sampler = batches_of(
            dataset, batch_size, shuffle, sampler, last_batch, batch_sampler
        )
        self._num_workers = max(num_workers, 0)
        default = default_mp_batchify_fn if self._num_workers else default_batchify_fn
        self._batchify_fn = batchify_fn or default

    def __iter__(self) -> Iterator[Any]:
        if self._num_workers:
            return _MultiWorkerIterV1(
                self._num_workers,
                self._dataset,
                self._batchify_fn,
                self._batch_sampler,
                self._pin_memory,
                self._pin_device_id,
            )
        return self._same_process_iter()

    def _same_process_iter(self) -> Iterator[Any]:
        for samples in self._batch_sampler:
            batch = self._batchify_fn([self._dataset[i] for i in samples])
            if self._pin_memory:
                batch = _as_in_context(batch, context.cpu_pinned(self._pin_device_id))
            yield batch

    def __len__(self) -> int:
        return len(self._batch_sampler)
