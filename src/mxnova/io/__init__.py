# SPDX-License-Identifier: Apache-2.0
"""Iterators over batches, as Module and the training loops of its time take them."""

from . import io, utils
from .io import *  # noqa: F403
from .io import __all__ as _names

__all__ = ["io", "utils", *_names]
