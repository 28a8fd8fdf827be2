# SPDX-License-Identifier: Apache-2.0
"""Text: counted tokens, vocabularies that number them, and vectors of tokens."""

from . import embedding, utils, vocab

__all__ = ["embedding", "utils", "vocab"]
