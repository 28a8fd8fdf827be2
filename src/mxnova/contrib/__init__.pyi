# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np


from mxnova.contrib import autograd as autograd
from mxnova.contrib import ndarray as nd
from mxnova.contrib import ndarray as ndarray
from mxnova.contrib import symbol as sym
from mxnova.contrib import symbol as symbol
