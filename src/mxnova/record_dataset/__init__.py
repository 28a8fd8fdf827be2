# SPDX-License-Identifier: Apache-2.0
"""Record files as data sets for any training loop: see `RecordDataset`."""

from .batches import RecordBatches
from .dataset import RecordDataset
from .sampler import RecordSampler

__all__ = ["RecordBatches", "RecordDataset", "RecordSampler"]
