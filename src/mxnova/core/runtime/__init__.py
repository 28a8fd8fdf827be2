# SPDX-License-Identifier: Apache-2.0
"""Where things run: contexts, the heap, random streams."""

from . import heap

heap.tune()
