# SPDX-License-Identifier: Apache-2.0
"""MXNet's `model` module: checkpoints, KVStore helpers of training loops, and FeedForward."""

# ruff: noqa: F401 - programs take names with an underscore from here, too

from .callback import call_each as _multiple_callbacks
from .checkpoint import (
    BatchEndParam,
    load_checkpoint,
    load_params,
    save_checkpoint,
    split_params,
)
from .core.base.doors import facade
from .device_training import train_multi_device as _train_multi_device
from .feed_forward import FeedForward
from .kvstore.updates import create_kvstore as _create_kvstore
from .kvstore.updates import create_sparse_kvstore as _create_sparse_kvstore
from .kvstore.updates import initialize_kvstore as _initialize_kvstore
from .kvstore.updates import update_params as _update_params
from .kvstore.updates import update_params_on_kvstore as _update_params_on_kvstore
from .kvstore.updates import update_params_on_kvstore as _update_params_on_kvstore_nccl

__all__ = [
    "BASE_ESTIMATOR",
    "SKLEARN_INSTALLED",
    "BatchEndParam",
    "FeedForward",
    "load_checkpoint",
    "load_params",
    "save_checkpoint",
    "split_params",
]

SKLEARN_INSTALLED = False  # FeedForward is no estimator of scikit-learn's
BASE_ESTIMATOR = object


facade(__name__)
