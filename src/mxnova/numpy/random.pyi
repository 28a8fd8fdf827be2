# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.ndarray.numpy.random import beta as beta
from mxnova.ndarray.numpy.random import chisquare as chisquare
from mxnova.ndarray.numpy.random import choice as choice
from mxnova.ndarray.ndarray import current_context as current_context
from mxnova.ndarray.numpy.random import exponential as exponential
from mxnova.ndarray.numpy.random import gamma as gamma
from mxnova.ndarray.numpy.random import gumbel as gumbel
from mxnova.ndarray.numpy.random import logistic as logistic
from mxnova.ndarray.numpy.random import lognormal as lognormal
from mxnova.ndarray.numpy.random import multinomial as multinomial
from mxnova.ndarray.numpy.random import multivariate_normal as multivariate_normal
from mxnova.ndarray.numpy.random import normal as normal
from mxnova.ndarray.numpy.random import pareto as pareto
from mxnova.ndarray.numpy.random import power as power
from mxnova.ndarray.numpy.random import rand as rand
from mxnova.ndarray.numpy.random import randint as randint
from mxnova.ndarray.numpy.random import randn as randn
from mxnova.ndarray.numpy.random import rayleigh as rayleigh
from mxnova.ndarray.numpy.random import shuffle as shuffle
from mxnova.ndarray.numpy.random import uniform as uniform
from mxnova.ndarray.numpy.random import weibull as weibull
