# SPDX-License-Identifier: Apache-2.0
"""Text: counted tokens, vocabularies that number them, and vectors of tokens."""

from ...core.base.doors import facade
from . import embedding, utils, vocab

__all__ = ["embedding", "utils", "vocab"]


facade(__name__)
