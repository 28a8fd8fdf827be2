# SPDX-License-Identifier: Apache-2.0
"""Sentences as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import count
from typing import Any

from ..core.base.errors import AssertedError, shown

__all__ = ["encode_sentences"]


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
