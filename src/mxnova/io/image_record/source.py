# SPDX-License-Identifier: Apache-2.0
"""Batches out of a file of image records."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ... import ndarray as nd
from ...context import cpu_pinned
from ...core.base import env
from ...core.base.errors import (
    ArgumentError,
    FormatError,
    MXNetError,
    argument_error,
    from_foreign,
    shown,
)
from ...core.base.opencv import require_opencv
from ...core.base.std_random import StdRandom
from ...formats.images import check_image, decode_image
from ..batch import DataBatch
from .normalization import Normalization
from .prefetch import Prefetcher
from .records import MAGIC, Record, RecordStream, labels_of_list

__all__ = ["Drawn", "ImageSource", "Labels"]

Image = Any


class Drawn(NamedTuple):
    """The augmentation steps of one image, and its labels."""

    steps: Sequence[Callable[[Image], Image]]
    labels: np.ndarray


class _Planned(NamedTuple):
    """A record whose random numbers are drawn."""

    record: Record
    size: tuple[int, int]
    steps: Sequence[Callable[[Image], Image]]
    labels: np.ndarray
    fill: Callable[[Image, np.ndarray], None]


class Draw(Protocol):
    """Draws what is done to an image."""

    def __call__(
        self, random: StdRandom, size: tuple[int, int], labels: np.ndarray, /
    ) -> Drawn: ...


class Labels:
    """Label storage: rows of `width`, or plain numbers for a width of 1."""

    def __init__(self, width: int, pad_value: float | None = None) -> None:
        self.width, self.pad_value = width, pad_value

    def row(self, labels: np.ndarray) -> np.ndarray:
        """The labels of one record, as long as the width."""
        if self.pad_value is None:
            if len(labels) != self.width:
                raise ArgumentError(f"{len(labels)} labels, where label_width={self.width}")
            return labels
        if len(labels) > self.width:
            raise ArgumentError(f"{len(labels)} labels, where label_pad_width={self.width}")
        return np.pad(labels, (0, self.width - len(labels)), constant_values=self.pad_value)


class _Plan:
    """A batch of records that have been read."""

    def __init__(self, source: ImageSource, pad: int) -> None:
        params = source.params
        context = cpu_pinned(params.device_id)
        shape = (params.batch_size, *params.data_shape)
        width = source.labels.width
        labels = (params.batch_size,) if width == 1 else (params.batch_size, width)
        self._data = nd.empty(shape, context, source.normalization.dtype)
        self._label = nd.empty(labels, context)
        self.data = self._data._raw.numpy()
        self.label = self._label._raw.numpy().reshape(params.batch_size, width)
        self.index = np.zeros(params.batch_size, np.uint64)
        self.jobs: list[Callable[[], None]] = []
        self._pad = pad

    def finish(self) -> DataBatch:
        return DataBatch([self._data], [self._label], self._pad, self.index)


class ImageSource:
    """The batches of an image record iterator.

    Args:
        name: of the iterator.
        params: its parameters.
        draw: draws what is done to an image.
        normalization: turns its pixels into the batch's.
        labels: where labels go.
        seed: of the random numbers; `seed_aug` of the parameters is added, and the record's number.
        numbered: whether batches say which records they have; zeros else, as in MXNet.
    """

    def __init__(
        self,
        name: str,
        params: SimpleNamespace,
        draw: Draw,
        normalization: Normalization,
        labels: Labels,
        seed: int = MAGIC,
        numbered: bool = False,
    ) -> None:
        self.name, self.params = name, params
        self.draw, self.normalization, self.labels = draw, normalization, labels
        self._records = RecordStream(name, params, self._planned, seed)
        self._listed = _listed(params)
        self._flag = _flag(params.data_shape[0])
        self._seed, self._numbered = seed, numbered
        self._random = StdRandom(seed)
        self._is_ahead = False
        self._began = self._next_began = self._generators()
        self._limit = env.get("MXNOVA_IMAGE_MAX_PIXELS")
        depth, n_threads = params.prefetch_buffer, params.preprocess_threads
        self._batches = Prefetcher(name, self._plan, depth, n_threads)

    def read(self) -> DataBatch | None:
        """The next batch, None after the last."""
        return self._batches.read()

    def rewind(self) -> None:
        """Start from the beginning, after the samples that the last batch took from there."""
        self._batches.restart()
        if not self._is_ahead:
            self._next_began = self._generators()
            self._records.restart()
        self._is_ahead, self._began = False, self._next_began

    def _generators(self, n_ahead: int = 0) -> dict[str, Any]:
        """What an epoch begins with, of which `n_ahead` records belong to the one before."""
        return {
            "order": self._records.state,
            "augmentation": self._random.state,
            "ahead": n_ahead,
        }

    def state(self) -> dict[str, Any]:
        """The states of the random generators when the epoch began."""
        return self._began

    def restore(self, state: Mapping[str, Any], n_batches: int) -> None:
        """Goes on after `n_batches` of an epoch, whose records are read again but not decoded.

        Raises:
            ArgumentError: it is the state of an epoch in another order.
        """
        n_ahead = state.get("ahead")
        if not isinstance(n_ahead, int) or not 0 <= n_ahead < self.params.batch_size:
            raise ArgumentError(f"{self.name}: {shown(state)} is no state of its records")
        self._batches.restart()
        self._records.state = state.get("order")
        self._random.state = state.get("augmentation", "")
        self._records.restart()
        self._is_ahead, self._began = False, dict(state)
        self._take(n_ahead)
        for _ in range(n_batches):
            with contextlib.suppress(FormatError):  # who went through the epoch was told of it
                if self._is_ahead or self._next_records() is None:
                    break

    def close(self) -> None:
        """Lets threads end."""
        self._batches.close()

    # Plans ----------------------------------------------------------------------------------------

    def _plan(self) -> _Plan | None:
        if self._is_ahead:
            return None
        taken = self._next_records()
        if taken is None:
            return None
        records, pad = taken
        plan = _Plan(self, pad)
        for i, planned in enumerate(records):
            plan.label[i] = planned.labels
            plan.jobs.append(partial(self._decode, planned, plan.data[i]))
        if self._numbered:
            plan.index[: len(records)] = [planned.record.id for planned in records]
        plan.data[len(records) :] = 0
        plan.label[len(records) :] = 0
        return plan

    def _next_records(self) -> tuple[list[_Planned], int] | None:
        """The records of the next batch, and how many are missing in this epoch."""
        records = self._take(self.params.batch_size)
        if not records:
            return None
        pad = self.params.batch_size - len(records)
        if pad and self.params.round_batch:
            records += self._from_the_beginning(pad)
        return records, pad

    def _take(self, n: int) -> list[_Planned]:
        records: list[_Planned] = []
        while len(records) < n and (record := self._records.read()) is not None:
            records.append(record)
        return records

    def _from_the_beginning(self, n: int) -> list[_Planned]:
        self._next_began = self._generators(n)
        self._records.restart()
        self._is_ahead = True
        records = self._take(n)
        if len(records) < n:
            size = self.params.batch_size
            text = f"batch_size={size}: {size - n} records cannot fill up a batch"
            raise ArgumentError(f"{self.name}: {text}")
        return records

    def _planned(self, record: Record) -> _Planned:
        random, seed = self._random, self.params.seed_aug
        if seed is not None:
            random = StdRandom(self._seed + seed + record.id)
        labels = record.labels if self._listed is None else self._label_of(record)
        width, height = check_image(self.name, memoryview(record.image), self._limit)
        try:
            drawn = self.draw(random, (height, width), labels)
        except (ArithmeticError, ValueError) as error:  # of arguments that are no numbers
            if isinstance(error, MXNetError):
                raise
            raise from_foreign(error, self.name) from error
        row, fill = self.labels.row(drawn.labels), self.normalization.draw(random)
        return _Planned(record, (height, width), drawn.steps, row, fill)

    def _label_of(self, record: Record) -> np.ndarray:
        try:
            return self._listed[record.id]  # type: ignore[index]
        except KeyError:
            text = f"there is no index {record.id} in the list {self.params.path_imglist}"
            raise FormatError(text) from None

    def _error(self, record: Record, error: MXNetError) -> FormatError:
        return FormatError(f"{self._records.path}: record at offset {record.offset}: {error}")

    # Decoding, in threads -------------------------------------------------------------------------

    def _decode(self, planned: _Planned, out: np.ndarray) -> None:
        cv2, record = require_opencv(), planned.record
        try:
            image = self._decode_image(record, planned.size)
            for step in planned.steps:
                image = step(image)
            height, width = image.shape[:2]
            if (height, width) != out.shape[1:]:
                out[...] = 0  # around a smaller image
            planned.fill(image, out[:, :height, :width])
        except MXNetError as error:
            raise self._error(record, error) from None
        except cv2.error as error:
            raise self._error(record, MXNetError(" ".join(str(error).split()))) from None

    def _decode_image(self, record: Record, size: tuple[int, int]) -> Image:
        image = decode_image(self.name, record.image, self._flag)
        if image.shape[:2] != size:
            was, said = ("{1} x {0}".format(*s[:2]) for s in (image.shape, size))
            raise FormatError(f"an image of {was} pixels, where its header has {said}")
        n_channels, expected = image.shape[2] if image.ndim == 3 else 1, self.params.data_shape[0]
        if n_channels != expected or image.dtype != np.uint8:
            found = f"{n_channels} channels of {image.dtype}"
            raise FormatError(f"an image of {found}, where data_shape needs {expected} of uint8")
        return image


def _listed(params: SimpleNamespace) -> dict[int, np.ndarray] | None:
    if not params.path_imglist:
        return None
    return labels_of_list(params.path_imglist, params.label_width)


def _flag(n_channels: int) -> int:
    cv2 = require_opencv()
    flags = {1: cv2.IMREAD_GRAYSCALE, 3: cv2.IMREAD_COLOR, 4: cv2.IMREAD_UNCHANGED}
    if n_channels not in flags:
        text = "must have 1, 3 or 4 channels"
        raise argument_error("image records", "data_shape[0]", n_channels, text)
    return int(flags[n_channels] | cv2.IMREAD_IGNORE_ORIENTATION)


def longest_label(name: str, params: SimpleNamespace) -> int:
    """The length of the longest label.

    Raises:
        FormatError: one has not `label_width` labels, where that is positive.
    """
    listed = _listed(params)
    if listed is not None:
        return max(map(len, listed.values()))
    unordered = SimpleNamespace(**{**vars(params), "shuffle": False, "shuffle_chunk_size": 0})
    records, longest = RecordStream(name, unordered, lambda record: record), 0
    while (record := records.read()) is not None:
        n = len(record.labels)
        if params.label_width > 0 and n != params.label_width:
            text = f"{n} labels, where label_width={params.label_width}"
            raise FormatError(f"{params.path_imgrec}: record at offset {record.offset}: {text}")
        longest = max(longest, n)
    return longest
