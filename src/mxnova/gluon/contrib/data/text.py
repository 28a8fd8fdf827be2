# SPDX-License-Identifier: Apache-2.0
"""Text to train language models with, read from local files."""

from __future__ import annotations

import errno
import os
import zipfile
from collections import Counter
from typing import Any

import numpy as np

from mxnova import ndarray as nd
from mxnova.base import data_dir
from mxnova.contrib.text.utils import count_tokens_from_str
from mxnova.contrib.text.vocab import Vocabulary
from mxnova.core.base.errors import ArgumentError, FormatError, MissingFileError, UnknownNameError
from mxnova.formats.archives import copy_at_most, unpacking
from mxnova.formats.atomic import replacing

from ...data.vision.datasets import _Published

__all__ = ["WikiText2", "WikiText103"]

_END = "<eos>"  # of a line


class _LanguageModelDataset(_Published):
    """Sequences of tokens, each with the sequence that begins one token later."""

    _vocab: Vocabulary | None = None
    _counter: Counter[str] | None = None

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The vocabulary that maps tokens to indices."""
        return self._vocab

    @property
    def frequencies(self) -> Counter[str] | None:
        """How often tokens occur."""
        return self._counter

    def _build_vocab(self, content: str) -> Vocabulary:
        self._counter = count_tokens_from_str(content)
        if self._vocab is None:
            self._vocab = Vocabulary(self._counter, reserved_tokens=[_END])
        return self._vocab


class _WikiText(_LanguageModelDataset):
    """Wikipedia's articles.

    Merity et al., arXiv:1609.07843, under CC BY-SA.

    Args:
        root: folder of the files.
        segment: ``train``, ``validation`` or ``test``.
        vocab: numbers the tokens; default: that of the segment.
        seq_len: tokens in a sequence.
    """

    _archive_file: tuple[str, str]  # its name and SHA-1
    _data_file: dict[str, tuple[str, str]]

    def __init__(
        self,
        root: str,
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        if segment not in self._data_file:
            kinds = ", ".join(self._data_file)
            raise UnknownNameError(
                f"{type(self).__name__}: segment={segment!r}: must be one of {kinds}"
            )
        if seq_len < 1:
            raise ArgumentError(f"{type(self).__name__}: seq_len={seq_len}: must be positive")
        self._segment = segment
        self._seq_len = seq_len
        self._vocab = vocab
        super().__init__(root, None)

    def _get_data(self) -> None:
        name, sha1 = self._data_file[self._segment]
        if not os.path.exists(os.path.join(self._root, name)):
            self._extract(name)
        self._data, self._label = self._read_batch(self._path_of(name, sha1))

    def _extract(self, name: str) -> None:
        """Takes file `name` out of the archive, which is downloaded if need be."""
        target = os.path.join(self._root, name)
        try:
            archive = self._path_of(*self._archive_file)
        except MissingFileError as error:
            hint = f"is missing, and so is what it can be taken out of: {error}"
            raise MissingFileError(errno.ENOENT, hint, target) from error
        with unpacking(archive), zipfile.ZipFile(archive) as files:
            inside = [n for n in files.namelist() if os.path.basename(n) == name]
            if not inside:
                raise FormatError(f"{archive}: has no {name}")
            with files.open(inside[0]) as source, replacing(target) as file:
                copy_at_most(source, file, self._most_bytes, name)

    def _read_batch(self, filename: str) -> tuple[Any, Any]:
        """Sequences, and those that begin one token later, (sequences, `seq_len`) each."""
        with open(filename, encoding="utf-8") as file:
            try:
                content = file.read()
            except UnicodeDecodeError as error:
                raise FormatError(f"{filename}: {error}") from None
        vocabulary = self._build_vocab(content)
        lines = [line.split() for line in content.splitlines()]
        tokens = [token for line in lines if line for token in (*line, _END)]
        count = (len(tokens) - 1) // self._seq_len * self._seq_len
        if count < 1:
            reason = (
                f"{len(tokens)} tokens are not enough for sequences of {self._seq_len} and more"
            )
            raise ArgumentError(f"{type(self).__name__}: {filename}: {reason}")
        numbers = np.array(vocabulary.to_indices(tokens[: count + 1]), "int32")
        shape = (-1, self._seq_len)
        return tuple(nd.array(n.reshape(shape), dtype="int32") for n in (numbers[:-1], numbers[1:]))  # type: ignore[return-value]


def _default(name: str) -> str:
    return os.path.join(data_dir(), "datasets", name)


class WikiText2(_WikiText):
    """Two million tokens of Wikipedia's articles, in sequences; int32.

    Merity et al., arXiv:1609.07843, under CC BY-SA.

    Args:
        root: folder of ``wiki.train.tokens`` and the like, or of ``wikitext-2-v1.zip``.
        segment: ``train``, ``validation`` or ``test``.
        vocab: numbers the tokens; default: that of the segment.
        seq_len: tokens in a sequence.

    Raises:
        MissingFileError: there is no such file, nor does downloading help.
    """

    _namespace = "wikitext-2"
    _most_bytes = 16 << 20  # the largest one has 10,797,148
    _archive_file = ("wikitext-2-v1.zip", "3c914d17d80b1459be871a5039ac23e752a53cbe")
    _data_file = {  # noqa: RUF012 - a table
        "train": ("wiki.train.tokens", "863f29c46ef9d167fff4940ec821195882fe29d1"),
        "validation": ("wiki.valid.tokens", "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422"),
        "test": ("wiki.test.tokens", "c7b8ce0aa086fb34dab808c5c49224211eb2b172"),
    }

    def __init__(
        self,
        root: str = _default("wikitext-2"),
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        super().__init__(root, segment, vocab, seq_len)


class WikiText103(_WikiText):
    """A hundred million tokens of Wikipedia's articles, in sequences; int32.

    Merity et al., arXiv:1609.07843, under CC BY-SA.

    Args:
        root: folder of ``wiki.train.tokens`` and the like, or of ``wikitext-103-v1.zip``.
        segment: ``train``, ``validation`` or ``test``.
        vocab: numbers the tokens; default: that of the segment.
        seq_len: tokens in a sequence.

    Raises:
        MissingFileError: there is no such file, nor does downloading help.
    """

    _namespace = "wikitext-103"
    _most_bytes = 600 << 20  # the largest one has 541,096,898
    _archive_file = ("wikitext-103-v1.zip", "0aec09a7537b58d4bb65362fee27650eeaba625a")
    _data_file = {  # noqa: RUF012 - a table
        "train": ("wiki.train.tokens", "b7497e2dfe77e72cfef5e3dbc61b7b53712ac211"),
        "validation": ("wiki.valid.tokens", "c326ac59dc587676d58c422eb8a03e119582f92b"),
        "test": ("wiki.test.tokens", "8a5befc548865cec54ed4273cf87dbbad60d1e47"),
    }

    def __init__(
        self,
        root: str = _default("wikitext-103"),
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        super().__init__(root, segment, vocab, seq_len)
