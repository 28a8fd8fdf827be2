# SPDX-License-Identifier: Apache-2.0
"""Memory that several processes see: files without names on Linux, else memory with names."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

__all__ = ["Address", "Block", "block_ids", "block_of", "n_blocks", "release_resting"]

if TYPE_CHECKING or (sys.platform == "linux" and hasattr(os, "memfd_create")):
    from .memfd import Address, Block, block_ids, block_of, n_blocks, release_resting
else:
    from .named_shared_memory import Address, Block, block_ids, block_of, n_blocks, release_resting
