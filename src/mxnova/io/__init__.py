# SPDX-License-Identifier: Apache-2.0
"""Iterators over batches, as Module and the training loops of its time take them."""

from ..core.base.doors import facade
from . import io, utils
from .io import *  # noqa: F403
from .io import __all__ as _names
from .utils import _getdata_by_idx, _has_instance, _init_data  # noqa: F401 - packages use them

__all__ = ["io", "utils", *_names]


facade(__name__)
