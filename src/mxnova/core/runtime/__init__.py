# SPDX-License-Identifier: Apache-2.0
"""Where things run: contexts, the heap, random streams."""

from ..base import env
from . import cuda_pool, process

cuda_pool.tune()
if env.get("MXNOVA_TUNE_PROCESS"):
    process.tune()
