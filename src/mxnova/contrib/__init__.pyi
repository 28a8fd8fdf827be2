# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as _np


Any: type[Any]
_MODULES: dict[Any, Any]
from mxnova.contrib import amp as amp
annotations: Any
from mxnova.contrib import autograd as autograd
import importlib as importlib
from mxnova.contrib import io as io
from mxnova.contrib import naming as naming
from mxnova.contrib import ndarray as nd
from mxnova.contrib import ndarray as ndarray
from mxnova.contrib import quantization as quant
from mxnova.contrib import quantization as quantization
from mxnova.contrib import svrg_optimization as svrg_optimization
from mxnova.contrib import symbol as sym
from mxnova.contrib import symbol as symbol
from mxnova.contrib import tensorboard as tensorboard
from mxnova.contrib import text as text
