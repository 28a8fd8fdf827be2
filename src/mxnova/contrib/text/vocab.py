# SPDX-License-Identifier: Apache-2.0
"""Vocabularies: tokens by number, numbers by token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...core.base.doors import facade
from ...core.base.errors import ArgumentError, AssertedError, shown

__all__ = ["Vocabulary"]


class Vocabulary:
    """Numbers tokens: the unknown one is 0, reserved ones follow, then others by frequency.

    Args:
        counter: how often tokens occur; of equal ones the alphabetically first comes first.
        most_freq_count: how many to take of it at most; None or negative: all.
        min_freq: how often a token must occur.
        unknown_token: stands for all tokens that are not numbered.
        reserved_tokens: tokens that are numbered in any case.
    """

    def __init__(
        self,
        counter: Counter[str] | None = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: str = "<unk>",
        reserved_tokens: Sequence[str] | None = None,
    ) -> None:
        reserved = list(reserved_tokens or ())
        if min_freq <= 0:
            raise AssertedError(f"Vocabulary: min_freq={shown(min_freq)}: must be positive")
        if len({unknown_token, *reserved}) != len(reserved) + 1:
            what = f"reserved_tokens={shown(reserved)}: must differ, also from {unknown_token!r}"
            raise AssertedError(f"Vocabulary: {what}")
        if counter is not None and not isinstance(counter, Counter):
            what = f"counter={shown(counter)}: must be a collections.Counter"
            raise AssertedError(f"Vocabulary: {what}")
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else reserved
        self._idx_to_token = [unknown_token, *reserved]
        self._index(counter or Counter(), most_freq_count, min_freq)
        self._token_to_idx = {token: index for index, token in enumerate(self._idx_to_token)}

    def _index(self, counter: Counter[str], most: int | None, min_freq: int) -> None:
        known = set(self._idx_to_token)
        frequent = (t for t, n in counter.items() if n >= min_freq and t not in known)
        tokens = sorted(frequent, key=lambda token: (-counter[token], token))
        self._idx_to_token += tokens if most is None or most < 0 else tokens[:most]

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[str, int]:
        """Numbers by token."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[str]:
        """Tokens by number."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> str:
        """What stands for all other tokens."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[str] | None:
        """Tokens that are numbered in any case."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """The number of a token, or a list of numbers for a list of tokens."""
        if isinstance(tokens, (list, tuple)):
            return [self._token_to_idx.get(token, 0) for token in tokens]
        return self._token_to_idx.get(tokens, 0)

    def to_tokens(self, indices: Any) -> Any:
        """The token of a number, or a list of tokens for a list of numbers.

        Raises:
            ArgumentError: nothing has such a number.
        """
        if isinstance(indices, (list, tuple)):
            return [self.to_tokens(index) for index in indices]
        if not 0 <= indices < len(self):
            what = f"indices={shown(indices)}: must be from 0 to {len(self) - 1}"
            raise ArgumentError(f"Vocabulary.to_tokens: {what}")
        return self._idx_to_token[indices]


facade(__name__)
