# SPDX-License-Identifier: Apache-2.0
"""Where things run: contexts, the heap, random streams."""

from . import cuda_pool, heap

heap.tune()
cuda_pool.tune()
