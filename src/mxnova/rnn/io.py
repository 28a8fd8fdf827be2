# SPDX-License-Identifier: Apache-2.0
"""Sentences as numbers, and batches of sentences of like length."""

from __future__ import annotations

import logging
import random
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, AssertedError, argument_error, shown
from ..io import DataBatch, DataDesc, DataIter

__all__ = ["BucketSentenceIter", "encode_sentences"]


def encode_sentences(
    sentences: Iterable[Iterable[Hashable]],
    vocab: dict[Any, int] | None = None,
    invalid_label: int = -1,
    invalid_key: Hashable = "\n",
    start_label: int = 0,
    unknown_token: Hashable | None = None,
) -> tuple[list[list[int]], dict[Any, int]]:
    """Numbers for the tokens of sentences.

    Args:
        sentences: lists of tokens.
        vocab: token -> number; None: one is made.
        invalid_label: number of `invalid_key`, that no other token gets.
        invalid_key: the token that ends sentences.
        start_label: the least number of new tokens.
        unknown_token: what tokens beyond a given `vocab` are taken for; None: they are errors.

    Returns:
        The sentences as lists of numbers, and the vocabulary.

    Raises:
        AssertedError: a token is not in `vocab`, and there is no `unknown_token`.
    """
    numbers = (n for n in count(start_label) if n != invalid_label)
    given = vocab is not None
    known: dict[Any, int] = {invalid_key: invalid_label} if vocab is None else vocab

    def number(token: Any) -> int:
        if token not in known:
            if given:
                token = replaced(token)
            if token not in known:
                known[token] = next(numbers)
        return known[token]

    def replaced(token: Any) -> Any:
        if unknown_token is None:
            raise AssertedError(
                f"encode_sentences: {shown(token)} is not in vocab, and there is no unknown_token"
            )
        return unknown_token

    return [[number(token) for token in sentence] for sentence in sentences], known


class BucketSentenceIter(DataIter):
    """An iterator for language models: sentences of like length; labels are data shifted by one.

    Each sentence is filled up to the length of the least bucket that has place for it; buckets that
    stay empty are left out. What fills no batch of its bucket is left out, another part each epoch.

    Args:
        sentences: lists of numbers, as `encode_sentences` gives them.
        batch_size: sentences in a batch.
        buckets: lengths; default: those that `batch_size` sentences have at least.
        invalid_label: fills up, and stands for what follows the last number.
        data_name: of the data.
        label_name: of the labels.
        dtype: of both.
        layout: ``"NT"``: (batch_size, length), or ``"TN"``.

    Raises:
        ArgumentError: another layout, or no bucket.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: int,
        buckets: Sequence[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__()
        self.batch_size = batch_size
        self.invalid_label = invalid_label
        self.data_name, self.label_name = data_name, label_name
        self.dtype, self.layout = dtype, layout
        self.major_axis = layout.find("N")
        if self.major_axis not in (0, 1):
            text = "must be 'NT' or 'TN'"
            raise argument_error("BucketSentenceIter", "layout", layout, text)
        lengths = sorted(buckets or _frequent_lengths(sentences, batch_size))
        rows = self._rows_by_bucket(sentences, lengths)
        self.buckets = [length for length, own in zip(lengths, rows, strict=True) if len(own)]
        if not self.buckets:
            raise argument_error("BucketSentenceIter", "buckets", buckets, "no sentence has place")
        self.data = [own for own in rows if len(own)]
        self.default_bucket_key = max(self.buckets)
        self.provide_data = [self._described(data_name, self.default_bucket_key)]
        self.provide_label = [self._described(label_name, self.default_bucket_key)]
        self.idx = [
            (i, first)
            for i, rows in enumerate(self.data)
            for first in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.reset()

    def _rows_by_bucket(
        self, sentences: Sequence[Sequence[int]], lengths: Sequence[int]
    ) -> list[np.ndarray]:
        """For each length its sentences, (sentences, length)."""
        members: list[list[Sequence[int]]] = [[] for _ in lengths]
        n_long = 0
        for sentence in sentences:
            place = bisect_left(lengths, len(sentence))
            if place == len(lengths):
                n_long += 1
            else:
                members[place].append(sentence)
        if n_long:
            text = "BucketSentenceIter: %d sentences are longer than the largest bucket: left out"
            logging.warning(text, n_long)
        found = []
        for length, own in zip(lengths, members, strict=True):
            rows = np.full((len(own), length), self.invalid_label, self.dtype)
            for row, sentence in zip(rows, own, strict=True):
                row[: len(sentence)] = sentence
            found.append(rows)
        return list(found)

    def _described(self, name: str, length: int) -> DataDesc:
        shape = (self.batch_size, length)
        # As in MXNet, descriptions say float32 whatever the type: labels are to be bound as such.
        return DataDesc(name, shape[:: 1 - 2 * self.major_axis], layout=self.layout)

    def reset(self) -> None:
        """Starts from the beginning, in another order, which `random` and `numpy.random` draw."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        for rows in self.data:
            np.random.shuffle(rows)
        self.nddata = [nd.array(rows, dtype=self.dtype) for rows in self.data]
        self.ndlabel = [nd.array(self._shifted(rows), dtype=self.dtype) for rows in self.data]

    def _shifted(self, rows: np.ndarray) -> np.ndarray:
        label = np.full_like(rows, self.invalid_label)
        label[:, :-1] = rows[:, 1:]
        return label

    def next(self) -> DataBatch:
        """The next batch, whose key is the length of its bucket.

        Raises:
            StopIteration: there is none.
        """
        if self.curr_idx == len(self.idx):
            raise StopIteration
        bucket, first = self.idx[self.curr_idx]
        self.curr_idx += 1
        rows = slice(first, first + self.batch_size)
        data, label = self.nddata[bucket][rows], self.ndlabel[bucket][rows]
        if self.major_axis == 1:
            data, label = data.T, label.T
        length = self.buckets[bucket]
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=length,
            provide_data=[self._described(self.data_name, length)],
            provide_label=[self._described(self.label_name, length)],
        )


def _frequent_lengths(sentences: Sequence[Sequence[int]], batch_size: int) -> list[int]:
    lengths = np.bincount([len(sentence) for sentence in sentences])
    found = np.flatnonzero(lengths >= batch_size).tolist()
    if not found:
        text = f"no {batch_size} of {len(sentences)} sentences have the same length; give buckets"
        raise ArgumentError(f"BucketSentenceIter: batch_size={batch_size}: {text}")
    return list(found)
