# SPDX-License-Identifier: Apache-2.0
"""Versions, features, seeds, devices and variables."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from .. import libinfo, random
from ..c_library import set_threads
from ..core.base.scopes import is_np_shape, set_np_shape
from ..core.runtime import context
from ..core.runtime.engine import engine
from ..runtime import feature_list
from .arguments import text
from .entry_points import extern, refuse
from .enums import context_at
from .interface import NULL, ffi
from .returns import return_text


@extern
def MXGetVersion(out: Any) -> None:
    major, minor, patch = libinfo.__version__.split(".")
    out[0] = int(major) * 10000 + int(minor) * 100 + int(patch)


@cache
def _features() -> Any:
    found = feature_list()
    names = [ffi.new("char[]", feature.name.encode()) for feature in found]
    pairs = [(name, feature.enabled) for name, feature in zip(names, found, strict=True)]
    return ffi.new("struct LibFeature[]", pairs), names


@extern
def MXLibInfoFeatures(lib_feature: Any, size: Any) -> None:
    memory, names = _features()
    lib_feature[0], size[0] = memory, len(names)


# Seeds --------------------------------------------------------------------------------------------


@extern
def MXRandomSeed(seed: int) -> None:
    random.seed(seed)


@extern
def MXRandomSeedContext(seed: int, dev_type: int, dev_id: int) -> None:
    random.seed(seed, context_at(dev_type, dev_id))


# Devices and threads ------------------------------------------------------------------------------


@extern
def MXGetGPUCount(out: Any) -> None:
    out[0] = context.num_gpus()


@extern
def MXGetGPUMemoryInformation(dev: int, free_mem: Any, total_mem: Any) -> None:
    free, total = context.gpu_memory_info(dev)
    free_mem[0], total_mem[0] = free >> 20, total >> 20


@extern
def MXGetGPUMemoryInformation64(dev: int, free_mem: Any, total_mem: Any) -> None:
    free_mem[0], total_mem[0] = context.gpu_memory_info(dev)


@extern
def MXStorageEmptyCache(dev_type: int, dev_id: int) -> None:
    place = context_at(dev_type, dev_id)
    _ = place.device  # an error where there is none
    place.empty_cache()


@extern
def MXSetNumOMPThreads(thread_num: int) -> None:
    set_threads(thread_num)


@extern
def MXEngineSetBulkSize(bulk_size: int, prev_bulk_size: Any) -> None:
    prev_bulk_size[0] = engine().set_bulk_size(bulk_size)


@extern
def MXNotifyShutdown() -> None:
    context.waitall()


# Semantics and variables --------------------------------------------------------------------------


@extern
def MXIsNumpyShape(curr: Any) -> None:
    curr[0] = is_np_shape()


@extern
def MXSetIsNumpyShape(is_np_shape: int, prev: Any) -> None:
    before = set_np_shape(is_np_shape)
    if prev != NULL:
        prev[0] = before


@extern
def MXGetEnv(name: Any, value: Any) -> None:
    found = os.environ.get(text(name))
    if found is None:
        value[0] = NULL
    else:
        return_text(value, found)


@extern
def MXSetEnv(name: Any, value: Any) -> None:
    if value == NULL:
        os.environ.pop(text(name), None)
    else:
        os.environ[text(name)] = text(value)


refuse("MXLoadLib", "operators come from PyTorch and Python here, not from compiled libraries")
refuse("MXLoadTVMOp", "operators come from PyTorch and Python here, not from TVM")
refuse("MXTVMBridge", "operators come from PyTorch and Python here, not from TVM")
