# SPDX-License-Identifier: Apache-2.0
"""RecordDataset: the records of RecordIO files, for loaders of torch and Gluon, and plain loops."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.base.errors import (
    ArgumentTypeError,
    FormatError,
    OutOfRangeError,
    argument_error,
    shown,
)
from ..formats.source import Path
from .batches import RecordBatches
from .broken import BrokenRecords
from .decoders import Decoder, decoder_of
from .files import files_of
from .order import Shuffle
from .prefetch import LoaderPrefetch
from .reader import RecordReader
from .sampler import RecordSampler
from .shares import Rank

__all__ = ["RecordDataset"]


class RecordDataset:
    """The records of RecordIO files as a data set with a length and elements.

    It needs neither torch nor arrays of mxnova. `torch.utils.data.DataLoader` and
    `gluon.data.DataLoader` take it, with workers that are forked or spawned. `sampler` gives
    the order for such a loader; `batches` reads without one, or in a loader's workers.

    Args:
        paths: a ``.rec`` file, or a list of them, whose records follow each other; URLs such as
            ``s3://bucket/train.rec``, too, whose bytes are read ahead of what is needed.
        index: the ``.idx`` file of a single file. Default: the one beside it; where there is none
            the file is searched for its records.
        keys: of the records to use, in this order, which an index must tell; default: all, in the
            order of the index or, without one, of the file.
        decode: what becomes of a record: ``"bytes"`` (nothing), ``"header"`` (an `IRHeader`
            and the bytes after it), ``"image"`` (an `IRHeader` and an array of uint8: height,
            width, and the channels RGB), or a function of its bytes.
        max_broken: how many records may be broken. Batches leave them out; `broken` has their
            numbers, and states count them. With one more, or at the first by default, reading
            raises.

    Raises:
        FileError: a file cannot be opened, or there are `keys` and no index.
        FormatError: an index breaks its format.
        UnknownNameError: there is no record of a key.
    """

    def __init__(
        self,
        paths: Path | Sequence[Path],
        index: Path | None = None,
        keys: Iterable[Any] | None = None,
        decode: str | Decoder = "bytes",
        max_broken: int = 0,
    ) -> None:
        if not isinstance(max_broken, int) or max_broken < 0:
            reason = "must be an integer >= 0"
            raise argument_error("RecordDataset", "max_broken", max_broken, reason)
        decoder, files = decoder_of(decode), files_of(paths, index, keys)
        self._reader = RecordReader(files, decoder, BrokenRecords(max_broken))
        self._prefetch = LoaderPrefetch(files)

    def __len__(self) -> int:
        return len(self._reader)

    def __getitem__(self, index: int) -> Any:
        """The element at `index`; from the end where it is negative.

        Raises:
            OutOfRangeError: there is none.
            FormatError: the record is broken.
        """
        return self._reader.element(self._number(index))

    def _number(self, index: Any) -> int:
        try:
            number = operator.index(index)
        except TypeError:
            text = f"RecordDataset: index={shown(index)}: must be an integer"
            raise ArgumentTypeError(text) from None
        if not -len(self) <= number < len(self):
            raise OutOfRangeError(f"RecordDataset: index={number}: there are {len(self)} records")
        return number % len(self)

    def __getitems__(self, indices: Iterable[int]) -> list[Any]:
        """The elements of a batch, without those that are broken: torch's loaders call it.

        Raises:
            FormatError: more than `max_broken` records are broken, or all of this batch.
        """
        numbers = [self._number(index) for index in indices]
        self._reader.files.expect_records(numbers)
        self._prefetch.after(indices)
        elements = list(self._reader.whole(numbers))
        if numbers and not elements:
            raise FormatError(f"RecordDataset: all {len(numbers)} records of a batch are broken")
        return elements

    def __iter__(self) -> Iterator[Any]:
        """All whole elements, in the order of the index."""
        return self._reader.whole(range(len(self)))

    @property
    def broken(self) -> list[int]:
        """The numbers of records that this process or its workers found broken."""
        return sorted(self._reader.broken.numbers())

    def state_dict(self) -> dict[str, Any]:
        """Which records are broken, as far as it is known."""
        return {"broken_records": self.broken}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over what another process knew of broken records."""
        self._reader.broken.merge(state["broken_records"])

    def sampler(
        self,
        batch_size: int,
        *,
        shuffle: bool = True,
        seed: int = 0,
        block_size: int | None = None,
        window: int = 16,
        rank: int = 0,
        num_ranks: int = 1,
        uneven: str = "exact",
        rescale: str = "local",
    ) -> RecordSampler:
        """The ``batch_sampler`` of a loader, which lets any number of workers read.

        The order is a function of `seed` and the epoch alone. Each rank takes every
        `num_ranks`-th batch of it, so that the records taken by all of them are always those at
        its beginning: an epoch goes on from a state with any other number of ranks and workers.

        Args:
            batch_size: records of a batch, see `rescale`.
            shuffle: whether records come in random order.
            seed: of that order, not negative.
            block_size: records that lie side by side and are read together: blocks come in random
                order, and the records of `window` blocks are mixed. None: all among all.
            window: blocks that are mixed.
            rank: of this process.
            num_ranks: processes that share an epoch.
            uneven: what becomes of the last records, which cannot be shared evenly: some ranks
                get one more (``"exact"``), they are left out (``"drop"``), or the epoch's first
                come a second time (``"pad"``).
            rescale: whose batch has `batch_size` records: each rank's (``"local"``), or that of
                all ranks together (``"global"``), so that steps are the same on any number of
                them.

        Raises:
            ArgumentError: a number is out of its range.
        """
        order = Shuffle(seed if shuffle else None, block_size, window)
        share = Rank(rank, num_ranks, batch_size, uneven, rescale)
        return RecordSampler(self._reader, order, share)

    def batches(
        self,
        batch_size: int | None,
        *,
        shuffle: bool = True,
        seed: int = 0,
        block_size: int | None = None,
        window: int = 16,
        rank: int = 0,
        num_ranks: int = 1,
        uneven: str = "exact",
        threads: int = 0,
        collate: Callable[[Iterator[Any]], Any] = list,
    ) -> RecordBatches:
        """An iterable over lists of elements, or over elements where `batch_size` is None.

        In a loop of its own, epoch follows epoch. `torch.utils.data.DataLoader` takes it as an
        `IterableDataset` with ``batch_size=None``; there each worker reads every n-th batch, and
        `set_epoch` must be called before each epoch. The arguments are those of `sampler`. Ranks
        and workers stay in step: where all records of a batch are broken, its list is empty.

        Args:
            batch_size: elements of a list.
            shuffle: whether records come in random order.
            seed: of that order, not negative.
            block_size: records that are read together, see `sampler`.
            window: blocks that are mixed.
            rank: of this process.
            num_ranks: processes that share an epoch.
            uneven: ``"exact"``, ``"drop"`` or ``"pad"``, see `sampler`.
            threads: that read and decode in advance; 0: none do.
            collate: makes a batch of an iterator over its elements, in the thread that reads
                them: what is decoded can be used up element by element.

        Raises:
            ArgumentError: a number is out of its range, or there are no batches to collate.
        """
        if collate is not list and batch_size is None:
            raise argument_error("batches", "collate", collate, "needs a batch_size")
        order = Shuffle(seed if shuffle else None, block_size, window)
        ranks = Rank(rank, num_ranks, 1 if batch_size is None else batch_size, uneven)
        return RecordBatches(self._reader, order, ranks, batch_size is not None, threads, collate)
