# SPDX-License-Identifier: Apache-2.0
"""How often tokens occur."""

from __future__ import annotations

import re
from collections import Counter

from ...core.base.doors import facade

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: Counter[str] | None = None,
) -> Counter[str]:
    """Counts the tokens of a text.

    Args:
        source_str: the text.
        token_delim: what stands between tokens; a regular expression, as is
        seq_delim: what stands between sequences.
        to_lower: whether to count tokens in lower case; delimiters match the text as it is.
        counter_to_update: what to add to; None: a new counter.

    Returns:
        The counter.
    """
    counter = Counter() if counter_to_update is None else counter_to_update
    tokens = filter(None, re.split(f"{token_delim}|{seq_delim}", source_str))
    counter.update(map(str.lower, tokens) if to_lower else tokens)
    return counter


facade(__name__)
