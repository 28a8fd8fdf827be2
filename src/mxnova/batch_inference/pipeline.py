# SPDX-License-Identifier: Apache-2.0
"""Items through a model: threads decode what comes next while a batch runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from ..core.base.errors import MXNetError
from ..predictor.picture import Picture
from .items import Item
from .reading import Array
from .runner import Runner

__all__ = ["Prediction", "decoded_batches", "predictions"]

_MOST_TOGETHER = 256  # failures beside a batch


class Prediction(NamedTuple):
    """What became of an item.

    Attributes:
        name: of the item.
        outputs: of the model, without the axis of the batch; None if it failed.
        error: why it failed, or None.
    """

    name: str
    outputs: list[Array] | None
    error: str | None


Decoded = tuple[Item, Array | str]  # an item with an array, or with an error


def predictions(
    items: Iterable[Item], runner: Runner, picture: Picture, threads: int = 2
) -> Iterator[list[Prediction]]:
    """What the model makes of items, in their order, batch by batch.

    Arrays of three batches at most are held. An item that fails does not stop others.

    Args:
        items: what is predicted.
        runner: the model.
        picture: how an image becomes an array.
        threads: that read and decode.

    Raises:
        MXNetError: the model itself cannot run.
    """
    for batch in decoded_batches(items, runner, picture, threads):
        arrays = [value for _, value in batch if not isinstance(value, str)]
        results = iter(runner(arrays) if arrays else ())
        yield [
            _prediction(item.name, value if isinstance(value, str) else next(results))
            for item, value in batch
        ]


def decoded_batches(
    items: Iterable[Item], runner: Runner, picture: Picture, threads: int = 2
) -> Iterator[Sequence[Decoded]]:
    """Items as arrays that fit the model, in their order, as many of one shape as it takes at once.

    Args:
        items: what is read.
        runner: the model, which is not run.
        picture: how an image becomes an array.
        threads: that read and decode.
    """
    return _batches(_decoded(items, runner, picture, threads), runner.batch)


def _prediction(name: str, result: list[Array] | str) -> Prediction:
    if isinstance(result, str):
        return Prediction(name, None, result)
    return Prediction(name, result, None)


def _decoded(
    items: Iterable[Item], runner: Runner, picture: Picture, threads: int
) -> Iterator[Decoded]:
    """Decoded items; threads are ahead by two batches."""

    def decode(item: Item) -> Array | str:
        try:
            return runner.fitted(item.read(picture))
        except OSError as error:
            return error.strerror or str(error)
        except MXNetError as error:
            return str(error).removeprefix(f"{item.name}: ")
        except MemoryError:
            return "there is not enough memory"

    ahead = 2 * runner.batch + threads
    waiting: deque[tuple[Item, Future[Array | str]]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="mxnova-decode")
    try:
        for item in items:
            waiting.append((item, pool.submit(decode, item)))
            if len(waiting) > ahead:
                ready, future = waiting.popleft()
                yield ready, future.result()
        while waiting:
            ready, future = waiting.popleft()
            yield ready, future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _batches(decoded: Iterable[Decoded], rows: int) -> Iterator[Sequence[Decoded]]:
    """Up to `rows` arrays of one shape, with the errors between them."""
    batch: list[Decoded] = []
    shape: tuple[int, ...] | None = None
    count = 0
    for item, value in decoded:
        other = not isinstance(value, str) and shape not in (None, value.shape)
        if batch and (other or count == rows or len(batch) == rows + _MOST_TOGETHER):
            yield batch
            batch, count, shape = [], 0, None
        batch.append((item, value))
        if not isinstance(value, str):
            count, shape = count + 1, value.shape
    if batch:
        yield batch
