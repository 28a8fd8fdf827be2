# SPDX-License-Identifier: Apache-2.0
"""Batch inference: a model on any number of files, in bounded memory.

Importing this package, and running compiled models, does not import torch.
"""

from __future__ import annotations

from .items import Item, count_items, items_of
from .pipeline import Prediction, predictions
from .results import Results, result_file

__all__ = [
    "Item",
    "Prediction",
    "Results",
    "count_items",
    "items_of",
    "predictions",
    "result_file",
]
