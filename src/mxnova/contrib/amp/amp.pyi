# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.module import BucketingModule as BucketingModule

def convert_bucketing_module(bucketing_mod: BucketingModule, target_dtype: Any = 'float16', target_dtype_ops: list[str] | None = None, fp32_ops: list[str] | None = None, conditional_fp32_ops: list[tuple[str, str, list[str]]] | None = None, excluded_sym_names: list[str] | None = None, cast_optional_params: bool = False) -> BucketingModule: ...
from mxnova.contrib.amp import convert_hybrid_block as convert_hybrid_block
from mxnova.contrib.amp import convert_model as convert_model
from mxnova.contrib.amp import convert_symbol as convert_symbol
from mxnova.contrib.amp import init as init
from mxnova.contrib.amp import init_trainer as init_trainer
from mxnova.contrib.amp import list_conditional_fp32_ops as list_conditional_fp32_ops
from mxnova.contrib.amp import list_fp32_ops as list_fp32_ops
from mxnova.contrib.amp import list_loss_output_functions as list_loss_output_functions
from mxnova.contrib.amp import list_lp16_fp32_ops as list_lp16_fp32_ops
from mxnova.contrib.amp import list_lp16_ops as list_lp16_ops
from mxnova.contrib.amp import list_lp16_use_fp32_params as list_lp16_use_fp32_params
from mxnova.contrib.amp import list_widest_type_cast as list_widest_type_cast
from mxnova.contrib.amp import scale_loss as scale_loss
from mxnova.contrib.amp import unscale as unscale
