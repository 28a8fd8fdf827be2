# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.contrib import amp as amp
from mxnova.contrib import autograd as autograd
from mxnova.contrib import io as io
from mxnova.contrib import ndarray as nd
from mxnova.contrib import ndarray as ndarray
from mxnova.contrib import onnx as onnx
from mxnova.contrib import quantization as quant
from mxnova.contrib import quantization as quantization
from mxnova.contrib import svrg_optimization as svrg_optimization
from mxnova.contrib import symbol as sym
from mxnova.contrib import symbol as symbol
from mxnova.contrib import tensorboard as tensorboard
from mxnova.contrib import text as text
__all__ = ['amp', 'autograd', 'io', 'nd', 'ndarray', 'onnx', 'quant', 'quantization', 'svrg_optimization', 'sym', 'symbol', 'tensorboard', 'text']
