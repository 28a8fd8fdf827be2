# SPDX-License-Identifier: Apache-2.0
"""Text: counted tokens, and vocabularies that number them."""

from . import utils, vocab

__all__ = ["utils", "vocab"]
