# SPDX-License-Identifier: Apache-2.0
"""Where things run: contexts, the heap, random streams."""

from . import cuda_pool, heap, idle_threads

heap.tune()
cuda_pool.tune()
idle_threads.watch()
