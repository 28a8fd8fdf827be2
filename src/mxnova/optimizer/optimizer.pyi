# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.optimizer import AdaBelief as AdaBelief
from mxnova.optimizer import AdaDelta as AdaDelta
from mxnova.optimizer import AdaGrad as AdaGrad
from mxnova.optimizer import Adam as Adam
from mxnova.optimizer import AdamW as AdamW
from mxnova.optimizer import Adamax as Adamax
from mxnova.optimizer import DCASGD as DCASGD
from mxnova.optimizer import FTML as FTML
from mxnova.optimizer import Ftrl as Ftrl
from mxnova.optimizer import LAMB as LAMB
from mxnova.optimizer import LANS as LANS
from mxnova.optimizer import LARS as LARS
from mxnova.optimizer import LBSGD as LBSGD
from mxnova.optimizer import NAG as NAG
from mxnova.optimizer import Nadam as Nadam
from mxnova.optimizer import Optimizer as Optimizer
from mxnova.optimizer import RMSProp as RMSProp
from mxnova.optimizer import SGD as SGD
from mxnova.optimizer import SGLD as SGLD
from mxnova.optimizer import Signum as Signum
from mxnova.optimizer import Test as Test
from mxnova.optimizer import Updater as Updater
from mxnova.optimizer import ccSGD as ccSGD
from mxnova.optimizer import create as create
from mxnova.optimizer import get_updater as get_updater
from mxnova.optimizer import register as register
