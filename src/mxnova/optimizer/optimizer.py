# SPDX-License-Identifier: Apache-2.0
"""Every optimizer, and the operators that they use, under the name of MXNet's module."""

# ruff: noqa: F401 - programs take operators from here, too
from ..core.base.doors import facade
from ..ndarray import (
    NDArray,
    adam_update,
    array,
    cast,
    clip,
    ftml_update,
    ftrl_update,
    lamb_update_phase1,
    lamb_update_phase2,
    maximum,
    mp_lamb_update_phase1,
    mp_lamb_update_phase2,
    mp_nag_mom_update,
    mp_sgd_mom_update,
    mp_sgd_update,
    multi_lars,
    multi_mp_sgd_mom_update,
    multi_mp_sgd_update,
    multi_sgd_mom_update,
    multi_sgd_update,
    multi_sum_sq,
    multiply,
    nag_mom_update,
    preloaded_multi_mp_sgd_mom_update,
    preloaded_multi_mp_sgd_update,
    preloaded_multi_sgd_mom_update,
    preloaded_multi_sgd_update,
    rmsprop_update,
    rmspropalex_update,
    sgd_mom_update,
    sgd_update,
    signsgd_update,
    signum_update,
    sparse,
    sqrt,
    square,
    zeros,
)
from ..ndarray import abs as NDabs
from ..ndarray import norm as NDnorm
from ..ndarray.contrib import multi_lamb_update, multi_mp_lamb_update
from ..ndarray.random import normal
from .adam import FTML, Adam, Adamax, Nadam
from .adaptive import AdaDelta, AdaGrad, Ftrl, RMSProp
from .base import Optimizer, create, register
from .decoupled import AdaBelief, AdamW
from .descent import DCASGD, NAG, SGD, SGLD, Signum, Test, ccSGD
from .large_batch import LAMB, LANS, LARS, LBSGD
from .updater import Updater, get_updater

__all__ = [
    "DCASGD",
    "FTML",
    "LAMB",
    "LANS",
    "LARS",
    "LBSGD",
    "NAG",
    "SGD",
    "SGLD",
    "AdaBelief",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Nadam",
    "Optimizer",
    "RMSProp",
    "Signum",
    "Test",
    "Updater",
    "ccSGD",
    "create",
    "get_updater",
    "register",
]


facade(__name__)
